"""Who plays whom in an arena: neighbours by points, and nobody the same twice running.

Where only two are left who play at all, they have nobody else, and do meet again.
"""

from collections.abc import Sequence
from itertools import islice

from tenmatch.game.ids import Millis, PlayerId
from tenmatch.game.tournament.draws import drawn_first
from tenmatch.game.tournament.events import Paired
from tenmatch.game.tournament.state import Entrant, Tournament


def pairing(tournament: Tournament) -> Paired | None:
    """Return the next game, with the moment from which it can be played; None where there is none yet.

    The earliest moment counts at which two who fit are free; of those who are free then the one with the most
    points chooses first, and takes the next below.
    """
    playing = [one for one in tournament.entrants.values() if not one.out]
    alone = len(playing) == 2
    free = [one for one in playing if one.playing is None]
    for at in sorted({one.free_at for one in free}):
        found = _neighbours(tournament, [one for one in free if one.free_at <= at], alone)
        if found is not None:
            return _paired(tournament, *found, at=at)
    return None


def _neighbours(
    tournament: Tournament, free: Sequence[Entrant], alone: bool
) -> tuple[Entrant, Entrant] | None:
    seeds = {player: seed for seed, player in enumerate(tournament.entrants)}
    ranked = sorted(free, key=lambda one: (-one.points, one.free_at, seeds[one.player.id]))
    for place, one in enumerate(ranked):
        for other in islice(ranked, place + 1, None):
            met = one.rival == other.player.id or other.rival == one.player.id
            if alone or not met:
                return one, other
    return None


def _paired(tournament: Tournament, one: Entrant, other: Entrant, *, at: Millis) -> Paired:
    number = len(tournament.games) + 1
    players: tuple[PlayerId, PlayerId] = (one.player.id, other.player.id)
    if one.first == other.first:
        first = drawn_first(tournament, number, players)
    else:
        first = min((one, other), key=lambda each: each.first).player.id
    return Paired(at=at, game=number, players=players if first == players[0] else players[::-1])
