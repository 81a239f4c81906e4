"""What is due by itself, where the stories do not tell it: ties, and the length of a log."""

from msgspec.structs import replace
from tests.game.rooms import T0, opened, person, playing

from tenmatch.game.answers import Denied, Taken
from tenmatch.game.clock import Due, What
from tenmatch.game.commands import Claim, Sit
from tenmatch.game.decide import decide
from tenmatch.game.events import Ended, EndReason, Flagged, Shifted
from tenmatch.game.ids import Millis, MoveNumber, SeatNumber, Seq
from tenmatch.game.options import Mode
from tenmatch.game.room import FULL_LOG, Phase, Room
from tenmatch.game.settle import next_due, settle, shift
from tenmatch.rules.board import NumberId

BOARD = "112233445/566778899"


def race() -> Room:
    return playing(Mode.RACE, BOARD, {}, [person(0), person(1)]).room


def test_the_order_of_what_is_due_at_the_same_instant() -> None:
    assert sorted(Due(T0, what) for what in reversed(What)) == [Due(T0, what) for what in What]
    assert list(What) == [
        What.TIME_UP,
        What.ABANDONED,
        What.FLAG,
        What.START,
        What.ADD,
        What.COMPUTER,
    ]
    assert Due(Millis(T0 - 1), What.COMPUTER) < Due(T0, What.TIME_UP)


def test_a_game_ends_when_its_log_is_full() -> None:
    room = replace(race(), seq=Seq(FULL_LOG - 1))
    claim = Claim(SeatNumber(0), MoveNumber(1), NumberId(0), NumberId(1), Seq(0), Seq(0))
    answer = decide(room, claim, Millis(T0 + 5))
    assert isinstance(answer, Taken)
    assert next_due(answer.room) == T0 + 5
    [ended] = settle(answer.room, T0).events  # also for one whose clock is behind
    assert isinstance(ended, Ended)
    assert (ended.at, ended.reason) == (T0 + 5, EndReason.ABANDONED)


def test_elsewhere_a_full_log_takes_no_more() -> None:
    room = replace(opened(Mode.RACE, {}).room, seq=FULL_LOG)
    assert isinstance(decide(room, Sit(person(1)), T0), Denied)
    assert decide(room, Sit(person(0)), T0) == Taken((), room)  # who sits there may come back


def test_several_things_that_were_due_happen_in_order_each_at_its_time() -> None:
    players = [person(number) for number in range(4)]
    room = playing(Mode.TURNS, BOARD, {"base_s": 5}, players).room
    *flagged, ended = settle(room, Millis(T0 + 99_000)).events
    assert [(event.seat, event.at - T0) for event in flagged if isinstance(event, Flagged)] == [
        (0, 5000),
        (1, 10_000),
        (2, 15_000),
    ]
    assert isinstance(ended, Ended)
    assert ended.at == T0 + 15_000


def test_a_moment_before_the_last_event_counts_as_that_events() -> None:
    room = race()
    later = replace(room, at=Millis(T0 + 100))
    claim = Claim(SeatNumber(0), MoveNumber(1), NumberId(0), NumberId(1), Seq(0), Seq(0))
    answer = decide(later, claim, T0)
    assert isinstance(answer, Taken)
    assert answer.events[0].at == T0 + 100
    assert shift(later, 5000, T0).events == (Shifted(at=Millis(T0 + 100), by_ms=5000, hash=room_hash(later)),)


def room_hash(room: Room) -> int | None:
    event = shift(room, 1, room.at).events[0]
    assert isinstance(event, Shifted)
    assert event.hash is not None
    return event.hash


def test_nothing_shifts_by_nothing() -> None:
    assert shift(race(), 0, T0).events == ()
    assert shift(race(), -5, T0).events == ()


def test_a_room_that_is_over_waits_for_nothing() -> None:
    room = settle(race(), Millis(T0 + 500_000)).room
    assert room.phase is Phase.OVER
    assert next_due(room) is None
