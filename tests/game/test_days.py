"""Days by their names, as the calendar has them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenmatch.game.days import DAY_MS, after, begins_at, day_named, day_of
from tenmatch.game.ids import Day, Millis

DAY = Day("2026-12-01")
EPOCH = date(1970, 1, 1)


def test_a_day_is_one_of_utc() -> None:
    midnight = begins_at(DAY)
    assert midnight == 1_796_083_200_000
    assert [day_of(Millis(midnight + ms)) for ms in (-1, 0, DAY_MS - 1)] == ["2026-11-30", DAY, DAY]


def test_days_follow_each_other() -> None:
    assert (after(DAY), after(DAY, -1)) == ("2026-12-02", "2026-11-30")
    assert (after(Day("2028-02-28")), after(Day("2100-02-28"))) == ("2028-02-29", "2100-03-01")


@given(st.dates())
def test_they_are_those_of_the_calendar(when: date) -> None:
    number = (when - EPOCH).days
    assert day_of(Millis(number * DAY_MS)) == when.isoformat() == day_named(when.isoformat())
    assert begins_at(Day(when.isoformat())) == number * DAY_MS


@pytest.mark.parametrize(
    "name",
    ["", "2026-13-01", "2026-00-10", "2026-2-1", "20261201", "2026-12-01x", "2026-W49-1", "2023-02-29"],
)
def test_what_names_no_day_is_none(name: str) -> None:
    assert day_named(name) is None
