"""Whatever is asked, by whomever and whenever: what holds for every room.

Hypothesis draws a room and what happens to it. A step is drawn as numbers and read against the room as it
then is, so that much of it makes sense: a legal claim is one of the legal pairs of that moment.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.game.rooms import T0, computer, opened, person

from tenmatch.game.answers import Answer, Logged, Taken
from tenmatch.game.commands import (
    AnyCommand,
    Call,
    Claim,
    FreeAbsent,
    GetReady,
    Kick,
    Leave,
    NameRematch,
    Pass,
    Resign,
    SeatBot,
    Sit,
    Start,
    TakeAdd,
    WantRematch,
)
from tenmatch.game.decide import decide
from tenmatch.game.events import (
    Added,
    AnyEvent,
    Called,
    Level,
    Matched,
    Mistaken,
    Passed,
    Rematch,
    Resigned,
    Started,
)
from tenmatch.game.ids import Millis, MoveNumber, RoomId, SeatNumber, Seq
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase, Room, evolve
from tenmatch.game.settle import next_due, rematch_due, settle, shift
from tenmatch.rules.board import COLUMNS, Board, NumberId
from tenmatch.rules.judge import pairs
from tenmatch.rules.notation import board_hash


class Step(NamedTuple):
    """Something that happens to a room; the numbers are read modulo what there is."""

    after: int  # ms
    what: str
    who: int
    one: int
    two: int


OFTEN: Final = ["legal"] * 24 + ["pass", "call", "claim", "again", "late"] * 3
SELDOM: Final = [
    "ready",
    "start",
    "sit",
    "bot",
    "leave",
    "kick",
    "absent",
    "resign",
    "add",
    "old",
    "shift",
    "name",
]

steps = st.builds(
    Step,
    after=st.sampled_from([0, 1, 40, 400, 700, 1500, 3000, 8000]),
    what=st.sampled_from(OFTEN + SELDOM),
    who=st.integers(0, 3),
    one=st.integers(0, 700),
    two=st.integers(0, 700),
)


class Told(NamedTuple):
    """What is drawn: the room, who comes, and what happens."""

    mode: Mode
    salt: bytes
    asked: dict[str, object]
    guests: list[str]
    steps: list[Step]


told = st.builds(
    Told,
    mode=st.sampled_from(Mode),
    salt=st.binary(min_size=16, max_size=16),
    asked=st.fixed_dictionaries(
        {"size": st.sampled_from([9, 9, 20, 40]), "max_players": st.sampled_from([2, 3, 4])},
        optional={
            "adds": st.sampled_from([0, 1, 5]),
            "penalty": st.booleans(),
            "countdown_ms": st.sampled_from([0, 500]),
            "seed": st.binary(min_size=32, max_size=32).map(bytes.hex),
        },
    ),
    guests=st.lists(st.sampled_from(["sit", "sit", "bot"]), min_size=1, max_size=3),
    steps=st.lists(steps, min_size=25, max_size=60),
)


def command(room: Room, step: Step, at: int) -> AnyCommand:
    """Read a step as a command."""
    seat = SeatNumber(step.who % len(room.seats))
    sitting = room.seats[seat]
    n = MoveNumber(sitting.last_n + 1 if sitting else 1)
    seen = Seq(step.two % (room.seq + 2))
    sheet = room.sheet_of(seat) if room.sheets else None
    legal = list(pairs(sheet.board)) if sheet else []
    match step.what:
        case "legal" if legal:
            claimer = seat if room.turn is None else room.turn
            mover = room.seats[claimer]
            return Claim(
                claimer,
                MoveNumber(mover.last_n + 1 if mover else 1),
                *legal[step.one % len(legal)],
                seen,
                room.seq,
            )
        case "late" if sheet and sheet.replaced:
            old = sheet.replaced[step.one % len(sheet.replaced)]
            taken = list(pairs(old.board))
            if not taken:
                return Call(seat, n, old.since, Seq(old.by - step.two % 2))
            return Claim(seat, n, *taken[step.two % len(taken)], old.since, Seq(old.by - step.two % 2))
        case "old":
            return Pass(seat, MoveNumber(1 + step.one % n))
        case "call":
            return Call(seat, n, seen, Seq(max(0, room.seq - step.one % 3)))
        case "pass":
            return Pass(seat if room.turn is None else room.turn, MoveNumber(1000 + room.seq))
        case "resign":
            return Resign(seat, n)
        case "add":
            return TakeAdd(seat, n)
        case "ready":
            return GetReady(seat, step.one % 3 > 0)
        case "start":
            return Start(room.host)
        case "sit":
            return Sit(person(step.one % 6))
        case "bot":
            return SeatBot(room.host, computer(room.seq, list(Level)[step.one % 3]))
        case "leave":
            return Leave(seat)
        case "kick":
            return Kick(room.host, seat)
        case "absent":
            return FreeAbsent(seat)
        case "again":
            return WantRematch(seat, step.one % 3 > 0)
        case "name":
            return NameRematch(RoomId("abcdefghjk"))
        case _:
            count = sheet.board.next_id if sheet else 9
            a, b = NumberId(step.one % (count + 1)), NumberId(step.two % (count + 1))
            return Claim(seat, n, a, b, seen, Seq(max(0, room.seq - step.one % 3)))


class Happened(NamedTuple):
    """One thing that was asked of a room, with all there is to check about it."""

    before: Room
    at: Millis
    due: Taken
    answer: Answer


def happen(room: Room, steps: Sequence[Step]) -> Iterator[Happened]:
    """Let one step after the other happen."""
    at = T0
    for step in steps:
        at = Millis(at + step.after)
        if step.what == "shift":
            moved = shift(room, 3000, at)
            yield Happened(room, at, Taken((), room), moved)
            room = moved.room
            continue
        due = settle(room, at)
        answer = decide(due.room, command(due.room, step, at), at)
        yield Happened(room, at, due, answer)
        room = answer.room if isinstance(answer, Taken) else due.room


def story(told: Told) -> list[Happened]:
    """Seat some players, start where that is possible, and let the steps happen."""
    room = opened(told.mode, told.asked, salt=told.salt).room
    seating = [Step(0, what, 0, number + 1, 0) for number, what in enumerate(told.guests)]
    return list(happen(room, [*seating, Step(0, "start", 0, 0, 0), Step(500, "call", 3, 0, 0), *told.steps]))


def events_of(happened: Happened) -> tuple[AnyEvent, ...]:
    answered = happened.answer.events if isinstance(happened.answer, Taken) else ()
    return (*happened.due.events, *answered)


def log_of(story: list[Happened]) -> list[AnyEvent]:
    return [event for happened in story for event in events_of(happened)]


def after(happened: Happened) -> Room:
    return happened.answer.room if isinstance(happened.answer, Taken) else happened.due.room


def sound(board: Board) -> bool:
    """Tell whether a board has ids once each and no wholly empty row."""
    ids = board.ids()
    rows = [board.digits[start : start + COLUMNS] for start in range(0, len(board.digits), COLUMNS)]
    return ids == sorted(set(ids)) and all(id_ < board.next_id for id_ in ids) and all(map(any, rows))


MOVES: Final = (Matched, Mistaken, Called, Added, Passed, Resigned)

pytestmark = pytest.mark.slow


@settings(max_examples=100, deadline=None)
@given(told)
def test_the_log_tells_the_room(told: Told) -> None:
    happenings = story(told)
    room = happenings[0].before
    points = Counter[int]()
    for happened in happenings:
        for event in events_of(happened):
            before, room = room, evolve(room, event)
            assert room.at >= before.at
            assert room.seq == before.seq + 1
            points[getattr(event, "seat", None) or 0] += getattr(event, "points", 0)
            check_board(room, event)
        assert room == after(happened)
        assert [seat.score for _, seat in room.taken()] == [points[number] for number, _ in room.taken()]


def check_board(room: Room, event: AnyEvent) -> None:
    """Check what *event* says of a board against that board of the room after it."""
    board_of = getattr(event, "seat", None)
    if not room.sheets or (room.own_boards and not isinstance(event, Started | Matched | Mistaken | Added)):
        assert getattr(event, "hash", None) is None
        return
    sheet = room.sheet_of(SeatNumber(board_of or 0))
    board, legal = sheet.board, set(pairs(sheet.board))
    assert sound(board)
    assert board.left == getattr(event, "left", board.left)
    assert isinstance(event, Rematch) or getattr(event, "hash", None) == board_hash(board)
    assert (sheet.witness is None) == (not legal)
    assert sheet.witness is None or sheet.witness in legal
    assert getattr(event, "open", None) in (None, bool(legal))


@settings(max_examples=60, deadline=None)
@given(told)
def test_on_boards_of_their_own_nobody_meddles_with_anothers(told: Told) -> None:
    happenings = story(told._replace(mode=Mode.MIRROR))
    room = happenings[0].before
    for event in log_of(happenings):
        before, room = room, evolve(room, event)
        if not before.sheets:
            continue
        touched = {event.seat} if isinstance(event, Matched | Added) else set()
        boards = zip(before.sheets, room.sheets, strict=True)
        assert {seat for seat, (old, new) in enumerate(boards) if old.board != new.board} == touched


@settings(max_examples=60, deadline=None)
@given(told)
def test_a_move_is_logged_once_and_found_again(told: Told) -> None:
    happenings = story(told)
    log = log_of(happenings)
    moves = [(event.seat, event.n) for event in log if isinstance(event, MOVES) and event.n is not None]
    assert len(moves) == len(set(moves))
    room = after(happenings[-1])
    for seat, n in moves:
        assert seat is not None
        assert isinstance(decide(room, Pass(seat, n), room.at), Logged)


@settings(max_examples=60, deadline=None)
@given(told)
def test_appends_keep_the_order_of_the_protocol(told: Told) -> None:
    for happened in story(told):
        if isinstance(happened.answer, Taken):
            assert re.fullmatch(f"({ANSWERED})?", kinds(happened.answer.events))
        assert re.fullmatch(f"({DUE} ?)*", kinds(happened.due.events))


def kinds(events: Sequence[AnyEvent]) -> str:
    return " ".join(type(event).__name__.lower() for event in events)


MOVED: Final = "(matched( added)*( ended)?|mistaken|called added( ended)?|added( ended)?)"
GONE: Final = "( added)*( ended)?"
COUNTED: Final = "( starting( started)?)?"
ANSWERED: Final = (
    f"{MOVED}|(passed|resigned){GONE}|(readied|seated){COUNTED}|starting( started)?|unseated( ended)?"
    "|rematch|shifted"
)
DUE: Final = f"({MOVED}|flagged{GONE}|started|added( ended)?|ended)"


@settings(max_examples=60, deadline=None)
@given(told)
def test_what_is_due_happens_at_its_time_and_not_before(told: Told) -> None:
    for happened in story(told):
        room, due = happened.before, next_due(happened.before)
        assert settle(settle(room, happened.at).room, happened.at).events == ()
        if room.phase is Phase.OVER:
            assert rematch_due(room, Millis(due or 0)) == (due is not None)
            continue
        assert due is not None
        assert settle(room, Millis(due - 1)).events == () or due <= room.at
        first = settle(room, due).events[0]
        assert first.at == max(due, room.at)


@settings(max_examples=60, deadline=None)
@given(told, st.integers(0, 400_000), st.integers(0, 400_000))
def test_nodes_that_settle_at_different_times_write_the_same(told: Told, one: int, other: int) -> None:
    for happened in story(told)[::5]:
        room = happened.before
        early, late = (
            [msgspec.msgpack.encode(event) for event in settle(room, Millis(room.at + after)).events]
            for after in sorted((one, other))
        )
        assert late[: len(early)] == early
        halfway = settle(room, Millis(room.at + min(one, other))).room
        assert settle(halfway, Millis(room.at + max(one, other))).room == (
            settle(room, Millis(room.at + max(one, other))).room
        )


@settings(max_examples=60, deadline=None)
@given(told)
def test_what_holds_between_appends(told: Told) -> None:
    for happened in story(told):
        room = after(happened)
        if room.phase is not Phase.PLAYING:
            assert room.turn is None
            continue
        assert any(not room.seated(seat).player.bot for seat in room.still_in())
        assert len(room.still_in()) >= 2
        if room.mode is not Mode.TURNS:
            assert not all(room.sheet_of(seat).done for seat in room.still_in())
            assert (room.turn, room.clocks, room.passed) == (None, None, ())
        else:
            assert room.sheets[0].open
            assert room.turn in room.still_in()
            assert room.clocks is not None
            ticking = [SeatNumber(seat) for seat, left in enumerate(room.clocks) if left is not None]
            assert ticking == room.still_in()


@settings(max_examples=60, deadline=None)
@given(told)
def test_without_penalties_nobody_is_punished(told: Told) -> None:
    mistakes = [event for event in log_of(story(told)) if isinstance(event, Mistaken)]
    assert not mistakes or told.asked.get("penalty", True)
