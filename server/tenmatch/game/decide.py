"""What a command does: events, or an answer that changes nothing.

Only settled rooms are given to `decide`: what was due by itself at or before now has happened.
"""

from typing import Final, assert_never

from tenmatch.game import moves, operator, seating
from tenmatch.game.answers import Answer, Denial, Denied, Logged, Obstacle, Refused, Taken
from tenmatch.game.commands import (
    AnyCommand,
    Call,
    Claim,
    Close,
    Command,
    FreeAbsent,
    GetReady,
    Kick,
    Leave,
    Move,
    NameRematch,
    Pass,
    PutOut,
    Resign,
    SeatBot,
    Sit,
    Start,
    TakeAdd,
    WantRematch,
)
from tenmatch.game.ids import Millis
from tenmatch.game.modes import MODES
from tenmatch.game.room import FULL_LOG, Phase, Room

__all__ = ["ACCEPTS", "Answer", "Denied", "Logged", "Refused", "Taken", "decide"]

ACCEPTS: Final[dict[Phase, frozenset[type[Command]]]] = {
    Phase.OPEN: frozenset({Sit, Leave, FreeAbsent, GetReady, Start, SeatBot, Kick, PutOut, Close}),
    Phase.STARTING: frozenset({Leave, GetReady, Kick, PutOut, Close}),
    Phase.PLAYING: frozenset({Claim, Call, TakeAdd, Pass, Resign, PutOut, Close}),
    Phase.OVER: frozenset({WantRematch, NameRematch}),
}
"""Which commands can do something in which phase; `_out_of_phase` answers the others."""


def decide(room: Room, command: AnyCommand, now: Millis) -> Answer:
    """Return what *command* does to a settled room, judged at *now*."""
    now = max(now, room.at)
    if isinstance(command, Move):
        return _move(room, command, now)
    if isinstance(command, Sit) and seating.stays(room, command):
        return Taken((), room)
    if type(command) not in ACCEPTS[room.phase]:
        return _out_of_phase(room, command)
    if room.join_by is not None and isinstance(command, Start | SeatBot | Kick):
        return seating.MEETING
    if room.seq >= FULL_LOG and not isinstance(command, NameRematch | Close):
        return Denied(Denial.RATE_LIMITED, "Too much has happened in this room.")
    match command:
        case Sit():
            return seating.sit(room, command, now)
        case Leave():
            return seating.leave(room, command, now)
        case FreeAbsent():
            return seating.free_absent(room, command, now)
        case GetReady():
            return seating.get_ready(room, command, now)
        case Start():
            return seating.start(room, command, now)
        case SeatBot():
            return seating.seat_bot(room, command, now)
        case Kick():
            return seating.kick(room, command, now)
        case PutOut():
            return operator.put_out(room, command, now)
        case Close():
            return operator.close(room, now)
        case WantRematch():
            return seating.want_rematch(room, command, now)
        case NameRematch():
            return seating.name_rematch(room, command, now)
        case _:
            assert_never(command)


def _out_of_phase(room: Room, command: AnyCommand) -> Taken | Denied:
    if isinstance(command, Leave | FreeAbsent | Close):  # in play the seat stays; what is over stays so
        return Taken((), room)
    if isinstance(command, PutOut):
        return Denied(Denial.NOT_ALLOWED, "The game is over.")
    if isinstance(command, WantRematch | NameRematch):
        return Denied(Denial.NOT_ALLOWED, "The game is not over.")
    return Denied(Denial.GAME_STARTED, "The game has started.")


def _move(room: Room, move: Claim | Call | TakeAdd | Pass | Resign, now: Millis) -> Answer:
    """Judge a move, in the order of the codes in server/protocol.md."""
    seat = room.seats[move.seat] if 0 <= move.seat < len(room.seats) else None
    if seat is not None and (seq := seat.logged(move.n)) is not None:
        return Logged(seq)
    if type(move) not in ACCEPTS[room.phase]:
        return Refused(Obstacle.NOT_PLAYING)
    if seat is None:
        return Refused(Obstacle.NOT_SEATED)
    if seat.out:
        return Refused(Obstacle.OUT)
    return MODES[room.mode].unable(room, move, now) or moves.make(room, move, now)
