"""What `decide` and `settle` answer: events, or a word on why there are none."""

from enum import StrEnum

import msgspec

from tenmatch.game.events import AnyEvent
from tenmatch.game.ids import Millis, Seq
from tenmatch.game.room import Room, evolve
from tenmatch.rules.board import NumberId


class Obstacle(StrEnum):
    """Why a move was refused without being a mistake; in the order in which they are looked for.

    Where penalties are off, the codes of `tenmatch.rules.judge.Fault` refuse a claim too.
    """

    NOT_PLAYING = "not_playing"
    NOT_SEATED = "not_seated"
    OUT = "out"
    DONE = "done"
    WRONG_MODE = "wrong_mode"
    NOT_YOUR_TURN = "not_your_turn"
    LOCKED = "locked"
    STALE = "stale"
    NO_ADD = "no_add"
    PAIRS_LEFT = "pairs_left"


class Denial(StrEnum):
    """Why a command other than a move was not carried out."""

    ROOM_FULL = "room_full"
    GAME_STARTED = "game_started"
    NOT_HOST = "not_host"
    NOT_ALLOWED = "not_allowed"
    TOO_FEW_PLAYERS = "too_few_players"
    RATE_LIMITED = "rate_limited"


class Taken(msgspec.Struct, frozen=True):
    """What happens, and the room after it. No events: the command changed nothing, and that is fine."""

    events: tuple[AnyEvent, ...]
    room: Room

    def then(self, event: AnyEvent) -> "Taken":
        """Return this with one more event, folded."""
        return Taken((*self.events, event), evolve(self.room, event))


class Refused(msgspec.Struct, frozen=True):
    """A move was refused; it costs nothing."""

    code: str  # of Obstacle or of `tenmatch.rules.judge.Fault`
    blockers: tuple[NumberId, ...] = ()
    locked_until: Millis | None = None


class Denied(msgspec.Struct, frozen=True):
    """A command other than a move was not carried out."""

    code: Denial
    text: str  # for people


class Logged(msgspec.Struct, frozen=True):
    """This seat's move of that number is in the log already."""

    seq: Seq


Answer = Taken | Refused | Denied | Logged
"""Every answer of `decide`."""
