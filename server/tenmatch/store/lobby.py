"""The public lists, of rooms and of tournaments: a line each, the best ranked first.

A line that nobody refreshes vanishes. A room's does so soon: where nobody is, there is nothing to join. A
tournament's stands until it must be over, as one that is yet to come is loaded nowhere.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tenmatch.game.ids import Millis, RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.counted import ANNOUNCED
from tenmatch.store.link import Script

_LIST: Final = Script("list")
_NEWEST: Final = Script("newest")


class Public(NamedTuple):
    """A list: where it lies, and for how long a line stands after it was put."""

    keys: tuple[str, ...]
    stands: Millis


ROOMS: Final = Public(
    (keys.LOBBY_LINES, keys.LOBBY_RANKS, keys.LOBBY_FRESH, keys.LOBBY_VERSION, keys.LOBBY_WORTH),
    Millis(30_000),  # put each again every 10 s
)
TOURNAMENTS: Final = Public(keys.TOURNAMENTS_LISTED, ANNOUNCED)


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


async def put(store: Store, *rooms: Listed, at: Public = ROOMS) -> None:
    """Put rooms into the list, or say that their lines still stand.

    Raises:
        StoreDown: Some may have been put.
    """
    await store.run_all(
        _LIST,
        [
            _LIST.call(at.keys, [one.room, one.rank, one.line, "" if one.worth is None else one.worth])
            for one in rooms
        ],
    )


async def drop(store: Store, *rooms: RoomId, at: Public = ROOMS) -> None:
    """Take rooms out of the list.

    Raises:
        StoreDown: Some may still be there; they vanish when nobody refreshes them.
    """
    await store.run_all(_LIST, [_LIST.call(at.keys, [room, "", "", ""]) for room in rooms])


async def newest(
    store: Store, many: int = 100, known: int = -1, featured: int = 0, at: Public = ROOMS
) -> Newest:
    """Read the first *many* lines, unless the list still has the version *known*.

    Args:
        featured: How many of those most worth watching come along, though they be further down.

    Raises:
        StoreDown: It could not be read.
    """
    _, version, *found = await store.run(_NEWEST, at.keys, known, many, at.stands, featured)
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
