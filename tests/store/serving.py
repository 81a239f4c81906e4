"""A process that runs an embedded store until it is killed: python serving.py FOLDER [main|thread]."""

import asyncio
import sys
import threading
from pathlib import Path

from tenmatch.store.connect import Address, Store
from tenmatch.store.embedded import Embedded


async def serve(folder: Path) -> None:
    embedded = Embedded(folder)
    await embedded.start()
    store = Store(Address(embedded.url), timeout=60.0)  # however slow it is to start
    await store.call("INCR", "starts")
    info: bytes = await store.call("INFO", "server")
    pid = info.partition(b"process_id:")[2].split()[0].decode()
    sys.stdout.write(f"{pid}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    if sys.argv[2] == "main":
        asyncio.run(serve(Path(sys.argv[1])))
    else:  # not the main thread: the server is not told when this process dies
        thread = threading.Thread(target=asyncio.run, args=(serve(Path(sys.argv[1])),))
        thread.start()
        thread.join()
