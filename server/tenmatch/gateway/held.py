"""A room's log as this node holds it, and the state that it folds to."""

from collections.abc import Sequence

from tenmatch.game.events import AnyEvent
from tenmatch.game.ids import Millis, RoomId
from tenmatch.game.room import Room, evolve
from tenmatch.game.settle import next_due
from tenmatch.gateway.copied import Copied
from tenmatch.protocol.stored import Entry, open_all


class Held(Copied[AnyEvent]):
    """A room's log, and its state."""

    def __init__(self, room: RoomId, entries: Sequence[Entry]) -> None:
        """Fold *entries*. Raises whatever `evolve` raises."""
        self.room = room
        self.hold(entries)

    def hold(self, entries: Sequence[Entry]) -> None:
        """Hold this log, whichever it was before. Raises whatever `evolve` raises."""
        self.entries, self.state = list(entries), _fold(None, entries)
        self.salt = bytes.fromhex(self.state.salt)
        self._due: tuple[Room, Millis | None] = self.state, next_due(self.state)

    def next_due(self) -> Millis | None:
        """Return when the room must be looked at again, reckoned once for each state."""
        state, due = self._due
        if state is not self.state:
            due = next_due(self.state)
            self._due = self.state, due
        return due

    def opened(self, raws: Sequence[bytes]) -> list[Entry]:
        """Read entries that come after the head.

        Raises:
            StoredError: They do not continue the log.
        """
        head = self.head
        return open_all(raws, head.seq, head.chain, self.salt)

    def folded(self, entries: Sequence[Entry]) -> Room:
        """Return the state after entries that come after the head. Raises whatever `evolve` raises."""
        return _fold(self.state, entries)


def _fold(room: Room | None, entries: Sequence[Entry]) -> Room:
    for entry in entries:
        room = evolve(room, entry.event)
    assert room is not None, "a log has at least one entry"
    return room
