"""A listener that keeps what it is told, and feeds that run for the length of a test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from tenmatch.game.ids import RoomId, Seq
from tenmatch.store.connect import Store
from tenmatch.store.feed import Feed
from tenmatch.store.subscriber import PATIENCE, Patience

QUICK: Final = Patience(
    ping=0.1, dead=0.4, probe=0.1, deaf=0.8, acknowledgement=60.0, retry=(0.01, 0.1), survey=0.3
)
"""As hasty as the real one, and ten times quicker, with connections; it gives up on none that is only slow to
be made: where a busy machine makes it lose one, it makes another."""
PATIENT: Final = replace(QUICK, dead=60.0, deaf=60.0)
"""Gives up nothing, however busy the machine is; it does look around."""
REAL: Final = replace(PATIENCE, acknowledgement=60.0)
"""As the real one, which gives up connections; but a room may be joined slowly."""


class Ear:
    """Hears; what was told is taken from `told`, in order."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[tuple[object, ...]] = asyncio.Queue()

    def on_entries(self, room: RoomId, first_seq: Seq, entries: tuple[bytes, ...]) -> None:
        self.told.put_nowait(("entries", room, first_seq, entries))

    def on_note(self, room: RoomId, kind: int, payload: bytes) -> None:
        self.told.put_nowait(("note", room, kind, payload))

    def on_doubt(self, room: RoomId) -> None:
        self.told.put_nowait(("doubt", room))

    async def next(self, within: float = 30.0) -> tuple[object, ...]:
        """Return what is told next; fail when it does not come in time."""
        async with asyncio.timeout(within):
            return await self.told.get()


@asynccontextmanager
async def listening(
    store: Store, node: str = "node-1", patience: Patience = PATIENT
) -> AsyncIterator[tuple[Feed, Ear]]:
    ear = Ear()
    feed = Feed(store, node, ear, patience)
    running = asyncio.create_task(feed.run())
    try:
        yield feed, ear
        assert not running.done(), running
    finally:
        running.cancel()
        await asyncio.wait([running])
