"""Claiming without looking does not pay: what locks and penalties make of players who guess."""

import random
from collections.abc import Callable
from itertools import combinations, count
from statistics import mean

import pytest
from tests.game.rooms import T0, person, playing

from tenmatch.game.answers import Taken
from tenmatch.game.commands import Claim
from tenmatch.game.decide import decide
from tenmatch.game.ids import Millis, MoveNumber, SeatNumber, Seq
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase, Room
from tenmatch.game.settle import settle
from tenmatch.rules.board import Board, Pair, play
from tenmatch.rules.deal import DealKind, deal
from tenmatch.rules.judge import candidates, pairs
from tenmatch.rules.notation import text
from tenmatch.rules.score import pair_points, row_points

GAMES = 1000
SECONDS = 60
LOOKS_MS = 1_500  # for a pair that is one
GUESSES_MS = 125  # as quickly as the server takes claims

Chooses = Callable[[Board, random.Random], Pair | None]


def blind(board: Board, chance: random.Random) -> Pair | None:
    """Any two numbers."""
    if board.left < 2:
        return None
    a, b = chance.sample(board.ids(), 2)
    return a, b


def by_values(board: Board, chance: random.Random) -> Pair | None:
    """Any two whose values fit, wherever they are."""
    fit = [
        pair
        for pair, (one, other) in zip(
            combinations(board.ids(), 2), combinations(board.active, 2), strict=True
        )
        if one == other or one + other == 10
    ]
    return chance.choice(fit) if fit else blind(board, chance)


def by_lines(board: Board, chance: random.Random) -> Pair | None:
    """Any two that meet, whatever their values."""
    cells = [cell for cell, digit in enumerate(board.digits) if digit]
    chance.shuffle(cells)
    for cell in cells:
        if met := candidates(board, cell):
            return board.number_at(cell), board.number_at(chance.choice(sorted(met)))
    return None


def legal(board: Board, chance: random.Random) -> Pair | None:
    """Any legal pair."""
    found = list(pairs(board))
    return chance.choice(found) if found else None


def greedy(board: Board, chance: random.Random) -> Pair | None:
    """The pair that is worth most."""
    return max(pairs(board), key=lambda pair: _worth(board, pair), default=None)


def _worth(board: Board, pair: Pair) -> int:
    return pair_points(board, *pair) + row_points(board, play(board, *pair).rows)


class Rival:
    """Who plays on a seat, and when they claim next."""

    def __init__(self, seat: int, chooses: Chooses, every_ms: int) -> None:
        self.seat = SeatNumber(seat)
        self.chooses = chooses
        self.every_ms = every_ms
        self.at = T0 + every_ms
        self.numbers = map(MoveNumber, count(1))

    def move(self, room: Room, chance: random.Random) -> Claim | None:
        """Return what they do on the board as it is; None: they wait."""
        self.at += self.every_ms
        sheet, seat = room.sheets[0], room.seated(self.seat)
        if seat.locked_until is not None and seat.locked_until > self.at:
            self.at = seat.locked_until
        pair = self.chooses(sheet.board, chance)
        seq = Seq(room.seq)
        return None if pair is None else Claim(self.seat, next(self.numbers), *pair, seq, seq)


def race(seed: int, *kinds: tuple[Chooses, int]) -> list[int]:
    """Play a race and return the scores."""
    chance = random.Random(seed)
    board = text(deal(chance.randbytes(32), 35, DealKind.RANDOM).board)
    room = playing(Mode.RACE, board, {"seconds": SECONDS}, [person(0), person(1)]).room
    rivals = [Rival(seat, *kind) for seat, kind in enumerate(kinds)]
    while room.phase is Phase.PLAYING:
        rival = min(rivals, key=lambda rival: rival.at)
        now = Millis(rival.at)
        room = settle(room, now).room
        if room.phase is Phase.PLAYING and (move := rival.move(room, chance)):
            answer = decide(room, move, now)
            room = answer.room if isinstance(answer, Taken) else room
    return [seat.score for _, seat in room.taken()]


def races(*kinds: tuple[Chooses, int]) -> list[list[int]]:
    return [race(seed, *kinds) for seed in range(GAMES)]


@pytest.mark.slow
@pytest.mark.parametrize("guess", [blind, by_values, by_lines])
def test_who_guesses_as_quickly_as_is_allowed_loses_to_who_looks(guess: Chooses) -> None:
    scores = races((guess, GUESSES_MS), (legal, LOOKS_MS))
    assert mean(guesser for guesser, _ in scores) < 5  # measured: -11, 3 and -8, against some 100 points
    assert sum(guesser >= looker for guesser, looker in scores) < GAMES // 10  # 0, 4 and 1 in a hundred


@pytest.mark.slow
def test_who_looks_for_the_best_pair_beats_who_takes_any() -> None:
    scores = races((greedy, LOOKS_MS), (legal, LOOKS_MS))
    assert sum(best > any_ for best, any_ in scores) > GAMES * 2 // 3
