"""The lines that connect two cells: the four families, said once.

A line goes on in reading order, always with the same step: 1 slot along a row and from its end into the
next, 9 down a column, 8 and 10 down the diagonals. What lies between two cells on it is all that such steps
from the earlier meet before the later; holes there do not count.

"Connection families" in server/rules.md.
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
    """A way from one cell to a later one."""

    family: Family
    step: int  # slots in reading order from one cell of the line to the next


ACROSS: Final = Line(Family.HORIZONTAL, 1)
DOWN: Final = Line(Family.VERTICAL, COLUMNS)
DOWN_LEFT: Final = Line(Family.DIAGONAL, COLUMNS - 1)
DOWN_RIGHT: Final = Line(Family.DIAGONAL, COLUMNS + 1)
WRAP: Final = Line(Family.WRAP, 1)


def lines(a: int, b: int) -> tuple[Line, ...]:
    """Give the lines that connect two different cells, *a* the earlier: a straight one first, then a wrap."""
    return _LINES[a % COLUMNS][b - a]


def _lines(a: int, b: int) -> tuple[Line, ...]:
    rows, columns = b // COLUMNS - a // COLUMNS, b % COLUMNS - a % COLUMNS
    if rows == 0:
        return (ACROSS,)
    found = []
    if columns == 0:
        found.append(DOWN)
    elif columns == -rows:
        found.append(DOWN_LEFT)
    elif columns == rows:
        found.append(DOWN_RIGHT)
    if rows == 1:
        found.append(WRAP)
    return tuple(found)


# By the column of the earlier cell and how many slots the later one is from it: all rows are alike.
_LINES: Final = tuple(
    tuple(_lines(column, column + slots) for slots in range(MAX_SLOTS)) for column in range(COLUMNS)
)


def between(a: int, b: int, line: Line) -> slice:
    """Give the slots strictly between two cells that *line* connects, *a* the earlier."""
    return slice(a + line.step, b, line.step)


def open_lines(digits: bytes, a: int, b: int) -> list[Line]:
    """List those lines between two cells, *a* the earlier, on which no active number lies."""
    return [line for line in lines(a, b) if not any(digits[between(a, b, line)])]


def ahead(cell: int) -> tuple[slice, slice, slice, slice]:
    """Give what a number can see going on from *cell*, whether the board has so many rows or not.

    That is in reading order to the end of the next row, straight down, down to the left, down to the right.
    It is connected with the first active number on each, and with no later one.
    """
    column = cell % COLUMNS
    return (
        slice(cell + ACROSS.step, cell - column + 2 * COLUMNS, ACROSS.step),
        slice(cell + DOWN.step, MAX_SLOTS, DOWN.step),
        slice(cell + DOWN_LEFT.step, cell + DOWN_LEFT.step * column + 1, DOWN_LEFT.step),
        slice(cell + DOWN_RIGHT.step, cell + DOWN_RIGHT.step * (COLUMNS - 1 - column) + 1, DOWN_RIGHT.step),
    )


def _whole_lines() -> Iterator[slice]:
    """Yield the lines of a full board from end to end: all rows as one, then each column and diagonal."""
    yield slice(0, MAX_SLOTS, ACROSS.step)
    for cell in range(MAX_SLOTS):
        row, column = divmod(cell, COLUMNS)
        _, down, left, right = ahead(cell)
        if row == 0:
            yield slice(cell, down.stop, down.step)
        if row == 0 or column == COLUMNS - 1:
            yield slice(cell, left.stop, left.step)
        if row == 0 or column == 0:
            yield slice(cell, right.stop, right.step)


# Numbers with nothing but holes between them on one of these are connected, and no others. That holds for all
# rows as one because none is wholly empty: the next number in reading order is in the same row or the next.
WHOLE_LINES: Final = tuple(_whole_lines())  # ascending by where they begin
