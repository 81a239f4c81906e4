"""Records of finished games: kept by whichever node sees the end, shown to whoever asks, and not before."""

import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace
from tests.gateway.conftest import Watch
from tests.gateway.nodes import Running, ended, founded, playing, rounds, running
from tests.gateway.pages import ask
from tests.live.wire import Answer
from tests.protocol.logs import LOGS
from tests.store.waiting import until

from tenmatch.game import commands
from tenmatch.game.events import Created
from tenmatch.game.ids import Millis, MoveNumber, RoomId, SeatNumber
from tenmatch.gateway import records as records_module
from tenmatch.gateway.asked import asked
from tenmatch.gateway.records import Records
from tenmatch.gateway.rounds import Rounds
from tenmatch.gateway.table import Table
from tenmatch.protocol.record import Record, encode, public_at, record_of
from tenmatch.protocol.stored import Entry, open_all, seal_all
from tenmatch.protocol.verifier import check
from tenmatch.store import due, keys, records
from tenmatch.store.connect import StoreDown

ROOM = RoomId("room000001")


@pytest.fixture
async def node(url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Running]:
    """A node that keeps no record before it is asked to."""
    with monkeypatch.context() as still:
        still.setattr(Rounds, "all", lambda _: [])
        async with running(url) as node:
            still.undo()  # others keep theirs by themselves
            yield node


def kept_by(running: Running, ttl: int = 60) -> Records:
    return Records(running.store, ttl=ttl, spawn=lambda work: pytest.fail(f"not expected: {work}"))


async def record(running: Running, room: RoomId) -> Answer:
    return await ask(running, f"/v1/records/{room}")


def of_table(table: Table) -> Any:
    made = record_of(table.entries)
    assert made is not None
    return json.loads(encode(made))


# Over HTTP


async def test_a_record_is_there_from_the_end_on_and_not_before(node: Running) -> None:
    table = await founded(node)
    assert (await record(node, table.room)).status == 404
    table = await playing(node)
    assert (await record(node, table.room)).status == 404
    await asked(table, commands.Resign(SeatNumber(0), MoveNumber(1)))
    answer = await record(node, table.room)
    assert answer.status == 200
    assert json.loads(answer.body) == of_table(table)
    assert isinstance(check(answer.body), Record)
    for seat in (0, 1):  # what comes after the end changes nothing
        await asked(table, commands.WantRematch(SeatNumber(seat), True))
        assert (await record(node, table.room)).body == answer.body


