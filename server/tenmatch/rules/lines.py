"""The lines that connect two cells: the four families, said once.

A line leads from a cell to later ones in reading order, always with the same step: 1 slot along a row and
from its end into the next, 9 down a column, 8 and 10 down the diagonals. So `digits[a + step : b : step]` is
all that lies between, and holes in it do not count.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct

from tenmatch.rules.board import COLUMNS, MAX_SLOTS


class Family(StrEnum):
    """What kind of line connects two cells."""

    HORIZONTAL = "horizontal"
    VERTICAL = "vertical"
    DIAGONAL = "diagonal"
    WRAP = "wrap"


class Line(Struct, frozen=True):
    """One way to go on from a cell."""

    family: Family
    step: int  # slots in reading order from one cell of the line to the next
    reach: range  # the later cells it connects with, whether the board has so many or not


def _onward(cell: int) -> tuple[Line, ...]:
    """List the lines that lead on from *cell*: the straight ones first."""
    column = cell % COLUMNS
    next_row = cell - column + COLUMNS
    to_the_left, to_the_right = column, COLUMNS - 1 - column  # columns that a diagonal can still cross
    return (
        Line(Family.HORIZONTAL, 1, range(cell + 1, next_row)),
        Line(Family.VERTICAL, 9, range(cell + 9, MAX_SLOTS, 9)),
        Line(Family.DIAGONAL, 8, range(cell + 8, cell + 8 * to_the_left + 1, 8)),
        Line(Family.DIAGONAL, 10, range(cell + 10, cell + 10 * to_the_right + 1, 10)),
        Line(Family.WRAP, 1, range(next_row, next_row + COLUMNS)),
    )


ONWARD: Final = tuple(_onward(cell) for cell in range(MAX_SLOTS))  # by cell


def lines(a: int, b: int) -> list[Line]:
    """List the lines that connect two different cells, given in any order; a wrap comes last."""
    if a > b:
        a, b = b, a
    return [line for line in ONWARD[a] if b in line.reach]


def between(a: int, b: int, line: Line) -> slice:
    """Give the slots strictly between two cells that *line* connects, given in any order."""
    return slice(min(a, b) + line.step, max(a, b), line.step)


def open_lines(digits: bytes, a: int, b: int) -> list[Line]:
    """List the lines between two cells of a board on which no active number lies; a wrap comes last."""
    return [line for line in lines(a, b) if not any(digits[between(a, b, line)])]


def _whole_lines() -> Iterator[slice]:
    """Yield the lines of a full board from end to end: all rows as one, then each column and diagonal."""
    yield slice(0, None, 1)
    seen: set[tuple[int, int]] = set()
    for cell in range(MAX_SLOTS):
        for line in ONWARD[cell]:
            if line.step > 1 and line.reach and (line.step, cell) not in seen:
                seen.update((line.step, later) for later in line.reach)
                yield slice(cell, line.reach.stop, line.step)


# Two numbers with nothing but holes between them on one of these are connected, and no others: as no row is
# wholly empty, neighbours in reading order stand in one row, or the second in the row after the first's.
WHOLE_LINES: Final = tuple(_whole_lines())  # ascending by where they begin
