"""Who is there, in each room, on all nodes: seats whose players are connected, and how many watch.

Presence is not part of any game: it never enters a log, and no rule of play depends on it, but one: before
the start, the seat of a player who is nowhere for a minute is freed.
"""

import logging
from collections.abc import Sequence
from typing import Final

from tenmatch.game import commands
from tenmatch.game.events import Seated
from tenmatch.game.evidence import Change
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.room import Phase
from tenmatch.gateway.asked import Holder
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import Tables
from tenmatch.gateway.tasks import Spawn
from tenmatch.gateway.witness import Witness
from tenmatch.protocol import to_client
from tenmatch.store.connect import StoreDown
from tenmatch.store.presence import Held, Here, Presence

log = logging.getLogger(__name__)

ABSENT_MS: Final = 60_000  # then a seat is freed, before the start


class Attendance:
    """What this node knows of who is there."""

    def __init__(self, presence: Presence, tables: Tables, witness: Witness, *, spawn: Spawn) -> None:
        """Start knowing nothing.

        Args:
            witness: Notes who comes and goes while a game runs.
        """
        self._presence = presence
        self._tables = tables
        self._witness = witness
        self._spawn = spawn

    async def arrive(self, table: Table, seat: SeatNumber) -> int:
        """Take the seat for a connection of this node and return its number, the highest so far.

        Raises:
            StoreDown: The store cannot be reached.
        """
        number = await self._presence.arrive(table.room, seat)
        self._witness.note(table, seat, Change.ARRIVED)
        return number

    def depart(self, table: Table, seat: SeatNumber | None, number: int) -> None:
        """Say that a connection is gone, unless a newer one holds the seat."""
        self._tables.restless.add(table)
        if seat is not None:
            self._spawn(self._depart(table, seat, number))

    async def _depart(self, table: Table, seat: SeatNumber, number: int) -> None:
        try:
            gone = await self._presence.depart(table.room, seat, number)
        except StoreDown as error:
            log.debug("a departure is noticed later", extra={"room": table.room, "error": str(error)})
        else:
            if gone:
                self._witness.note(table, seat, Change.DEPARTED)

    def looks(self, table: Table, member: Member, on: bool) -> None:
        """Hear from a player whether they can see the page; who watches may look away."""
        if member.seat is not None:
            self._witness.note(table, member.seat, Change.SHOWN if on else Change.HIDDEN)

    def greet(self, table: Table, member: Member) -> None:
        """Tell a joiner who is there, as far as this node knows."""
        self._tables.restless.add(table)
        table.shown_to(member.seat).greet(member)

    def noted(self, table: Table, seat: SeatNumber, number: int) -> None:
        """Hear from another node that a connection took a seat: an older one here is taken over."""
        self._tables.restless.add(table)
        self.supersede(table, seat, number)

    def supersede(self, table: Table, seat: SeatNumber, number: int) -> None:
        """Put out of a seat whoever has it here with a lower number."""
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
                table.shown_to(None).audience.watching,
            )
            for table in tables
        ]
        answers = await self._presence.renew(held)
        for table, here in zip(tables, answers, strict=True):
            if self._tables.loaded.get(table.room) is table:
                self._learn(table, here)

    def _learn(self, table: Table, here: Here) -> None:
        for superseded, by in here.superseded.items():
            self.supersede(table, superseded, by)
        online = [
            None if seat is None else seat.player.bot is not None or number in here.online
            for number, seat in enumerate(table.state.seats)
        ]
        told = to_client.Presence(room=table.room, online=online, watching=here.watching)
        if table.presence != told:
            table.announce(told)
        if table.state.phase is Phase.OPEN:
            self._free_absent(table, here)

    def _free_absent(self, table: Table, here: Here) -> None:
        for number, seat in table.state.taken():
            if seat.player.bot is not None or number in here.online:
                continue
            # The seat may have been another's when it was last taken by a connection.
            last_seen = max(here.last_seen.get(number, 0), _seated_at(table, number))
            if here.time - last_seen >= ABSENT_MS:
                holder = Holder(number, seat.player.id)
                table.ask(commands.FreeAbsent(number), lambda _: None, holder)


def _seated_at(table: Table, seat: SeatNumber) -> Millis:
    """Return when whoever has the seat sat down."""
    seatings = (e.event for e in reversed(table.entries) if isinstance(e.event, Seated))
    return next(event.at for event in seatings if event.seat == seat)
