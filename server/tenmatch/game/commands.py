"""What can be asked of a room, by those who sit there, by the server, its operator, or someone at the door.

Moves carry `n`, the player's own move number; the same (seat, n) is the same move and is taken once.
"""

import msgspec

from tenmatch.game.events import Player, Skill
from tenmatch.game.ids import MoveNumber, RoomId, SeatNumber, Seq
from tenmatch.rules.board import NumberId


class Command(msgspec.Struct, frozen=True):
    """A question to `decide`."""


class Sit(Command, frozen=True):
    """Take a seat; whoever sits already keeps theirs, or moves to one that they name."""

    player: Player
    skill: Skill | None = None  # for rated rooms; None: who is new
    on: SeatNumber | None = None  # None: the lowest that is free


class Leave(Command, frozen=True):
    """Free one's seat before the start."""

    seat: SeatNumber


class GetReady(Command, frozen=True):
    """Be ready, or no longer."""

    seat: SeatNumber
    ready: bool


class Start(Command, frozen=True):
    """The host starts with those who sit there."""

    seat: SeatNumber


class SeatBot(Command, frozen=True):
    """The host gives a seat to a computer player, whose id and name the caller has drawn."""

    seat: SeatNumber
    player: Player  # `bot` is its level
    on: SeatNumber | None = None  # None: the lowest that is free


class Kick(Command, frozen=True):
    """The host frees another's seat, for good."""

    seat: SeatNumber
    target: SeatNumber


class FreeAbsent(Command, frozen=True):
    """The server frees the seat of a player who is nowhere."""

    seat: SeatNumber


class PutOut(Command, frozen=True):
    """An operator takes a player out: frees the seat for good, or in play lets its player give up."""

    seat: SeatNumber


class Close(Command, frozen=True):
    """An operator ends the room, whatever goes on in it."""


class Move(Command, frozen=True):
    """What a seated player does in play."""

    seat: SeatNumber
    n: MoveNumber


class Claim(Move, frozen=True):
    """Claim that two numbers form a legal pair."""

    a: NumberId
    b: NumberId
    seen: Seq  # the last event that the player had seen
    sent: Seq  # the last event that the player's connection had been sent when the claim arrived


class Call(Move, frozen=True):
    """Call "no pair left" (race)."""

    seen: Seq
    sent: Seq


class TakeAdd(Move, frozen=True):
    """Add on one's own board (mirror)."""


class Pass(Move, frozen=True):
    """Let one's turn go (turns)."""


class Resign(Move, frozen=True):
    """Give up."""


class WantRematch(Command, frozen=True):
    """Want a rematch, or no longer."""

    seat: SeatNumber
    want: bool


class NameRematch(Command, frozen=True):
    """The room of the rematch exists: say so here."""

    room: RoomId


AnyCommand = (
    Sit
    | Leave
    | GetReady
    | Start
    | SeatBot
    | Kick
    | FreeAbsent
    | PutOut
    | Close
    | Claim
    | Call
    | TakeAdd
    | Pass
    | Resign
    | WantRematch
    | NameRematch
)
"""Every command: what `decide` answers."""
