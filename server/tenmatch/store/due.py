"""Rooms that somebody must look at, and when: for those that no node has loaded.

A room is marked before its first append, and moved on by each node that has it loaded. Any node may sweep,
and look.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from tenmatch.game.ids import Millis, RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import Argument, pack

SWEPT_AT_ONCE: Final = 100  # rooms from each bucket


async def mark(store: Store, rooms: Mapping[RoomId, Millis]) -> None:
    """Note for each room when somebody must look at it at the latest, instead of what was noted before.

    Raises:
        StoreDown: Some may be marked.
    """
    await _in_buckets(store, "ZADD", ((room, (when, room)) for room, when in rooms.items()))


async def unmark(store: Store, rooms: Iterable[RoomId]) -> None:
    """Note that nobody needs to look at these rooms any more.

    Raises:
        StoreDown: Some may still be marked.
    """
    await _in_buckets(store, "ZREM", ((room, (room,)) for room in rooms))


async def sweep(store: Store, now: Millis) -> list[RoomId]:
    """Return rooms that somebody should have looked at before *now*, some of each bucket.

    Raises:
        StoreDown: They could not be read.
    """
    found: list[list[bytes]] = await store.pipeline(
        [
            pack("ZRANGE", keys.due(bucket), "-inf", f"({now}", "BYSCORE", "LIMIT", 0, SWEPT_AT_ONCE)
            for bucket in range(keys.DUE_BUCKETS)
        ]
    )
    return [RoomId(room.decode()) for bucket in found for room in bucket]


async def marked(store: Store) -> list[RoomId]:
    """Return every room that somebody must look at some day: all but those that are over and seen to.

    Raises:
        StoreDown: They could not be read.
    """
    buckets = [pack("ZRANGE", keys.due(bucket), 0, -1) for bucket in range(keys.DUE_BUCKETS)]
    found: list[list[bytes]] = await store.pipeline(buckets)
    return [RoomId(room.decode()) for bucket in found for room in bucket]


async def _in_buckets(
    store: Store, command: str, rooms: Iterable[tuple[RoomId, tuple[Argument, ...]]]
) -> None:
    buckets: dict[int, list[Argument]] = {}
    for room, arguments in rooms:
        buckets.setdefault(keys.due_bucket(room), []).extend(arguments)
    if buckets:
        await store.pipeline([pack(command, keys.due(bucket), *some) for bucket, some in buckets.items()])
