"""Legal games to be played, prepared beforehand: judging costs more than playing."""

import random
from functools import cache
from typing import Final, NamedTuple

from tests.faults.history import Pair

from tenmatch.rules.board import play
from tenmatch.rules.deal import DealKind, deal
from tenmatch.rules.judge import witness

SIZE: Final = 180  # numbers, the most there can be: rooms are to be made seldom


class Game(NamedTuple):
    """A deal, and legal matches on it in an order in which they stay legal."""

    seed: str
    pairs: list[Pair]


@cache
def prepared(many: int = 20) -> tuple[Game, ...]:
    """Return so many games, each until hardly a number is left."""
    chance = random.Random(many)
    return tuple(_prepare(chance.randbytes(32)) for _ in range(many))


def _prepare(seed: bytes) -> Game:
    board, pairs = deal(seed, SIZE, DealKind.RANDOM).board, []
    while board.left > 20 and (pair := witness(board)):
        board = play(board, *pair).board
        pairs.append((int(pair[0]), int(pair[1])))
    return Game(seed.hex(), pairs)
