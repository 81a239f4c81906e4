"""Real servers for tests: the embedded Valkey and Debian's Redis, each on a Unix socket in a given folder."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Final, Literal, Self, TypeAlias

from tenmatch.store import tethered
from tenmatch.store.embedded import server_binary

Kind: TypeAlias = Literal["valkey", "redis"]
KINDS: Final[Sequence[Kind]] = ("valkey", "redis")
ENDS_S: Final = 15.0  # for a server to end by itself
TETHER: Final = (sys.executable, "-I", "-S", tethered.__file__, str(os.getpid()))
"""Begins a command that is to die with a test run that is killed."""
STARTER: Final = ThreadPoolExecutor(1)
"""The thread that starts servers: they die with the very thread that did, so it must stay to the end."""


def binary(kind: Kind) -> str:
    """Return the server's program, or fail with how to install it."""
    if kind == "valkey":
        return str(server_binary())
    found = shutil.which("redis-server") or shutil.which("/usr/bin/redis-server")
    assert found, "the tests need Debian's redis-server: apt-get install redis-server (make tools)"
    return found


class Server:
    """A server with all it has in *folder*; it can be frozen, killed and started again. `with` ends it."""

    ready = b"eady to accept connections"  # what it says when it is

    def __init__(self, kind: Kind, folder: Path, *options: str, inside: Sequence[str] = ()) -> None:
        """Start it; *inside* begins the command, where it is to run somewhere else."""
        self.kind = kind
        self.socket = folder / f"{kind}.sock"
        self.url = f"unix://{self.socket}"
        self._command = [
            *inside,
            *TETHER,
            *(binary(kind), "--port", "0", "--unixsocket", str(self.socket), "--dir", str(folder)),
            *("--appendonly", "yes", "--save", "", "--maxmemory-policy", "noeviction"),
            *options,
        ]
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failed: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start the server and return when it takes connections."""
        self.process = STARTER.submit(
            subprocess.Popen, self._command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ).result()
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line.decode())
            if self.ready in line:
                break
        else:
            raise AssertionError(f"{self.kind} did not start: {''.join(said)}")
        self._reader = Thread(target=deque, args=(self.process.stdout, 0), daemon=True)
        self._reader.start()  # lest the pipe fill up

    def freeze(self) -> None:
        """Stop the process as it is, and return when it stands; its sockets stay open."""
        self.process.send_signal(signal.SIGSTOP)
        while not self._stands():
            time.sleep(0.001)
            self.process.send_signal(signal.SIGSTOP)

    def _stands(self) -> bool:
        state = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        assert state != "Z", f"{self.kind} has ended"
        return state == "T"

    def thaw(self) -> None:
        """Let a frozen process go on."""
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End the process at once, without a goodbye."""
        self.process.kill()
        self._ended()

    def stop(self) -> None:
        """End the process, in whatever state it is."""
        self.thaw()
        self.process.terminate()
        try:
            self.process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            self.process.kill()  # servers that follow each other wait for each other
        self._ended()

    def _ended(self) -> None:
        self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
