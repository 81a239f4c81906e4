"""The daily over nodes on one store: its seed, one attempt each, its board, and what is told of it when."""

import asyncio
import json
from typing import Any

import msgspec
import pytest
from tests.game.rooms import person
from tests.gateway.meeting import Meet
from tests.gateway.nodes import Running, rounds, running
from tests.gateway.pages import ask
from tests.gateway.peer import peer, welcome
from tests.store.waiting import until

from tenmatch.game import commands, daily
from tenmatch.game.daily import revealed_at
from tenmatch.game.days import after, day_of
from tenmatch.game.events import Player
from tenmatch.game.ids import Day, Millis, MoveNumber, RoomId, SeatNumber
from tenmatch.game.options import choose
from tenmatch.game.room import Phase
from tenmatch.gateway import dailies as dailies_module
from tenmatch.gateway.asked import Done, asked
from tenmatch.gateway.dailies import Dailies, PlayedAlready, Result
from tenmatch.gateway.table import Table
from tenmatch.protocol.record import Record
from tenmatch.protocol.verifier import check
from tenmatch.rules.deal import commitment
from tenmatch.store import daily as kept
from tenmatch.store import keys

ZERO = SeatNumber(0)
NOON = Millis(1_796_083_200_000 + 43_200_000)
TODAY = Day("2026-12-01")


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch, node: Running, other: Running) -> None:
    """Let it be noon on both nodes."""
    at(monkeypatch, NOON, node, other)


def at(monkeypatch: pytest.MonkeyPatch, now: Millis, *nodes: Running) -> None:
    for each in nodes:
        monkeypatch.setattr(each.store.clock, "now", lambda: now)


def dailies(running: Running) -> Dailies:
    return running.node.dailies


async def freely(room: RoomId) -> None:
    """Let any room be founded."""


async def told(running: Running, day: str = "", query: str = "") -> Any:
    answer = await ask(running, f"/v1/daily{day and f'/{day}'}{query}")
    assert answer.status == 200, answer
    return json.loads(answer.body)


async def began(running: Running, player: Player) -> Table:
    """Let a player begin their attempt."""
    table = await dailies(running).table_of(player, freely)
    assert isinstance(await asked(table, commands.GetReady(ZERO, True)), Done)
    await until(lambda: table.state.phase is Phase.PLAYING)
    return table


