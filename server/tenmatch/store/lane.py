"""The appends to one shard, pipeline after pipeline, each until it is known what became of it."""

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from tenmatch.game.ids import Millis, RoomId
from tenmatch.store.clock import StoreClock
from tenmatch.store.durability import Durability, confirm, is_confirmed
from tenmatch.store.histogram import Histogram
from tenmatch.store.link import ErrorReply, Reply, StoreDown, is_unloaded
from tenmatch.store.log import APPEND, Outcome, outcome_of
from tenmatch.store.shard import Shard

log = logging.getLogger(__name__)

PIPELINE: Final = 512  # appends in one pipeline at most
SLOWEST: Final = 0.25  # seconds between two tries of a pipeline


class Append(Struct, eq=False):
    """An append under way."""

    room: RoomId
    packed: bytes
    entries: tuple[bytes, ...]
    outcome: Callable[[Outcome], None]
    since: float  # monotonic seconds
    tries: int = 0  # that were answered with an error


class Lane:
    """One pipeline at a time on a connection of its own.

    While it is not known, or not confirmed, what became of a pipeline, that is sent again, and nothing new.
    """

    def __init__(
        self,
        shard: Shard,
        clock: StoreClock,
        durability: Durability,
        *,
        seconds: Histogram,
        sizes: Histogram,
        told: Callable[[Append, Outcome], None],
        refused: Callable[[Append], None],
    ) -> None:
        """Build on *shard*.

        Args:
            seconds: Counts how long appends took.
            sizes: Counts how many went together.
            told: Called with each outcome that is known and confirmed.
            refused: Called where an error reply says that an append was not carried out.
        """
        self._link = shard.link()
        self._shard = shard
        self._clock = clock
        self._confirm = confirm(durability, shard.timeout / 2)
        self._seconds = seconds
        self._sizes = sizes
        self._told = told
        self._refused = refused
        self._ready: deque[Append] = deque()
        self._wake = asyncio.Event()
        self.down = False  # the latest pipeline brought no outcome at all
        self.pipelines = 0
        self.retries = 0
        self.failures = 0  # pipelines of which nothing came back

    def put(self, append: Append) -> None:
        """Let *append* go with the next pipeline."""
        self._ready.append(append)
        self._wake.set()

    async def run(self) -> None:
        """Send what is put here, until cancelled."""
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._ready:
                    await self._settle(
                        [self._ready.popleft() for _ in range(min(len(self._ready), PIPELINE))]
                    )
        finally:
            self._link.abort()

    async def _settle(self, batch: Sequence[Append]) -> None:
        """Send a batch until it is known and confirmed what became of it: at once, then ever more seldom."""
        wait = 0.0
        while not await self._try(batch):
            self.retries += len(batch)
            await asyncio.sleep(wait * random.uniform(0.5, 1.0))
            wait = min(SLOWEST, max(0.025, 2 * wait))

    async def _try(self, batch: Sequence[Append]) -> bool:
        self.pipelines += 1
        self._sizes.observe(len(batch))
        sent = self._clock.monotonic()
        try:
            replies = await self._link.exchange(
                [*(append.packed for append in batch), *self._confirm], greeting=[APPEND.load]
            )
        except StoreDown as error:
            self.failures += 1
            self._note_down(error)
            return False
        received = self._clock.monotonic()
        confirmed = is_confirmed(replies[len(batch) :])
        del replies[len(batch) :]
        self._note(replies, confirmed)
        if confirmed:
            self._tell(batch, replies, sent, received)
        return confirmed

    def _tell(self, batch: Sequence[Append], replies: Sequence[Reply], sent: float, received: float) -> None:
        time = None
        for append, reply in zip(batch, replies, strict=True):
            if isinstance(reply, ErrorReply):
                if _is_of_one_room(reply) and not append.tries:  # once is enough
                    extra = {"room": append.room, "error": str(reply)}
                    log.warning("an append was refused, trying on", extra=extra)
                self._refused(append)
            else:
                time = Millis(reply[0])
                self._seconds.observe(received - append.since)
                self._told(append, outcome_of(reply))
        if time is not None:
            self._clock.observe(time, sent, received)

    def _note(self, replies: Sequence[Reply], confirmed: bool) -> None:
        errors = [reply for reply in replies if isinstance(reply, ErrorReply)]
        if any(map(is_unloaded, errors)):
            self._link.abort()  # the server was flushed: the next exchange loads the script as it connects
        elif not confirmed:
            self._note_down(StoreDown("it took appends, but does not confirm them"))
        elif len(errors) < len(replies):
            self._note_up()
        elif not any(map(_is_of_one_room, errors)):
            self._note_down(errors[0])

    def _note_down(self, error: StoreDown) -> None:
        if not self.down:
            log.warning("store takes no appends", extra={"shard": str(self._shard), "error": str(error)})
        self.down = True

    def _note_up(self) -> None:
        if self.down:
            log.info("store takes appends again", extra={"shard": str(self._shard)})
        self.down = False


def _is_of_one_room(error: ErrorReply) -> bool:
    """Tell whether an error comes from what lies under a room's key, and says nothing about the server."""
    return str(error).startswith("WRONGTYPE")
