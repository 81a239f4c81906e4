"""Hears when a room's log goes on, as nodes do; what was added is then to be read from the log."""

import asyncio
import secrets
from types import TracebackType
from typing import Self

from tenmatch.game.ids import RoomId, Seq, spell
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.feed import Feed


class Ear:
    """Listens to one room inside its block; whoever hears nothing has to look at the log all the same."""

    def __init__(self, store: Store, room: RoomId) -> None:
        """Prepare; nothing is heard before the block begins."""
        self._room = room
        self._feed = Feed(store, spell(secrets.token_bytes(16), 8), self)
        self._heard = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._running = asyncio.create_task(self._feed.run())
        try:
            await self._feed.join(self._room)
        except StoreDown:
            pass  # then the log is looked at from time to time, and says itself whether it can be
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.cancel()
        await asyncio.wait([self._running])

    async def wait(self, seconds: float) -> None:
        """Return when something was heard since the last time, or after so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._heard.wait()
        except TimeoutError:
            pass
        self._heard.clear()

    def on_entries(self, room: RoomId, first_seq: Seq, entries: tuple[bytes, ...]) -> None:
        """Hear that the log went on."""
        self._heard.set()

    def on_note(self, room: RoomId, kind: int, payload: bytes) -> None:
        """Pass over what is in no log."""

    def on_doubt(self, room: RoomId) -> None:
        """Hear that something may have been missed."""
        self._heard.set()
