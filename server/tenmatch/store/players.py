"""What is known of a player: rooms made, rooms sat in. One finds rooms by it; their logs decide."""

from typing import Final

from tenmatch.game.ids import Millis, PlayerId, RoomId, TournamentId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import Script, pack

MADE_KEY: Final = 600
"""Seconds for which a player's key brings back the room made under it."""
COUNTED: Final = Millis(3_600_000)
"""A room made counts against its maker for so long, unless forgotten before."""
ANNOUNCED: Final = Millis(9 * 24 * 3_600_000)
"""A tournament counts against who announced it for so long, unless forgotten before."""
ANNOUNCED_FROM: Final = Millis(24 * 3_600_000)
"""And against their address."""
SEATED: Final = Millis(24 * 3_600_000)
"""A seat is noted for so long, unless noted again."""

_MAY_MAKE: Final = Script("may_make")


async def made(store: Store, player: PlayerId, key: str, room: RoomId) -> RoomId:
    """Return the room that *player* made under *key*: *room*, unless there is one already.

    Raises:
        StoreDown: *room* may have become the one or not; asking again tells.
    """
    first: bytes | None = await store.call("SET", keys.made(player, key), room, "NX", "GET", "EX", MADE_KEY)
    return room if first is None else RoomId(first.decode())


async def may_make(store: Store, player: PlayerId, room: RoomId, limit: int) -> bool:
    """Count *room* among those that *player* made lately; return False where *limit* are counted already.

    Raises:
        StoreDown: It may have been counted; asking again counts it once.
    """
    return await _may_make(store, keys.made_rooms(player), room, limit)


async def may_make_from(store: Store, address: str, room: RoomId, limit: int) -> bool:
    """Count *room* among those made from *address* within an hour, over or not; return False at the limit.

    Raises:
        StoreDown: It may have been counted; asking again counts it once.
    """
    return await _may_make(store, keys.made_from(address), room, limit)


async def may_announce(store: Store, player: PlayerId, tournament: TournamentId, limit: int) -> bool:
    """Count *tournament* among those of *player* that are not over; return False where there are *limit*.

    Raises:
        StoreDown: It may have been counted; asking again counts it once.
    """
    return await _may_make(store, keys.made_tournaments(player), tournament, limit, ANNOUNCED)


async def may_announce_from(store: Store, address: str, tournament: TournamentId, limit: int) -> bool:
    """Count *tournament* among those announced from *address* within a day; return False at the limit.

    Raises:
        StoreDown: It may have been counted; asking again counts it once.
    """
    return await _may_make(store, keys.tournaments_from(address), tournament, limit, ANNOUNCED_FROM)


async def forget_announced(store: Store, player: PlayerId, tournament: TournamentId) -> None:
    """Count *tournament* no longer among those of *player*: it is over, or was not announced after all.

    Raises:
        StoreDown: It may still be counted.
    """
    await store.call("ZREM", keys.made_tournaments(player), tournament)


async def _may_make(store: Store, key: str, made: RoomId, limit: int, counted: Millis = COUNTED) -> bool:
    _, may = await store.run(_MAY_MAKE, [key], made, limit, counted)
    return bool(may)


async def forget(store: Store, player: PlayerId, room: RoomId) -> None:
    """Count *room* no longer: it was not made after all, or is over.

    Raises:
        StoreDown: It may still be counted, for an hour at most.
    """
    await store.call("ZREM", keys.made_rooms(player), room)


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
