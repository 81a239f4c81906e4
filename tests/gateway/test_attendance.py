"""Who is there: presence over nodes, seats that change connections, and seats whose players are nowhere."""

import asyncio
from collections.abc import AsyncIterator, Mapping

import pytest
from tests.game.rooms import person
from tests.gateway import nodes
from tests.gateway.conftest import Watch
from tests.gateway.nodes import Ear, Running, ended, founded, playing, rounds, running
from tests.gateway.sockets import PATIENCE_S
from tests.store.waiting import until

from tenmatch.game import commands
from tenmatch.game.events import Level, Player, Unseated, UnseatReason
from tenmatch.game.ids import Millis, PlayerId, RoomId, SeatNumber
from tenmatch.game.room import Phase
from tenmatch.gateway import attendance as attendance_module
from tenmatch.gateway import rounds as rounds_module
from tenmatch.gateway.asked import asked
from tenmatch.gateway.attendance import Attendance
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.table import Table
from tenmatch.store import due, keys
from tenmatch.store.connect import Store

ZERO, ONE = SeatNumber(0), SeatNumber(1)


@pytest.fixture
async def node(url: str, watch: Watch, by_hand: None) -> AsyncIterator[Running]:
    """A node whose rounds the test makes itself."""
    async with running(url) as node:
        yield node


def attendance(node: Running) -> Attendance:
    return node.node.desk.attendance


async def arrived(node: Running, table: Table, seat: SeatNumber) -> Ear:
    """Let the player of a seat in, as a connection of this node."""
    number = await attendance(node).arrive(table, seat)
    ear = nodes.listen(table, seat)
    member(table, ear).number = number
    return ear


def member(table: Table, ear: Ear) -> Member:
    [found] = [member for member in table.audience if member.listener is ear]
    return found


def presence(ear: Ear) -> object:
    """Return who is there as a client was last told."""
    return next((m["online"], m["watching"]) for m in reversed(ear.told) if m["t"] == "presence")


async def test_who_is_there_is_told_to_everyone_once(node: Running, other: Running) -> None:
    here = await playing(node)
    there = await other.node.tables.open(here.room)
    anna, bob, carl = await arrived(node, here, ZERO), await arrived(other, there, ONE), nodes.listen(there)
    for _ in range(2):
        await attendance(other).renew([there])
        await attendance(node).renew([here])
    assert presence(anna) == presence(bob) == presence(carl) == ([True, True], 1)
    told = len(anna.told)
    await attendance(node).renew([here])
    assert len(anna.told) == told, "nothing has changed"
    assert here.presence is not None
    assert here.presence == there.presence


async def test_who_comes_is_told_who_is_there(node: Running) -> None:
    table = await playing(node)
    await arrived(node, table, ZERO)
    await attendance(node).renew([table])
    late = nodes.listen(table)
    attendance(node).greet(table, member(table, late))
    assert presence(late) == ([True, False], 0)
    assert table in node.node.tables.restless


class Kept(set[Table]):
    """Which a round of the node's own does not clear meanwhile."""

    def clear(self) -> None:
        pass


