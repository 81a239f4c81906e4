"""Who is where: in a knock-out by the round reached, in an arena by points, then wins, then fewer games."""

from tenmatch.game.ids import PlayerId
from tenmatch.game.tournament.events import Standing
from tenmatch.game.tournament.knockout import NOBODY, bracket
from tenmatch.game.tournament.plan import Format
from tenmatch.game.tournament.state import Entrant, Tournament


def standings(tournament: Tournament) -> tuple[Standing, ...]:
    """Return the ranking as it is now, by place, then by who signed up first."""
    if tournament.plan.format is Format.KNOCKOUT:
        reached = _reached(tournament)
        worth = {player: (reached.get(player, 0), 0, 0) for player in tournament.entrants}
    else:
        worth = {player: _worth(one) for player, one in tournament.entrants.items()}
    better = sorted(worth.values(), reverse=True)
    ranked = sorted(tournament.entrants, key=lambda player: better.index(worth[player]))
    return tuple(
        Standing(
            player=player,
            place=better.index(worth[player]) + 1,
            points=tournament.entrants[player].points,
            wins=tournament.entrants[player].wins,
            draws=tournament.entrants[player].draws,
            losses=tournament.entrants[player].losses,
        )
        for player in ranked
    )


def _worth(one: Entrant) -> tuple[int, int, int]:
    """Return what is compared, the better the higher."""
    return one.points, one.wins, -(one.wins + one.draws + one.losses)


def _reached(tournament: Tournament) -> dict[PlayerId, int]:
    """Return the last round in which each player has a place; to who won the final it is one more."""
    reached: dict[PlayerId, int] = {}
    rounds = bracket(tournament)
    for matches in rounds:
        for match in matches:
            for player in filter(None, match.sides):
                reached[player] = match.round
    if rounds and (winner := rounds[-1][0].winner):
        reached[winner] = len(rounds) + 1
    reached.pop(NOBODY, None)
    return reached
