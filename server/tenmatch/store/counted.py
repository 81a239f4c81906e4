"""What counts against a player or an address for a while, so that there are not too many of it."""

from typing import Final, NamedTuple

from tenmatch.game.ids import Millis, PlayerId, TournamentId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import Script

HOUR: Final = Millis(3_600_000)
DAY: Final = Millis(24 * HOUR)
ANNOUNCED: Final = Millis(9 * DAY)
"""A tournament that its log outlives, as it may be announced a week ahead."""

_MAY_MAKE: Final = Script("may_make")


class Count(NamedTuple):
    """Where things are counted, and for how long each counts unless it is forgotten before."""

    key: str
    lasts: Millis


def rooms_of(player: PlayerId) -> Count:
    """Name the count of rooms that *player* made and that are not over."""
    return Count(keys.made_rooms(player), HOUR)


def rooms_from(address: str) -> Count:
    """Name the count of rooms made from *address*, over or not."""
    return Count(keys.made_from(address), HOUR)


def tournaments_of(player: PlayerId) -> Count:
    """Name the count of tournaments that *player* announced and that are not over."""
    return Count(keys.made_tournaments(player), ANNOUNCED)


def tournaments_from(address: str) -> Count:
    """Name the count of tournaments announced from *address*, over or not."""
    return Count(keys.tournaments_from(address), DAY)


def entrants_from(address: str, tournament: TournamentId) -> Count:
    """Name the count of players who signed up for *tournament* from *address*."""
    return Count(keys.entrants_from(address, tournament), ANNOUNCED)


async def count(store: Store, at: Count, one: str, limit: int) -> bool:
    """Count *one* more; return False where *limit* others are counted already.

    Raises:
        StoreDown: It may have been counted; asking again counts it once.
    """
    _, may = await store.run(_MAY_MAKE, [at.key], one, limit, at.lasts)
    return bool(may)


async def forget(store: Store, at: Count, one: str) -> None:
    """Count *one* no longer: it did not come about after all, or is over.

    Raises:
        StoreDown: It may still be counted, until its time is up.
    """
    await store.call("ZREM", at.key, one)
