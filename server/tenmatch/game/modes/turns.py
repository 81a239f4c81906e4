"""Turns: one match a turn on one board, a clock for each player. See "Modes" in server/rules.md."""

from typing import Final

from tenmatch.game.answers import Obstacle, Refused
from tenmatch.game.clock import Due, What, changed, left_at, runs_out, stopped
from tenmatch.game.commands import Claim, Move, Pass, Resign
from tenmatch.game.events import Clocks, EndReason
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.modes.play import Follows, Timing
from tenmatch.game.room import Room
from tenmatch.rules.board import Played

TELLS_OPEN: Final = True
LOCKS: Final = False  # a mistake costs time enough


def opening(room: Room, at: Millis) -> Timing:
    """Return how play begins: all clocks full, the lowest seat's running."""
    full = room.options.base_s * 1000
    clocks = tuple(None if seat is None else full for seat in room.seats)
    return Timing(room.still_in()[0], clocks)


def unable(room: Room, move: Move, now: Millis) -> Refused | None:
    """Refuse claims and passes out of turn."""
    if not isinstance(move, Claim | Pass | Resign):
        return Refused(Obstacle.WRONG_MODE)
    if room.turn == move.seat or isinstance(move, Resign):
        return None
    return Refused(Obstacle.NOT_YOUR_TURN)


def timing(room: Room, at: Millis) -> Timing:
    """Return the turn as it stands."""
    return Timing(room.turn, _clocks(room, at))


def after_match(room: Room, seat: SeatNumber, played: Played, at: Millis) -> Timing:
    """Give the increment, and the turn to the next; with `row_again` a closed row keeps it."""
    clocks = changed(_clocks(room, at), seat, by=room.options.increment_s * 1000)
    return Timing(seat if room.options.row_again and played.rows else _after(room, seat), clocks)


def after_pass(room: Room, seat: SeatNumber, at: Millis) -> Timing:
    """Give the turn to the next, without an increment."""
    return Timing(_after(room, seat), _clocks(room, at))


def after_out(room: Room, seat: SeatNumber, at: Millis) -> Timing:
    """Stop the seat's clock for good; the turn goes on only if it was theirs."""
    return Timing(_after(room, seat) if room.turn == seat else room.turn, stopped(_clocks(room, at), seat))


def follows(room: Room) -> Follows | None:
    """See to it that a turn begins with a legal pair, and that there is an Add when all have passed."""
    [sheet] = room.sheets
    if sheet.board.cleared:
        return Follows.CLEARED
    if sheet.open and not set(room.still_in()) <= set(room.passed):
        return None
    return Follows.ADD if sheet.may_add else Follows.STUCK


def dues(room: Room) -> list[Due]:
    """Return the fall of the flag of whose turn it is."""
    assert room.turn is not None, "in play it is somebody's turn"
    assert room.clocks is not None, "in play the clocks are set"
    assert room.clocks_at is not None, "in play a clock runs"
    return [Due(runs_out(room.clocks, room.turn, room.clocks_at), What.FLAG, room.turn)]


def time_up(room: Room) -> EndReason:
    """Return that time was up."""
    return EndReason.TIME


def _clocks(room: Room, at: Millis) -> Clocks:
    assert room.clocks is not None, "in play the clocks are set"
    assert room.clocks_at is not None, "in play a clock runs"
    return left_at(room.clocks, room.turn, room.clocks_at, at)


def _after(room: Room, seat: SeatNumber) -> SeatNumber:
    """Return who is next in seat order of those still in; the seat itself if nobody else is."""
    still_in = room.still_in()
    return next((other for other in still_in if other > seat), still_in[0])
