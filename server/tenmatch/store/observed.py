"""What nodes noted of a game's players, beside its log. What a note says is opaque here."""

from collections.abc import Mapping, Sequence
from typing import Final

from tenmatch.game.ids import RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import pack

MOST: Final = 1_000
"""Notes that are kept of a room; the oldest give way."""


async def keep(store: Store, notes: Mapping[RoomId, Sequence[bytes]], ttl: int) -> None:
    """Put notes behind those that rooms have, for *ttl* seconds from now, 0 for ever.

    Raises:
        StoreDown: Some may be kept; kept again they are there twice.
    """
    commands = []
    for room, noted in notes.items():
        key = keys.observed(room)
        commands += [pack("RPUSH", key, *noted), pack("LTRIM", key, -MOST, -1)]
        if ttl:
            commands.append(pack("EXPIRE", key, ttl))
    await store.pipeline(commands)


async def read(store: Store, room: RoomId) -> list[bytes]:
    """Return a room's notes, as they came.

    Raises:
        StoreDown: They could not be read.
    """
    [found] = await store.pipeline([pack("LRANGE", keys.observed(room), 0, -1)])
    return list(found)
