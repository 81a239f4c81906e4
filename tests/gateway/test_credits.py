"""Credits: a burst, then a rate."""

import pytest

from tenmatch.gateway.credits import Credits


def test_a_burst_is_taken_at_once_and_no_more() -> None:
    credits = Credits(10, 3, now=100.0)
    assert [credits.take(100.0) for _ in range(4)] == [True, True, True, False]


def test_credits_come_back_at_their_rate() -> None:
    credits = Credits(10, 3, now=0.0)
    for _ in range(3):
        credits.take(0.0)
    assert not credits.take(0.09)
    assert credits.take(0.1)
    assert not credits.take(0.15)
    assert [credits.take(0.4) for _ in range(4)] == [True, True, True, False]


def test_no_more_gather_than_the_burst() -> None:
    credits = Credits(10, 3, now=0.0)
    assert [credits.take(1_000.0) for _ in range(4)] == [True, True, True, False]


def test_being_refused_costs_nothing() -> None:
    credits = Credits(1, 1, now=0.0)
    credits.take(0.0)
    for tenths in range(1, 10):
        assert not credits.take(tenths / 10)
    assert credits.take(1.0)


@pytest.mark.parametrize("burst", [0, 5])
def test_a_rate_of_zero_is_no_limit(burst: float) -> None:
    credits = Credits(0, burst, now=0.0)
    assert all(credits.take(0.0) for _ in range(1_000))
