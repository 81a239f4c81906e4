"""Reports in the store: one of a name, so many a day, and no more than are kept."""

import pytest
from tests.store.entries import ROOM

from tenmatch.game.ids import PlayerId, RoomId
from tenmatch.store import keys, reports
from tenmatch.store.connect import Store

ANNA, BOB = PlayerId("anna00000000"), PlayerId("bob000000000")


async def keep(
    store: Store,
    report: bytes,
    room: RoomId = ROOM,
    most: int = 0,
    ttl: int = 60,
    by: PlayerId = ANNA,
    site: str = "192.0.2.1",
) -> bool:
    return await reports.keep(store, report, room=room, by=by, site=site, about=BOB, most=most, ttl=ttl)


def rooms(count: int) -> list[RoomId]:
    return [RoomId(f"room{number:06}") for number in range(count)]


async def test_reports_are_read_in_the_order_in_which_they_came(store: Store) -> None:
    for room in rooms(3):
        await keep(store, room.encode(), room)
    await store.call("ZADD", keys.REPORTS_AT, 1, f"{rooms(3)[2]}:{ANNA}:{BOB}")
    assert await reports.read(store) == [room.encode() for room in (rooms(3)[2], *rooms(2))]


async def test_a_report_of_the_same_name_replaces_the_other(store: Store) -> None:
    assert await keep(store, b"one", most=1)
    assert await keep(store, b"two", most=1)
    assert await reports.read(store) == [b"two"]


async def test_so_many_a_day(store: Store) -> None:
    assert [await keep(store, b"", room, most=2) for room in rooms(3)] == [True, True, False]
    assert await keep(store, b"", rooms(3)[2], most=2, by=BOB)
    await store.call("ZADD", keys.reports_by(ANNA), 1, f"{ROOM}:{ANNA}:{BOB}")  # of long ago
    await store.call("ZREM", keys.reports_by(ANNA), f"{rooms(1)[0]}:{ANNA}:{BOB}")
    assert await keep(store, b"", rooms(3)[2], most=2)


async def test_old_ones_go_and_at_last_all(store: Store) -> None:
    await keep(store, b"old", rooms(1)[0])
    await store.call("ZADD", keys.REPORTS_AT, 1, f"{rooms(1)[0]}:{ANNA}:{BOB}")
    await keep(store, b"new")
    assert await reports.read(store) == [b"new"]
    assert 0 < await store.call("TTL", keys.REPORTS) <= 60
    await keep(store, b"for ever", ttl=0)
    assert await store.call("TTL", keys.REPORTS) == await store.call("TTL", keys.REPORTS_AT) == -1


async def test_the_oldest_give_way(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST", 2)
    for room in rooms(4):
        await keep(store, room.encode(), room)
    assert await reports.read(store) == [room.encode() for room in rooms(4)[2:]]
    assert await store.call("HLEN", keys.REPORTS) == 2


async def test_guests_of_one_address_do_not_push_out_all_others(store: Store) -> None:
    guests = [PlayerId(f"guest{number:07}") for number in range(reports.SENDERS + 1)]
    sent = [await keep(store, b"", room, most=2, by=guest) for guest in guests for room in rooms(2)]
    assert sent == [True] * reports.SENDERS * 2 + [False] * 2
    assert await keep(store, b"", rooms(2)[1], most=2, by=guests[0])  # again, in the place of the other
    assert await keep(store, b"", most=2, by=guests[-1], site="192.0.2.2")
