"""Who is paired with whom: nearest first, within windows that widen, and nobody twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenmatch.game.events import Level
from tenmatch.game.ids import Millis, PlayerId
from tenmatch.game.pairing import WIDENS, WINDOW, Waiting, level_for, pair_up, window
from tenmatch.game.rating import NEW_RATING

NOW = Millis(1_700_000_000_000)


def one(name: str, rating: int, seconds: float = 0) -> Waiting:
    """Return one who has waited for so many seconds."""
    return Waiting(PlayerId(name), rating, Millis(int(NOW - 1000 * seconds)))


def pairs(*waiting: Waiting) -> list[str]:
    return [f"{a}{b}" for a, b in pair_up(waiting, NOW)]


def test_equals_are_paired_in_the_order_in_which_they_came() -> None:
    assert pairs(*(one(name, 1500) for name in "abcde")) == ["ab", "cd"]


def test_nobody_is_paired_alone() -> None:
    assert pairs() == pairs(one("a", 1500)) == []


def test_whoever_is_first_gets_the_nearest() -> None:
    assert pairs(one("a", 1500), one("b", 1560), one("c", 1490), one("d", 1590)) == ["ac", "bd"]


def test_of_two_as_near_the_earlier() -> None:
    assert pairs(one("a", 1500), one("b", 1520), one("c", 1480)) == ["ab"]


@pytest.mark.parametrize(
    ("apart", "waited", "paired"),
    [
        (WINDOW, (0, 0), True),
        (WINDOW + 1, (0, 0), False),
        (WINDOW + WIDENS, (1, 1), True),
        (WINDOW + WIDENS, (60, 0), False),  # also the newcomer has to want it
        (WINDOW + WIDENS, (0, 60), False),
        (WINDOW + 60 * WIDENS, (60, 60), True),
    ],
)
def test_each_must_lie_in_the_window_of_the_other(
    apart: int, waited: tuple[float, float], paired: bool
) -> None:
    assert bool(pairs(one("a", 1500, waited[0]), one("b", 1500 + apart, waited[1]))) is paired
    assert bool(pairs(one("b", 1500 + apart, waited[1]), one("a", 1500, waited[0]))) is paired


def test_a_window_never_narrows() -> None:
    widths = [window(one("a", 1500, seconds / 10), NOW) for seconds in range(600)]
    assert widths == sorted(widths)
    assert (widths[0], widths[-1]) == (WINDOW, WINDOW + WIDENS * 599 // 10)
    assert window(one("a", 1500, -5), NOW) == WINDOW  # by another node's clock


waiting = st.lists(
    st.builds(one, st.uuids().map(str), st.integers(0, 3000), st.floats(0, 60)),
    max_size=30,
    unique_by=lambda one: one.player,
)


@given(waiting)
def test_everyone_is_paired_once_with_one_that_fits_and_nobody_is_left_who_could_be(
    waiting: list[Waiting],
) -> None:
    paired = pair_up(waiting, NOW)
    busy = [player for pair in paired for player in pair]
    assert len(busy) == len(set(busy))
    by_name = {one.player: one for one in waiting}

    def fit(a: Waiting, b: Waiting) -> bool:
        return abs(a.rating - b.rating) <= min(window(a, NOW), window(b, NOW))

    assert all(fit(by_name[a], by_name[b]) for a, b in paired)
    left = [one for one in waiting if one.player not in busy]
    assert not any(fit(a, b) for a in left for b in left if a is not b)


def test_the_computer_is_as_strong_as_its_opponent() -> None:
    assert level_for(NEW_RATING) is Level.MEDIUM
    assert (level_for(700), level_for(949), level_for(950)) == (Level.EASY, Level.EASY, Level.MEDIUM)
    assert (level_for(1499), level_for(1500), level_for(2400)) == (Level.MEDIUM, Level.HARD, Level.HARD)
