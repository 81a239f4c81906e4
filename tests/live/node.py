"""The real server as a process of its own: started, killed and started again on the same folder."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, cast

import redis


class Node:
    """`tenmatch serve` on a data folder, or on a Redis given by its URL; `with` ends it, whatever happens."""

    program: Sequence[str] = (sys.executable, "-m", "tenmatch")
    """Begins the command; another one sets this where it is to run elsewhere, or otherwise."""

    def __init__(self, folder: Path, *flags: str, **settings: object) -> None:
        """Start it; settings are those of TENMATCH_…, in lower case.

        What one player's or one address' connections may do together is not limited: we have but one.
        """
        self.folder, self.data = folder, folder / "data"
        self.flags = ("--data", str(self.data), "--log-format", "json", *flags)
        lifted = (
            "messages_per_s_player",
            "messages_per_s_address",
            "joins_per_minute",
            "rooms_per_address",
            "chats_per_minute",
        )
        named = {"drain_s": 0.2, **dict.fromkeys(lifted, 0), **settings}
        self._environment = {f"TENMATCH_{name.upper()}": str(value) for name, value in named.items()}
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, failed: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if failed is None:
            self.stop()
        else:
            self.kill()

    def start(self) -> None:
        """Start the server and return when it says where it is."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self.program, "serve", "--port", "0", *self.flags],
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, **self._environment},
            )
        assert self.process.stdout is not None
        said = self.process.stdout.readline().decode().strip()
        if not said.startswith(("tenmatch is at http://", "tenmatch is at https://")):
            self.kill()
            raise AssertionError(f"it said {said!r} and logged:\n{self.log()}")
        self.url = said.removeprefix("tenmatch is at ")

    def kill(self) -> None:
        """End the server at once, as a crash would: its workers and its private store go with it."""
        self.process.send_signal(signal.SIGKILL)
        self._ended()

    def terminate(self) -> None:
        """Ask the server to end, without waiting for it."""
        self.process.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        """Return the exit status of a server that was told to end. Raises TimeoutExpired after 12 s."""
        status = self.process.wait(12)
        self._ended()
        return status

    def stop(self) -> None:
        """End a server that no test ended, and fail if it logged a bug of its own."""
        try:
            if self.process.poll() is None:
                self.terminate()
                assert self.wait() == 0, self.log()
        finally:
            self.kill()
        assert '"traceback"' not in self.log(), self.log()

    def _ended(self) -> None:
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def log(self) -> str:
        """Return what the server logged, in all its lives."""
        return (self.folder / "log").read_text()

    def workers(self) -> list[int]:
        """Return the ids of the processes it started that are servers themselves."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [pid for pid in map(int, children) if b"tenmatch\0serve" in _command(pid)]

    @contextmanager
    def store(self, url: str | None = None) -> Iterator["redis.Redis"]:
        """Give a client of the server's store: the private one, or that at *url*."""
        client = redis.Redis.from_url(url or f"unix://{self.data / 'valkey.sock'}")
        try:
            yield client
        finally:
            client.close()

    def entries(self, room: str, url: str | None = None) -> list[bytes]:
        """Return a room's log as it is stored."""
        with self.store(url) as store:
            return cast("list[bytes]", store.lrange(f"tm:{{{room}}}:log", 0, -1))


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):  # it has ended since it was listed
        return b""
