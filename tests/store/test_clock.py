"""The store's clock as a node reckons it, with a monotonic clock of the test's."""

import pytest

from tenmatch.game.ids import Millis
from tenmatch.store.clock import STEADY, StoreClock

OFFSET = 1_700_000_000_000  # ms: what the store's clock shows when ours shows 0


class Ours:
    """A monotonic clock that stands where it is put; in seconds."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ours() -> Ours:
    return Ours()


@pytest.fixture
def clock(ours: Ours) -> StoreClock:
    return StoreClock(ours)


def ask(clock: StoreClock, ours: Ours, *, there: float, back: float, offset: float = OFFSET) -> None:
    """Let a request take *there* and its answer *back* seconds."""
    sent = ours.now
    ours.now += there
    time = Millis(int(ours.now * 1000 + offset))
    ours.now += back
    clock.observe(time, sent, ours.now)


def wrong_by(clock: StoreClock, ours: Ours, offset: float = OFFSET) -> float:
    return abs(clock.now() - (ours.now * 1000 + offset))


def test_it_is_not_known_before_the_first_answer(clock: StoreClock) -> None:
    assert not clock.known
    with pytest.raises(AssertionError):
        clock.now()


def test_it_is_known_within_half_a_round_trip(clock: StoreClock, ours: Ours) -> None:
    ask(clock, ours, there=0.001, back=0.019)
    assert clock.known
    assert wrong_by(clock, ours) <= 11
    assert clock.error == pytest.approx(10.5)


def test_it_goes_on_between_answers(clock: StoreClock, ours: Ours) -> None:
    ask(clock, ours, there=0.001, back=0.001)
    before = clock.now()
    ours.now += 5
    assert clock.now() - before == 5000


def test_a_slow_answer_does_not_spoil_what_quick_ones_told(clock: StoreClock, ours: Ours) -> None:
    ask(clock, ours, there=0.001, back=0.001)
    ask(clock, ours, there=0.9, back=0.001)
    ask(clock, ours, there=0.001, back=0.9)
    assert wrong_by(clock, ours) <= 4


def test_a_quick_answer_corrects_what_slow_ones_told(clock: StoreClock, ours: Ours) -> None:
    ask(clock, ours, there=0.3, back=0.0)
    assert wrong_by(clock, ours) > 100
    ask(clock, ours, there=0.001, back=0.001)
    assert wrong_by(clock, ours) <= 300  # it may not go back, so it waits
    ours.now += 0.5
    assert wrong_by(clock, ours) <= 2


def test_a_small_correction_never_makes_it_go_back(clock: StoreClock, ours: Ours) -> None:
    ask(clock, ours, there=0.0, back=0.2)
    ahead = clock.now()
    for _ in range(20):
        ask(clock, ours, there=0.002, back=0.0)
        assert clock.now() >= ahead
        ahead = clock.now()


def test_it_follows_drift(clock: StoreClock, ours: Ours) -> None:
    ask(clock, ours, there=0.001, back=0.001)
    for second in range(1, 60):
        ours.now += 1
        drifted = OFFSET + 0.3 * second  # 300 ppm
        ask(clock, ours, there=0.001, back=0.001, offset=drifted)
        assert wrong_by(clock, ours, drifted) <= 3


@pytest.mark.parametrize("step", [-300_000, -1000, 1000, 300_000])
def test_it_follows_when_the_stores_clock_is_set(clock: StoreClock, ours: Ours, step: int) -> None:
    ask(clock, ours, there=0.001, back=0.001)
    clock.now()
    ask(clock, ours, there=0.001, back=0.001, offset=OFFSET + step)
    assert wrong_by(clock, ours, OFFSET + step) <= 3


def test_a_step_that_the_store_tolerates_is_waited_out(clock: StoreClock, ours: Ours) -> None:
    ask(clock, ours, there=0.001, back=0.001)
    before = clock.now()
    ask(clock, ours, there=0.001, back=0.001, offset=OFFSET - STEADY / 2)
    assert clock.now() == before
