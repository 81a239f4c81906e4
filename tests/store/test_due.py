"""Rooms that somebody must look at."""

from tenmatch.game.ids import Millis, RoomId
from tenmatch.store import due, keys
from tenmatch.store.connect import Store

ROOMS = [RoomId(f"room{number:06}") for number in range(100)]


async def test_what_is_overdue_is_found_in_every_bucket(store: Store) -> None:
    await due.mark(store, {room: Millis(1000 + number) for number, room in enumerate(ROOMS)})
    assert set(await due.sweep(store, Millis(1050))) == set(ROOMS[:50])
    assert set(await due.sweep(store, Millis(2000))) == set(ROOMS)
    assert await due.sweep(store, Millis(1000)) == []


async def test_marking_again_moves_a_room(store: Store) -> None:
    await due.mark(store, {ROOMS[0]: Millis(1000)})
    await due.mark(store, {ROOMS[0]: Millis(5000)})
    assert await due.sweep(store, Millis(4000)) == []
    await due.mark(store, {ROOMS[0]: Millis(2000)})
    assert await due.sweep(store, Millis(4000)) == [ROOMS[0]]


async def test_what_is_unmarked_is_found_no_more(store: Store) -> None:
    await due.mark(store, {room: Millis(1000) for room in ROOMS})
    await due.unmark(store, ROOMS[1:])
    assert await due.sweep(store, Millis(2000)) == [ROOMS[0]]
    await due.unmark(store, [ROOMS[0]])
    assert await store.call("DBSIZE") == 0


async def test_a_sweep_is_bounded_and_begins_with_the_longest_overdue(store: Store) -> None:
    bucket = keys.due_bucket(ROOMS[0])
    crowd = [room for number in range(10_000) if keys.due_bucket(room := RoomId(f"x{number}")) == bucket]
    await due.mark(store, {room: Millis(1000 + number) for number, room in enumerate(crowd)})
    assert await due.sweep(store, Millis(10**6)) == crowd[: due.SWEPT_AT_ONCE]


async def test_nothing_to_mark(store: Store) -> None:
    await due.mark(store, {})
    await due.unmark(store, [])
    assert await due.sweep(store, Millis(1)) == []
