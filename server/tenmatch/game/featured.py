"""Which games that are played are most worth watching."""

from math import log2
from statistics import fmean
from typing import Final

from tenmatch.game.events import Player
from tenmatch.game.rating import NEW, rating
from tenmatch.game.room import Phase, Room

CROWD: Final = 60.0
"""Points of rating that twice as many watchers count as much as."""


def strength(room: Room) -> int | None:
    """Return the mean rating of those who play a rated game; None where nothing is rated, or nobody sits."""
    if not room.options.rated:
        return None
    ratings = [player.rating for player in _people(room) if player.rating is not None]
    return round(fmean(ratings)) if ratings else None


def attraction(room: Room, watching: int) -> float | None:
    """Return how much a game is worth watching, in points of rating; None where there is nothing to watch.

    Two people at least play it now, and let others watch. Where nothing is rated they count as new.
    """
    played = room.phase in (Phase.STARTING, Phase.PLAYING)
    if not played or not room.options.spectators or len(_people(room)) < 2:
        return None
    known = strength(room)
    return (rating(NEW) if known is None else known) + CROWD * log2(1 + watching)


def _people(room: Room) -> list[Player]:
    return [seat.player for _, seat in room.taken() if seat.player.bot is None and not seat.out]
