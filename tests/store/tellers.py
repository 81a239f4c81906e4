"""Servers that say what a test wants them to: sentinels and members of clusters, as far as we ask them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

Said = bytes | int | list["Said"] | None


def packed(said: Said) -> bytes:
    """Return what a server sends to say this; text that begins with a minus is an error."""
    match said:
        case None:
            return b"$-1\r\n"
        case int():
            return b":%d\r\n" % said
        case bytes() if said.startswith(b"-"):
            return said + b"\r\n"
        case bytes():
            return b"$%d\r\n%s\r\n" % (len(said), said)
    return b"*%d\r\n%s" % (len(said), b"".join(map(packed, said)))


class Teller:
    """Answers a command by its first word, or its first two; what it knows may be changed at any time."""

    def __init__(self, known: Mapping[bytes, Said]) -> None:
        self.known = dict(known)
        self.port = 0
        self.asked: list[bytes] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while count := await reader.readline():
                words = []
                for _ in range(int(count[1:])):
                    length = int((await reader.readline())[1:])
                    words.append((await reader.readexactly(length + 2))[:-2])
                command = words[0] if words[0] in self.known else b" ".join(words[:2])
                self.asked.append(command)
                if command in self.known:  # else it is silent
                    writer.write(packed(self.known[command]))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def telling(*tellers: Teller) -> AsyncIterator[str]:
    """Let them answer, each on a port of its own; yield these as a URL has them."""
    tasks: set[asyncio.Task[None]] = set()

    def accept(teller: Teller) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(teller.answer(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        return accepted

    servers = [await asyncio.start_server(accept(teller), "127.0.0.1", 0) for teller in tellers]
    for teller, server in zip(tellers, servers, strict=True):
        teller.port = server.sockets[0].getsockname()[1]
    try:
        yield ",".join(f"127.0.0.1:{teller.port}" for teller in tellers)
    finally:
        for server in servers:
            server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for server in servers:
            await server.wait_closed()


PRIMARY: Final[Mapping[bytes, Said]] = {b"ROLE": [b"master", 0, []], b"PING": b"PONG"}


def sentinel(named: Teller | None) -> Teller:
    """Return a sentinel that names a server that is telling already, or none."""
    teller = Teller({})
    name(teller, named)
    return teller


def name(sentinel: Teller, named: Teller | None) -> None:
    """Let a sentinel name another server, or none."""
    said: Said = None if named is None else [b"127.0.0.1", str(named.port).encode()]
    sentinel.known[b"SENTINEL GET-MASTER-ADDR-BY-NAME"] = said
