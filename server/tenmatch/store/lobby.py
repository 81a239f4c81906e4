"""The public lists, of rooms and of tournaments: a line each, the best ranked first.

A line that nobody refreshes vanishes.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tenmatch.game.ids import Millis, RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import Script

COUNTS: Final = Millis(30_000)
"""A line stands for so long after it was put; put it again every 10 s."""

_LIST: Final = Script("list")
_NEWEST: Final = Script("newest")
ROOMS: Final = (keys.LOBBY_LINES, keys.LOBBY_RANKS, keys.LOBBY_FRESH, keys.LOBBY_VERSION, keys.LOBBY_WORTH)
TOURNAMENTS: Final = keys.TOURNAMENTS_LISTED


class Listed(NamedTuple):
    """A room's line, whatever it says, and its place: a higher rank comes first."""

    room: RoomId
    line: bytes
    rank: float
    worth: float | None = None  # how much it is worth watching; None: nobody is to be pointed to it


class Newest(NamedTuple):
    """The top of the list."""

    version: int  # higher after every change
    lines: tuple[tuple[RoomId, bytes], ...] | None  # None where the version is the one known
    featured: tuple[RoomId, ...] = ()  # of these the ones most worth watching, the most worth first


async def put(store: Store, *rooms: Listed, at: tuple[str, ...] = ROOMS) -> None:
    """Put rooms into the list, or say that their lines still stand.

    Raises:
        StoreDown: Some may have been put.
    """
    await store.run_all(
        _LIST,
        [
            _LIST.call(at, [one.room, one.rank, one.line, "" if one.worth is None else one.worth])
            for one in rooms
        ],
    )


async def drop(store: Store, *rooms: RoomId, at: tuple[str, ...] = ROOMS) -> None:
    """Take rooms out of the list.

    Raises:
        StoreDown: Some may still be there; they vanish when nobody refreshes them.
    """
    await store.run_all(_LIST, [_LIST.call(at, [room, "", "", ""]) for room in rooms])


async def newest(
    store: Store, many: int = 100, known: int = -1, featured: int = 0, at: tuple[str, ...] = ROOMS
) -> Newest:
    """Read the first *many* lines, unless the list still has the version *known*.

    Args:
        featured: How many of those most worth watching come along, though they be further down.

    Raises:
        StoreDown: It could not be read.
    """
    _, version, *found = await store.run(_NEWEST, at, known, many, COUNTS, featured)
    if int(version) == known or not found:
        return Newest(known, None)
    first, *rest = found
    names = [RoomId(name.decode()) for name in rest[:first]]
    rooms: Sequence[bytes] = rest[first::2]
    lines: Sequence[bytes] = rest[first + 1 :: 2]
    return Newest(
        int(version),
        tuple((RoomId(room.decode()), line) for room, line in zip(rooms, lines, strict=True)),
        tuple(names),
    )
