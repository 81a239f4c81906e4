"""Watchers with a delay: what is younger than that is not there for them, whichever way they ask."""

import asyncio

import pytest
from tests.gateway.conftest import Watch
from tests.gateway.meeting import Meet
from tests.gateway.nodes import Running, claim, clock_stopped, founded, listen, playing
from tests.gateway.peer import Heard, Peer
from tests.gateway.sockets import PATIENCE_S
from tests.store.waiting import until

from tenmatch.game import commands
from tenmatch.game.ids import MoveNumber, SeatNumber
from tenmatch.gateway import held
from tenmatch.gateway.asked import Done, asked
from tenmatch.gateway.table import Table
from tenmatch.store.log import Head

DELAY_MS = 600
ZERO = SeatNumber(0)


def resign(seat: int) -> commands.Resign:
    return commands.Resign(SeatNumber(seat), MoveNumber(1))


def now(running: Running) -> int:
    return running.store.clock.now()


def head_that_is_old_enough(running: Running, table: Table) -> int:
    """Return the seq at which a watcher may be by now."""
    until = now(running) - DELAY_MS
    return max(1, sum(entry.event.at <= until for entry in table.entries))


async def caught_up(running: Running, table: Table) -> None:
    """Return when watchers are shown all that there is, which is old enough then."""
    await until(lambda: table.shown_to(None).state.seq == table.state.seq)
    assert head_that_is_old_enough(running, table) == len(table.entries)


async def test_a_watcher_is_told_each_event_when_it_is_old_enough(node: Running) -> None:
    with clock_stopped(node):
        table = await playing(node, spectator_delay_ms=DELAY_MS)
        watcher, player = listen(table), listen(table, 0)
    for n in (1, 2):
        assert isinstance(await asked(table, claim(table, 0, n)), Done)
    assert [event["kind"] for event in player.log] == ["matched", "matched"]
    heard: list[Heard] = []
    async with asyncio.timeout(PATIENCE_S):
        while len(heard) < len(table.entries) - 1:
            await asyncio.sleep(0.005)
            for event in watcher.log[len(heard) :]:
                heard.append(dict(event))
                assert now(node) - heard[-1]["at"] >= DELAY_MS
    assert [event["seq"] for event in heard] == list(range(2, len(table.entries) + 1))


async def test_who_begins_to_watch_is_shown_the_room_as_it_was(node: Running, meet: Meet) -> None:
    early, later = await meet(), await meet()
    with clock_stopped(node):
        table = await playing(node, spectator_delay_ms=DELAY_MS)
        first = await early.ask("join", room=table.room, watch=True)
    assert (first["seq"], first["state"]["seats"], first["state"]["board"]) == (1, [None, None], None)
    await caught_up(node, table)
    with clock_stopped(node):
        assert isinstance(await asked(table, claim(table, 0, 1)), Done)
        second = await later.ask("join", room=table.room, watch=True)
    assert second["seq"] == len(table.entries) - 1
    assert second["state"]["seats"][0]["score"] == 0


@pytest.mark.parametrize("after", ["the past's head", "behind it", "the log's head", "a wrong chain"])
async def test_who_comes_back_goes_on_in_the_past(node: Running, meet: Meet, after: str) -> None:
    table = await playing(node, spectator_delay_ms=DELAY_MS)
    await caught_up(node, table)
    old, watcher = table.head, await meet()
    first = table.entries[1]
    with clock_stopped(node):
        assert isinstance(await asked(table, claim(table, 0, 1)), Done)
        where = {
            "the past's head": old,
            "behind it": Head(first.seq, first.chain),
            "the log's head": table.head,
            "a wrong chain": Head(old.seq, old.chain ^ 1),
        }[after]
        answer = await watcher.ask("join", room=table.room, watch=True, after=where.seq, chain=where.chain)
    assert answer["seq"] == old.seq
    if after in ("the past's head", "behind it"):
        assert answer["t"] == "resumed"
        assert [event["seq"] for event in answer["events"]] == list(range(where.seq + 1, old.seq + 1))
    else:
        assert (answer["t"], answer["reset"]) == ("snapshot", True)


