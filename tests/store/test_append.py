"""The append script: every branch, on a real server, without the committer."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace
from tests.store.entries import OTHER_ROOM, ROOM, entry, head_after

from tenmatch.game.ids import Millis, Seq
from tenmatch.store import keys
from tenmatch.store.connect import ErrorReply, Store
from tenmatch.store.log import (
    AHEAD,
    APPEND,
    LATE,
    START,
    Appended,
    Behind,
    Head,
    Outcome,
    Stored,
    Untimely,
    append_call,
    compare,
    outcome_of,
    read,
)

LOG = [entry(0x0A0B0C0D), entry(0xFFFFFFFF), entry(0)]  # a chain may be any uint32, 0 too
NEW = [entry(7, "new"), entry(8, "newer")]


async def append(
    store: Store,
    head: Head,
    entries: Sequence[bytes],
    *,
    at: Millis | None = None,
    by_player: bool = False,
    ttl: int = 60,
    heard: bool = False,
) -> Outcome:
    call = append_call(ROOM, head, entries, at=at, by_player=by_player, ttl=ttl, heard=heard)
    [reply] = await store.run_all(APPEND, [call])
    return outcome_of(reply)


@pytest.mark.parametrize("entries", [(), (entry(1),), (entry(1), entry(2))])
def test_a_call_that_is_put_together_is_the_same_as_one_packed_at_once(entries: Sequence[bytes]) -> None:
    call = append_call(ROOM, START, entries, at=NOW, by_player=False, ttl=60, heard=True)
    named = [keys.log(ROOM), keys.here(ROOM), keys.feed(ROOM)]
    assert call == APPEND.call(named, [bytes(8) + NOW.to_bytes(8), AHEAD, b"", 60, 1, 0, *entries])


async def lay(store: Store, entries: Sequence[bytes]) -> None:
    """Make a log of *entries*."""
    assert isinstance(await append(store, START, entries), Appended)


async def stored(store: Store) -> list[bytes]:
    return list((await read(store, ROOM)).entries)


@dataclass(frozen=True)
class Case:
    """A log, an append to it, and what it comes to: None is Appended."""

    log: Sequence[bytes]
    head: Head
    expected: Behind | None
    entries: Sequence[bytes] = field(default_factory=lambda: NEW)


NOW = Millis(0)  # stands for whatever time comes back
CASES = {
    "first of a room": Case([], START, None),
    "at the end": Case(LOG, head_after(LOG), None),
    "nothing, at the end": Case(LOG, head_after(LOG), None, []),
    "nothing, where there is no log": Case([], START, None, []),
    "expects no log": Case(LOG, START, Behind(head_after(LOG), tuple(LOG), False, NOW)),
    "one behind": Case(LOG, head_after(LOG[:2]), Behind(head_after(LOG), (LOG[2],), False, NOW)),
    "two behind": Case(LOG, head_after(LOG[:1]), Behind(head_after(LOG), tuple(LOG[1:]), False, NOW)),
    "nothing, one behind": Case(LOG, head_after(LOG[:2]), Behind(head_after(LOG), (LOG[2],), False, NOW), []),
    "another chain at the end": Case(LOG, Head(Seq(3), 9), Behind(head_after(LOG), (), True, NOW)),
    "another chain before the end": Case(LOG, Head(Seq(2), 9), Behind(head_after(LOG), (), True, NOW)),
    "another chain at the first": Case(LOG, Head(Seq(1), 9), Behind(head_after(LOG), (), True, NOW)),
    "longer than the log": Case(LOG, Head(Seq(4), 9), Behind(head_after(LOG), (), False, NOW)),
    "much longer, with the chain of the end": Case(
        LOG, Head(Seq(9), 0), Behind(head_after(LOG), (), False, NOW)
    ),
    "the log is gone": Case([], Head(Seq(3), 0), Behind(START, (), False, NOW)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_append_where_the_log_ends_or_not_at_all(store: Store, case: Case) -> None:
    if case.log:
        await lay(store, case.log)
    outcome = await append(store, case.head, case.entries)
    if case.expected is None:
        assert isinstance(outcome, Appended)
        assert await stored(store) == [*case.log, *case.entries]
    else:
        assert isinstance(outcome, Behind)
        assert replace(outcome, time=NOW) == case.expected
        assert await stored(store) == case.log


@pytest.mark.parametrize("by_player", [True, False])
@pytest.mark.parametrize(
    "off", [AHEAD - 100, AHEAD + 100, -LATE + 1000, -LATE - 100, 0, 10**6, -(10**6), -(10**9)]
)
async def test_a_now_that_is_not(store: Store, off: int, by_player: bool) -> None:
    """What is the now was read by the script, and may be later than we thought it would be."""
    await store.set_clock()
    asked = store.clock.now()
    outcome = await append(store, START, NEW, at=Millis(asked + off), by_player=by_player)
    ahead = asked + off - outcome.time
    taken = ahead <= AHEAD and (not by_player or ahead >= -LATE)
    assert isinstance(outcome, Appended if taken else Untimely)
    assert await stored(store) == (NEW if taken else [])
    error = store.clock.error + 1
    assert asked - error <= outcome.time <= store.clock.now() + error


async def test_where_the_log_ends_is_told_before_whether_it_is_timely(store: Store) -> None:
    """An append that was taken must be recognised, however late it is asked about again."""
    await lay(store, LOG)
    assert isinstance(await append(store, START, LOG, at=Millis(1), by_player=True), Behind)


async def test_the_identical_append_changes_nothing(store: Store) -> None:
    await lay(store, LOG)
    await append(store, head_after(LOG), NEW)
    again = await append(store, head_after(LOG), NEW)
    assert isinstance(again, Behind)
    assert again.missed == tuple(NEW)
    assert await stored(store) == [*LOG, *NEW]


async def test_an_append_renews_the_expiry_of_the_room(store: Store) -> None:
    await lay(store, LOG)
    await store.call("HSET", keys.here(ROOM), "n", 1)
    await append(store, head_after(LOG), NEW, ttl=500)
    for key in (keys.log(ROOM), keys.here(ROOM)):
        assert 400_000 < await store.call("PTTL", key) <= 500_000


@pytest.mark.parametrize("head", [head_after(LOG), head_after(LOG[:1])])
async def test_comparing_renews_nothing(store: Store, head: Head) -> None:
    await lay(store, LOG)
    await append(store, head, [], ttl=500)
    assert await store.call("PTTL", keys.log(ROOM)) <= 60_000


async def test_an_error_means_that_nothing_was_written(store: Store) -> None:
    await lay(store, LOG)
    await store.call("CONFIG", "SET", "maxmemory", "1")
    try:
        with pytest.raises(ErrorReply, match="maxmemory"):
            await append(store, head_after(LOG), NEW)
        behind = await append(store, START, NEW)  # reading goes on
        assert isinstance(behind, Behind)
    finally:
        await store.call("CONFIG", "SET", "maxmemory", "0")
    assert await stored(store) == LOG


async def test_many_entries_in_one_append(store: Store) -> None:
    many = [entry(number) for number in range(5000)]
    await lay(store, many)
    assert await stored(store) == many


async def test_read_after_some_and_how_long_it_will_last(store: Store) -> None:
    await lay(store, LOG)
    entries, expires_in = await read(store, ROOM, Seq(1))
    assert entries == tuple(LOG[1:])
    assert expires_in is not None
    assert 0 < expires_in <= 60_000
    assert (await read(store, ROOM, Seq(3))).entries == ()


async def test_read_what_is_not_there(store: Store) -> None:
    assert await read(store, ROOM) == Stored((), None)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_compare_tells_what_an_append_would(store: Store, case: Case) -> None:
    if case.log:
        await lay(store, case.log)
    [difference] = await compare(store, [(ROOM, case.head)])
    if difference is not None:
        difference = replace(difference, time=NOW)
    assert difference == case.expected


async def test_compare_many(store: Store) -> None:
    await lay(store, LOG)
    heads = [
        (ROOM, head_after(LOG)),
        (OTHER_ROOM, START),
        (ROOM, head_after(LOG[:2])),
        (OTHER_ROOM, Head(Seq(1), 1)),
    ]
    differences = await compare(store, heads * 300)
    assert len(differences) == len(heads) * 300
    first, second, third, fourth = differences[-4:]
    assert first is None
    assert second is None
    assert third is not None
    assert third.missed == (LOG[2],)
    assert fourth is not None
    assert fourth.end == START


async def test_compare_none(store: Store) -> None:
    assert await compare(store, []) == []
