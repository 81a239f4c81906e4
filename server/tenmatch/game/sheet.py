"""One board in play: what is on it, the Adds it has left, and the boards it was a moment ago.

Where all play on one board the room has one sheet, and where each plays on their own, one for each seat.
Which claims an earlier board excuses: server/rules.md, "Too late, but not wrong".
"""

import msgspec

from tenmatch.game.clock import REMEMBERED_MS, STALE_MS
from tenmatch.game.ids import Millis, Seq
from tenmatch.rules.board import Board, Pair, Played, added, may_add
from tenmatch.rules.judge import witness


class Replaced(msgspec.Struct, frozen=True):
    """A board that was current from the event `since` until the event `by`."""

    board: Board
    open: bool  # a legal pair was left on it
    since: Seq
    by: Seq
    at: Millis  # of the event that replaced it


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """A board in play."""

    board: Board
    adds_left: int
    since: Seq  # the event that made this board
    witness: Pair | None  # some legal pair; None where none is left
    stuck_at: Millis | None  # when the board was left without a pair; None while there is one
    rows_closed: int = 0  # on it, so far
    replaced: tuple[Replaced, ...] = ()  # the boards replaced in the last 5 s or so, oldest first

    @property
    def open(self) -> bool:
        """Whether a legal pair is left."""
        return self.witness is not None

    @property
    def may_add(self) -> bool:
        """Whether an Add is possible (rule 10)."""
        return self.adds_left > 0 and may_add(self.board)

    @property
    def done(self) -> bool:
        """Whether nothing can be done on it any more: it is cleared, or stuck."""
        return self.witness is None and not self.may_add


def fresh(board: Board, *, adds_left: int, since: Seq, at: Millis) -> Sheet:
    """Return the sheet of a game that begins."""
    pair = witness(board)
    return Sheet(
        board=board, adds_left=adds_left, since=since, witness=pair, stuck_at=at if pair is None else None
    )


def after_match(sheet: Sheet, played: Played, by: Seq, at: Millis) -> Sheet:
    """Return the sheet after the event *by* of the moment *at*, a match."""
    pair = sheet.witness
    if pair is None or not played.spares(pair):
        pair = witness(played.board, pair)
    return renewed(sheet, played.board, pair, by=by, at=at, rows=len(played.rows))


def after_add(sheet: Sheet, by: Seq, at: Millis) -> Sheet:
    """Return the sheet after the event *by* of the moment *at*, an Add."""
    board = added(sheet.board)
    return renewed(sheet, board, witness(board, sheet.witness), by=by, at=at, adds=1)


def renewed(
    sheet: Sheet, board: Board, pair: Pair | None, *, by: Seq, at: Millis, adds: int = 0, rows: int = 0
) -> Sheet:
    """Return the sheet after the event *by* of the moment *at* put *board* in place of its board.

    Args:
        pair: Some legal pair of that board; None if none is left.
        adds: How many Adds that took.
        rows: How many rows closed by it.
    """
    old = Replaced(sheet.board, sheet.open, sheet.since, by, at)
    return Sheet(
        board=board,
        adds_left=sheet.adds_left - adds,
        since=by,
        witness=pair,
        stuck_at=at if pair is None else None,
        rows_closed=sheet.rows_closed + rows,
        replaced=(*_recent(sheet.replaced, at), old),
    )


def _recent(replaced: tuple[Replaced, ...], at: Millis) -> tuple[Replaced, ...]:
    forgotten = 0
    while forgotten < len(replaced) and replaced[forgotten].at < at - REMEMBERED_MS:
        forgotten += 1
    return replaced[forgotten:]


def excuse(sheet: Sheet, seen: Seq, *, sent: Seq, now: Millis) -> Replaced | None:
    """Return the board at *seen*, if one who claims at *now* may still have taken it for the current one.

    That is where it was current 2 s ago or later, or where *sent*, the last event that the player's
    connection had been sent, comes before the one that replaced it. The current board excuses nothing.
    """
    for old in reversed(sheet.replaced):
        if old.since <= seen < old.by:
            return old if old.at >= now - STALE_MS or old.by > sent else None
    return None
