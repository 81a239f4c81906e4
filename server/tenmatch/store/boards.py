"""Leaderboards: for each mode one of all players, and one for each week of who played in it."""

from datetime import UTC, datetime
from typing import Final, NamedTuple

from tenmatch.game.ids import Millis, PlayerId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import Script

WEEK_KEPT: Final = Millis(21 * 86_400_000)
"""A week's board is kept for so long after the last change to it."""

_RANK: Final = Script("rank")
_STANDINGS: Final = Script("standings")


class Placed(NamedTuple):
    """A player on a board; equal ratings share a place, and the next place is skipped."""

    place: int  # from 1
    player: PlayerId
    rating: int  # or by what else it ranks them


class Board(NamedTuple):
    """A part of a board."""

    players: int  # on the whole of it
    lines: list[Placed]  # the highest rating first
    own: Placed | None  # the player who was asked for, if they are on it


def week_of(at: Millis) -> str:
    """Return the week (ISO 8601, UTC) of a moment, as `2026-W49`: it begins on Monday."""
    year, week, _ = datetime.fromtimestamp(at / 1000, UTC).isocalendar()
    return f"{year}-W{week:02}"


async def put(store: Store, mode: str, player: PlayerId, rating: int, at: Millis, ttl: int) -> None:
    """Put a player on the boards of a mode, of all time and of the week of their latest game.

    Args:
        at: When the player's latest game ended.
        ttl: Seconds for which players stay after their latest game; 0: for ever.

    Raises:
        StoreDown: They may have been put there or not; putting them there again does no harm.
    """
    boards = [keys.board(mode), keys.board_seen(mode), keys.board(mode, week_of(at))]
    await store.run(_RANK, boards, player, rating, at, ttl * 1000, WEEK_KEPT)


async def read(
    store: Store, mode: str, week: str | None, *, first: int, many: int, player: PlayerId | None = None
) -> Board:
    """Read a part of a board.

    Args:
        week: As `week_of` names it; None: the board of all time.
        first: How many to leave out at the top.
        player: Whose own place is asked for.

    Raises:
        StoreDown: It could not be read.
    """
    return await read_from(store, keys.board(mode, week), first=first, many=many, player=player)


async def read_from(
    store: Store, key: str, *, first: int, many: int, player: PlayerId | None = None
) -> Board:
    """Read a part of the board under a key, as `read` does. Raises StoreDown."""
    _, players, place, own_place, own_rating, *found = await store.run(
        _STANDINGS, [key], first, many, player or ""
    )
    lines: list[Placed] = []
    for number, (name, rating) in enumerate(zip(found[::2], found[1::2], strict=True)):
        if lines and int(rating) < lines[-1].rating:
            place = first + number + 1
        lines.append(Placed(place, PlayerId(name.decode()), int(rating)))
    own = Placed(own_place, player, int(own_rating)) if player and own_place else None
    return Board(players, lines, own)
