"""Notes, beside a game's log, on its players' connections: evidence, on which nothing in a game depends."""

from typing import Final

import msgspec

from tenmatch.game.evidence import Change, Note
from tenmatch.game.ids import RoomId, SeatNumber
from tenmatch.game.room import Phase
from tenmatch.gateway.table import Table
from tenmatch.store import observed
from tenmatch.store.connect import Store, StoreDown

MOST: Final = 100  # notes of a room that wait to be written; further ones are not made


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

    def note(self, table: Table, seat: SeatNumber, change: Change) -> None:
        """Note a change, if it is one of a game that runs or is about to."""
        if table.state.phase not in (Phase.STARTING, Phase.PLAYING):
            return
        waiting = self._notes.setdefault(table.room, [])
        if len(waiting) < MOST:
            waiting.append(msgspec.msgpack.encode(Note(self._store.clock.now(), seat, change)))

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
                notes[room] = (notes.get(room, []) + noted)[:MOST]
            self._notes = notes
            raise