async def test_what_is_said_and_who_is_there_are_as_old(node: Running, other: Running, meet: Meet) -> None:
    table = await founded(node, spectator_delay_ms=DELAY_MS)
    ann, far, eve = await meet(), await meet(other), await meet()
    await ann.ask("join", room=table.room)
    for watcher in (far, eve):
        await watcher.ask("join", room=table.room, watch=True)
    assert (await ann.ask("chat", room=table.room, text="hello"))["t"] == "ok"
    await ann.find(lambda message: message["t"] == "chat")
    for watcher, at in ((far, other), (eve, node)):
        heard = await watcher.find(lambda message: message["t"] == "chat")
        assert heard["at"] + DELAY_MS <= now(at), "by the clock of the node that says it"
    present = await eve.find(lambda message: message["t"] == "presence" and any(message["online"]))
    assert present["online"][1] is True


async def test_the_rooms_line_is_as_old(node: Running, other: Running) -> None:
    table = await playing(node, spectator_delay_ms=DELAY_MS)
    started = table.state.started_at
    assert started is not None
    lines = other.node.desk.listing
    await until(lambda: table.room in lines.lines and lines.lines[table.room]["phase"] == "playing")
    assert now(node) - started >= DELAY_MS
    line = lines.lines[table.room]
    assert line["scores"][:2] == [0, 0]
    assert isinstance(await asked(table, resign(0)), Done)
    ended = table.state.at
    await until(lambda: table.room not in lines.lines)
    assert now(node) - ended >= DELAY_MS


async def test_a_watchers_move_does_not_tell_where_the_game_is(node: Running, meet: Meet) -> None:
    watcher = await meet()
    with clock_stopped(node):
        table = await playing(node, spectator_delay_ms=DELAY_MS)
        await watcher.ask("join", room=table.room, watch=True)
        await watcher.send({"t": "match", "room": table.room, "n": 1, "a": 0, "b": 1, "seen": 0})
        refused = await watcher.find(lambda message: message["t"] == "refused")
    assert refused["seq"] < len(table.entries)


async def test_a_log_that_turns_out_to_be_another_is_shown_as_old_as_well(node: Running) -> None:
    with clock_stopped(node):
        table = await playing(node, spectator_delay_ms=DELAY_MS)
        watcher = listen(table)
    await caught_up(node, table)
    with clock_stopped(node):
        assert isinstance(await asked(table, claim(table, 0, 1)), Done)
        table.replace(table.entries[:])
    assert watcher.kinds()[-1] == "snapshot"
    assert watcher.log[-1]["seq"] == len(table.entries) - 1
    await until(lambda: watcher.kinds()[-1] == "matched")


async def test_nothing_younger_ever_leaves_for_a_watcher(node: Running, other: Running, meet: Meet) -> None:
    """Everything that three watchers hear while a game is played to its end, from wherever they watch."""
    table = await playing(node, spectator_delay_ms=DELAY_MS)
    watchers = [await meet(at) for at in (node, other, node)]
    for watcher in watchers:
        await watcher.ask("join", room=table.room, watch=True)
    heard: list[tuple[int, Heard]] = []
    places = zip((node, other, node), watchers, strict=True)
    tasks = [asyncio.create_task(_collect(at, watcher, heard)) for at, watcher in places]
    for n in range(1, 5):
        assert isinstance(await asked(table, claim(table, n % 2, (n + 1) // 2 + 1)), Done)
        await asyncio.sleep(0.05)
    assert isinstance(await asked(table, commands.Resign(ZERO, MoveNumber(99))), Done)
    await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)
    assert len(heard) >= 3 * 6
    for at, message in heard:
        event = table.entries[message["seq"] - 1].event
        assert at - event.at >= DELAY_MS or message["seq"] == 1, message


async def _collect(node: Running, watcher: Peer, heard: list[tuple[int, Heard]]) -> None:
    """Note all that is heard and when, until the end of the game."""
    seen = 0
    while True:
        for message in watcher.heard[seen:]:
            seen += 1
            if message["t"] in ("event", "snapshot"):
                heard.append((now(node), message))
            if message.get("kind") == "ended":
                return
        await asyncio.sleep(0.001)


async def test_a_bug_in_what_is_shown_later_gives_the_room_up_and_tells_its_watchers(
    node: Running, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.bugs_expected = True

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    with clock_stopped(node):
        table = await playing(node, spectator_delay_ms=DELAY_MS)
        watcher, player = listen(table), listen(table, 0)
        monkeypatch.setattr(held, "evolve", fail)
    await until(lambda: bool(watcher.is_detached))
    assert (watcher.is_detached, player.is_detached) == ("closed", "closed")
    assert node.node.tables.loaded.get(table.room) is not table
