"""May this pair be matched, and if not, why? And which pairs are there?

"Is a pair legal?" in server/rules.md.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import compress
from typing import Final

from msgspec import Struct

from tenmatch.rules.board import HOLE, Board, Cell, NumberId, Pair
from tenmatch.rules.lines import ONWARD, WHOLE_LINES, between, lines, open_lines


class Fault(StrEnum):
    """Why a pair may not be matched, as players are told it; the first that applies, in this order."""

    NO_SUCH_NUMBER = "no_such_number"
    SAME_NUMBER = "same_number"
    INACTIVE = "inactive"
    VALUES = "values"
    NOT_CONNECTED = "not_connected"
    BLOCKED = "blocked"


class Refusal(Struct, frozen=True):
    """The answer to a pair that is not legal."""

    code: Fault
    blockers: tuple[NumberId, ...] = ()  # BLOCKED: the active numbers between the two, in reading order


def fits(x: int, y: int) -> bool:
    """Tell whether two values qualify: equal, or ten together."""
    return x == y or x + y == 10


# The same said of two neighbours in a row of digits; it looks ahead, so that overlapping pairs are found too.
_FITTING_NEIGHBOURS: Final = re.compile(
    b"|".join(b"%c(?=[%c%c])" % (digit, digit, 10 - digit) for digit in range(1, 10))
)


def judge(board: Board, a: int, b: int) -> Refusal | None:
    """Judge the claim that *a* and *b*, in either order, are a legal pair: None if they are."""
    if not (board.was_dealt(a) and board.was_dealt(b)):
        return Refusal(Fault.NO_SUCH_NUMBER)
    if a == b:
        return Refusal(Fault.SAME_NUMBER)
    first, second = board.cell_of(a), board.cell_of(b)
    if first is None or second is None:
        return Refusal(Fault.INACTIVE)
    if not fits(board.digits[first], board.digits[second]):
        return Refusal(Fault.VALUES)
    if open_lines(board.digits, first, second):
        return None
    return _no_open_line(board, first, second)


def _no_open_line(board: Board, a: Cell, b: Cell) -> Refusal:
    closed = lines(a, b)
    if not closed:
        return Refusal(Fault.NOT_CONNECTED)
    # Two lines connect a pair only where one is a straight step into the next row, and that is always open.
    # So a pair without an open line has exactly one line.
    [line] = closed
    cells = range(len(board.digits))[between(a, b, line)]
    return Refusal(Fault.BLOCKED, tuple(board.number_at(cell) for cell in cells if board.digits[cell]))


def candidates(board: Board, cell: int) -> set[Cell]:
    """Find the cells of the first active numbers that *cell* meets going on: at most four, in reading order,
    straight down, down to the left and down to the right.

    A pair is legal when its later number is such a candidate of the earlier and the values fit.
    """
    met = (next(compress(line.reach, board.digits[_slots(line.reach)]), None) for line in ONWARD[cell])
    return {Cell(found) for found in met if found is not None and open_lines(board.digits, cell, found)}


def _slots(reach: range) -> slice:
    return slice(reach.start, reach.stop, reach.step)


def pairs(board: Board) -> Iterator[Pair]:
    """Yield all legal pairs in reading order: by the earlier number, then by the later."""
    yield from sorted(set(_side_by_side(board)))


def witness(board: Board, hint: Pair | None = None) -> Pair | None:
    """Give some legal pair, or None if there is none left.

    The *hint*, a pair that was legal a while ago, is tried first: mostly it still is.
    """
    if hint is not None and judge(board, *hint) is None:
        return hint
    return next(_side_by_side(board), None)


def _side_by_side(board: Board) -> Iterator[Pair]:
    """Yield the legal pairs line by line, those that two lines connect twice.

    With its holes taken out of a line, the numbers that meet on it stand side by side.
    """
    ids = board.slot_ids()
    for line in WHOLE_LINES:
        if line.start >= len(board.digits):
            return
        slots = board.digits[line]
        found = [match.start() for match in _FITTING_NEIGHBOURS.finditer(slots.translate(None, HOLE))]
        if found:
            numbers = list(compress(ids[line], slots))
            for place in found:
                yield numbers[place], numbers[place + 1]
