"""Points, and the locks that follow mistakes ("Points" in server/rules.md)."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from tenmatch.rules.board import COLUMNS, Board, Pair, play
from tenmatch.rules.lines import Family, open_lines

ROW: Final = 10  # for each closed row that had nine slots
CLEAR_SHARED: Final = 20  # to who clears a shared board
CLEAR_OWN: Final = 150  # to who clears the own board, and there …
UNUSED_ADD: Final = 10  # … for each Add that was left
CALL: Final = 3  # a right "no pair left"
MISTAKE: Final = -2

LOCKS_MS: Final = (1000, 2000, 4000)  # after the first, the second, and every further mistake in a row


class Kind(StrEnum):
    """How far apart the two numbers of a match were."""

    TOUCHING = "touching"  # no slot between them on a straight line
    EDGE = "edge"  # none by wrap only: column 8 to column 0
    FAR = "far"


PAIR_POINTS: Final = {Kind.TOUCHING: 1, Kind.EDGE: 2, Kind.FAR: 4}


def pair_kind(board: Board, a: int, b: int) -> Kind:
    """Tell the kind of the legal pair *a*, *b* on the board before their match."""
    first, second = board.cell_of(a), board.cell_of(b)
    assert first is not None, f"{a} is not active"
    assert second is not None, f"{b} is not active"
    # A straight line comes first, so the wrap counts only where no straight one is open.
    line = open_lines(board.digits, min(first, second), max(first, second))[0]
    if abs(second - first) > line.step:
        return Kind.FAR
    return Kind.EDGE if line.family is Family.WRAP else Kind.TOUCHING


def pair_points(board: Board, a: int, b: int) -> int:
    """Give what the legal pair *a*, *b* is worth on the board before their match, without rows: 1, 2 or 4."""
    return PAIR_POINTS[pair_kind(board, a, b)]


def row_points(board: Board, rows: Iterable[int]) -> int:
    """Give what closing *rows* is worth; *board* and indexes are those before the match."""
    return sum(ROW for row in rows if (row + 1) * COLUMNS <= len(board.digits))


def worth(board: Board, pair: Pair) -> int:
    """Give what a legal pair is worth with the rows that its match closes, clearing aside."""
    return pair_points(board, *pair) + row_points(board, play(board, *pair).rows)


def clear_points(*, own: bool, adds_left: int) -> int:
    """Give what clearing the board is worth; unused Adds count on an own board only."""
    return CLEAR_OWN + UNUSED_ADD * adds_left if own else CLEAR_SHARED


def lock_ms(mistakes_in_a_row: int) -> int:
    """Give how long the seat is locked after its first, second, … consecutive mistake, in ms."""
    return LOCKS_MS[min(mistakes_in_a_row, len(LOCKS_MS)) - 1]
