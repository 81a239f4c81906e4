"""`tenmatch rooms`, `inspect`, `tail`, `check`: what they show of rooms, and how they fail."""

import asyncio
import json

import pytest
from tests.app.operating.conftest import Tenmatch
from tests.gateway.meeting import Meet, made, match, started
from tests.gateway.nodes import Running, ended, playing
from tests.gateway.peer import welcome
from tests.store.waiting import until
from typer.main import get_command

from tenmatch.app.cli import app
from tenmatch.game.ids import RoomId
from tenmatch.game.options import Mode
from tenmatch.store import keys


async def test_rooms_are_listed_private_ones_too(node: Running, meet: Meet, tenmatch: Tenmatch) -> None:
    assert "No game" in (await tenmatch("rooms")).stdout
    ann, bo = await meet(name="[b]Ann"), await meet(name="Bo")
    hidden = (await ann.ask("create", mode="turns", private=True))["room"]
    before = node.store.clock.now()
    await until(lambda: node.store.clock.now() > before)  # so that the other one is newer
    open_ = await started(ann, bo)
    over = await ended(node)
    shown = (await tenmatch("rooms")).stdout
    assert all(word in shown for word in (hidden, open_, "private", "[b]Ann", "playing"))
    assert over.room not in shown
    lines = [json.loads(line) for line in (await tenmatch("rooms", "--json")).stdout.splitlines()]
    assert [(line["room"], line["private"]) for line in lines] == [(open_, False), (hidden, True)]
    assert lines[0]["online"] == [True, True]
    assert "seed" not in lines[0]
    only = (await tenmatch("rooms", "--json", "--phase", "open")).stdout
    assert json.loads(only)["room"] == hidden
    me = welcome(bo)["player"]["id"]
    assert json.loads((await tenmatch("rooms", "--json", "--player", me)).stdout)["room"] == open_


async def test_ids_of_rooms_are_whole_in_a_terminal_of_usual_width(
    meet: Meet, tenmatch: Tenmatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await meet(name="A name of 24 characters.")
    made = await ann.ask("create", mode="mirror", private=True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")  # as a terminal
    rooms = await tenmatch("rooms")
    assert "1/1" in rooms.stderr, "it says how far it is"
    shown = rooms.stdout
    assert made["room"] in shown
    assert made["code"] in shown
    assert "…" not in shown + (await tenmatch("nodes")).stdout


async def test_a_room_is_shown_with_who_is_where(node: Running, meet: Meet, tenmatch: Tenmatch) -> None:
    ann, bo, eve = await meet(name="Ann"), await meet(name="Bo"), await meet(name="Eve")
    room = await started(ann, bo)
    await eve.ask("join", room=room, watch=True)
    await ann.send(match(node, room, 1))
    await ann.find(lambda said: said.get("kind") == "matched")
    await node.node.desk.attendance.renew(list(node.node.tables.loaded.values()))
    state = node.node.tables.loaded[RoomId(room)].state
    for named in (room, state.code):
        told = json.loads((await tenmatch("inspect", named, "--json")).stdout)
        assert told["room"] == room
        assert told["here"] == {
            "seats": {str(seat): {"node": node.node.name, "number": seat + 1} for seat in (0, 1)},
            "watching": {node.node.name: 1},
        }
        assert told["seq"] == told["events"][-1]["seq"] == state.seq
        assert told["state"]["seed"] is None
        assert "seed" not in json.dumps(told["events"])
    shown = (await tenmatch("inspect", room, "--events", "3")).stdout
    for word in (room, "Ann", "Bo", node.node.name, "matched", f"{told['chain']:08x}", "left, 5 adds"):
        assert word in shown
    assert "created" not in shown


@pytest.mark.parametrize("mode", Mode)
async def test_every_mode_is_drawn(node: Running, tenmatch: Tenmatch, mode: Mode) -> None:
    table = await playing(node, mode, max_players=2)
    first = " ".join(table.state.sheets[0].board.digits[:9].hex()[1::2])
    shown = (await tenmatch("inspect", table.room)).stdout
    assert shown.count(first) == (2 if mode is Mode.MIRROR else 1)


async def test_a_log_is_followed_to_the_end(node: Running, meet: Meet, tenmatch: Tenmatch) -> None:
    ann, bo = await meet(), await meet()
    room = await started(ann, bo)
    following = asyncio.create_task(tenmatch("tail", room, "--json", "--events", "1"))
    await _listened(node, room)
    await ann.send(match(node, room, 1))
    await ann.send({"t": "resign", "room": room, "n": 2})
    lines = [json.loads(line) for line in (await following).stdout.splitlines()]
    assert [line["kind"] for line in lines] == ["started", "matched", "resigned", "ended"]
    assert "reason=last_one_in" in (await tenmatch("tail", room)).stdout


async def _listened(node: Running, room: str) -> None:
    """Return once another than the node listens to a room, too."""
    async with asyncio.timeout(60):
        # No event tells of it.
        while (await node.store.call("PUBSUB", "SHARDNUMSUB", keys.feed(RoomId(room))))[1] < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_what_is_not_there_is_said(node: Running, meet: Meet, tenmatch: Tenmatch) -> None:
    for named, said in (("nothing!", "neither"), ("abcdefghjk", "no room"), ("abc234", "no room")):
        result = await tenmatch("inspect", named)
        assert result.exit_code == 1
        assert said in result.stderr
    ann, bo = await meet(), await meet()
    room = RoomId(await made(ann))
    await node.store.call("RPUSH", keys.log(room), b"\x01nonsense")
    result = await tenmatch("inspect", room)
    assert (result.exit_code, "cannot be read" in result.stderr) == (1, True)
    theirs = [("--player", welcome(one)["player"]["id"]) for one in (ann, bo)]
    for which, concerned in (((), True), (theirs[0], True), (theirs[1], False)):
        result = await tenmatch("rooms", *which)
        told = f"the log of room {room} cannot be read" in result.stderr
        assert (result.exit_code, told) == (0, concerned), which


async def test_rooms_are_completed(meet: Meet, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room = await made(await meet())
    monkeypatch.setenv("TENMATCH_REDIS", url)

    def complete(incomplete: str) -> list[str]:
        command = get_command(app).commands["inspect"]  # type: ignore[attr-defined]  # of a message
        with command.make_context("inspect", [], resilient_parsing=True) as context:
            return [item.value for item in command.params[0].shell_complete(context, incomplete)]

    assert await asyncio.to_thread(complete, room[:2]) == [room]
    assert await asyncio.to_thread(complete, "!") == []
    monkeypatch.setenv("TENMATCH_REDIS", "unix:///nowhere.sock")
    assert await asyncio.to_thread(complete, "") == []


async def test_a_store_is_checked(tenmatch: Tenmatch) -> None:
    good = await tenmatch("check")
    assert (good.exit_code, good.stdout) == (0, "Nothing is wrong with this store.\n")
    bad = await tenmatch("check", "--durability", "replicated")
    assert (bad.exit_code, "no replica" in bad.stdout) == (1, True)
    finding = json.loads((await tenmatch("check", "--durability", "replicated", "--json")).stdout)
    assert finding["severity"] == "stop"
