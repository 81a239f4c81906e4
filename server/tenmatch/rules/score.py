"""What a match is worth, and the locks that follow mistakes ("Points" in server/rules.md)."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from tenmatch.rules.board import COLUMNS, Board, Pair, Played, remove
from tenmatch.rules.judge import Connection, Refusal, connect
from tenmatch.rules.lines import Family

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


class Match(Struct, frozen=True):
    """A legal pair, what its match makes of the board, and what that is worth, clearing aside."""

    kind: Kind
    played: Played
    pair_points: int  # 1, 2 or 4
    row_points: int

    @property
    def points(self) -> int:
        """What it is worth with the rows that it closes."""
        return self.pair_points + self.row_points


def try_match(board: Board, a: int, b: int) -> Match | Refusal:
    """Judge the claim of a pair, in either order, and carry it out if it is legal."""
    found = connect(board, a, b)
    if isinstance(found, Refusal):
        return found
    kind, played = _kind(found), remove(board, (a, b), found.first, found.second)
    return Match(kind, played, PAIR_POINTS[kind], row_points(board, played.rows))


def _kind(pair: Connection) -> Kind:
    if pair.second - pair.first > pair.line.step:
        return Kind.FAR
    # The line is a straight one if any is open: the wrap counts only where none is.
    return Kind.EDGE if pair.line.family is Family.WRAP else Kind.TOUCHING


def row_points(board: Board, rows: Sequence[int]) -> int:
    """Give what closing *rows* is worth; *board* and indexes are those before the match."""
    if not rows:
        return 0
    full = len(board.digits) // COLUMNS  # the last row may be short
    return ROW * len([row for row in rows if row < full])


def pair_points(board: Board, a: int, b: int) -> int:
    """Give what the legal pair *a*, *b* is worth on the board before their match, without rows: 1, 2 or 4."""
    found = connect(board, a, b)
    assert isinstance(found, Connection), f"{a} and {b} are no legal pair: {found}"
    return PAIR_POINTS[_kind(found)]


def worth(board: Board, pair: Pair) -> int:
    """Give what a legal pair is worth with the rows that its match closes, clearing aside."""
    found = try_match(board, *pair)
    assert isinstance(found, Match), f"{pair} is no legal pair: {found}"
    return found.points


def clear_points(*, own: bool, adds_left: int) -> int:
    """Give what clearing the board is worth; unused Adds count on an own board only."""
    return CLEAR_OWN + UNUSED_ADD * adds_left if own else CLEAR_SHARED


def lock_ms(mistakes_in_a_row: int) -> int:
    """Give how long the seat is locked after its first, second, … consecutive mistake, in ms."""
    return LOCKS_MS[min(mistakes_in_a_row, len(LOCKS_MS)) - 1]
