"""A shard: the slots of the key space that one primary serves, whichever server that is at the moment."""

from collections.abc import Awaitable, Callable, Sequence

from tenmatch.game.ids import Millis
from tenmatch.store.address import Server
from tenmatch.store.clock import StoreClock
from tenmatch.store.link import (
    ErrorReply,
    Link,
    Reply,
    Script,
    StoreDown,
    first_error_raised,
    is_unloaded,
    pack,
)
from tenmatch.store.pipelines import PIPELINE, Pipelines


class Shard:
    """The way to a primary, for everything but appends and the feed.

    A place, too: whoever connects asks anew which server is the primary.
    """

    def __init__(
        self,
        survey: Callable[[], Awaitable[None]],
        clock: StoreClock,
        *,
        connections: int,
        timeout: float,
    ) -> None:
        """Make a shard of which nothing is known before *survey* was called, which sets `server`."""
        self.server: Server | None = None
        self.timeout = timeout  # seconds for an exchange
        self.failures = 0  # exchanges of which nothing came back
        self._survey = survey
        self._clock = clock
        self._pipelines = Pipelines(self.link, clock.monotonic, connections=connections)

    def __str__(self) -> str:
        """Name the primary."""
        return str(self.server or "a primary not found yet")

    async def locate(self) -> Server:
        """Ask anew which server is the primary.

        Raises:
            StoreDown: It could not be found out.
        """
        await self._survey()
        if self.server is None:
            raise StoreDown("no server serves these slots")
        return self.server

    def link(self) -> Link:
        """Make a connection of the caller's own."""
        return Link(self, self.timeout)

    async def exchange(self, commands: Sequence[bytes], script: Script | None = None) -> list[Reply]:
        """Run packed commands, many of them in several pipelines, and return their replies in order.

        Args:
            script: All commands are calls of this one; it is loaded where the server lacks it.

        Returns:
            Errors as `ErrorReply`s.

        Raises:
            StoreDown: Each may have been carried out or not.
        """
        if len(commands) <= PIPELINE:
            return await self._exchange(commands, script)
        replies: list[Reply] = []
        for first in range(0, len(commands), PIPELINE):
            replies += await self._exchange(commands[first : first + PIPELINE], script)
        return replies

    async def _exchange(self, commands: Sequence[bytes], script: Script | None) -> list[Reply]:
        try:
            answers = await self._pipelines.ask(commands)
        except StoreDown:
            self.failures += 1
            raise
        replies = answers.replies
        if script is None:
            return replies
        if any(map(is_unloaded, replies)):
            again = [number for number, reply in enumerate(replies) if is_unloaded(reply)]
            answers = await self._pipelines.ask([script.load, *(commands[number] for number in again)])
            for number, answer in zip(again, answers.replies[1:], strict=True):
                replies[number] = answer
        if not isinstance(replies[-1], ErrorReply):
            self._clock.observe(Millis(replies[-1][0]), answers.sent, answers.received)
        return replies

    async def call(self, *command: str) -> Reply:
        """Run a command that concerns this server rather than a key, and return its reply.

        Raises:
            ErrorReply: It was not carried out.
            StoreDown: It may have been carried out or not.
        """
        [reply] = first_error_raised(await self.exchange([pack(*command)]))
        return reply

    async def set_clock(self) -> None:
        """Ask for the time often enough to know it within a round trip.

        Raises:
            ErrorReply: It may not be asked.
            StoreDown: It did not answer.
        """
        for _ in range(3):  # the first one connects, too
            answers = await self._pipelines.ask([pack("TIME")])
            [[seconds, micros]] = first_error_raised(answers.replies)
            time = Millis(int(seconds) * 1000 + int(micros) // 1000)
            self._clock.observe(time, answers.sent, answers.received)

    def close(self) -> None:
        """Close the connections that all share."""
        self._pipelines.close()
