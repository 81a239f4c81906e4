"""tenmatch.rules.score: what a match, a row and a cleared board are worth, and how long a mistake locks."""

import pytest

from tenmatch.rules.board import NumberId, play
from tenmatch.rules.judge import judge
from tenmatch.rules.notation import parse
from tenmatch.rules.score import (
    CALL,
    MISTAKE,
    Kind,
    Match,
    clear_points,
    lock_ms,
    pair_points,
    row_points,
    try_match,
    worth,
)


@pytest.mark.parametrize(
    ("board", "a", "b", "kind", "points"),
    [
        ("55", 0, 1, Kind.TOUCHING, 1),
        ("5.5", 0, 2, Kind.FAR, 4),
        ("5......../5", 0, 9, Kind.TOUCHING, 1),  # also a wrap with a gap of 8
        (".5......./5", 1, 9, Kind.TOUCHING, 1),  # diagonal
        ("........5/5", 8, 9, Kind.EDGE, 2),
        ("........5/.5", 8, 10, Kind.FAR, 4),
        (".......5./5", 7, 9, Kind.FAR, 4),
        ("5......../7......../..5", 0, 20, Kind.FAR, 4),
    ],
)
def test_a_pair(board: str, a: int, b: int, kind: Kind, points: int) -> None:
    before = parse(board)
    for first, second in ((a, b), (b, a)):
        match = try_match(before, first, second)
        assert isinstance(match, Match)
        assert (match.kind, match.pair_points) == (kind, points)
        assert match.played == play(before, first, second)
        assert pair_points(before, first, second) == points
        assert worth(before, (NumberId(first), NumberId(second))) == match.points == points + match.row_points


@pytest.mark.parametrize(("a", "b"), [(0, 2), (0, 1), (1, 1), (0, 99), (2, 3)])
def test_a_pair_that_is_not_legal_is_no_match(a: int, b: int) -> None:
    board = parse("515.7")
    assert try_match(board, a, b) == judge(board, a, b) is not None


def test_rows() -> None:
    board = parse("5......../123456789/5")
    assert row_points(board, ()) == 0
    assert row_points(board, (0, 1)) == 20
    assert row_points(board, play(board, 0, 18).rows) == 10  # the short last row earns nothing
    assert row_points(parse("5......../5........"), (0, 1)) == 20


def test_clear() -> None:
    assert clear_points(own=False, adds_left=5) == 20
    assert clear_points(own=True, adds_left=0) == 150
    assert clear_points(own=True, adds_left=3) == 180


def test_calls_and_mistakes() -> None:
    assert (CALL, MISTAKE) == (3, -2)
    assert [lock_ms(n) for n in (1, 2, 3, 4, 100)] == [1000, 2000, 4000, 4000, 4000]
