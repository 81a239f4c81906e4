"""The state of a room, where the stories do not show it."""

import pytest
from msgspec.structs import replace
from tests.game.rooms import T0, fold, opened, person, playing

from tenmatch.game.clock import changed, left_at, runs_out
from tenmatch.game.events import Readied, Seated
from tenmatch.game.ids import LETTERS, Millis, MoveNumber, PlayerId, SeatNumber, Seq, spell
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase, evolve
from tenmatch.game.seat import Seat
from tenmatch.game.sheet import after_match, excuse, fresh
from tenmatch.rules.board import play
from tenmatch.rules.notation import parse


def test_moves_are_found_in_whatever_order_they_came() -> None:
    seat = Seat(player=person(0))
    assert (seat.last_n, seat.logged(MoveNumber(1))) == (0, None)
    for n, seq in ((5, 10), (9, 11), (2, 12), (7, 13)):
        seat = seat.moved(MoveNumber(n), Seq(seq), T0)
    assert seat.last_n == 9
    found = {n: seat.logged(MoveNumber(n)) for n in range(1, 12)}
    assert {n: seq for n, seq in found.items() if seq} == {5: 10, 9: 11, 2: 12, 7: 13}


def test_a_log_begins_with_created_and_has_it_once() -> None:
    created, seated = opened(Mode.RACE, {}).events
    with pytest.raises(AssertionError, match="cannot begin"):
        evolve(None, seated)
    with pytest.raises(AssertionError, match="created once"):
        fold([created, created])


def test_what_a_room_says_before_the_start() -> None:
    room = opened(Mode.RACE, {"adds": 3, "max_players": 4}).room
    assert room.sheets == ()
    assert room.seats[1:] == (None, None, None)
    assert room.seat_of(person(0).id) == 0
    assert room.seat_of(PlayerId("nobody")) is None
    with pytest.raises(AssertionError, match="seat 2 is free"):
        room.seated(SeatNumber(2))


def test_being_unready_opens_a_room_that_was_starting() -> None:
    room = opened(Mode.RACE, {}).room
    room = evolve(room, Seated(at=T0, seat=SeatNumber(1), player=person(1)))
    starting = replace(room, phase=Phase.STARTING, starts_at=Millis(T0 + 3000))
    opened_again = evolve(starting, Readied(at=T0, seat=SeatNumber(1), ready=False))
    assert (opened_again.phase, opened_again.starts_at) == (Phase.OPEN, None)


def test_the_clock_of_the_turn_alone_runs_and_never_below_nothing() -> None:
    seat = SeatNumber(1)
    clocks = (1000, 2000, None)
    assert left_at(clocks, seat, T0, Millis(T0 + 500)) == (1000, 1500, None)
    assert left_at(clocks, seat, T0, Millis(T0 + 5000)) == (1000, 0, None)
    assert left_at(clocks, seat, T0, Millis(T0 - 5000)) == clocks  # a shift may have moved its beginning
    assert left_at(clocks, None, T0, Millis(T0 + 500)) == clocks
    assert changed(clocks, seat, by=700) == (1000, 2700, None)
    assert runs_out(clocks, seat, T0) == T0 + 2000


def test_boards_are_remembered_for_5_seconds() -> None:
    sheet = fresh(parse("112233445/566778899"), adds_left=5, since=Seq(5), at=T0)
    for place, (a, b, after) in enumerate([(0, 1, 0), (2, 3, 5000), (4, 5, 5001), (6, 7, 10_000)]):
        sheet = after_match(sheet, play(sheet.board, a, b), Seq(6 + place), Millis(T0 + after))
    assert [(old.since, old.by, old.at - T0) for old in sheet.replaced] == [
        (6, 7, 5000),
        (7, 8, 5001),
        (8, 9, 10_000),
    ]
    assert excuse(sheet, Seq(5), sent=Seq(0), now=Millis(T0 + 10_000)) is None
    assert excuse(sheet, Seq(6), sent=Seq(6), now=Millis(T0 + 10_000)) == sheet.replaced[0]


def test_ids_are_spelt_from_all_their_letters() -> None:
    words = {spell(bytes([number]) * 32, 10) for number in range(256)}
    assert len(words) == 256
    assert set("".join(words)) == set(LETTERS)
    assert {len(word) for word in words} == {10}


def test_a_race_knows_whether_it_is_stuck_since_when() -> None:
    [sheet] = playing(Mode.RACE, "258", {}, [person(0), person(1)]).room.sheets
    assert (sheet.open, sheet.stuck_at) == (False, T0)
