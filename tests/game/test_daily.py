"""The daily: its days, what an attempt came to, and what is told of its seed."""

from itertools import pairwise

import pytest
from msgspec.structs import replace
from tests.game.rooms import SALT, SEED, T0, person
from tests.game.whole import ANN, GAMES, START

from tenmatch.game import commands, daily
from tenmatch.game.answers import Denied, Taken
from tenmatch.game.create import found_paired
from tenmatch.game.daily import Attempt, attempt, revealed_at
from tenmatch.game.days import after, begins_at, day_of
from tenmatch.game.decide import decide
from tenmatch.game.events import AnyEvent, Created, Ended, EndReason, Matched, Shifted, Started
from tenmatch.game.ids import Day, Millis, RoomCode, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase, Room
from tenmatch.game.settle import settle

DAY = Day("2026-12-01")
MIDNIGHT = begins_at(DAY)
ZERO = SeatNumber(0)


def played(name: str) -> list[AnyEvent]:
    """Return the events of a game up to its end."""
    events = GAMES[name]().events
    end = next(place for place, event in enumerate(events) if isinstance(event, Ended))
    return events[: end + 1]


def begun() -> Room:
    return found_paired(
        mode=daily.MODE,
        options=daily.OPTIONS,
        code=RoomCode("abcdef"),
        players=[person(0)],
        daily=day_of(T0),
        seed=SEED,
        salt=SALT,
        now=T0,
    ).room


def test_a_seed_is_told_when_the_last_attempt_is_over() -> None:
    latest = daily.OPTIONS.seconds * 1_000 + daily.OPTIONS.countdown_ms + 10_000
    assert revealed_at(DAY) >= begins_at(after(DAY)) + latest


# The room


def test_it_is_a_mirror_of_one_with_nobody_to_see_it() -> None:
    room = begun()
    assert (room.mode, len(room.seats), room.private) == (Mode.MIRROR, 1, True)
    assert not room.options.spectators


def test_who_does_not_begin_may_begin_again() -> None:
    given_up = settle(begun(), Millis(T0 + 10_000)).room
    assert (given_up.phase, given_up.started_at) == (Phase.OVER, None)


def test_it_is_played_once() -> None:
    room = GAMES["daily"]().room
    assert isinstance(decide(room, commands.WantRematch(ZERO, True), room.at), Denied)


def test_its_seed_is_not_revealed_by_its_end() -> None:
    events = played("daily")
    created, ended = events[0], events[-1]
    assert isinstance(created, Created)
    assert isinstance(ended, Ended)
    assert created.seed is not None
    assert (ended.seed, ended.salt) == (None, created.salt)


def test_readiness_can_be_taken_back_until_it_begins() -> None:
    answer = decide(begun(), commands.GetReady(ZERO, True), T0)
    assert isinstance(answer, Taken)
    assert answer.room.phase is Phase.STARTING
    answer = decide(answer.room, commands.GetReady(ZERO, False), T0)
    assert isinstance(answer, Taken)
    assert settle(answer.room, Millis(T0 + 10_000)).room.started_at is None


# What it came to


def test_an_attempt_is_what_the_log_says() -> None:
    events = played("daily")
    [started] = [event for event in events if isinstance(event, Started)]
    [away] = [event for event in events if isinstance(event, Shifted)][:1]
    shifts = [event.by_ms for event in events if isinstance(event, Shifted) and event.at >= started.at]
    ended = events[-1]
    assert isinstance(ended, Ended)
    assert away.by_ms in shifts
    assert attempt(events) == Attempt(
        day=day_of(START),
        player=ANN,
        cleared=False,
        points=ended.ranking[0].score,
        time_ms=ended.at - started.at - sum(shifts),
    )


def test_who_gave_up_made_an_attempt() -> None:
    found = attempt(played("daily, given up"))
    assert found is not None
    assert (found.cleared, found.points) == (False, 0)


def test_the_clear_stops_the_time() -> None:
    events = played("daily")
    place = max(place for place, event in enumerate(events) if isinstance(event, Matched))
    last = events[place]
    assert isinstance(last, Matched)
    cleared: list[AnyEvent] = [*events[:place], replace(last, left=0), *events[place + 1 :]]
    ended = cleared[-1]
    assert isinstance(ended, Ended)
    cleared[-1] = replace(ended, reason=EndReason.CLEARED)
    [before, since] = map(attempt, (events, cleared))
    assert before is not None
    assert since is not None
    assert since.cleared
    assert since.time_ms <= before.time_ms


@pytest.mark.parametrize("name", ["practice", "race", "mirror"])
def test_other_games_are_no_attempts(name: str) -> None:
    assert attempt(played(name)) is None


def test_what_goes_on_when_the_deal_is_told_is_no_attempt() -> None:
    told = revealed_at(day_of(START))
    events = [
        replace(event, at=told) if isinstance(event, Matched | Ended) else event for event in played("daily")
    ]
    assert attempt(events) is None
    assert attempt([replace(event, at=Millis(told - 1)) for event in played("daily")]) is not None


def test_an_attempt_that_goes_on_came_to_nothing_yet() -> None:
    assert attempt(played("daily")[:-1]) is None


def test_cleared_counts_before_points_and_points_before_time() -> None:
    def worth(cleared: bool, points: int, time_ms: int) -> int:
        return Attempt(day=DAY, player=ANN, cleared=cleared, points=points, time_ms=time_ms).worth

    order = [
        worth(True, 300, 100),
        worth(True, 300, 101),
        worth(True, -5, 360_000),
        worth(False, 30_000, 0),
        worth(False, 30_000, 1),
        worth(False, 0, 0),
        worth(False, 0, 33_000_000),
        worth(False, -1, 0),
        worth(False, -30_000, 5),
    ]
    assert all(one > other for one, other in pairwise(order))
    assert max(order) < 2**53
