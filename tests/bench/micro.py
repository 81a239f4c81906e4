"""What judging and playing a match takes, and a computer player's choice: bare calls, on one core.

    python -m tests.bench.micro

prints microseconds as JSON.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Final

from tests.bench.systems import SERVER_CORE
from tests.game.rooms import computer, person, playing

from tenmatch.app.load.games import prepare
from tenmatch.game.computer import choose
from tenmatch.game.events import Level
from tenmatch.game.ids import SeatNumber
from tenmatch.game.options import Mode
from tenmatch.rules.board import Board, play
from tenmatch.rules.judge import judge
from tenmatch.rules.notation import text

SEEDS: Final = [bytes([number]) * 32 for number in range(10)]
ROUNDS: Final = 15


def best_of_rounds(work: Callable[[], int]) -> float:
    """Return the median microseconds of a call; *work* makes some and says how many."""
    took = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        calls = work()
        took.append((time.perf_counter() - begun) / calls * 1e6)
    return median(took)


def matches() -> int:
    """Judge and play whole games of 180 numbers; return how many matches that were."""
    played = 0
    for game in GAMES:
        board = Board.dealt(game.digits)
        for step in game.steps:
            assert step.pair is not None
            assert judge(board, *step.pair) is None
            board = play(board, *step.pair).board
        played += len(game.steps)
    return played


def choices() -> int:
    """Let computer players choose on fresh boards of 180 numbers; return how often."""
    for room in ROOMS:
        assert choose(room, SeatNumber(1)) is not None
    return len(ROOMS)


GAMES: Final = [prepare(seed, 180) for seed in SEEDS]
ROOMS: Final = [
    playing(Mode.RACE, text(Board.dealt(game.digits)), {"size": 180}, [person(0), computer(1, level)]).room
    for game in GAMES
    for level in Level
]


def main() -> None:
    """Run as a process."""
    os.sched_setaffinity(0, {SERVER_CORE})
    figures = {"match_us": best_of_rounds(matches), "choice_us": best_of_rounds(choices)}
    sys.stdout.write(f"{json.dumps(figures)}\n")


if __name__ == "__main__":
    main()
