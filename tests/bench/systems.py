"""What is measured: our server, the peer, and a bare loop; each alone on its core."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.live.node import Node

from tenmatch.app.load.crew import WORKER

ROOT: Final = Path(__file__).parents[2]
PEER: Final = Path(__file__).with_name("peer")
SERVER_CORE: Final = 0
OTHER_CORE: Final = 1  # for the load and the store
NODE: Final = 20  # major version that the peer's packages ask for
UNLIMITED: Final = (  # settings that are for single players; the load is many, from one address
    *("messages_per_s", "matches_per_s", "rooms_per_player", "sockets_per_address", "sockets_per_player"),
    "handshakes",
)


class Wrong(Exception):
    """Something was answered wrongly or not at all: there are no figures then."""


class Missing(Exception):
    """Something that the benchmark needs is not there; says what to do."""


@dataclass(frozen=True)
class System:
    """A server that is running."""

    url: str
    servers: Sequence[int]  # its processes
    stores: Sequence[int] = ()  # those of its store
    worker: Sequence[str] = WORKER  # what Python runs as a worker of the load


@contextlib.contextmanager
def on(core: int) -> Iterator[None]:
    """Let processes started meanwhile run on one core only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def ours(workers: int = 1) -> Iterator[System]:
    """Run our server, and its store on the other core. Raises Wrong where it logged a bug."""
    with tempfile.TemporaryDirectory() as folder:
        with on(SERVER_CORE):
            settings: dict[str, object] = dict.fromkeys(UNLIMITED, 0)
            node = Node(Path(folder), "--workers", str(workers), log_level="warning", **settings)
        stores: list[int] = []
        try:
            pid = node.process.pid
            stores = [child for child in children(pid) if b"valkey" in name_of(child)]
            for store in stores:
                _move(store, OTHER_CORE)
            yield System(node.url, [pid, *node.workers()], stores)
        finally:
            node.kill()  # nobody is there any more to whom it would say goodbye
            _await_end(stores)
        if '"traceback"' in node.log():
            raise Wrong(f"the server has a bug: {node.log()}")


@contextlib.contextmanager
def peer(mode: str) -> Iterator[System]:
    """Run the peer in one of its modes, as fast as it can be run."""
    _install()
    # In production it does not look at its environment for each message.
    with _started("node", str(PEER / "server.mjs"), mode, NODE_ENV="production") as (pid, port):
        yield System(f"http://127.0.0.1:{port}", [pid], worker=("-m", "tests.bench.peer.worker"))


@contextlib.contextmanager
def bare(sockets: int, rate: float) -> Iterator[System]:
    """Run a loop that writes to each of so many sockets, so many times a second, and does nothing else."""
    command = (sys.executable, "-m", "tests.bench.bare", str(sockets), str(rate))
    with _started(*command) as (pid, port):
        yield System(f"http://127.0.0.1:{port}", [pid], worker=("-m", "tests.bench.readers"))


@contextlib.contextmanager
def _started(*command: str, **environment: str) -> Iterator[tuple[int, int]]:
    """Start a server that prints its port, on its core; yield its process and port, and end it at last."""
    process = subprocess.Popen(
        [
            "taskset",
            "-c",
            str(SERVER_CORE),
            *command,
        ],  # which all threads inherit
        env=os.environ | environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        port = process.stdout.readline()
        if not port:
            raise Missing(f"it did not start: {' '.join(command)}")
        yield process.pid, int(port)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _install() -> None:
    """Fetch the peer's packages, the first time. Raises Missing."""
    for tool in ("node", "npm", "taskset"):
        if shutil.which(tool) is None:
            raise Missing(f"the peer needs Node {NODE} with npm, and taskset: there is no {tool}")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.lstrip("v").split(".")[0]) < NODE:
        raise Missing(f"the peer needs Node {NODE}, and this is {version}: get a newer one from nodejs.org")
    if not (PEER / "node_modules").is_dir():
        options = ("--no-package-lock", "--no-audit", "--no-fund", "--silent")
        subprocess.run(["npm", "install", *options], cwd=PEER, check=True)


def children(pid: int) -> list[int]:
    """Return the processes that *pid* started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def name_of(pid: int) -> bytes:
    """Return the name of a process' program."""
    return Path(f"/proc/{pid}/comm").read_bytes()


def _await_end(pids: Sequence[int]) -> None:
    """Wait for processes that die with their parent, and write into its folder until then."""
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        time.sleep(0.01)


def _move(pid: int, core: int) -> None:
    for task in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), {core})
