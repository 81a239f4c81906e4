"""Race: everybody claims on one board at any time. See "Modes" in server/rules.md."""

from typing import Final

from tenmatch.game.answers import Obstacle, Refused
from tenmatch.game.clock import PLAY_IDLE_MS, SILENCE_MS, Due, What
from tenmatch.game.commands import Call, Claim, Move, Resign
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.modes.play import NO_TURN, Follows, Opening, Turn
from tenmatch.game.room import Room

MOVES: Final[frozenset[type[Move]]] = frozenset({Claim, Call, Resign})
TELLS_OPEN: Final = False  # to find out is part of the game
LOCKS: Final = True


def opening(room: Room, at: Millis) -> Opening:
    """Return how play begins: with the time at which it ends."""
    return Opening(ends_at=Millis(at + room.options.seconds * 1000))


def unable(room: Room, move: Move, now: Millis) -> Refused | None:
    """Refuse claims and calls while the seat is locked."""
    until = room.seated(move.seat).locked_until
    if until is None or now >= until or isinstance(move, Resign):
        return None
    return Refused(Obstacle.LOCKED, locked_until=until)


def turn_now(room: Room, at: Millis) -> Turn:
    """Return that there are no turns."""
    return NO_TURN


def after_match(room: Room, seat: SeatNumber, rows: tuple[int, ...], at: Millis) -> Turn:
    """Return that there are no turns."""
    return NO_TURN


def after_pass(room: Room, seat: SeatNumber, at: Millis) -> Turn:
    """Return that there are no turns."""
    return NO_TURN


def after_out(room: Room, seat: SeatNumber, at: Millis) -> Turn:
    """Return that there are no turns."""
    return NO_TURN


def follows(room: Room) -> Follows | None:
    """End a game that is cleared or stuck; an Add waits for the silence to end."""
    sheet = room.in_play()
    if sheet.board.cleared:
        return Follows.CLEARED
    return None if sheet.open or sheet.may_add else Follows.STUCK


def dues(room: Room) -> list[Due]:
    """Return the end of time, of patience, and of the silence after the last legal pair."""
    assert room.ends_at is not None, "a race ends"
    assert room.heard_at is not None, "a race that has started has been heard of"
    found = [
        Due(room.ends_at, What.TIME_UP),
        Due(Millis(room.heard_at + PLAY_IDLE_MS), What.ABANDONED),
    ]
    stuck_at = room.in_play().stuck_at
    if stuck_at is not None:
        found.append(Due(Millis(stuck_at + SILENCE_MS), What.ADD))
    return found
