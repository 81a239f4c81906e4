"""Records in the store: kept once, for as long as was said, and found with or without their logs."""

from tests.store.entries import ROOM, entry

from tenmatch.game.ids import RoomId
from tenmatch.store import keys, records
from tenmatch.store.connect import Store
from tenmatch.store.log import APPEND, START, append_call


async def test_a_record_is_kept_once(store: Store) -> None:
    await records.keep(store, {ROOM: b"first"}, 60)
    await store.call("EXPIRE", keys.record(ROOM), 30)
    await records.keep(store, {ROOM: b"second"}, 60)
    assert (await records.find(store, ROOM)).record == b"first"
    assert await store.call("TTL", keys.record(ROOM)) <= 30


async def test_many_are_kept_together(store: Store) -> None:
    many = {RoomId(f"room{number:06}"): str(number).encode() for number in range(50)}
    await records.keep(store, many, 60)
    assert [(await records.find(store, room)).record for room in many] == list(many.values())


async def test_a_record_goes_when_its_time_is_over(store: Store) -> None:
    await records.keep(store, {ROOM: b"record"}, 60)
    assert 0 < await store.call("TTL", keys.record(ROOM)) <= 60
    await store.call("PEXPIRE", keys.record(ROOM), 0)
    assert (await records.find(store, ROOM)).record is None


async def test_a_record_may_stay_for_ever(store: Store) -> None:
    await records.keep(store, {ROOM: b"record"}, 0)
    assert await store.call("TTL", keys.record(ROOM)) == -1


async def test_the_last_entry_of_the_log_is_found_too(store: Store) -> None:
    assert await records.find(store, ROOM) == records.Found(None, None)
    await store.set_clock()
    entries = [entry(1), entry(2)]
    call = append_call(ROOM, START, entries, at=None, by_player=False, ttl=60, heard=False)
    await store.run_all(APPEND, [call])
    assert await records.find(store, ROOM) == records.Found(None, entries[-1])
