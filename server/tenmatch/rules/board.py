"""The board: slots in reading order, the ids of the numbers in them, and what a match and an Add do to both.

Rules 1-11 of server/rules.md.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain, compress
from typing import Final, NewType, cast

from msgspec import Struct

# Names a number for the whole game: 0, 1, 2 … in the order in which they came onto the board.
NumberId = NewType("NumberId", int)
# A slot, counted in reading order from 0. Every row that closes above a number changes its cell.
Cell = NewType("Cell", int)
Pair = tuple[NumberId, NumberId]

COLUMNS: Final = 9
MAX_SLOTS: Final = 540
HOLE: Final = b"\0"


class Board(Struct, frozen=True):
    """What is on the table at one moment. The empty `digits` are the cleared board.

    No row is wholly empty, and only the last may have fewer than nine slots (rules 2 and 4).

    Ids (rule 3) need no list of their own. Slots are only ever appended, each with the next id, and vanish
    only as whole rows; so the ids within a row follow one another, and its first one tells them all.
    """

    digits: bytes  # a byte for each slot: 1-9 an active number, 0 a hole
    firsts: tuple[int, ...]  # for each row the id of its first slot, ascending
    next_id: int  # the id that the next number to come will have

    @classmethod
    def dealt(cls, digits: bytes) -> "Board":
        """Lay out *digits* as a new game's board, ids from 0 in reading order."""
        return cls(digits, tuple(range(0, len(digits), COLUMNS)), len(digits))

    @property
    def left(self) -> int:
        """How many active numbers there are."""
        return len(self.digits) - self.digits.count(HOLE)

    @property
    def active(self) -> bytes:
        """The values of the active numbers in reading order: what an Add would copy."""
        return self.digits.translate(None, HOLE)

    @property
    def cleared(self) -> bool:
        """Whether nothing is left to match."""
        return not self.digits

    def slot_ids(self) -> list[NumberId]:
        """List an id for each slot of every row, as if the last one were full too."""
        return list(chain.from_iterable(map(_row_ids, self.firsts)))

    def ids(self) -> list[NumberId]:
        """List the ids of the active numbers in reading order, which is also ascending."""
        return list(compress(self.slot_ids(), self.digits))

    def was_dealt(self, number: int) -> bool:
        """Tell whether this id was ever given to a number, active or not."""
        return 0 <= number < self.next_id

    def cell_of(self, number: int) -> Cell | None:
        """Find an active number; None if it was never dealt or is removed, with or without its row."""
        row = bisect_right(self.firsts, number) - 1
        if row < 0 or number >= self.next_id:
            return None
        column = number - self.firsts[row]
        cell = row * COLUMNS + column
        return Cell(cell) if column < COLUMNS and self.digits[cell] else None

    def number_at(self, cell: int) -> NumberId:
        """Give the id of the slot *cell*, which must be on the board; a hole keeps the id its number had."""
        return NumberId(self.firsts[cell // COLUMNS] + cell % COLUMNS)


def _row_ids(first: int) -> Sequence[NumberId]:
    # Naming each by itself takes twice as long.
    return cast("Sequence[NumberId]", range(first, first + COLUMNS))


class Played(Struct, frozen=True):
    """What a match made of the board."""

    board: Board
    rows: tuple[int, ...]  # the rows that closed, by their indexes before closing, ascending
    gone: tuple[int, int]  # the ids of its two numbers

    def spares(self, pair: Pair) -> bool:
        """Tell whether a pair that was legal before surely still is.

        Where no row closed its numbers are where they were, and what lies between them can only be less.
        """
        return not self.rows and pair[0] not in self.gone and pair[1] not in self.gone


def play(board: Board, a: int, b: int) -> Played:
    """Remove the legal pair *a*, *b* and close what is then empty: 0, 1 or 2 rows (rules 5-8)."""
    first, second = board.cell_of(a), board.cell_of(b)
    assert first is not None, f"{a} is not active"
    assert second is not None, f"{b} is not active"
    return remove(board, (a, b), *((first, second) if first < second else (second, first)))


def remove(board: Board, pair: tuple[int, int], first: Cell, second: Cell) -> Played:
    """Remove a legal pair, whose earlier number is in the cell *first*, and close what is then empty."""
    digits = bytearray(board.digits)
    digits[first] = digits[second] = 0
    # Judged once, after both removals; no other row can have become empty.
    upper, lower = first // COLUMNS, second // COLUMNS
    touched = (upper,) if upper == lower else (upper, lower)
    closed: tuple[int, ...] = ()
    for row in touched:
        if not any(digits[row * COLUMNS : (row + 1) * COLUMNS]):
            closed = (*closed, row)
    if not closed:
        return Played(Board(bytes(digits), board.firsts, board.next_id), (), pair)
    firsts = list(board.firsts)
    for row in reversed(closed):
        del digits[row * COLUMNS : (row + 1) * COLUMNS], firsts[row]
    return Played(Board(bytes(digits), tuple(firsts), board.next_id), closed, pair)


def may_add(board: Board) -> bool:
    """Tell whether the board allows an Add; whether one remains is the game's to know (rule 10)."""
    return not board.cleared and len(board.digits) + board.left <= MAX_SLOTS


def added(board: Board) -> Board:
    """Copy all active numbers behind the last slot, filling a short row first (rule 9)."""
    assert may_add(board), "there is nothing to copy, or no room for it"
    copies = board.active
    next_id = board.next_id + len(copies)
    room = -len(board.digits) % COLUMNS  # slots that a short last row still lacks
    new_rows = range(board.next_id + room, next_id, COLUMNS)
    return Board(board.digits + copies, (*board.firsts, *new_rows), next_id)
