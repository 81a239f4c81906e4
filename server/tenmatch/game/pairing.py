"""Who of those that wait plays whom, and which computer player fits one whom nobody does.

Two fit where each lies in the other's window: so far may a rating be from one's own, further the longer one
has waited. Whoever is to be served first chooses first, and gets the nearest of those that fit.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tenmatch.game.events import Level
from tenmatch.game.ids import Millis, PlayerId
from tenmatch.game.rating import NEW_RATING

WINDOW: Final = 100  # points, for one who has just come
WIDENS: Final = 40  # points a second
OFFER_MS: Final = 15_000  # of waiting, then a computer player is offered
_EASY_BELOW: Final = NEW_RATING - 50  # whoever has lost more than won so far
_HARD_FROM: Final = NEW_RATING + 500


class Waiting(NamedTuple):
    """One who waits for an opponent."""

    player: PlayerId
    rating: int
    since: Millis


def window(waiting: Waiting, now: Millis) -> int:
    """Return by how many points the rating of an opponent may differ."""
    return WINDOW + WIDENS * max(0, now - waiting.since) // 1000


def pair_up(waiting: Sequence[Waiting], now: Millis) -> list[tuple[PlayerId, PlayerId]]:
    """Return who plays whom, each at most once.

    Args:
        waiting: In the order in which they are served.
    """
    free = [(one, window(one, now)) for one in waiting]
    pairs: list[tuple[PlayerId, PlayerId]] = []
    while free:
        one, width = free.pop(0)
        apart = [abs(other.rating - one.rating) for other, _ in free]
        fitting = [place for place, (_, their) in enumerate(free) if apart[place] <= min(width, their)]
        if fitting:
            other, _ = free.pop(min(fitting, key=apart.__getitem__))
            pairs.append((one.player, other.player))
    return pairs


def level_for(rating: int) -> Level:
    """Return the level of a computer player that is an opponent for one of that rating."""
    if rating < _EASY_BELOW:
        return Level.EASY
    return Level.MEDIUM if rating < _HARD_FROM else Level.HARD
