"""Who is there, in each room, on all nodes: seats whose players are connected, and how many watch.

Presence is not part of any game: it never enters a log, and no rule of play depends on it, but one: before
the start, the seat of a player who is nowhere for a minute is freed.
"""

import logging
from collections.abc import Sequence
from typing import Final

from tenmatch.game import commands
from tenmatch.game.ids import RoomId, SeatNumber
from tenmatch.game.room import Phase
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.framing import frame
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import Spawn, Tables
from tenmatch.protocol import to_client
from tenmatch.protocol.codec import CODECS
from tenmatch.store.connect import StoreDown
from tenmatch.store.presence import Held, Here, Presence

log = logging.getLogger(__name__)

ABSENT_MS: Final = 60_000  # then a seat is freed, before the start


class Attendance:
    """What this node knows of who is there."""

    def __init__(self, presence: Presence, tables: Tables, *, spawn: Spawn) -> None:
        """Start knowing nothing."""
        self._presence = presence
        self._tables = tables
        self._spawn = spawn
        self._told: dict[RoomId, to_client.Presence] = {}

    async def arrive(self, table: Table, seat: SeatNumber) -> int:
        """Take the seat for a connection of this node and return its number, the highest so far.

        Raises:
            StoreDown: The store cannot be reached.
        """
        return await self._presence.arrive(table.room, seat)

    def depart(self, table: Table, seat: SeatNumber | None, number: int) -> None:
        """Say that a connection is gone, unless a newer one holds the seat."""
        self._tables.restless.add(table)
        if seat is not None:
            self._spawn(self._depart(table.room, seat, number))

    async def _depart(self, room: RoomId, seat: SeatNumber, number: int) -> None:
        try:
            await self._presence.depart(room, seat, number)
        except StoreDown as error:
            log.warning(
                "a departure was not written; it is noticed later", extra={"room": room, "error": str(error)}
            )

    def greet(self, table: Table, member: Member) -> None:
        """Tell a joiner who is there, as far as this node knows."""
        self._tables.restless.add(table)
        told = self._told.get(table.room)
        if told is not None:
            member.listener.write(frame(member.listener.codec, told))

    def forget(self, room: RoomId) -> None:
        """Drop what is known of a room that was unloaded."""
        self._told.pop(room, None)

    def noted(self, table: Table, seat: SeatNumber, number: int) -> None:
        """Hear from another node that a connection took a seat: an older one here is taken over."""
        self._tables.restless.add(table)
        self._supersede(table, seat, number)

    def _supersede(self, table: Table, seat: SeatNumber, number: int) -> None:
        for member in [m for m in table.audience.players if m.seat == seat and m.number < number]:
            self._tables.detach(table, member, "taken_over")

    async def renew(self, tables: Sequence[Table]) -> None:
        """Renew this node's entries in these rooms, and act on who else is there.

        Raises:
            StoreDown: The store cannot be reached.
        """
        held = [
            Held(
                table.room,
                {member.seat: member.number for member in table.audience.players if member.seat is not None},
                table.audience.watching,
            )
            for table in tables
        ]
        answers = await self._presence.renew(held)
        for table, here in zip(tables, answers, strict=True):
            if self._tables.loaded.get(table.room) is table:
                self._learn(table, here)

    def _learn(self, table: Table, here: Here) -> None:
        for superseded, by in here.superseded.items():
            self._supersede(table, superseded, by)
        online = [
            None if seat is None else seat.player.bot is not None or number in here.online
            for number, seat in enumerate(table.state.seats)
        ]
        told = to_client.Presence(room=table.room, online=online, watching=here.watching)
        if self._told.get(table.room) != told:
            self._told[table.room] = told
            table.watching = here.watching
            self._tell(table, told)
        if table.state.phase is Phase.OPEN:
            self._free_absent(table, here)

    def _tell(self, table: Table, told: to_client.Presence) -> None:
        frames = {name: frame(codec, told) for name, codec in CODECS.items()}
        for member in tuple(table.audience):
            if not member.listener.slow:
                member.listener.write(frames[member.listener.codec.name])

    def _free_absent(self, table: Table, here: Here) -> None:
        for number, seat in table.state.taken():
            if seat.player.bot is not None or number in here.online:
                continue
            last_seen = max(here.last_seen.get(number, 0), table.state.created_at)
            if here.time - last_seen >= ABSENT_MS:
                table.ask(commands.FreeAbsent(number), lambda _: None)
