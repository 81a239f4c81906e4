"""The rooms that are kept, each as its log and its presence tell."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tenmatch.app.operating.command import Failed, find_room
from tenmatch.game.ids import Millis, RoomId
from tenmatch.game.room import Phase, Room
from tenmatch.gateway.held import Held
from tenmatch.gateway.tournament.held import is_tournament
from tenmatch.protocol.stored import Entry, StoredError, open_all
from tenmatch.store import due, log
from tenmatch.store.connect import Store
from tenmatch.store.presence import Whereabouts, whereabouts

AT_ONCE: Final = 50  # rooms read together


@dataclass(frozen=True, slots=True)
class Found:
    """A room, as the store has it at one moment."""

    room: RoomId
    entries: Sequence[Entry]  # one at least
    state: Room
    expires_in: Millis
    where: Whereabouts


async def find(store: Store, named: str) -> Found:
    """Return the room of this id or code.

    Raises:
        Failed: It is not kept, or cannot be read.
        StoreDown: It could not be looked for.
    """
    room = await find_room(store, named)
    stored = await log.read(store, room)
    if not stored.entries:
        raise Failed(f"there is no room {named}: it was never made, or is no longer kept")
    [where] = await whereabouts(store, [room])
    try:
        return _found(room, stored, where)
    except StoredError as error:
        raise Failed(f"the log of room {room} cannot be read: {error}") from error


def unseen(read: int, of: int) -> None:
    """Tell nobody how far it is."""


async def going_on(
    store: Store,
    *,
    player: str | None = None,
    at_once: int = AT_ONCE,
    progress: Callable[[int, int], None] = unseen,
) -> AsyncIterator[Found | RoomId]:
    """Yield every room that is not over, private ones too; of one that cannot be read the id alone.

    A room is its log, and folding one takes a millisecond or two: with many rooms this takes a while.

    Args:
        player: Only rooms where they have had a seat, by their id. Others' logs do not name them, and are not
            folded: to look for a few bytes takes a thirtieth of the time.
        at_once: How many are read together.
        progress: Is told again and again how many are read, of how many.

    Raises:
        StoreDown: They could not be read.
    """
    marked = [room for room in await due.marked(store) if not is_tournament(room)]
    for first in range(0, len(marked), at_once):
        rooms = marked[first : first + at_once]
        logs = await log.read_all(store, rooms)
        for room, stored, where in zip(rooms, logs, await whereabouts(store, rooms), strict=True):
            if not stored.entries:  # it has expired, or is only about to be made
                continue
            if player is not None and not _names(stored, player):
                continue
            try:
                found = _found(room, stored, where)
            except StoredError:
                yield room
            else:
                if found.state.phase is not Phase.OVER:  # else its record has only to be kept
                    yield found
        progress(first + len(rooms), len(marked))


def _names(stored: log.Stored, player: str) -> bool:
    """Tell whether a player's id stands in a log, as MessagePack has it, wherever that may be."""
    id = player.encode()
    return any(id in entry for entry in stored.entries)


def _found(room: RoomId, stored: log.Stored, where: Whereabouts) -> Found:
    held = Held(room, open_all(stored.entries, 0, 0))
    return Found(room, held.entries, held.state, stored.expires_in or Millis(0), where)
