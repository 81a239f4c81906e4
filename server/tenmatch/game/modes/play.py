"""What a mode decides for itself: the interface that each module beside this one fills."""

from enum import StrEnum
from typing import NamedTuple, Protocol

from tenmatch.game.answers import Refused
from tenmatch.game.clock import Due
from tenmatch.game.commands import Move
from tenmatch.game.events import Clocks
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.room import Room


class Turn(NamedTuple):
    """Whose turn it is after an event, and what is left of each clock at it; None in a mode without turns."""

    seat: SeatNumber | None
    clocks: Clocks | None


NO_TURN = Turn(None, None)


class Opening(NamedTuple):
    """How play begins, beside the board."""

    ends_at: Millis | None = None
    turn: Turn = NO_TURN


class Follows(StrEnum):
    """What must follow an event in the same breath."""

    ADD = "add"
    CLEARED = "cleared"  # and the next: the end, for this reason
    STUCK = "stuck"


class Play(Protocol):
    """A mode. The rooms given to it are in play, and those of `after_…` are from before the event."""

    @property
    def MOVES(self) -> frozenset[type[Move]]:
        """The moves that exist in this mode."""

    @property
    def TELLS_OPEN(self) -> bool:
        """Whether players are told if a legal pair is left."""

    @property
    def LOCKS(self) -> bool:
        """Whether a mistake locks the seat for a while."""

    def opening(self, room: Room, at: Millis) -> Opening:
        """Return how play begins at *at*."""

    def unable(self, room: Room, move: Move, now: Millis) -> Refused | None:
        """Return why the seat may not make this move now, whatever is on the board; None if it may."""

    def turn_now(self, room: Room, at: Millis) -> Turn:
        """Return the turn as it stands."""

    def after_match(self, room: Room, seat: SeatNumber, rows: tuple[int, ...], at: Millis) -> Turn:
        """Return the turn after a match of *seat* that closed *rows*."""

    def after_pass(self, room: Room, seat: SeatNumber, at: Millis) -> Turn:
        """Return the turn after *seat* passed."""

    def after_out(self, room: Room, seat: SeatNumber, at: Millis) -> Turn:
        """Return the turn after *seat* went out."""

    def follows(self, room: Room) -> Follows | None:
        """Return what must follow before anybody else may act; None where play just goes on."""

    def dues(self, room: Room) -> list[Due]:
        """Return what is due by itself in this mode, computer players aside."""
