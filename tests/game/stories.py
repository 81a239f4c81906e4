"""Stories told as text, commands in and events out, and how they are acted.

    == what it shows
    play race 112233445/566778899 adds=1 seats=person,person,easy
    100 0 match 0 1 -> matched points=1 left=16
    150 1 match 1 0 seen=5 -> refused stale

A story begins with `play MODE BOARD` (a game just started: its `started` is the event 3 + seats), `open
MODE` (person 0 makes a room) or `meet MODE` (the queue has paired those on its seats), and options. Then
come steps: ms since then; the seat that acts (`-`: nobody, `@3`: person 3, at the door, or the `operator`);
the command; after the arrow everything that must come of it, and what was due before. Of an event only the
fields that are named are compared, and `-` is none. Moments are told as ms since the beginning, after a
`+`. A move's `n` goes up by itself; `seen` and `sent` are the last event unless given. Indented lines go
on, lines with a `#` are remarks.
"""

import re
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from tests.game.rooms import T0, computer, opened, paired, person, playing

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
from tenmatch.game.decide import decide
from tenmatch.game.events import Level, Player, Rank
from tenmatch.game.ids import Millis, MoveNumber, RoomId, SeatNumber, Seq
from tenmatch.game.options import Mode
from tenmatch.game.room import Room
from tenmatch.game.settle import settle, shift
from tenmatch.rules.board import NumberId

MOMENTS: Final = {"at", "locked_until", "ends_at", "starts_at"}


class Story(NamedTuple):
    """What a file tells."""

    title: str
    beginning: str
    steps: list[str]


def stories(folder: Path) -> list[Story]:
    """Read all stories of a folder."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        for told in path.read_text().split("== ")[1:]:
            lines = [line for line in told.split("\n") if not line.startswith("#")]
            title, beginning, *steps = re.sub(r"\n\s+", " ", "\n".join(lines)).strip().split("\n")
            found.append(Story(f"{path.stem}: {title}", beginning, [step for step in steps if step]))
    return found


def begin(told: str) -> Taken:
    """Make the room of a story."""
    how, mode, *words = told.split()
    board = words.pop(0) if how == "play" else ""
    named = dict(word.split("=") for word in words)
    seats = named.pop("seats", "person,person").split(",")
    asked = {name: _option(value) for name, value in named.items()}
    if how == "open":
        return opened(Mode(mode), asked)
    players = [_player(n, seat) for n, seat in enumerate(seats)]
    if how == "meet":
        return paired(Mode(mode), asked, players)
    return playing(Mode(mode), board, asked, players)


def _option(value: str) -> object:
    return {"on": True, "off": False}.get(value, int(value) if value.isdecimal() else value)


def _player(number: int, kind: str) -> Player:
    return person(number) if kind == "person" else computer(number, Level(kind))


def act(room: Room, told: str) -> tuple[Taken, Answer | None]:
    """Settle the room and do what a step says; return what happened in all, and the answer."""
    time, actor, verb, *words = told.split()
    now = Millis(T0 + int(time))
    if verb == "shift":
        return shift(room, int(words[0]), now), None
    settled = settle(room, now)
    if verb == "wait":
        return settled, None
    answer = decide(settled.room, _command(settled.room, actor, verb, words), now)
    if not isinstance(answer, Taken):
        return settled, answer
    return Taken((*settled.events, *answer.events), answer.room), answer


def _command(room: Room, actor: str, verb: str, words: list[str]) -> AnyCommand:
    if actor.startswith("@"):
        return Sit(person(int(actor[1:])))
    named = {name: int(value) for name, _, value in (word.partition("=") for word in words) if value}
    numbers = [int(word) for word in words if word.isdecimal()]
    if actor == "operator":
        return PutOut(SeatNumber(numbers[0])) if verb == "kick" else Close()
    if actor == "-":
        return NameRematch(RoomId(words[0])) if verb == "name" else FreeAbsent(SeatNumber(numbers[0]))
    seat = SeatNumber(int(actor))
    if verb == "bot":
        return SeatBot(seat, computer(len(room.taken()), Level(words[0])))
    if verb in _SEATED:
        return _SEATED[verb](seat, numbers)
    sitting = room.seats[seat]
    n = MoveNumber(named.get("n", sitting.last_n + 1 if sitting else 1))
    return _MOVES[verb](seat, n, numbers, Seq(named.get("seen", room.seq)), Seq(named.get("sent", room.seq)))


_SEATED: Final[Mapping[str, Callable[[SeatNumber, list[int]], AnyCommand]]] = {
    "leave": lambda seat, _: Leave(seat),
    "ready": lambda seat, _: GetReady(seat, True),
    "unready": lambda seat, _: GetReady(seat, False),
    "start": lambda seat, _: Start(seat),
    "kick": lambda seat, numbers: Kick(seat, SeatNumber(numbers[0])),
    "again": lambda seat, _: WantRematch(seat, True),
    "enough": lambda seat, _: WantRematch(seat, False),
}

_MOVES: Final[Mapping[str, Callable[[SeatNumber, MoveNumber, list[int], Seq, Seq], AnyCommand]]] = {
    "match": lambda seat, n, pair, seen, sent: Claim(
        seat, n, NumberId(pair[0]), NumberId(pair[1]), seen, sent
    ),
    "call": lambda seat, n, _, seen, sent: Call(seat, n, seen, sent),
    "add": lambda seat, n, *_: TakeAdd(seat, n),
    "pass": lambda seat, n, *_: Pass(seat, n),
    "resign": lambda seat, n, *_: Resign(seat, n),
}


def told(happened: Taken, answer: Answer | None) -> list[dict[str, str]]:
    """Tell what came of a step, each thing by its name and its fields as text."""
    things = [_fields(type(event).__name__.lower(), event) for event in happened.events]
    match answer:
        case Refused():
            things.append(_fields(f"refused {answer.code}", answer))
        case Denied():
            things.append(_fields(f"denied {answer.code}", answer))
        case Logged():
            things.append(_fields("logged", answer))
    return things


def _fields(name: str, thing: msgspec.Struct) -> dict[str, str]:
    fields = {key: getattr(thing, key) for key in thing.__struct_fields__}
    return {"": name, **{key: _text(key, value) for key, value in fields.items()}}


def _text(key: str, value: object) -> str:
    match value:
        case None | ():
            return "-"
        case bool():
            return "on" if value else "off"
        case Enum():
            return str(value.value)
        case int():
            return f"+{value - T0}" if key in MOMENTS else str(value)
        case Rank():
            return f"{value.seat}:{value.place}:{value.score}:{value.mistakes}"
        case Player():
            return value.id
        case tuple():
            return ",".join(_text("", part) for part in value)
    return str(value)


def wanted(text: str) -> list[dict[str, str]]:
    """Read what must come of a step."""
    things = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        words = part.split()
        name = " ".join(word for word in words if "=" not in word)
        things.append({"": name, **dict(word.split("=") for word in words if "=" in word)})
    return things
