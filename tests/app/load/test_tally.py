"""Counting: buckets hold what they say, and what several workers counted adds up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenmatch.app.load.tally import FAULTS_KEPT, Tally, bucket, lowest

latencies = st.integers(0, 10**9)


@given(latencies)
def test_a_latency_lies_in_its_bucket(us: int) -> None:
    number = bucket(us)
    assert lowest(number) <= us < lowest(number + 1)


@given(st.integers(0, 2_000))
def test_a_bucket_is_no_wider_than_a_64th(number: int) -> None:
    width = lowest(number + 1) - lowest(number)
    assert width == 1 or width * 64 <= lowest(number)


@given(st.lists(latencies, min_size=1), st.floats(0.01, 1))
def test_a_share_of_the_moves_took_no_longer_than_it_says(us: list[int], share: float) -> None:
    tally = Tally()
    for latency in us:
        tally.took(latency / 1e6)
    said = tally.latency(share)
    assert said is not None
    # As many as that did not exceed it, give or take what a microsecond is cut off by.
    assert sum(latency / 1e6 <= said + 1e-6 for latency in us) >= share * len(us)
    assert said <= (max(us) + 1) * (1 + 1 / 64) / 1e6 + 1e-6


def test_without_moves_there_is_no_latency() -> None:
    assert Tally().latency(0.5) is None


def test_what_came_after_a_moment_is_the_difference() -> None:
    before = Tally(moves=3, told=9, held_back={"too_fast": 1}, latencies={5: 3}, cpu_s=1, at_s=10, faults=1)
    later = Tally(moves=5, told=15, held_back={"too_fast": 2, "unavailable": 1}, latencies={5: 4, 7: 1})
    later.cpu_s, later.at_s, later.faults = 1.5, 12, 1
    since = later.since(before)
    assert (since.moves, since.told, since.cpu_s, since.at_s) == (2, 6, 0.5, 2)
    assert since.held_back == {"too_fast": 1, "unavailable": 1}
    assert since.latencies == {5: 1, 7: 1}
    assert since.moves_per_s == 1
    assert since.faults == 1, "what was wrong before is wrong still"


def test_workers_add_up_and_the_busiest_counts() -> None:
    one = Tally(moves=3, latencies={5: 3}, cpu_s=0.5, at_s=2, first_faults=["one"], faults=1)
    other = Tally(moves=4, latencies={5: 1, 6: 3}, cpu_s=1.5, at_s=2, first_faults=["other"], faults=20)
    both = one.with_(other)
    assert (both.moves, both.latencies, both.cpu_s, both.at_s) == (7, {5: 4, 6: 3}, 1.5, 2)
    assert (both.faults, both.first_faults) == (21, ["one", "other"])


@pytest.mark.parametrize("faults", [1, FAULTS_KEPT + 5])
def test_all_faults_are_counted_and_the_first_kept(faults: int) -> None:
    tally = Tally()
    for number in range(faults):
        tally.fault(str(number))
    assert tally.faults == faults
    assert tally.first_faults == [str(number) for number in range(min(faults, FAULTS_KEPT))]