async def gave_up(running: Running, player: Player) -> Table:
    """Let a player make an attempt and give it up at once."""
    table = await began(running, player)
    assert isinstance(await asked(table, commands.Resign(ZERO, MoveNumber(1))), Done)
    assert table.state.phase is Phase.OVER
    await rounds(running).records()
    return table


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let attempts begin without a countdown."""
    monkeypatch.setattr(daily, "OPTIONS", choose(daily.MODE, {"max_players": 1, "countdown_ms": 0})[0])


# Seeds


async def test_nodes_that_think_of_a_day_at_once_draw_one_seed(node: Running, other: Running) -> None:
    await node.store.call("FLUSHALL")
    await asyncio.gather(*(dailies(each).draw() for each in (node, other) for _ in range(5)))
    commits = {(await told(each))["commit"] for each in (node, other)}
    assert len(commits) == 1


async def test_tomorrows_seed_is_committed_to_today_and_told_the_day_after(
    node: Running, other: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, NOON, node, other)
    tomorrow = after(TODAY)
    before = await told(node, tomorrow)
    assert (before["seed"], before["drawn_at"], before["players"]) == (None, NOON, 0)
    at(monkeypatch, Millis(revealed_at(tomorrow) - 1), node, other)
    assert (await told(other, tomorrow))["seed"] is None
    at(monkeypatch, revealed_at(tomorrow), node, other)
    later = await told(other, tomorrow)
    assert commitment(bytes.fromhex(later["seed"])) == later["commit"] == before["commit"]
    assert later["drawn_at"] == NOON


@pytest.mark.parametrize("day", ["2026-12-03", "2020-01-01", "today", "2026-12-1", "2026-13-01"])
async def test_of_other_days_nothing_is_known(node: Running, other: Running, noon: None, day: str) -> None:
    assert (await ask(node, f"/v1/daily/{day}")).status == 404


@pytest.mark.parametrize("query", ["?page=0", "?page=x", "?player=me"])
async def test_what_cannot_be_asked_for_is_said(node: Running, query: str) -> None:
    assert (await ask(node, f"/v1/daily{query}")).status == 400


# Attempts


async def test_all_play_the_same_deal(node: Running, other: Running, at_once: None) -> None:
    first, second = await began(node, person(0)), await began(other, person(1))
    assert first.room != second.room
    assert first.state.sheets[0].board == second.state.sheets[0].board
    assert first.state.commit == second.state.commit == (await told(node))["commit"]


async def test_who_asks_often_and_everywhere_has_one_attempt(node: Running, other: Running) -> None:
    asking = [dailies(each).table_of(person(0), freely) for each in (node, other) for _ in range(5)]
    assert len({table.room for table in await asyncio.gather(*asking)}) == 1


async def test_a_node_that_dies_before_the_room_is_there_costs_nothing(node: Running) -> None:
    day, room = day_of(node.store.clock.now()), RoomId("abcdefghjk")
    await kept.attempt(node.store, day, person(0).id, room, 60)  # and no more of it
    assert (await dailies(node).table_of(person(0), freely)).room == room


async def test_what_never_began_gives_way_to_another(
    node: Running, other: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await dailies(node).table_of(person(0), freely)
    assert isinstance(await asked(table, commands.Leave(ZERO)), Done)
    assert table.state.phase is Phase.OVER
    again = await asyncio.gather(*(dailies(each).table_of(person(0), freely) for each in (node, other)))
    assert {table.room for table in again} != {table.room}
    assert len({table.room for table in again}) == 1


async def test_giving_up_before_the_start_makes_no_end_of_rooms(url: str) -> None:
    async with running(url, rooms_per_address=3) as node, peer(node.port) as ann, peer(node.port) as bob:
        rooms = set()
        for _ in range(3):
            rooms.add(room := (await ann.ask("daily"))["room"])
            assert (await ann.ask("leave", room=room))["t"] == "ok"
        assert len(rooms) == 3
        for one in (ann, bob):
            assert (await one.ask("daily"))["code"] == "too_many_rooms"


async def test_an_attempt_that_is_over_is_no_other(node: Running, other: Running, at_once: None) -> None:
    table = await gave_up(node, person(0))
    assert (await dailies(other).table_of(person(0), freely)).room == table.room
    for each in (node, other):
        each.node.tables.unload(each.node.tables.loaded[table.room])
    await node.store.call("DEL", keys.log(table.room))
    for each in (node, other):
        with pytest.raises(PlayedAlready):
            await dailies(each).table_of(person(0), freely)


async def test_the_next_day_is_another(node: Running, at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await gave_up(node, person(0))
    tomorrow = after(day_of(node.store.clock.now()))
    monkeypatch.setattr(dailies_module, "day_of", lambda _: tomorrow)
    again = await dailies(node).table_of(person(0), freely)
    assert (again.room != table.room, again.state.daily) == (True, tomorrow)


async def test_it_is_begun_and_played_over_the_wire(node: Running, other: Running, meet: Meet) -> None:
    ann = await meet()
    answer = await ann.ask("daily")
    state = answer["state"]
    assert (answer["t"], answer["seat"], state["phase"]) == ("snapshot", 0, "starting")
    assert (state["daily"], state["seed"]) == (day_of(node.store.clock.now()), None)
    async with peer(other.port, token=welcome(ann)["token"]) as again:
        assert (await again.ask("daily"))["room"] == answer["room"]
        await again.find(lambda message: message.get("kind") == "started")
        await again.send({"t": "resign", "room": answer["room"], "n": 1})
        ended = await again.find(lambda message: message.get("kind") == "ended")
        assert (ended["seed"], len(ended["salt"])) == (None, 32)
        state = (await again.ask("join", room=answer["room"]))["state"]
        assert (state["phase"], state["seed"]) == ("over", None)
    stranger = await meet()
    assert (await stranger.ask("join", room=answer["room"], watch=True))["code"] == "not_allowed"


# The board


async def test_the_board_is_the_same_however_often_and_by_whom_it_is_entered(
    node: Running, other: Running, at_once: None
) -> None:
    table = await gave_up(node, person(0))
    there = await other.node.tables.open(table.room)
    before = await told(node)
    for each, seen in ((node, table), (other, there)) * 5:
        assert await dailies(each).keep([seen]) == {seen}
    since = await told(other, query=f"?player={person(0).id}")
    assert since["lines"] == before["lines"] == [since["own"]]
    [line] = since["lines"]
    assert line["player"] == {"id": person(0).id, "name": person(0).name}
    assert (line["place"], line["cleared"], line["points"], line["room"]) == (1, False, 0, None)


async def test_lines_are_in_order_and_one_has_ones_own(node: Running) -> None:
    day = day_of(node.store.clock.now())
    for number, (worth, points) in enumerate([(10, 3), (30, 7), (30, 7), (20, 5)]):
        result = dailies_result(number, points)
        await kept.enter(node.store, day, person(number).id, worth=worth, result=result, ttl=60)
    board = await told(node, query=f"?player={person(3).id}")
    assert [(line["place"], line["points"]) for line in board["lines"]] == [(1, 7), (1, 7), (3, 5), (4, 3)]
    assert (board["own"]["place"], board["players"], board["pages"]) == (3, 4, 1)
    assert (await told(node, query="?page=2"))["lines"] == []


def dailies_result(number: int, points: int) -> bytes:
    return msgspec.msgpack.encode(Result(person(number).name, False, points, 1_000, RoomId("abcdefghjk")))


async def test_a_record_is_nobodys_to_see_before_the_seed_is_told(
    node: Running, other: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await gave_up(node, person(0))
    assert table not in node.node.tables.unrecorded
    day = day_of(node.store.clock.now())
    assert await node.store.call("EXISTS", keys.record(table.room)) == 1
    assert (await ask(node, f"/v1/records/{table.room}")).status == 404
    at(monkeypatch, revealed_at(day), node, other)
    assert (await told(node, day))["lines"][0]["room"] == table.room
    answer = await ask(other, f"/v1/records/{table.room}")
    assert isinstance(check(answer.body), Record)
    unrevealed = json.loads(answer.body)
    del unrevealed["events"][0]["seed"]
    unrevealed["seed"] = None
    assert "it is told the day after" in str(check(json.dumps(unrevealed).encode()))
