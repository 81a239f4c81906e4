"""Notes, beside a game's log, on its players' connections: evidence, on which nothing in a game depends."""

from collections import Counter
from typing import Final
from weakref import WeakKeyDictionary

import msgspec

from tenmatch.game.evidence import Change, Note
from tenmatch.game.ids import RoomId, SeatNumber
from tenmatch.game.room import Phase
from tenmatch.gateway.table import Table
from tenmatch.store import observed
from tenmatch.store.connect import Store, StoreDown

MOST: Final = observed.MOST // (10 * len(Change))
"""Times that a change of a seat is noted: so nobody, out of ten, can push out what is noted of others."""


class Witness:
    """Notes what it is told while games run, and writes it down in a while."""

    def __init__(self, store: Store, *, ttl: int) -> None:
        """Make one.

        Args:
            ttl: Seconds for which notes are kept, as records are; 0: for ever.
        """
        self._store = store
        self._ttl = ttl
        self._notes: dict[RoomId, list[bytes]] = {}
        self._made: WeakKeyDictionary[Table, Counter[tuple[SeatNumber, Change]]] = WeakKeyDictionary()

    def note(self, table: Table, seat: SeatNumber, change: Change) -> None:
        """Note a change, if it is one of a game that runs or is about to."""
        if table.state.phase not in (Phase.STARTING, Phase.PLAYING):
            return
        made = self._made.setdefault(table, Counter())
        made[seat, change] += 1
        if made[seat, change] <= MOST:
            note = Note(self._store.clock.now(), seat, change)
            self._notes.setdefault(table.room, []).append(msgspec.msgpack.encode(note))

    async def write(self) -> None:
        """Write down what was noted since.

        Raises:
            StoreDown: It will be tried again.
        """
        notes, self._notes = self._notes, {}
        if not notes:
            return
        try:
            await observed.keep(self._store, notes, self._ttl)
        except StoreDown:
            for room, noted in self._notes.items():
                notes[room] = notes.get(room, []) + noted
            self._notes = notes
            raise
