"""The board as text: rows of nine joined by `/`, a digit for an active number, `.` for a hole.

`12.456789/9871` is a board; the empty text is the cleared one. Snapshots, logs, hashes, tests and bug reports
all use it.
"""

import re
from collections.abc import Sequence
from typing import Final
from zlib import crc32

from tenmatch.rules.board import COLUMNS, MAX_SLOTS, Board

_CHARACTERS: Final = ".123456789"  # by value
_VALUES: Final = {character: value for value, character in enumerate(_CHARACTERS)}
_TO_ASCII: Final = _CHARACTERS.encode().ljust(256, b"?")
_ROWS: Final = re.compile(b".{1,%d}" % COLUMNS)


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
    return b"/".join(_ROWS.findall(digits.translate(_TO_ASCII)))


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
    """Read a board of a game under way, from its text, the ids of its active numbers in reading order and the
    id that the next number to come will have.

    Raises:
        NotationError: As `parse`, or the ids do not fit the board.
    """
    board = parse(text)
    if len(ids) != board.left:
        raise NotationError(f"{len(ids)} ids for {board.left} active numbers")
    actives = dict(zip(board.ids(), ids, strict=True))  # by where they would stand in a new game
    rows = {slot // COLUMNS: number - slot % COLUMNS for slot, number in actives.items()}
    found = Board(board.digits, tuple(rows[row] for row in range(len(rows))), next_id)
    ends = (*found.firsts[1:], next_id)
    lengths = [min(COLUMNS, len(board.digits) - row * COLUMNS) for row in range(len(rows))]
    ordered = all(
        first + length <= end for first, length, end in zip(found.firsts, lengths, ends, strict=True)
    )
    if found.ids() != list(ids) or not ordered or (found.firsts and found.firsts[0] < 0):
        raise NotationError(
            "the ids are not those of a board on which slots were only appended and rows closed"
        )
    return found
