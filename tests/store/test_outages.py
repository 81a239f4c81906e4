"""The heartbeat of all nodes, and its gaps. Time is moved by moving what was noted."""

from typing import Final

import pytest

from tenmatch.game.ids import Millis
from tenmatch.store import keys, outages
from tenmatch.store.connect import Store
from tenmatch.store.outages import TOLD, Gap, beat

COUNTS: Final = Millis(600_000)  # so that no moment in which the machine stands still is a gap


@pytest.fixture(autouse=True)
def _long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outages, "COUNTS", COUNTS)


async def pretend_last_beat(store: Store, ms_ago: int) -> Millis:
    """Let the last beat be so long ago, and return when that was."""
    time = Millis((await beat(store)).time - ms_ago)
    await store.call("SET", keys.ALIVE, time)
    return time


async def test_the_first_beat_ends_no_gap(store: Store) -> None:
    before = await beat(store)
    assert before.gaps == ()
    assert 0 <= store.clock.now() - before.time + store.clock.error + 1 < COUNTS


async def test_beats_in_time_make_no_gap(store: Store) -> None:
    await pretend_last_beat(store, COUNTS // 2)
    assert (await beat(store)).gaps == ()


async def test_a_late_beat_notes_a_gap_that_all_are_told(store: Store) -> None:
    start = await pretend_last_beat(store, COUNTS + 500)
    ending = await beat(store)
    assert ending.gaps == (Gap(start, ending.time),)
    assert (await beat(store)).gaps == ending.gaps


async def test_gaps_are_told_in_order(store: Store) -> None:
    starts = []
    for ms_ago in (4 * COUNTS, 3 * COUNTS, 2 * COUNTS):
        starts.append(await pretend_last_beat(store, ms_ago))
        await beat(store)
    assert [gap.start for gap in (await beat(store)).gaps] == starts


async def test_old_gaps_are_forgotten(store: Store) -> None:
    now = (await beat(store)).time
    old, recent = now - TOLD - 1000, now - TOLD + COUNTS
    await store.call("ZADD", keys.OUTAGES, old, f"{old - 9000}-{old}", recent, f"{recent - 9000}-{recent}")
    assert (await beat(store)).gaps == (Gap(Millis(recent - 9000), Millis(recent)),)
    assert await store.call("ZCARD", keys.OUTAGES) == 1


async def test_gaps_expire_with_the_last(store: Store) -> None:
    await pretend_last_beat(store, 2 * COUNTS)
    await beat(store)
    assert TOLD - COUNTS < await store.call("PTTL", keys.OUTAGES) <= TOLD


async def test_a_clock_that_was_set_back_makes_no_gap(store: Store) -> None:
    await pretend_last_beat(store, -60_000)
    now = await beat(store)
    assert now.gaps == ()
    assert int(await store.call("GET", keys.ALIVE)) == now.time
