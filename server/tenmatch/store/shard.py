"""A shard: the slots of the key space that one primary serves, whichever server that is at the moment."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

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

WAIT: Final = 0.5  # seconds for a free connection
PIPELINE: Final = 250  # commands in one pipeline at most; each has a deadline of its own
WAITERS: Final = 1_000  # calls that wait for a connection at most; the next one fails at once


class Shard:
    """A few connections to a primary, for everything but appends and the feed.

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
        self._survey = survey
        self._clock = clock
        self._idle: list[Link] = []
        self._free = asyncio.Semaphore(connections)
        self._waiting = 0

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
        replies: list[Reply] = []
        for first in range(0, len(commands), PIPELINE):
            replies += await self._exchange(commands[first : first + PIPELINE], script)
        return replies

    async def _exchange(self, commands: Sequence[bytes], script: Script | None) -> list[Reply]:
        async with self._borrowed() as link:
            sent = self._clock.monotonic()
            replies = await link.exchange(commands)
            if script is None:
                return replies
            if any(map(is_unloaded, replies)):
                again = [number for number, reply in enumerate(replies) if is_unloaded(reply)]
                sent = self._clock.monotonic()
                _, *answers = await link.exchange([script.load, *(commands[number] for number in again)])
                for number, answer in zip(again, answers, strict=True):
                    replies[number] = answer
            received = self._clock.monotonic()
        if not isinstance(replies[-1], ErrorReply):
            self._clock.observe(Millis(replies[-1][0]), sent, received)
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
        async with self._borrowed() as link:
            for _ in range(3):  # the first one connects, too
                sent = self._clock.monotonic()
                [[seconds, micros]] = first_error_raised(await link.exchange([pack("TIME")]))
                received = self._clock.monotonic()
                self._clock.observe(Millis(int(seconds) * 1000 + int(micros) // 1000), sent, received)

    @asynccontextmanager
    async def _borrowed(self) -> AsyncIterator[Link]:
        """Lend a connection. Giving it back never awaits, so no cancellation can lose a place."""
        await self._acquire()
        link = self._idle.pop() if self._idle else self.link()
        try:
            yield link
        finally:
            self._idle.append(link)
            self._free.release()

    async def _acquire(self) -> None:
        if self._waiting >= WAITERS:
            raise StoreDown(f"{self}: {self._waiting} calls already wait for a connection")
        self._waiting += 1
        try:
            async with asyncio.timeout(WAIT):
                await self._free.acquire()
        except TimeoutError as error:
            raise StoreDown(f"{self}: all connections were busy for {WAIT} s") from error
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Close the connections that nobody uses; call it when nobody uses any."""
        for link in self._idle:
            link.abort()
        self._idle.clear()
