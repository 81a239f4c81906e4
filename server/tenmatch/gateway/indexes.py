"""What the store has of players beside the logs: who sits where, who made what is not over.

Both follow from logs and are written after them, by the node that wrote the event. What is lost with a node
is made up for by whoever reads: the room itself is asked.
"""

import logging
from collections.abc import Awaitable, Callable

from tenmatch.game.events import Seated
from tenmatch.game.ids import PlayerId, RoomId
from tenmatch.game.room import Phase, Room
from tenmatch.gateway.table import Table
from tenmatch.gateway.tasks import Spawn
from tenmatch.store import players
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.counted import forget, rooms_of

log = logging.getLogger(__name__)


class Indexes:
    """Keeps them in step with the rooms of this node."""

    def __init__(self, store: Store, *, spawn: Spawn) -> None:
        self._store = store
        self._spawn = spawn

    def begun(self, room: RoomId, state: Room) -> None:
        """Note who sits in a new room."""
        self._seat(room, set(), _sitting(state))

    def moved(self, table: Table, before: Room) -> None:
        """Note who came and went, and that a room that is over counts no longer against its maker."""
        self._seat(table.room, _sitting(before), _sitting(table.state))
        maker = table.entries[1].event  # who sat down in the append that made the room
        if table.state.phase is Phase.OVER and isinstance(maker, Seated):
            player = maker.player.id
            self._spawn(self._write(lambda: forget(self._store, rooms_of(player), table.room)))

    def _seat(self, room: RoomId, before: set[PlayerId], after: set[PlayerId]) -> None:
        if before != after:
            self._spawn(self._write(lambda: self._write_seats(room, after - before, before - after)))

    async def _write_seats(self, room: RoomId, came: set[PlayerId], went: set[PlayerId]) -> None:
        for player in came:
            await players.seat_in(self._store, player, room)
        for player in went:
            await players.unseat(self._store, player, room)

    async def _write(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except StoreDown as error:
            log.warning("an index was not written", extra={"error": str(error)})


def _sitting(room: Room) -> set[PlayerId]:
    """Return the persons who sit in a game that is not over."""
    if room.phase is Phase.OVER:
        return set()
    return {seat.player.id for _, seat in room.taken() if seat.player.bot is None}
