"""What the modes have in common in which nobody waits for a turn: an end by the clock, and locks."""

from tenmatch.game.answers import Obstacle, Refused
from tenmatch.game.clock import PLAY_IDLE_MS, Due, What
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.modes.play import UNTIMED, Timing
from tenmatch.game.room import Room


def opening(room: Room, at: Millis) -> Timing:
    """Return how play begins: with the time at which it ends."""
    return Timing(ends_at=Millis(at + room.options.seconds * 1000))


def locked(room: Room, seat: SeatNumber, now: Millis) -> Refused | None:
    """Refuse what a locked seat may not do."""
    until = room.seated(seat).locked_until
    return None if until is None or now >= until else Refused(Obstacle.LOCKED, locked_until=until)


def timing(room: Room, at: Millis) -> Timing:
    """Return that there are no turns."""
    return UNTIMED


def after_pass(room: Room, seat: SeatNumber, at: Millis) -> Timing:
    """Return that there are no turns."""
    return UNTIMED


def after_out(room: Room, seat: SeatNumber, at: Millis) -> Timing:
    """Return that there are no turns."""
    return UNTIMED


def dues(room: Room) -> list[Due]:
    """Return the end of time, and of patience with players who do nothing."""
    assert room.ends_at is not None, "a game without turns ends"
    assert room.heard_at is not None, "a game that has started has been heard of"
    return [
        Due(room.ends_at, What.TIME_UP),
        Due(Millis(room.heard_at + PLAY_IDLE_MS), What.ABANDONED),
    ]
