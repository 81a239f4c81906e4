"""What changes rooms by hand: the part of a node that judges and writes, without a door and without rounds.

Commands go the way that a player's go on any node: judged on what the log says, appended if it still ends
there, else judged again. Nodes and their clients learn of it by the feed, as of whatever another node did.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from tenmatch.app.operating.command import Failed
from tenmatch.app.settings import DAY_S, Settings
from tenmatch.app.storage import opened
from tenmatch.game.answers import Denied
from tenmatch.game.commands import AnyCommand
from tenmatch.game.events import AnyEvent
from tenmatch.game.ids import RoomId, Seq, spell
from tenmatch.gateway.asked import Done, asked
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.pulse import Pulse
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.tables import NoSuchRoom, Tables
from tenmatch.store import due
from tenmatch.store.committer import Committer
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.feed import Feed


class Hand:
    """Rooms as a node has them, for as long as something is done to them."""

    def __init__(self, store: Store, tables: Tables) -> None:
        """Be made by `hand`."""
        self.store = store
        self.tables = tables

    async def order(self, room: RoomId, command: AnyCommand) -> tuple[AnyEvent, ...]:
        """Let a room carry out a command, and return what happened; nothing where nothing had to.

        Raises:
            Failed: There is no such room, or it does not carry that out.
            StoreDown: It is not known whether it was carried out.
        """
        try:
            table = await self.tables.open(room)
        except NoSuchRoom as error:
            raise Failed(f"there is no room {room}, or its log cannot be read") from error
        answer = await asked(table, command)
        await due.mark(self.store, {room: self.store.clock.now()})  # for what follows of it, nodes look at it
        match answer:
            case Done(events):
                return events
            case Denied(text=text):
                raise Failed(text)
            case _:
                raise Failed("the store did not confirm it: look what became of the room, and try again")


class _Deaf:
    """Hears nothing: who writes compares with the log anyway."""

    def on_entries(self, room: RoomId, first_seq: Seq, entries: tuple[bytes, ...]) -> None:
        """Pass over entries."""

    def on_note(self, room: RoomId, kind: int, payload: bytes) -> None:
        """Pass over notes."""

    def on_doubt(self, room: RoomId) -> None:
        """Pass over doubts."""


@asynccontextmanager
async def hand(settings: Settings) -> AsyncIterator[Hand]:
    """Yield what changes rooms in the store of a server with these settings.

    Raises:
        Unreachable: The store does not answer.
    """
    failed: Exception | None = None
    async with opened(settings) as store:
        pulse = Pulse(store)
        await pulse.once()
        async with asyncio.TaskGroup() as group:

            def spawn(work: Coroutine[Any, Any, None]) -> None:
                group.create_task(work)

            feed = Feed(store, spell(secrets.token_bytes(16), 8), _Deaf())
            committer = Committer(store, hears=feed.hears, durability=settings.durability)
            ratings = Ratings(store, often=settings.rated_per_rival, ttl=settings.rating_days * DAY_S)
            tables = Tables(store, committer, feed, ratings, pulse=pulse, counts=Counts(), spawn=spawn)
            running = [group.create_task(work) for work in (feed.run(), committer.run(), pulse.run())]
            try:
                yield Hand(store, tables)
            except (Failed, StoreDown) as error:  # as it is: a group would wrap it up
                failed = error
            finally:
                tables.close()
                for task in running:
                    task.cancel()
        if failed is not None:
            raise failed
