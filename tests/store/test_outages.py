"""The heartbeat of all nodes, and its gaps. Time is moved by moving what was noted."""

from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.outages import COUNTS, TOLD, Gap, beat


async def pretend_last_beat(store: Store, ms_ago: int) -> int:
    """Let the last beat be so long ago, and return when that was."""
    time = (await beat(store)).time - ms_ago
    await store.call("SET", keys.ALIVE, time)
    return time


async def test_the_first_beat_ends_no_gap(store: Store) -> None:
    before = await beat(store)
    assert before.gaps == ()
    assert abs(store.clock.now() - before.time) < 1000


async def test_beats_in_time_make_no_gap(store: Store) -> None:
    await pretend_last_beat(store, COUNTS - 500)
    assert (await beat(store)).gaps == ()


async def test_a_late_beat_notes_a_gap_that_all_are_told(store: Store) -> None:
    start = await pretend_last_beat(store, COUNTS + 500)
    ending = await beat(store)
    assert ending.gaps == (Gap(start, ending.time),)  # type: ignore[arg-type]
    assert (await beat(store)).gaps == ending.gaps


async def test_gaps_are_told_in_order(store: Store) -> None:
    starts = []
    for ms_ago in (50_000, 20_000, 5_000):
        starts.append(await pretend_last_beat(store, ms_ago))
        await beat(store)
    assert [gap.start for gap in (await beat(store)).gaps] == starts


async def test_old_gaps_are_forgotten(store: Store) -> None:
    now = (await beat(store)).time
    old, recent = now - TOLD - 1000, now - TOLD + 60_000
    await store.call("ZADD", keys.OUTAGES, old, f"{old - 9000}-{old}", recent, f"{recent - 9000}-{recent}")
    assert (await beat(store)).gaps == (Gap(recent - 9000, recent),)  # type: ignore[arg-type]
    assert await store.call("ZCARD", keys.OUTAGES) == 1


async def test_gaps_expire_with_the_last(store: Store) -> None:
    await pretend_last_beat(store, 10_000)
    await beat(store)
    assert TOLD - 1000 < await store.call("PTTL", keys.OUTAGES) <= TOLD


async def test_a_clock_that_was_set_back_makes_no_gap(store: Store) -> None:
    await pretend_last_beat(store, -60_000)
    now = await beat(store)
    assert now.gaps == ()
    assert int(await store.call("GET", keys.ALIVE)) == now.time
