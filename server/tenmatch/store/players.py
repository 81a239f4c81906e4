"""What is known of a player: rooms made, rooms sat in. One finds rooms by it; their logs decide."""

from typing import Final

from tenmatch.game.ids import Millis, PlayerId, RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import pack

MADE_KEY: Final = 600
"""Seconds for which a player's key brings back the room made under it."""
SEATED: Final = Millis(24 * 3_600_000)
"""A seat is noted for so long, unless noted again."""


async def made(store: Store, player: PlayerId, key: str, room: RoomId) -> RoomId:
    """Return the room that *player* made under *key*: *room*, unless there is one already.

    Raises:
        StoreDown: *room* may have become the one or not; asking again tells.
    """
    first: bytes | None = await store.call("SET", keys.made(player, key), room, "NX", "GET", "EX", MADE_KEY)
    return room if first is None else RoomId(first.decode())


async def seat_in(store: Store, player: PlayerId, room: RoomId) -> None:
    """Note that *player* sits in *room*.

    Raises:
        StoreDown: It may have been noted or not.
    """
    key = keys.seats(player)
    until = store.clock.now() + SEATED
    await store.pipeline(
        [
            pack("ZREMRANGEBYSCORE", key, "-inf", until - SEATED),
            pack("ZADD", key, until, room),
            pack("PEXPIRE", key, SEATED),
        ]
    )


async def unseat(store: Store, player: PlayerId, room: RoomId) -> None:
    """Note that *player* sits in *room* no longer.

    Raises:
        StoreDown: It may still be noted.
    """
    await store.call("ZREM", keys.seats(player), room)


async def seated(store: Store, player: PlayerId) -> list[RoomId]:
    """Return the rooms in which *player* sits, as far as is noted: some may be over.

    Raises:
        StoreDown: They could not be read.
    """
    # One command, and it only reads: a thousand may come back at once.
    rooms: list[bytes] = await store.call(
        "ZRANGE", keys.seats(player), f"({store.clock.now()}", "+inf", "BYSCORE"
    )
    return [RoomId(room.decode()) for room in rooms]
