"""The one way to write a log: appends gather into pipelines, and come back with what became of them.

Group commit: all appends asked for in one turn of the event loop go as one pipeline, and so do those that
gather while it is under way. There is one at a time.

An append names the end that it builds on, so sending the identical append again does no harm: it is taken, or
the log goes on with its very entries (it had been taken), or it does not (it lost, and can never be taken any
more). Whatever leaves an outcome open (a time-out, a broken connection) or says "not now" (an error reply) is
therefore sent again here, with back-off, until it is known.
"""

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tenmatch.game.ids import Millis, RoomId
from tenmatch.store.connect import ErrorReply, Reply, Store, StoreDown, is_unloaded
from tenmatch.store.log import APPEND, Appended, Behind, Head, Outcome, append_call, outcome_of

logger = logging.getLogger(__name__)

PIPELINE: Final = 512  # appends in one pipeline at most
OPEN: Final = 20_000  # appends whose outcome is not known at most
SLOWEST: Final = 1.0  # seconds between two tries of one append


class TooMuchWaits(StoreDown):
    """So many outcomes are open that no more is taken; this append was not made."""


@dataclass(slots=True)
class _Append:
    room: RoomId
    packed: bytes
    entries: tuple[bytes, ...]
    outcome: Callable[[Outcome], None]
    tries: int = 0


class Committer:
    """Takes appends at once and calls back with each outcome, once, when it is known."""

    def __init__(
        self, store: Store, *, hears: Callable[[RoomId], bool] = lambda room: False, most: int = OPEN
    ) -> None:
        """Build on *store*.

        Args:
            hears: Tells whether this node listens to a room's channel itself; then its own appends are
                published only if others listen, too.
            most: How many outcomes may be open.
        """
        self._clock = store.clock
        self._link = store.link()
        self._hears = hears
        self._most = most
        self._ready: deque[_Append] = deque()
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()
        self.open = 0  # appends whose outcome is not known
        self.down = False  # the latest pipeline brought no outcome at all
        self.pipelines = 0
        self.retries = 0

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
            room, head, entries, at=at, by_player=by_player, ttl=ttl, heard=self._hears(room)
        )
        self.open += 1
        self._settled.clear()
        self._put(_Append(room, packed, tuple(entries), outcome))

    async def run(self) -> None:
        """Send what is asked for, until cancelled; outcomes that are open then stay so."""
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._ready:
                    batch = [self._ready.popleft() for _ in range(min(len(self._ready), PIPELINE))]
                    await self._commit(batch)
        finally:
            self._link.abort()

    async def settled(self) -> None:
        """Return when no outcome is open."""
        await self._settled.wait()

    def _put(self, append: _Append) -> None:
        self._ready.append(append)
        self._wake.set()

    async def _commit(self, batch: Sequence[_Append]) -> None:
        self.pipelines += 1
        sent = self._clock.monotonic()
        try:
            replies = await self._link.exchange([append.packed for append in batch], greeting=[APPEND.load])
        except StoreDown as error:
            self._note_down(error)
            for append in batch:
                self._again(append)
            return
        received = self._clock.monotonic()
        self._note(replies)
        told: list[Reply] = []
        for append, reply in zip(batch, replies, strict=True):
            if isinstance(reply, ErrorReply):
                self._refused(append, reply)
            else:
                told = reply
                self._tell(append, reply)
        if told:
            self._clock.observe(Millis(told[0]), sent, received)

    def _tell(self, append: _Append, reply: list[Reply]) -> None:
        outcome = outcome_of(reply)
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

    def _refused(self, append: _Append, reply: ErrorReply) -> None:
        if append.tries == 1:  # once is enough: the first try again follows at once
            logger.warning("append refused, trying on: room=%s %s", append.room, reply)
        self._again(append)

    def _again(self, append: _Append) -> None:
        """Send the identical append again: at once the first time, then ever more seldom."""
        append.tries += 1
        self.retries += 1
        if append.tries == 1:
            self._put(append)
            return
        delay = min(SLOWEST, 0.025 * 2**append.tries) * random.uniform(0.5, 1.0)
        asyncio.get_running_loop().call_later(delay, self._put, append)

    def _note(self, replies: Sequence[Reply]) -> None:
        errors = [reply for reply in replies if isinstance(reply, ErrorReply)]
        if any(map(is_unloaded, errors)):
            self._link.abort()  # the server was flushed: the next exchange loads the script as it connects
        elif len(errors) < len(replies):
            self._note_up()
        elif not any(map(_is_of_one_room, errors)):
            self._note_down(errors[0])

    def _note_down(self, error: StoreDown) -> None:
        if not self.down:
            logger.warning("store takes no appends: %s", error)
        self.down = True

    def _note_up(self) -> None:
        if self.down:
            logger.info("store takes appends again")
        self.down = False


def _is_of_one_room(error: ErrorReply) -> bool:
    """Tell whether an error comes from what lies under a room's key, and says nothing about the server."""
    return str(error).startswith("WRONGTYPE")
