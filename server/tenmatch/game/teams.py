"""Who plays with whom: two teams, by where one sits or as they are drawn ("Teams" in server/rules.md).

Everywhere else there are sides: those who win together. A side is a team, or where there are none a player.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from tenmatch.game.ids import SeatNumber
from tenmatch.game.options import Options, Teams

TEAMS: Final = 2
_DRAW: Final = b"teams"  # sets the hash of the salt that draws them apart from those that chain a log

BySeat = tuple[int | None, ...]
"""The team of each seat, 0 or 1; None for an empty one where teams are drawn."""


def chosen(options: Options) -> BySeat | None:
    """Return the teams that seats stand for from the beginning, if they do."""
    if options.teams is not Teams.CHOSEN:
        return None
    return tuple(seat % TEAMS for seat in range(options.max_players))


def drawn(options: Options, salt: bytes, taken: Iterable[SeatNumber]) -> BySeat | None:
    """Draw the teams of those who sit there when play begins, if they are to be drawn.

    The order of hashes is theirs, each after the other into another team: nobody knows it before, as nobody
    knows the salt, and everybody can do it again after the end.
    """
    if options.teams is not Teams.DRAWN:
        return None
    order = sorted(taken, key=lambda seat: sha256(salt + _DRAW + bytes([seat])).digest())
    team = {seat: place % TEAMS for place, seat in enumerate(order)}
    return tuple(team.get(SeatNumber(seat)) for seat in range(options.max_players))
