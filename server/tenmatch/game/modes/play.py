"""What a mode decides for itself: the interface that each module beside this one fills."""

from enum import StrEnum
from typing import NamedTuple, Protocol

from tenmatch.game.answers import Refused
from tenmatch.game.clock import Due
from tenmatch.game.commands import Move
from tenmatch.game.events import Clocks, EndReason
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.room import Room
from tenmatch.rules.board import Played


class Timing(NamedTuple):
    """What an event says of the time; None where it says nothing."""

    turn: SeatNumber | None = None  # whose turn it is after the event
    clocks: Clocks | None = None  # what is left of each clock at it
    ends_at: Millis | None = None  # when the game ends, where that is new


UNTIMED = Timing()


class Follows(StrEnum):
    """What must follow an event in the same breath."""

    ADD = "add"
    CLEARED = "cleared"  # and the next: the end, for this reason
    STUCK = "stuck"


class Play(Protocol):
    """A mode. The rooms given to it are in play, and those of `after_…` are from before the event."""

    @property
    def TELLS_OPEN(self) -> bool:
        """Whether players are told if a legal pair is left."""

    @property
    def LOCKS(self) -> bool:
        """Whether a mistake locks the seat for a while."""

    def opening(self, room: Room, at: Millis) -> Timing:
        """Return how play begins at *at*, beside the board."""

    def unable(self, room: Room, move: Move, now: Millis) -> Refused | None:
        """Return why the seat may not make this move now, whatever is on the board; None if it may.

        Whose player is out does not come to this.
        """

    def timing(self, room: Room, at: Millis) -> Timing:
        """Return what an event says that changes nothing of it."""

    def after_match(self, room: Room, seat: SeatNumber, played: Played, at: Millis) -> Timing:
        """Return what a match of *seat* says of the time."""

    def after_pass(self, room: Room, seat: SeatNumber, at: Millis) -> Timing:
        """Return what it says of the time that *seat* passed."""

    def after_out(self, room: Room, seat: SeatNumber, at: Millis) -> Timing:
        """Return what it says of the time that *seat* went out."""

    def follows(self, room: Room) -> Follows | None:
        """Return what must follow before anybody else may act; None where play just goes on."""

    def dues(self, room: Room) -> list[Due]:
        """Return what is due by itself in this mode, computer players aside."""

    def time_up(self, room: Room) -> EndReason:
        """Return for which reason a game ends when its time is up."""
