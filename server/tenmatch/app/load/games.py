"""Games known beforehand: what to claim, and what the board must be then.

Both players are ours and take turns, so each claim is legal, and each board is known before it is told.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from tenmatch.rules.board import Board, Pair, added, may_add, play
from tenmatch.rules.deal import SIZES, DealKind, deal
from tenmatch.rules.judge import pairs
from tenmatch.rules.notation import board_hash

LOOKED_AT: Final = 4  # pairs compared for the one that keeps a long game long
KEPT: Final = 20  # different games of a worker


class Step(Struct, frozen=True):
    """One move, and the board after it and all that follows from it at once."""

    pair: Pair | None  # None: the call "no pair left", which brings an Add
    hash: int


class Game(Struct, frozen=True):
    """A whole game, up to where no pair is left and no Add is possible."""

    seed: bytes
    adds: int  # that the room may have
    digits: bytes  # the deal
    hash: int
    steps: tuple[Step, ...]

    @property
    def size(self) -> int:
        """How many numbers are dealt."""
        return len(self.digits)


def prepare(seed: bytes, size: int, adds: int = 0) -> Game:
    """Play a game to its end: pairs drawn at random where no Adds are allowed, else so that it lasts.

    The same arguments give the same game.
    """
    chance = random.Random(seed)
    board = first = deal(seed, size, DealKind.RANDOM).board
    steps: list[Step] = []
    remain = adds
    while True:
        pair = _choose(board, chance, 1 if adds == 0 else LOOKED_AT)
        if pair is not None:
            board = play(board, *pair).board
        elif remain and may_add(board):
            board, remain = added(board), remain - 1
        else:
            return Game(seed, adds, first.digits, board_hash(first), tuple(steps))
        steps.append(Step(pair, board_hash(board)))


def _choose(board: Board, chance: random.Random, looked_at: int) -> Pair | None:
    """Draw a pair; of several the one that leaves the fewest others, so that the board is stuck early."""
    legal = list(pairs(board))
    drawn = chance.sample(legal, min(looked_at, len(legal)))
    if len(drawn) < 2:
        return drawn[0] if drawn else None
    return min(drawn, key=lambda pair: sum(1 for _ in pairs(play(board, *pair).board)))


def choose_games(seeds: Sequence[bytes], size: int, adds: int, chance: random.Random) -> Iterator[Game]:
    """Return games for ever: those of *seeds*, or some drawn ones, each as often as any."""
    drawn = seeds or [chance.randbytes(32) for _ in range(KEPT)]
    return _for_ever([prepare(seed, size, adds) for seed in drawn], chance)


def openers(size: int, chance: random.Random) -> Iterator[Game]:
    """Return first games for ever, of any length up to that of a whole one.

    Rooms that begin together would else end together, and make new ones all in the same moment.
    """
    sizes = range(SIZES[DealKind.RANDOM].start, size + 1)
    return _for_ever([prepare(chance.randbytes(32), chance.choice(sizes)) for _ in range(KEPT)], chance)


def _for_ever(games: Sequence[Game], chance: random.Random) -> Iterator[Game]:
    while True:
        yield chance.choice(games)
