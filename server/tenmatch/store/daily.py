"""The dailies: the seed of each day, whose attempt is in which room, and what the attempts came to.

All of a day lies in one slot. What an attempt came to is opaque here, but for its worth.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tenmatch.game.ids import Day, Millis, PlayerId, RoomId
from tenmatch.store import boards, keys
from tenmatch.store.boards import Board
from tenmatch.store.connect import Store
from tenmatch.store.link import Script, pack

_ATTEMPT: Final = Script("attempt")


class Seed(NamedTuple):
    """The seed of a day's deal."""

    seed: bytes
    drawn_at: Millis


class Begun(NamedTuple):
    """Where a player's attempt at a daily is."""

    room: RoomId
    played: bool  # it is over and counts


async def seed(store: Store, day: Day, drawn: Seed, ttl: int) -> Seed:
    """Return the seed of a day: the one that was *drawn*, unless there is one already.

    Args:
        ttl: Seconds for which it is kept; 0: for ever.

    Raises:
        StoreDown: *drawn* may have become the one or not; asking again tells.
    """
    text, expiry = f"{drawn.seed.hex()} {drawn.drawn_at}", ("EX", ttl) if ttl else ()
    first: bytes | None = await store.call("SET", keys.daily_seed(day), text, "NX", "GET", *expiry)
    return drawn if first is None else _seed(first)


async def seed_of(store: Store, day: Day) -> Seed | None:
    """Return the seed of a day, if there is one (any more). Raises StoreDown."""
    found: bytes | None = await store.call("GET", keys.daily_seed(day))
    return None if found is None else _seed(found)


def _seed(text: bytes) -> Seed:
    seed, at = text.decode().split()
    return Seed(bytes.fromhex(seed), Millis(int(at)))


async def attempt(
    store: Store, day: Day, player: PlayerId, room: RoomId, ttl: int, given_up: RoomId | None = None
) -> Begun:
    """Return the room of a player's attempt: *room*, unless there is one already.

    Args:
        ttl: Seconds for which it is kept; 0: for ever.
        given_up: A room in which it did not begin and will not; it gives way.

    Raises:
        StoreDown: *room* may have become the one or not; asking again tells.
    """
    owned = [keys.daily_rooms(day), keys.daily_played(day)]
    _, found, played = await store.run(_ATTEMPT, owned, player, room, given_up or "", ttl * 1000)
    return Begun(RoomId(found.decode()), bool(played))


async def enter(store: Store, day: Day, player: PlayerId, *, worth: int, result: bytes, ttl: int) -> None:
    """Enter what a player's attempt came to.

    Raises:
        StoreDown: It may be entered; entering it again does no harm.
    """
    played, board = keys.daily_played(day), keys.daily_board(day)
    kept = [pack("PEXPIRE", key, ttl * 1000) for key in (played, board)] if ttl else []
    entered = [pack("HSET", played, player, result), pack("ZADD", board, worth, player)]
    await store.pipeline([*entered, *kept])


async def board(store: Store, day: Day, *, first: int, many: int, player: PlayerId | None = None) -> Board:
    """Read a part of a day's board; `rating` is what an attempt is worth. Raises StoreDown."""
    return await boards.read_from(store, keys.daily_board(day), first=first, many=many, player=player)


async def results(store: Store, day: Day, players: Sequence[PlayerId]) -> list[bytes | None]:
    """Return what players' attempts came to. Raises StoreDown."""
    return await store.call("HMGET", keys.daily_played(day), *players) if players else []
