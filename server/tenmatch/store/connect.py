"""The store as the rest of the server has it: one key space, on however many shards it lies.

Every command names its key, and goes to the primary that serves the key's slot. Who that is is asked anew by
whoever connects, so all connections follow a failover or a resharding as they break or are sent away.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from redis.crc import key_slot

from tenmatch.store.address import Address, BadStoreUrl
from tenmatch.store.clock import StoreClock
from tenmatch.store.link import (
    TIMEOUT,
    Argument,
    ErrorReply,
    Reply,
    Script,
    StoreDown,
    first_error_raised,
    is_moved,
    key_of,
    pack,
)
from tenmatch.store.primaries import SLOTS, Primaries, source
from tenmatch.store.shard import Shard

__all__ = ["Address", "BadStoreUrl", "ErrorReply", "Store", "StoreDown"]

CONNECTIONS: Final = 4  # to each shard: a long answer must not keep the others waiting


class Store:
    """All shards, for everything but appends and the feed."""

    def __init__(self, address: Address, *, connections: int = CONNECTIONS, timeout: float = TIMEOUT) -> None:
        self.address = address
        self.clock = StoreClock()
        self.followers: set[Callable[[], None]] = set()
        """Called when slots have moved to other shards."""
        self._connections = connections
        self._timeout = timeout
        self._source = source(address)
        self._surveying = asyncio.Lock()
        self._surveyed = float("-inf")
        # A shard is known by its lowest slot, whichever server that leads to. One that is no longer needed is
        # kept, so that what was begun there can be finished, or sent away, by whoever has the slot now.
        self._known: dict[int, Shard] = {}
        self._slots: list[Shard] = [self._shard(0)] * SLOTS
        self._primaries: Primaries = {}
        self.shards = [self._shard(0)]
        """Those that serve any slot, as far as is known."""
        self.refusals = 0  # commands that were answered with an error, and were to be carried out

    def _shard(self, lowest: int) -> Shard:
        if lowest not in self._known:
            self._known[lowest] = Shard(
                self.survey, self.clock, connections=self._connections, timeout=self._timeout
            )
        return self._known[lowest]

    @property
    def failures(self) -> int:
        """Return how many exchanges there were of which nothing came back."""
        return sum(shard.failures for shard in self._known.values())

    # Who serves what

    def shard_of(self, key: str) -> Shard:
        """Return the shard on which a key or a channel lies, as far as is known."""
        return self.shards[0] if len(self.shards) == 1 else self._slots[key_slot(key.encode())]

    async def survey(self) -> None:
        """Ask anew which servers are primaries; those who ask meanwhile share the answer.

        Raises:
            StoreDown: It could not be found out.
        """
        asked = self.clock.monotonic()
        async with self._surveying:
            if self._surveyed < asked:
                self._heed(await self._source.find())
                self._surveyed = self.clock.monotonic()

    def _heed(self, primaries: Primaries) -> None:
        if primaries == self._primaries:
            return
        self._primaries = primaries
        before = self._slots.copy()
        for server, ranges in primaries.items():
            shard = self._shard(min(some.start for some in ranges))
            shard.server = server
            for some in ranges:
                self._slots[some.start : some.stop] = [shard] * len(some)
        for lowest, shard in self._known.items():
            shard.server = self._slots[lowest].server
        if self._slots != before:
            self.shards = list(dict.fromkeys(self._slots))
            for changed in tuple(self.followers):
                changed()

    # Commands

    async def call(self, *command: Argument) -> Reply:
        """Run one command and return its reply.

        Raises:
            ErrorReply: It was not carried out.
            StoreDown: It may have been carried out or not.
        """
        [reply] = await self.pipeline([pack(*command)])
        return reply

    async def pipeline(self, commands: Sequence[bytes]) -> list[Reply]:
        """Run packed commands, a pipeline to each shard, no transaction; return their replies in order.

        Raises:
            ErrorReply: The first of them that was not carried out; the others were.
            StoreDown: Each may have been carried out or not.
        """
        return self._unrefused(await self._exchange(commands))

    async def run(self, script: Script, keys: Sequence[str], *arguments: Argument) -> list[Reply]:
        """Run a script and return what it answers, TIME first.

        Raises:
            ErrorReply: It failed.
            StoreDown: It may have run or not.
        """
        [reply] = await self.run_all(script, [script.call(keys, arguments)])
        return reply

    async def run_all(self, script: Script, calls: Sequence[bytes]) -> list[list[Reply]]:
        """Make many calls of one script, a pipeline to each shard; return what each answers, TIME first.

        Raises:
            ErrorReply: One of them failed; the others were carried out.
            StoreDown: Each may have been carried out or not.
        """
        return self._unrefused(await self._exchange(calls, script))

    def _unrefused(self, replies: list[Reply]) -> list[Reply]:
        try:
            return first_error_raised(replies)
        except ErrorReply:
            self.refusals += 1
            raise

    async def _exchange(self, commands: Sequence[bytes], script: Script | None = None) -> list[Reply]:
        """Run commands where their keys are; those sent away were not carried out, and are sent once more."""
        replies = await self._spread(commands, script)
        moved = [number for number, reply in enumerate(replies) if is_moved(reply)]
        if moved:
            await self.survey()
            answers = await self._spread([commands[number] for number in moved], script)
            for number, answer in zip(moved, answers, strict=True):
                replies[number] = answer
        return replies

    async def _spread(self, commands: Sequence[bytes], script: Script | None) -> list[Reply]:
        if not commands:
            return []
        if len(self.shards) == 1:
            return await self.shards[0].exchange(commands, script)
        parts: dict[Shard, list[int]] = {}
        for number, command in enumerate(commands):
            parts.setdefault(self._slots[key_slot(key_of(command))], []).append(number)
        if len(parts) == 1:  # as with one room: a task for it would cost as much as the call
            return await next(iter(parts)).exchange(commands, script)
        answers = await asyncio.gather(
            *(shard.exchange([commands[n] for n in part], script) for shard, part in parts.items()),
            return_exceptions=True,  # so that no part is left behind, still under way
        )
        replies: list[Reply] = [None] * len(commands)
        for part, answer in zip(parts.values(), answers, strict=True):
            if isinstance(answer, BaseException):
                raise answer
            for number, reply in zip(part, answer, strict=True):
                replies[number] = reply
        return replies

    async def set_clock(self) -> None:
        """Ask for the store's time often enough to know it within a round trip.

        Raises:
            StoreDown: It did not answer.
        """
        await self.survey()
        for shard in self.shards:
            await shard.set_clock()

    def close(self) -> None:
        """Close the connections that nobody uses; call it when nobody uses any."""
        for shard in self._known.values():
            shard.close()
        self._source.close()
