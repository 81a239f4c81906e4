"""Deadlines and clocks as numbers. All times are ms; whoever asks says what time it is.

A player's clock is kept as what was left of it at some moment; only that of `turn` has been running since.
"""

from enum import IntEnum
from typing import Final

from msgspec import Struct

from tenmatch.game.events import Clocks
from tenmatch.game.ids import Millis, SeatNumber

SILENCE_MS: Final = 3_000  # race: from the event that left no pair to the server's Add
OPEN_IDLE_MS: Final = 600_000  # an open room without an event
PLAY_IDLE_MS: Final = 300_000  # race and mirror: no person's command logged
AFTER_CLEAR_MS: Final = 60_000  # mirror: from the first clear to the end
JOIN_MS: Final = 10_000  # quick match: from the making of the room
REMATCH_MS: Final = 15_000  # from the second who wants one
STALE_MS: Final = 2_000  # how long a board that was replaced excuses a claim made on it
REMEMBERED_MS: Final = 5_000  # how long it is remembered at least: a claim may reach its judge that late


def left_at(clocks: Clocks, turn: SeatNumber | None, since: Millis, at: Millis) -> Clocks:
    """Return what is left of each clock at *at*, that of *turn* having run *since* then."""
    if turn is None or clocks[turn] is None:
        return clocks
    return changed(clocks, turn, by=-max(0, at - since))


def changed(clocks: Clocks, seat: SeatNumber, *, by: int) -> Clocks:
    """Return the clocks with *by* ms more on one, but never less than nothing."""
    return tuple(left if left is None or of != seat else max(0, left + by) for of, left in enumerate(clocks))


def stopped(clocks: Clocks, seat: SeatNumber) -> Clocks:
    """Return the clocks without that of a player who is out."""
    return tuple(None if of == seat else left for of, left in enumerate(clocks))


def runs_out(clocks: Clocks, turn: SeatNumber, since: Millis) -> Millis:
    """Return when the clock of *turn*, which has been running *since* then, runs out."""
    left = clocks[turn]
    assert left is not None, f"seat {turn} is out; it has no turn"
    return Millis(since + left)


def moved(moment: Millis | None, by_ms: int) -> Millis | None:
    """Return the moment *by_ms* later; none stays none."""
    return None if moment is None else Millis(moment + by_ms)


class What(IntEnum):
    """What can be due; of things due at the same instant, the first of these happens first."""

    TIME_UP = 0
    ABANDONED = 1
    FLAG = 2
    START = 3
    ADD = 4
    COMPUTER = 5


class Due(Struct, frozen=True, order=True):
    """Something that happens by itself. The least of several is the next."""

    at: Millis
    what: What
    seat: SeatNumber = SeatNumber(0)  # whose flag falls, or which computer player moves
