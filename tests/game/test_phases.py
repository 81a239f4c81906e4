"""Every command in every phase, walked through: what it does there, and that a refusal changes nothing."""

from typing import Final, get_args

import pytest
from tests.game.rooms import T0, computer, opened, person, playing

from tenmatch.game.answers import Answer, Denied, Logged, Refused, Taken
from tenmatch.game.commands import (
    AnyCommand,
    Call,
    Claim,
    Close,
    FreeAbsent,
    GetReady,
    Kick,
    Leave,
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
from tenmatch.game.decide import ACCEPTS, decide
from tenmatch.game.events import EndReason, Level
from tenmatch.game.ids import Millis, MoveNumber, RoomId, SeatNumber, Seq
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase, Room
from tenmatch.game.settle import settle
from tenmatch.rules.board import NumberId

HOST, GUEST = SeatNumber(0), SeatNumber(1)
ONE = MoveNumber(1)
NOW = Millis(T0 + 1)

COMMANDS: Final[list[AnyCommand]] = [
    Sit(person(2)),
    Leave(GUEST),
    GetReady(GUEST, True),
    Start(HOST),
    SeatBot(HOST, computer(2, Level.EASY)),
    Kick(HOST, GUEST),
    FreeAbsent(GUEST),
    PutOut(HOST),
    Close(),
    Claim(HOST, ONE, NumberId(0), NumberId(1), Seq(6), Seq(6)),
    Call(HOST, ONE, Seq(6), Seq(6)),
    TakeAdd(HOST, ONE),
    Pass(HOST, ONE),
    Resign(HOST, ONE),
    WantRematch(GUEST, True),
    NameRematch(RoomId("abcdefghjk")),
]

GONE = "denied game_started"
NOT_YET = "denied not_allowed"
IDLE = "refused not_playing"

WRONG = "refused wrong_mode"

# What each command does while open, starting, in play (race, turns, mirror) and over.
EXPECTED: Final = {
    Sit: ("seated", GONE, GONE, GONE, GONE, GONE),
    Leave: ("unseated", "unseated", "", "", "", ""),
    GetReady: ("readied", "readied", GONE, GONE, GONE, GONE),
    Start: ("starting", GONE, GONE, GONE, GONE, GONE),
    SeatBot: ("seated", GONE, GONE, GONE, GONE, GONE),
    Kick: ("unseated", "unseated", GONE, GONE, GONE, GONE),
    FreeAbsent: ("unseated", "", "", "", "", ""),
    PutOut: ("unseated", "unseated", "resigned ended", "resigned ended", "resigned ended", NOT_YET),
    Close: ("ended", "ended", "ended", "ended", "ended", ""),
    Claim: (IDLE, IDLE, "matched", "matched", "matched", IDLE),
    Call: (IDLE, IDLE, "mistaken", WRONG, WRONG, IDLE),
    TakeAdd: (IDLE, IDLE, WRONG, WRONG, "added", IDLE),
    Pass: (IDLE, IDLE, WRONG, "passed", WRONG, IDLE),
    Resign: (IDLE, IDLE, "resigned ended", "resigned ended", "resigned ended", IDLE),
    WantRematch: (NOT_YET, NOT_YET, NOT_YET, NOT_YET, NOT_YET, "rematch"),
    NameRematch: (NOT_YET, NOT_YET, NOT_YET, NOT_YET, NOT_YET, "rematch"),
}


def rooms() -> list[Room]:
    """Return a room in each phase, with two persons and, before the start, a third seat."""
    board, asked = "112233445/566778899", {"max_players": 3}
    open_ = answer_of(opened(Mode.RACE, asked).room, Sit(person(1)))
    assert isinstance(open_, Taken)
    starting = answer_of(open_.room, Start(HOST))
    assert isinstance(starting, Taken)
    race, *others = (playing(mode, board, asked, [person(0), person(1)]).room for mode in Mode)
    over = settle(race, Millis(T0 + 600_000)).room
    return [open_.room, starting.room, race, *others, over]


def answer_of(room: Room, command: AnyCommand) -> Answer:
    return decide(room, command, NOW)


def name(answer: Answer) -> str:
    match answer:
        case Taken():
            return " ".join(type(event).__name__.lower() for event in answer.events)
        case Refused():
            return f"refused {answer.code}"
        case Denied():
            return f"denied {answer.code}"
        case Logged():
            return "logged"


CASES = [
    pytest.param(room, command, EXPECTED[type(command)][place], id=f"{place}-{type(command).__name__}")
    for place, room in enumerate(rooms())
    for command in COMMANDS
]


def test_every_command_and_phase_is_walked() -> None:
    assert {type(command) for command in COMMANDS} == set(get_args(AnyCommand)) == set(EXPECTED)
    assert [room.phase for room in rooms()] == [
        Phase.OPEN,
        Phase.STARTING,
        *(Phase.PLAYING for _ in Mode),
        Phase.OVER,
    ]


@pytest.mark.parametrize(("room", "command", "expected"), CASES)
def test_walk(room: Room, command: AnyCommand, expected: str) -> None:
    answer = answer_of(room, command)
    assert name(answer) == expected
    if isinstance(answer, Taken) and not answer.events:
        assert answer.room is room


@pytest.mark.parametrize(("room", "command", "expected"), CASES)
def test_only_what_the_table_accepts_makes_events(room: Room, command: AnyCommand, expected: str) -> None:
    if type(command) not in ACCEPTS[room.phase]:
        assert not expected or expected.startswith(("refused", "denied"))


def test_phases_follow_one_another() -> None:
    room = rooms()[0]
    seen = [room.phase]
    for command in (Start(HOST), Kick(HOST, GUEST), Sit(person(3)), Start(HOST)):
        answer = answer_of(room, command)
        assert isinstance(answer, Taken)
        room = answer.room
        seen.append(room.phase)
    room = settle(room, Millis(T0 + 5000)).room
    seen.append(room.phase)
    room = settle(room, Millis(T0 + 500_000)).room
    assert [*seen, room.phase] == [
        Phase.OPEN,
        Phase.STARTING,
        Phase.OPEN,
        Phase.OPEN,
        Phase.STARTING,
        Phase.PLAYING,
        Phase.OVER,
    ]
    assert room.reason is EndReason.TIME