async def test_it_is_said_again_who_is_here_but_not_of_a_room_that_is_over_and_empty(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    going_on, seen, left = await playing(node), await ended(node), await ended(node)
    nodes.listen(seen)
    monkeypatch.setattr(node.node.tables, "restless", Kept())
    await rounds(node).presence()
    assert node.node.tables.restless == {going_on, seen}
    assert left in node.node.tables.loaded.values()


async def test_who_goes_is_gone_at_once(node: Running) -> None:
    table = await playing(node)
    anna, bob = await arrived(node, table, ZERO), await arrived(node, table, ONE)
    await attendance(node).renew([table])
    gone = member(table, bob)
    table.audience.leave(gone)
    attendance(node).depart(table, ONE, gone.number)
    here = keys.here(table.room)

    async def field() -> bytes:
        said: bytes = await node.store.call("HGET", here, "s:1")
        return said

    async with asyncio.timeout(PATIENCE_S):
        while not (await field()).endswith(b"-"):
            pass
    await attendance(node).renew([table])
    assert presence(anna) == ([True, False], 0)


async def test_computer_players_are_always_there(node: Running) -> None:
    table = await founded(node, max_players=3)
    await asked(table, commands.SeatBot(ZERO, Player(PlayerId("robotrobotro"), "Robot", bot=Level.EASY)))
    ear = await arrived(node, table, ZERO)
    await attendance(node).renew([table])
    assert presence(ear) == ([True, True, None], 0)


async def test_a_newer_connection_elsewhere_takes_the_seat(node: Running, other: Running) -> None:
    here = await playing(node)
    there = await other.node.tables.open(here.room)
    older = await arrived(node, here, ZERO)
    await arrived(other, there, ZERO)
    await until(lambda: older.is_detached == "taken_over")
    assert not here.audience.players


async def test_one_whose_note_was_lost_is_found_out_by_the_next_renewal(
    node: Running, other: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await playing(node)
    there = await other.node.tables.open(here.room)
    older = await arrived(node, here, ZERO)
    lost: list[Attendance] = []
    with monkeypatch.context() as deaf:
        deaf.setattr(Attendance, "noted", lambda attendance, *_: lost.append(attendance))
        newer = await arrived(other, there, ZERO)
        await attendance(other).renew([there])
        await until(lambda: attendance(node) in lost)  # else it would be heard late, and not lost
    assert older.is_detached == ""
    await attendance(node).renew([here])
    assert (older.is_detached, newer.is_detached) == ("taken_over", "")


# Seats whose players are nowhere


async def freed(table: Table) -> list[tuple[int, UnseatReason]]:
    await asked(table, None)
    unseated = [entry.event for entry in table.entries if isinstance(entry.event, Unseated)]
    return [(event.seat, event.reason) for event in unseated]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free seats at once, and where nodes take the store's time for later than it is."""
    monkeypatch.setattr(attendance_module, "ABSENT_MS", -10_000)


@pytest.mark.usefixtures("impatient")
async def test_an_open_rooms_seat_is_freed_when_its_player_is_nowhere(node: Running) -> None:
    table = await founded(node)
    await asked(table, commands.Sit(person(1)))
    await arrived(node, table, ZERO)
    await attendance(node).renew([table])
    assert await freed(table) == [(1, UnseatReason.ABSENT)]
    await attendance(node).renew([table])
    assert await freed(table) == [(1, UnseatReason.ABSENT)]


@pytest.mark.usefixtures("impatient")
async def test_two_nodes_free_a_seat_once(node: Running, other: Running) -> None:
    here = await founded(node)
    await asked(here, commands.Sit(person(1)))
    there = await other.node.tables.open(here.room)
    await arrived(node, here, ZERO)
    await attendance(node).renew([here])
    await attendance(other).renew([there])
    assert await freed(here) == await freed(there) == [(1, UnseatReason.ABSENT)]


async def test_a_minute_passes_before(node: Running) -> None:
    table = await founded(node)
    await attendance(node).renew([table])
    assert await freed(table) == []


@pytest.mark.usefixtures("impatient")
async def test_in_play_a_seat_stays(node: Running) -> None:
    table = await playing(node)
    await attendance(node).renew([table])
    assert await freed(table) == []
    assert table.state.phase is Phase.PLAYING


async def test_who_just_sat_down_where_another_left_long_ago_stays(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store knows of the seat what its last connection said, and that was another's."""
    table = await founded(node)
    host = await arrived(node, table, ZERO)
    await asked(table, commands.Sit(person(1)))
    long_ago = node.store.clock.now() - 120_000
    await node.store.call("HSET", keys.here(table.room), "s:1", f"9 {long_ago} -")
    await attendance(node).renew([table])
    assert await freed(table) == []
    assert presence(host) == ([True, False], 0)


# Rooms that nobody is in


async def test_a_room_without_anyone_is_let_go_and_marked_for_when_it_is_due(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, busy = await founded(node), await founded(node)
    nodes.listen(busy)
    monkeypatch.setattr(rounds_module, "IDLE_S", 0.0)
    mine = rounds(node)
    await mine.presence()
    await mine.presence()
    assert list(node.node.tables.loaded.values()) == [busy]
    marked = await node.store.call("ZSCORE", keys.due(keys.due_bucket(table.room)), table.room)
    assert float(marked) == table.state.at + 600_000
    again = await node.node.tables.open(table.room)
    assert again.head == table.head
    await mine.presence()
    assert set(mine._idle_since) <= {again, busy}, "tables that are gone are remembered"


async def test_a_room_is_not_let_go_while_somebody_comes(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await founded(node)
    monkeypatch.setattr(rounds_module, "IDLE_S", 0.0)
    mark = due.mark

    async def mark_while_somebody_comes(store: Store, rooms: Mapping[RoomId, Millis]) -> None:
        await mark(store, rooms)
        if rooms.get(table.room) == table.state.at + 600_000:
            nodes.listen(table)

    monkeypatch.setattr(due, "mark", mark_while_somebody_comes)
    await rounds(node).presence()
    assert len(table.audience) == 1
    assert node.node.tables.loaded.get(table.room) is table


async def test_a_room_that_nobody_looks_after_is_found_by_the_sweep(node: Running, url: str) -> None:
    table = await founded(node)
    node.node.tables.unload(table)
    await due.mark(node.store, {table.room: Millis(1)})
    async with running(url) as other:
        await rounds(other).sweep()
        assert table.room in other.node.tables.loaded
        assert await due.sweep(node.store, node.store.clock.now()) == []


async def test_a_mark_without_a_room_is_taken_away(node: Running) -> None:
    room = RoomId("abcdefghjk")
    await due.mark(node.store, {room: Millis(1)})
    await rounds(node).sweep()
    assert await node.store.call("ZCARD", keys.due(keys.due_bucket(room))) == 0


async def test_a_room_that_cannot_be_read_here_is_left_to_others(node: Running) -> None:
    room = RoomId("abcdefghjk")
    await node.store.call("RPUSH", keys.log(room), b"\x09 of a later version")
    await due.mark(node.store, {room: Millis(1)})
    for _ in range(2):
        await rounds(node).sweep()
    marked = await node.store.call("ZSCORE", keys.due(keys.due_bucket(room)), room)
    assert float(marked) > node.store.clock.now()
