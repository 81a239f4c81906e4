"""Mirror: everybody plays the same deal on a board of their own. See "Modes" in server/rules.md."""

from typing import Final

from tenmatch.game.answers import Obstacle, Refused
from tenmatch.game.clock import AFTER_CLEAR_MS
from tenmatch.game.commands import Claim, Move, Resign, TakeAdd
from tenmatch.game.events import EndReason
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.modes import realtime
from tenmatch.game.modes.play import UNTIMED, Follows, Timing
from tenmatch.game.room import Room
from tenmatch.rules.board import Played

TELLS_OPEN: Final = True  # to wait for each other's Add is no part of the game
LOCKS: Final = True

# As wherever nobody waits for a turn
after_out = realtime.after_out
after_pass = realtime.after_pass
dues = realtime.dues
opening = realtime.opening
timing = realtime.timing


def unable(room: Room, move: Move, now: Millis) -> Refused | None:
    """Refuse whatever is asked of a board that is done, and claims while the seat is locked."""
    if isinstance(move, Resign):
        return None
    if room.sheet_of(move.seat).done:
        return Refused(Obstacle.DONE)
    if isinstance(move, Claim):
        return realtime.locked(room, move.seat, now)
    return None if isinstance(move, TakeAdd) else Refused(Obstacle.WRONG_MODE)


def after_match(room: Room, seat: SeatNumber, played: Played, at: Millis) -> Timing:
    """Let the first clear bring the end nearer."""
    assert room.ends_at is not None, "a mirror game ends"
    ends_at = Millis(at + AFTER_CLEAR_MS)
    sooner = played.board.cleared and not _cleared(room) and ends_at < room.ends_at
    return Timing(ends_at=ends_at) if sooner else UNTIMED


def follows(room: Room) -> Follows | None:
    """End a game in which all boards are done."""
    if not all(seat.out or room.sheet_of(number).done for number, seat in room.taken()):
        return None
    return Follows.CLEARED if _cleared(room) else Follows.STUCK


def time_up(room: Room) -> EndReason:
    """Return that somebody had cleared their board in time, if so."""
    return EndReason.CLEARED if _cleared(room) else EndReason.TIME


def _cleared(room: Room) -> bool:
    return any(sheet.board.cleared for sheet in room.sheets)
