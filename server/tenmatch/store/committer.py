"""The one way to write a log: appends gather into pipelines, and come back with what became of them.

Group commit: all appends asked for in one turn of the event loop go as one pipeline to each shard, and so do
those that gather while one is under way there.

An append names the end that it builds on, so sending the identical append again does no harm: it is taken, or
the log goes on with its very entries (it had been taken), or it does not (it lost, and can never be taken any
more). Whatever leaves an outcome open (a time-out, a broken connection, no confirmation) or says "not now"
(an error reply) is therefore sent again here, with back-off, until it is known.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import Final

from tenmatch.game.ids import Millis, RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.durability import Durability
from tenmatch.store.histogram import SECONDS, Histogram
from tenmatch.store.lane import Append, Lane
from tenmatch.store.link import StoreDown
from tenmatch.store.log import Appended, Behind, Head, Outcome, append_call
from tenmatch.store.shard import Shard

OPEN: Final = 20_000  # appends whose outcome is not known at most
SIZES: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500)  # bounds for the appends in one pipeline
SLOWEST: Final = 1.0  # seconds between two tries of one append that is answered with errors


class TooMuchWaits(StoreDown):
    """So many outcomes are open that no more is taken; this append was not made."""


class Committer:
    """Takes appends at once and calls back with each outcome, once, when it is known and durable as asked."""

    def __init__(
        self,
        store: Store,
        *,
        hears: Callable[[RoomId], bool] = lambda room: False,
        durability: Durability = Durability.FAST,
        most: int = OPEN,
    ) -> None:
        """Build on *store*.

        Args:
            hears: Tells whether this node listens to a room's channel itself; then its own appends are
                published only if others listen, too.
            durability: What must be so of an event before its outcome is told, and of all that any outcome
                rests on.
            most: How many outcomes may be open.
        """
        self._store = store
        self._hears = hears
        self._durability = durability
        self._firm = durability is not Durability.FAST
        self._most = most
        self._lanes: dict[Shard, Lane] = {}
        self._tasks: asyncio.TaskGroup | None = None  # while it runs
        self._settled = asyncio.Event()
        self._settled.set()
        self._refusals = 0
        self._monotonic = store.clock.monotonic
        self.seconds = Histogram(SECONDS)  # from an append's being asked for to its outcome's being known
        self.sizes = Histogram(SIZES)  # appends in a pipeline
        self.open = 0  # appends whose outcome is not known

    @property
    def down(self) -> bool:
        """Tell whether the latest pipeline to some shard brought no outcome at all."""
        return any(lane.down for lane in self._lanes.values())

    @property
    def pipelines(self) -> int:
        """Return how many pipelines were sent so far."""
        return sum(lane.pipelines for lane in self._lanes.values())

    @property
    def retries(self) -> int:
        """Return how often an append was sent again so far."""
        return self._refusals + sum(lane.retries for lane in self._lanes.values())

    @property
    def refusals(self) -> int:
        """Return how often an append was answered with an error so far."""
        return self._refusals

    @property
    def failures(self) -> int:
        """Return how many pipelines there were of which nothing came back."""
        return sum(lane.failures for lane in self._lanes.values())

    def append(
        self,
        room: RoomId,
        head: Head,
        entries: Sequence[bytes],
        *,
        at: Millis | None,
        by_player: bool,
        ttl: int,
        outcome: Callable[[Outcome], None],
    ) -> None:
        """Add *entries* to a room's log if it still ends at *head*; none only compare.

        Args:
            at: The now that the entries were judged with; None skips the check.
            by_player: A player's command: too late an *at* is refused, too.
            ttl: Seconds until the log expires.
            outcome: Called once, by the event loop, never from within this call.

        Raises:
            TooMuchWaits: The append was not made, and *outcome* will not be called.
        """
        if self.open >= self._most:
            raise TooMuchWaits(f"{self.open} appends already wait")
        packed = append_call(
            room,
            head,
            entries,
            at=at,
            by_player=by_player,
            ttl=ttl,
            heard=self._hears(room),
            firm=self._firm,
        )
        self.open += 1
        self._settled.clear()
        self._put(Append(room, packed, tuple(entries), outcome, self._monotonic()))

    async def run(self) -> None:
        """Send what is asked for, until cancelled; outcomes that are open then stay so."""
        try:
            async with asyncio.TaskGroup() as self._tasks:
                for lane in self._lanes.values():
                    self._tasks.create_task(lane.run())
                await asyncio.get_running_loop().create_future()  # lanes come as shards do
        finally:
            self._tasks = None

    async def settled(self) -> None:
        """Return when no outcome is open."""
        await self._settled.wait()

    def _put(self, append: Append) -> None:
        shard = self._store.shard_of(keys.log(append.room))
        lane = self._lanes.get(shard)
        if lane is None:
            lane = self._lanes[shard] = Lane(
                shard,
                self._store.clock,
                self._durability,
                seconds=self.seconds,
                sizes=self.sizes,
                told=self._tell,
                refused=self._again,
            )
            if self._tasks is not None:
                self._tasks.create_task(lane.run())
        lane.put(append)

    def _tell(self, append: Append, outcome: Outcome) -> None:
        if (
            isinstance(outcome, Behind)
            and append.entries
            and outcome.missed[: len(append.entries)] == append.entries
        ):
            outcome = Appended(outcome.time)  # taken at an earlier try, or another node wrote the very same
        self.open -= 1
        if not self.open:
            self._settled.set()
        # Not called here: what goes wrong in one room must not lose the outcomes of the others.
        asyncio.get_running_loop().call_soon(append.outcome, outcome)

    def _again(self, append: Append) -> None:
        """Send the identical append again, wherever its room is by now: at once, then ever more seldom."""
        append.tries += 1
        self._refusals += 1
        if append.tries == 1:
            self._put(append)
            return
        delay = min(SLOWEST, 0.025 * 2**append.tries) * random.uniform(0.5, 1.0)
        asyncio.get_running_loop().call_later(delay, self._put, append)
