"""Counted games: how many lines of play there are from fixed deals, kept as text in perft.txt.

A line of play is a succession of moves; a move is any legal pair, or an Add where the board allows one.
One wrong line, row or Add on any of the thousands of boards behind a number changes it.
"""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from tests.rules.oracle import OracleGame

from tenmatch.rules.board import Board, added, may_add, play
from tenmatch.rules.judge import pairs
from tenmatch.rules.notation import parse


def counted() -> list[Any]:
    lines = (Path(__file__).parent / "perft.txt").read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return [pytest.param(board, [int(count) for count in counts], id=board) for board, *counts in rows]


def perft(board: Board, depth: int) -> int:
    """Count the lines of play of exactly *depth* moves."""
    legal = list(pairs(board))
    if depth == 1:
        return len(legal) + may_add(board)
    count = sum(perft(play(board, a, b).board, depth - 1) for a, b in legal)
    return count + (perft(added(board), depth - 1) if may_add(board) else 0)


def oracle_perft(board: str, depth: int) -> int:
    """Count the same with the oracle; a board's text is all that its further play depends on."""
    if depth == 0:
        return 1
    count = 0
    game = OracleGame(board)
    for a, b in combinations(game.ids(), 2):
        if game.judge(a, b)[0] == "legal":
            after = OracleGame(board)
            after.match(a, b)
            count += oracle_perft(after.text(), depth - 1)
    if game.can_add():
        game.add()
        count += oracle_perft(game.text(), depth - 1)
    return count


@pytest.mark.parametrize(("board", "counts"), counted())
def test_counts(board: str, counts: list[int]) -> None:
    assert [perft(parse(board), depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize(("board", "counts"), counted())
def test_the_oracle_counts_the_same(board: str, counts: list[int]) -> None:
    assert [oracle_perft(board, depth) for depth in (1, 2)] == counts[:2]