async def test_a_record_is_for_any_page_and_packed_for_who_takes_it_so(node: Running) -> None:
    path = f"/v1/records/{(await ended(node)).room}"
    plain = await ask(node, path)
    packed = await ask(node, path, Accept_Encoding="br, gzip")
    assert gzip.decompress(packed.body) == plain.body
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    for answer in (plain, packed):
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["cache-control"] == "public, max-age=3600"
    head = await ask(node, path, "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(plain.body))


@pytest.mark.parametrize("name", ["", "a", "ROOM000001", "room000001x", "*", "room0_0001", ROOM])
async def test_what_names_no_finished_game_is_not_there(node: Running, name: str) -> None:
    answer = await ask(node, f"/v1/records/{name}")
    assert answer.status == 404
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_a_room_in_which_nobody_played_has_no_record(node: Running) -> None:
    table = await founded(node)
    await asked(table, commands.Leave(SeatNumber(0)))
    assert table.state.reason == "abandoned"
    assert (await record(node, table.room)).status == 404
    assert await kept_by(node).keep([table]) == {table}
    assert await node.store.call("GET", keys.record(table.room)) is None


# Kept


async def test_a_record_stays_when_its_room_has_gone(node: Running) -> None:
    table = await ended(node)
    expected = of_table(table)
    assert await kept_by(node).keep([table]) == {table}
    await node.store.call("PEXPIRE", keys.log(table.room), 0)
    node.node.tables.unload(table)
    answer = await record(node, table.room)
    assert json.loads(answer.body) == expected


async def test_whoever_asks_for_a_record_sees_to_it_that_it_is_kept(node: Running) -> None:
    table = await ended(node)
    answer = await record(node, table.room)
    await node.store.call("DEL", keys.log(table.room))
    assert (await record(node, table.room)).body == answer.body


@pytest.mark.parametrize("days", [0, 3])
async def test_a_record_is_kept_as_long_as_is_set(url: str, watch: Watch, days: int) -> None:
    async with running(url, record_days=days) as node:
        table = await ended(node)
        await record(node, table.room)
        ttl = await node.store.call("TTL", keys.record(table.room))
        assert ttl == -1 if days == 0 else days * 86_400 - 60 < ttl <= days * 86_400


async def test_nodes_that_keep_the_same_record_keep_it_once(node: Running, other: Running) -> None:
    table = await ended(node)
    there = await other.node.tables.open(table.room)
    await kept_by(node).keep([table])
    before = await node.store.call("GET", keys.record(table.room))
    await node.store.call("EXPIRE", keys.record(table.room), 30)
    await kept_by(other).keep([there])
    assert await node.store.call("GET", keys.record(table.room)) == before
    assert await node.store.call("TTL", keys.record(table.room)) <= 30


async def test_a_node_keeps_the_records_of_its_rooms_by_itself(url: str, watch: Watch) -> None:
    async with running(url) as node:
        table = await ended(node)
        assert table in node.node.tables.unrecorded
        await until(lambda: not node.node.tables.unrecorded)
        assert await node.store.call("EXISTS", keys.record(table.room)) == 1


async def test_a_room_stays_marked_until_its_record_is_kept(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = rounds(node)
    table = await playing(node)
    await mine.presence()
    await asked(table, commands.Resign(SeatNumber(0), MoveNumber(1)))
    later = Millis(node.store.clock.now() + 20_000)

    async def down(*_: object) -> None:
        raise StoreDown("away")

    with monkeypatch.context() as broken:
        broken.setattr(records, "keep", down)
        with pytest.raises(StoreDown):
            await mine.records()
    await mine.presence()
    assert await due.sweep(node.store, later) == [table.room]
    await mine.records()
    await mine.presence()
    assert await due.sweep(node.store, later) == []


async def test_what_a_node_left_behind_another_keeps(url: str, watch: Watch, node: Running) -> None:
    table = await ended(node)  # by a node that keeps nothing; all others are to find it by its mark
    await due.mark(node.store, {table.room: Millis(0)})
    async with running(url) as other:
        await until(lambda: table.room in other.node.tables.loaded)
        await until(lambda: not other.node.tables.unrecorded)
        assert await node.store.call("EXISTS", keys.record(table.room)) == 1


async def test_an_end_that_was_taken_back_leaves_nothing(node: Running) -> None:
    table = await ended(node)
    log = await node.log(table.room)
    table.replace(open_all(log[:-1], 0, 0))
    assert await kept_by(node).keep([table]) == {table}
    assert await node.store.call("EXISTS", keys.record(table.room)) == 0


# Not yet, and not any more


def delayed(by_ms: int) -> tuple[list[Entry], Millis]:
    """Return the log of a game that is watched with a delay, and when its record is out."""
    created, *others = LOGS["race"].events
    assert isinstance(created, Created)
    options = replace(created.options, spectator_delay_ms=by_ms)
    entries = seal_all([replace(created, options=options), *others], 0, 0, LOGS["race"].salt)
    made = record_of(entries)
    assert made is not None
    return entries, public_at(made)


async def test_a_record_is_out_when_watchers_have_seen_the_end(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries, out = delayed(5_000)
    await node.store.call("RPUSH", keys.log(ROOM), *(entry.raw for entry in entries))
    table = await node.node.tables.open(ROOM)
    kept = kept_by(node)
    with monkeypatch.context() as clock:
        clock.setattr(node.store.clock, "now", lambda: out - 1)
        assert await kept.keep([table]) == set()
        assert await kept.find(ROOM) is None
        clock.setattr(node.store.clock, "now", lambda: out)
        assert await kept.keep([table]) == {table}
    assert await node.store.call("EXISTS", keys.record(ROOM)) == 1
    assert await kept.find(ROOM) is not None


async def test_a_log_that_cannot_be_read_has_no_record(
    node: Running, caplog: pytest.LogCaptureFixture
) -> None:
    log = LOGS["race"].raws
    await node.store.call("RPUSH", keys.log(ROOM), *log[:5], *log[6:])
    assert await kept_by(node).find(ROOM) is None
    await node.store.call("RPUSH", keys.log(ROOM), b"\x09")
    assert await kept_by(node).find(ROOM) is None
    assert [line.getMessage() for line in caplog.records].count("a log cannot be read") == 2


async def test_a_long_game_under_way_is_not_read_whole(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await playing(node)
    monkeypatch.setattr(records_module, "read", lambda *_: pytest.fail("it was read"))
    assert await kept_by(node).find(table.room) is None
    assert (await records.find(node.store, table.room)).last == table.entries[-1].raw
