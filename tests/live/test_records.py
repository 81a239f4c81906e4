"""Records of games that were really played: believed by both verifiers, there when their rooms have gone.

Every game that another test here proves is proven by its record, too (tests/live/table.py).
"""

import asyncio
import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.live.client import Client
from tests.live.node import Node
from tests.live.records import believed, prove_record, record_at
from tests.live.table import Meet, Table
from tests.live.wire import fetch
from tests.servers import Server

LONG: dict[str, Any] = {"size": 27, "adds": 2, "seed": "006d" * 16}
FREE: dict[str, Any] = {"matches_per_s": 0, "messages_per_s": 0}
FOUND_S = (
    25.0  # for a node to find a room that its own one left behind: 10 s, and a sweep, and a busy machine
)


def record_key(room: str) -> str:
    return f"tm:{{{room}}}:record"


async def until(true: Callable[[], bool], within: float) -> None:
    async with asyncio.timeout(within):
        while not true():  # noqa: ASYNC110  # nothing announces what lies in a store
            await asyncio.sleep(0.05)


async def kept(node: Node, room: str, store: str | None = None) -> None:
    """Return when the room's record lies in the store by itself."""
    with node.store(store) as client:
        await until(lambda: bool(client.exists(record_key(room))), FOUND_S)


def forget(node: Node, room: str, store: str | None = None) -> None:
    """Let a room's log expire now, as it would an hour after the end."""
    with node.store(store) as client:
        client.pexpire(f"tm:{{{room}}}:log", 1)


def cli(text: bytes) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "tenmatch", "verify", "--json", "-"]
    return subprocess.run(command, input=text, capture_output=True, timeout=30, check=False)


async def played(meet: Meet, mode: str = "race", **options: Any) -> Table:
    """Play a short game with a mistake in it, to its end."""
    table = await Table.begin(meet, mode, **{**LONG, **options})
    await table.match(0)
    await table.match(1, table.wrong_pair("values"))
    if mode == "turns":
        await table.play(1, "pass")
    await table.match(0)
    await table.play(1, "resign")
    return table


@pytest.mark.parametrize("mode", ["race", "turns", "mirror"])
async def test_a_played_game_has_a_record_from_its_end_on(node: Node, meet: Meet, mode: str) -> None:
    table = await Table.open(meet, mode, **LONG)
    assert (await record_at(node.url, table.room)).status == 404
    for player in table.players:
        await player.ok("ready", room=table.room, ready=True)
    started = await table.players[0].event(table.room, "started")
    await table.sync(started["seq"])
    await table.match(0)
    assert (await record_at(node.url, table.room)).status == 404
    await table.play(1, "resign")
    record = await prove_record(node.url, table.room, table.judge.told)
    assert (record["mode"], record["seed"]) == (mode, LONG["seed"])
    assert record["result"]["ranking"] == table.judge.told[-1]["ranking"]
    assert [each["player"]["id"] for each in record["players"]] == [each.player for each in table.players]


async def test_the_command_line_verifies_what_the_server_gives_out(node: Node, meet: Meet) -> None:
    table = await played(meet)
    answer = await record_at(node.url, table.room)
    found = cli(answer.body)
    assert found.returncode == 0, found
    assert json.loads(found.stdout)["ok"]
    forged = json.loads(answer.body)
    matched = next(event for event in forged["events"] if event["kind"] == "matched")
    matched["points"] += 1
    found = cli(json.dumps(forged).encode())
    assert found.returncode == 1
    report = json.loads(found.stdout)
    assert (report["event"], report["what"], report["due"]) == (
        matched["seq"],
        "points",
        matched["points"] - 1,
    )


async def test_a_private_game_has_a_record_for_who_knows_its_id(node: Node, meet: Meet) -> None:
    host, other = await meet(), await meet()
    room = (await host.ask("create", mode="race", options={"countdown_ms": 0}, private=True))["room"]
    await other.ask("join", room=room)
    for player in (host, other):
        await player.ok("ready", room=room, ready=True)
    await host.event(room, "started")
    held = await host.whole(room)
    await host.move("resign", room)
    await host.event(room, "ended")
    record = await prove_record(node.url, room, held.events)
    assert record["events"][0]["private"] is True
    assert room not in (await fetch(node.url, "/v1/rooms")).body.decode()


async def test_records_are_packed_for_who_takes_them_so(node: Node, meet: Meet) -> None:
    table = await played(meet)
    path = f"/v1/records/{table.room}"
    plain, packed = await fetch(node.url, path), await fetch(node.url, path, Accept_Encoding="gzip")
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2


async def test_a_record_stays_when_its_room_has_expired(node: Node, meet: Meet) -> None:
    table = await played(meet)
    before = (await record_at(node.url, table.room)).body
    forget(node, table.room)
    stranger = await meet()
    async with asyncio.timeout(10):
        # No event tells of it.
        while (await stranger.ask("join", room=table.room)).get("code") != "no_such_room":  # noqa: ASYNC110
            await asyncio.sleep(0.1)  # until the node has noticed
    assert (await record_at(node.url, table.room)).body == before
    await prove_record(node.url, table.room, table.judge.told)


async def test_a_record_is_kept_without_anyone_asking(node: Node, meet: Meet) -> None:
    table = await played(meet)
    await kept(node, table.room)
    forget(node, table.room)
    await prove_record(node.url, table.room, table.judge.told)


# Nodes that die


async def ended_at(node: Node, meet: Meet) -> str:
    """Play a game on a node and kill that as soon as a player was told of its end; return the room."""

    async def meet_there(codec: str, **hello: Any) -> Client:
        return await meet(codec, url=node.url, **hello)

    table = await Table.begin(meet_there, "race", **LONG)
    await table.match(0)
    player = table.players[1]
    await player.say("resign", room=table.room, n=99)
    await player.event(table.room, "ended")
    node.kill()
    return table.room


@pytest.mark.slow
@pytest.mark.parametrize("asks", [True, False])
async def test_a_server_killed_right_at_the_end_loses_no_record(
    tmp_path: Path, meet: Meet, asks: bool
) -> None:
    with Node(tmp_path, **FREE) as node:
        room = await ended_at(node, meet)
        node.start()
        if asks:
            assert (await record_at(node.url, room)).status == 200
        else:
            await kept(node, room)
        forget(node, room)
        await believed(json.loads((await record_at(node.url, room)).body))


@pytest.mark.slow
async def test_a_game_that_ended_on_a_node_that_died_is_recorded_by_another(
    tmp_path: Path, meet: Meet
) -> None:
    folders = [tmp_path / name for name in ("redis", "one", "two")]
    for folder in folders:
        folder.mkdir()
    with (
        Server("redis", folders[0]) as redis,
        Node(folders[1], "--redis", redis.url, **FREE) as one,
        Node(folders[2], "--redis", redis.url, **FREE) as two,
    ):
        room = await ended_at(one, meet)
        await kept(two, room, redis.url)
        forget(two, room, redis.url)
        await believed(json.loads((await record_at(two.url, room)).body))
