"""The bracket of a knock-out: who meets whom, and who gets further without a game.

It is not logged but follows from the seeding and the games: the best are kept apart for as long as can be,
and where places stay empty the best have a bye. Whoever leaves before a match begins loses it to whoever is
there. A drawn game is played once more, with the seats changed; drawn again, it is decided by lot.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from tenmatch.game.ids import Millis, PlayerId
from tenmatch.game.tournament.draws import drawn_first
from tenmatch.game.tournament.events import How, Paired
from tenmatch.game.tournament.state import Game, Tournament

NOBODY: Final = PlayerId("")
"""Stands where no player ever comes: an empty place of the first round, or who did not show up."""

Side = PlayerId | None
"""A side of a match: a player, NOBODY, or None while it is not known who comes there."""


class Match(NamedTuple):
    """A place of the bracket: two sides, and who gets further."""

    round: int  # from 1
    place: int  # from 0
    sides: tuple[Side, Side]
    winner: Side
    games: tuple[Game, ...]  # played for it: the second, if any, as the first was drawn


def seeding(size: int) -> list[int]:
    """Return the places of a bracket of *size*, a power of two: the seed, from 0, that begins at each.

    So the first and the second can meet in the final only, the first four in the semifinals, and so on.
    """
    seeds = [0]
    while len(seeds) < size:
        seeds = [seed for one in seeds for seed in (one, 2 * len(seeds) - 1 - one)]
    return seeds


def bracket(tournament: Tournament) -> list[list[Match]]:
    """Return the matches of each round, the final last; none before the tournament has begun."""
    if not tournament.order:
        return []
    size = 1 << (len(tournament.order) - 1).bit_length()
    sides: list[Side] = [
        tournament.order[seed] if seed < len(tournament.order) else NOBODY for seed in seeding(size)
    ]
    played: dict[tuple[int | None, int | None], tuple[Game, ...]] = {}
    for game in tournament.games:
        match = game.round, game.place
        played[match] = (*played.get(match, ()), game)
    rounds: list[list[Match]] = []
    while len(sides) > 1:
        number = len(rounds) + 1
        pairs = zip(sides[::2], sides[1::2], strict=True)
        rounds.append(
            [
                _match(tournament, number, at, pair, played.get((number, at), ()))
                for at, pair in enumerate(pairs)
            ]
        )
        sides = [match.winner for match in rounds[-1]]
    return rounds


def _match(
    tournament: Tournament, round: int, place: int, sides: tuple[Side, Side], games: tuple[Game, ...]
) -> Match:
    return Match(round, place, sides, _winner(tournament, sides, games), games)


def _winner(tournament: Tournament, sides: tuple[Side, Side], games: tuple[Game, ...]) -> Side:
    if games and games[-1].how is not How.DRAWN:
        return None if games[-1].how is None else games[-1].winner or NOBODY
    one, other = sides
    if one is None or other is None:
        return None
    if _gone(tournament, one):
        return NOBODY if _gone(tournament, other) else other
    return one if _gone(tournament, other) else None


def _gone(tournament: Tournament, player: PlayerId) -> bool:
    return player == NOBODY or tournament.entrants[player].out


def pairings(tournament: Tournament) -> Iterator[Paired]:
    """Yield the games that can be played next, each with the moment from which it can be."""
    number = len(tournament.games)
    for match in (match for matches in bracket(tournament) for match in matches):
        one, other = match.sides
        under_way = bool(match.games) and match.games[-1].how is None
        if match.winner is not None or under_way or one is None or other is None:
            continue
        number += 1
        if match.games:
            second, first = match.games[-1].players
        else:
            first = drawn_first(tournament, number, (one, other))
            second = other if first == one else one
        at = max(tournament.entrants[one].free_at, tournament.entrants[other].free_at)
        yield Paired(
            at=Millis(at), game=number, players=(first, second), round=match.round, place=match.place
        )


def champion(tournament: Tournament) -> Side:
    """Return who has won the final: None before it is decided, NOBODY where nobody was there."""
    rounds = bracket(tournament)
    return rounds[-1][0].winner if rounds else None
