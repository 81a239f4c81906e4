"""The board as text: rows of nine joined by `/`, a digit for an active number, `.` for a hole.

`12.456789/9871` is a board; the empty text is the cleared one. Snapshots, logs, hashes, tests and bug reports
all use it.
"""

from collections.abc import Sequence
from functools import cache
from struct import Struct as Layout
from typing import Final
from zlib import crc32

from tenmatch.rules.board import COLUMNS, MAX_SLOTS, Board

_CHARACTERS: Final = ".123456789"  # by value
_VALUES: Final = {character: value for value, character in enumerate(_CHARACTERS)}
_TO_ASCII: Final = _CHARACTERS.encode().ljust(256, b"?")


class NotationError(ValueError):
    """A text is no board that can occur; the message says what is wrong, where, and what is allowed."""


def text(board: Board) -> str:
    """Write a board."""
    return _ascii(board.digits).decode()


def copies(values: bytes) -> str:
    """Write the values of numbers one after the other, without rows, as when an Add tells its copies."""
    return values.translate(_TO_ASCII).decode()


def board_hash(board: Board) -> int:
    """Give the CRC-32 (IEEE) of the board's text, by which a client finds out that its own board is wrong."""
    return crc32(_ascii(board.digits))


def _ascii(digits: bytes) -> bytes:
    return b"/".join(_rows(len(digits)).unpack(digits.translate(_TO_ASCII)))


@cache  # one for each size that a board can have
def _rows(slots: int) -> Layout:
    full, rest = divmod(slots, COLUMNS)
    return Layout(f"{COLUMNS}s" * full + f"{rest}s" * (rest > 0))


def parse(text: str) -> Board:
    """Read a board, with ids from 0 in reading order, holes included.

    Raises:
        NotationError: It is no board, or one that cannot occur: an empty row, or a short one before the last.
    """
    rows = text.split("/") if text else []
    digits = b"".join(_row(row, index, index == len(rows) - 1) for index, row in enumerate(rows))
    if len(digits) > MAX_SLOTS:
        raise NotationError(f"the board has {len(digits)} slots; at most {MAX_SLOTS} are allowed")
    return Board.dealt(digits)


def _row(row: str, index: int, is_last: bool) -> bytes:
    for column, character in enumerate(row[: COLUMNS + 1]):
        if character not in _VALUES:
            raise NotationError(
                f"row {index}, column {column}: {character!a} is neither a digit 1-9 nor '.' for a hole"
            )
    if len(row) > COLUMNS:
        raise NotationError(f"row {index} has {len(row)} slots; a row has nine")
    if len(row) < COLUMNS and not is_last:
        raise NotationError(f"row {index} has {len(row)} slots; only the last row may have fewer than nine")
    if not row.strip("."):
        raise NotationError(f"row {index} is wholly empty; such a row closes at once")
    return bytes([_VALUES[character] for character in row])


def restored(text: str, ids: Sequence[int], next_id: int) -> Board:
    """Read a board of a game under way.

    Args:
        ids: Those of the active numbers, in reading order.
        next_id: The id that the next number to come will have.

    Raises:
        NotationError: As `parse`, or the ids do not fit the board.
    """
    board = parse(text)
    if len(ids) != board.left:
        raise NotationError(f"there are {len(ids)} ids for {board.left} active numbers")
    firsts: dict[int, int] = {}
    for slot, number in zip(board.ids(), ids, strict=True):
        firsts.setdefault(slot // COLUMNS, number - slot % COLUMNS)
    found = Board(board.digits, tuple(firsts.values()), next_id)
    slots = found.slot_ids()[: len(board.digits)]
    if found.ids() != list(ids) or slots != sorted(set(slots)) or not all(map(found.was_dealt, slots)):
        raise NotationError("the ids are not ascending by slots, without a gap in a row, and below next_id")
    return found
