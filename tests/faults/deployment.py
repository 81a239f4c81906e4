"""Several nodes over one Redis, each a process that can be killed, frozen, drained and started again."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from tests.live.node import Node
from tests.store.fleet import LOOPBACK, Place, Redis

T = TypeVar("T")

LAUNCH: Final = Path(__file__).parent / "launch.py"
FREE: Final = {
    **dict.fromkeys(("messages_per_s", "matches_per_s", "rooms_per_player", "sockets_per_address"), 0),
    **dict.fromkeys(("sockets_per_player", "handshakes"), 0),
}
"""We are one address, and more than a player should be."""


class Launched(Node):
    """A node at some place, perhaps without a guard; `without` is the name of a function in launch.py."""

    def __init__(
        self, folder: Path, *flags: str, without: str = "", at: Place = LOOPBACK, **settings: object
    ) -> None:
        launched = (sys.executable, str(LAUNCH), without) if without else Node.program
        self.program = (*at.inside, *launched)
        super().__init__(folder, "--host", at.address, *flags, **settings)


class Deployment:
    """A Redis, and nodes that play over it."""

    def __init__(
        self,
        folder: Path,
        *redis_options: str,
        nodes: int = 3,
        without: str = "",
        store: Redis | None = None,
        ways: Sequence[str] = (),
        places: Sequence[Place] = (),
        **settings: object,
    ) -> None:
        """Start everything.

        Args:
            without: The guard that all nodes are to run without, for a twin.
            store: A Redis that is there already, and stays.
            ways: The URL at which each node finds it, where that is not its own.
            places: Where each node is, else on loopback.
            settings: Of all nodes.
        """
        self._folder = folder
        self._own = store is None
        self.redis = store or Redis(folder, *redis_options)
        self._ways = ways or [self.redis.url] * nodes
        self._places = places or [LOOPBACK] * nodes
        self._without = without
        self._settings = {**FREE, **settings}
        self.nodes: list[Node] = []
        try:
            with ThreadPoolExecutor(nodes) as pool:
                self.nodes = list(pool.map(self._start, range(nodes)))
        except BaseException:  # cancelled, too
            self._end_redis()
            raise

    def _start(self, number: int) -> Node:
        folder = self._folder / f"node-{number}"
        folder.mkdir()
        flags = ("--redis", self._ways[number])
        return Launched(folder, *flags, without=self._without, at=self._places[number], **self._settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, failed: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        try:
            for node in self.nodes:
                node.process.send_signal(signal.SIGCONT)
            if failed is None and not self._without:
                self._stop()
        finally:
            for node in self.nodes:
                node.kill()
            self._end_redis()

    def _stop(self) -> None:
        alive = [node for node in self.nodes if node.process.poll() is None]
        for node in alive:
            node.terminate()
        for node in alive:
            assert node.wait() == 0, node.log()[-2_000:]
            bugs = [line for line in node.log().splitlines() if "traceback" in line.lower()]
            assert not bugs, bugs

    def _end_redis(self) -> None:
        if self._own:
            self.redis.stop()

    def addresses(self) -> list[str]:
        """Return where clients may try, dead nodes included until they are replaced."""
        return [node.url for node in self.nodes]

    def freeze(self, number: int) -> None:
        """Stop a node as it is; its sockets stay open."""
        self.nodes[number].process.send_signal(signal.SIGSTOP)

    def thaw(self, number: int) -> None:
        """Let a frozen node go on."""
        self.nodes[number].process.send_signal(signal.SIGCONT)

    def mend(self) -> None:
        """Let everything go on that a test froze, or left dead."""
        self.redis.thaw()
        for number, node in enumerate(self.nodes):
            self.thaw(number)
            if node.process.poll() is not None:
                node.start()

    async def replace(self, number: int) -> None:
        """Start a node again in place of one that has ended."""
        await asyncio.to_thread(self.nodes[number].start)


@asynccontextmanager
async def apart(make: Callable[[], AbstractContextManager[T]]) -> AsyncIterator[T]:
    """Make a context, enter and leave it in a thread: what it waits for may be a task of ours."""
    context = await asyncio.to_thread(make)
    made = await asyncio.to_thread(context.__enter__)
    try:
        yield made
    except BaseException as error:  # cancelled, too
        await asyncio.to_thread(context.__exit__, type(error), error, error.__traceback__)
        raise
    await asyncio.to_thread(context.__exit__, None, None, None)
