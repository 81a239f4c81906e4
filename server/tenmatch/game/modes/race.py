"""Race: everybody claims on one board at any time. See "Modes" in server/rules.md."""

from typing import Final

from tenmatch.game.answers import Obstacle, Refused
from tenmatch.game.clock import SILENCE_MS, Due, What
from tenmatch.game.commands import Call, Claim, Move, Resign
from tenmatch.game.events import EndReason
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.modes import realtime
from tenmatch.game.modes.play import UNTIMED, Follows, Timing
from tenmatch.game.room import Room
from tenmatch.rules.board import Played

TELLS_OPEN: Final = False  # to find out is part of the game
LOCKS: Final = True

# As wherever nobody waits for a turn
after_out = realtime.after_out
after_pass = realtime.after_pass
opening = realtime.opening
timing = realtime.timing


def unable(room: Room, move: Move, now: Millis) -> Refused | None:
    """Refuse claims and calls while the seat is locked."""
    if isinstance(move, Claim | Call):
        return realtime.locked(room, move.seat, now)
    return None if isinstance(move, Resign) else Refused(Obstacle.WRONG_MODE)


def after_match(room: Room, seat: SeatNumber, played: Played, at: Millis) -> Timing:
    """Return that there are no turns, and that the end stays where it is."""
    return UNTIMED


def follows(room: Room) -> Follows | None:
    """End a game that is cleared or stuck; an Add waits for the silence to end."""
    [sheet] = room.sheets
    if sheet.board.cleared:
        return Follows.CLEARED
    return None if sheet.open or sheet.may_add else Follows.STUCK


def dues(room: Room) -> list[Due]:
    """Return the end of time, of patience, and of the silence after the last legal pair."""
    [sheet] = room.sheets
    found = realtime.dues(room)
    if sheet.stuck_at is not None:
        found.append(Due(Millis(sheet.stuck_at + SILENCE_MS), What.ADD))
    return found


def time_up(room: Room) -> EndReason:
    """Return that time was up."""
    return EndReason.TIME
