"""May this pair be matched, and if not, why? And which pairs are there?

"Is a pair legal?" in server/rules.md.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import compress
from typing import Final

from msgspec import Struct

from tenmatch.rules.board import Board, Cell, NumberId, Pair
from tenmatch.rules.lines import WHOLE_LINES, Line, ahead, between, lines


class Fault(StrEnum):
    """Why a pair may not be matched, as players are told it: the first that applies, in this order."""

    NO_SUCH_NUMBER = "no_such_number"
    SAME_NUMBER = "same_number"
    INACTIVE = "inactive"
    VALUES = "values"
    NOT_CONNECTED = "not_connected"
    BLOCKED = "blocked"


class Refusal(Struct, frozen=True):
    """The answer to a pair that is not legal."""

    code: Fault
    blockers: tuple[NumberId, ...] = ()  # when BLOCKED: the active numbers between the two, in reading order


class Connection(Struct, frozen=True):
    """What makes a pair legal: where its two numbers are, and the line between them."""

    first: Cell  # of the earlier number
    second: Cell
    line: Line  # an open one, and a straight one if there is one


# Values are equal or total 10 exactly when they are of one class: {1,9} {2,8} {3,7} {4,6} {5}.
_CLASSES: Final = bytes(min(value, 10 - value) for value in range(10)).ljust(256, b"\xff")

# Along a line of classes: one that meets its like with nothing but holes between them.
_FIT: Final = re.compile(rb"([\1-\5])(?=(\0*)\1)").finditer


def judge(board: Board, a: int, b: int) -> Refusal | None:
    """Judge the claim that *a* and *b*, in either order, are a legal pair: None if they are."""
    found = connect(board, a, b)
    return found if isinstance(found, Refusal) else None


def connect(board: Board, a: int, b: int) -> Connection | Refusal:
    """Judge the same claim, and say of a legal pair where it is."""
    first, second = board.cell_of(a), board.cell_of(b)
    if first is None or second is None or first == second:
        return Refusal(_no_two_numbers(board, a, b))
    digits = board.digits
    if _CLASSES[digits[first]] != _CLASSES[digits[second]]:
        return Refusal(Fault.VALUES)
    if second < first:
        first, second = second, first
    for line in lines(first, second):
        if not any(digits[between(first, second, line)]):
            return Connection(first, second, line)
    return _no_way(board, first, second)


def _no_two_numbers(board: Board, a: int, b: int) -> Fault:
    if not (board.was_dealt(a) and board.was_dealt(b)):
        return Fault.NO_SUCH_NUMBER
    return Fault.SAME_NUMBER if a == b else Fault.INACTIVE


def _no_way(board: Board, a: Cell, b: Cell) -> Refusal:
    """Say why there is no open line between two cells, *a* the earlier."""
    if not (closed := lines(a, b)):
        return Refusal(Fault.NOT_CONNECTED)
    # Never two: only a straight line into the next row is beside a wrap, and nothing can lie on that one.
    [line] = closed
    cells = range(len(board.digits))[between(a, b, line)]
    return Refusal(Fault.BLOCKED, tuple(board.number_at(cell) for cell in cells if board.digits[cell]))


def candidates(board: Board, cell: int) -> set[Cell]:
    """Find the cells of the first active numbers that *cell* meets going on, at most four.

    A pair is legal when its later number is such a candidate of the earlier and the values fit.
    """
    slots = range(len(board.digits))
    met = (next(compress(slots[line], board.digits[line]), None) for line in ahead(cell))
    return {Cell(found) for found in met if found is not None}


def pairs(board: Board) -> Iterator[Pair]:
    """Yield all legal pairs in reading order: by the earlier number, then by the later."""
    ids = board.slot_ids()
    for a, b in sorted(set(_side_by_side(board.digits))):
        yield ids[a], ids[b]


def witness(board: Board, hint: Pair | None = None) -> Pair | None:
    """Give some legal pair, or None if there is none left.

    The *hint*, a pair that was legal before the last event, is tried first: mostly it still is.
    """
    if hint is not None and judge(board, *hint) is None:
        return hint
    for a, b in _side_by_side(board.digits):
        return board.number_at(a), board.number_at(b)
    return None


def _side_by_side(digits: bytes) -> Iterator[tuple[int, int]]:
    """Yield the cells of all legal pairs, line by line; a pair that two lines connect comes twice."""
    classes = digits.translate(_CLASSES)
    for line in WHOLE_LINES:
        if line.start >= len(digits):
            return
        for pair in _FIT(classes[line]):
            yield line.start + line.step * pair.start(), line.start + line.step * pair.end(2)
