"""The server's death and return: nothing that was acknowledged is missing, and time away is nobody's."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from tests.live.client import CODECS, Client
from tests.live.conftest import Knock
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.live.wire import fetch

LONG: dict[str, Any] = {"size": 27, "adds": 5, "seed": "006d" * 16}

pytestmark = pytest.mark.slow  # each test starts a server, or two


@pytest.fixture
def node(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server of the test's own, to be killed; the parameter is for how long it drains."""
    drain_s = getattr(request, "param", 0.2)
    with Node(tmp_path_factory.mktemp("node"), matches_per_s=0, messages_per_s=0, drain_s=drain_s) as node:
        yield node


async def come_back(table: Table, node: Node) -> list[dict[str, Any]]:
    """Let everyone come back to the table on the started server, and return what they were answered."""
    answers = []
    for group in (table.players, table.watchers):
        for place, client in enumerate(group):
            back = group[place] = await client.again(node.url)
            watch = client.rooms[table.room].seat is None
            answers.append(await back.resume(table.room, watch=watch))
            if table.teller is client:
                table.teller = back
    return answers


@pytest.mark.parametrize("mode", ["race", "turns", "mirror"])
async def test_a_killed_server_goes_on_where_it_was(node: Node, meet: Meet, mode: str) -> None:
    table = await Table.begin(meet, mode, **LONG)
    await table.match(0)
    await table.match(1)
    await table.agree()  # else some may not have heard of the match yet
    seq, chain = table.seq, table.judge.told[-1]["chain"]
    node.kill()
    for client in [*table.players, *table.watchers]:
        assert await client.closed() == 1006
    node.start()
    for answer in await come_back(table, node):
        assert answer["t"] == "resumed"
        assert [event["kind"] for event in answer["events"]] in ([], ["shifted"])
    assert table.judge.told[seq - 1]["chain"] == chain
    await table.play_on()
    await table.prove(node)


@pytest.mark.parametrize("mode", ["race", "turns", "mirror"])
async def test_time_away_is_given_back(node: Node, meet: Meet, mode: str) -> None:
    seconds = {"base_s": 5, "increment_s": 0} if mode == "turns" else {"seconds": 10}
    table = await Table.begin(meet, mode, **LONG, **seconds)
    await table.match(0)
    node.kill()
    killed = time.monotonic()
    await asyncio.sleep(6 if mode == "turns" else 4)  # to be away is what is tested; longer than a clock
    node.start()
    away = time.monotonic() - killed
    answers = await come_back(table, node)
    await table.sync()
    kinds = [event["kind"] for event in table.judge.told]
    assert kinds.count("shifted") == 1
    shifted = next(event for event in table.judge.told if event["kind"] == "shifted")
    assert away - 2 < shifted["by_ms"] / 1000 < away + 2
    assert all(answer["t"] == "resumed" for answer in answers)
    assert (await table.match(1))["kind"] == "matched"
    await table.play_on()
    await table.prove(node)


async def test_what_is_sent_while_the_server_dies_is_made_once_or_never(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    for _ in range(3):
        player, pairs = table.players[0], table.judge.game.pairs()
        held = player.rooms[table.room]
        first = held.n + 1
        sent = []
        for pair in pairs:
            held.n += 1
            sent.append((held.n, pair))
            await player.say("match", room=table.room, n=held.n, a=pair[0], b=pair[1], seen=held.seq)
        await player.answer(table.room, first)
        node.kill()
        await player.closed()
        answered = {m["n"]: m for m in player.inbox if m.get("n", 0) >= first and m["t"] == "event"}
        node.start()
        await come_back(table, node)
        await table.sync()
        for n, (a, b) in sent:
            event = await table.players[0].move("match", table.room, n=n, a=a, b=b, seen=held.seq)
            assert n not in answered or event == answered[n]
        await table.players[0].ask("ping")
        await table.sync(table.players[0].rooms[table.room].seq)
        made = [event["n"] for event in table.judge.told if event.get("seat") == 0 and "n" in event]
        assert sorted(set(made)) == sorted(made)
        if table.over or not table.judge.game.pairs():
            break
    await table.agree()


@pytest.mark.parametrize("node", [4], indirect=True)  # as long as it takes by default
async def test_a_server_that_is_asked_to_end_says_so_and_ends(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    await table.match(0)
    began = time.monotonic()
    node.terminate()
    closing = await table.players[0].told("closing")
    assert closing["reason"] == "drain"
    closed = []
    for client in [*table.players, *table.watchers]:
        assert await client.closed() == 1012
        closed.append(time.monotonic())
        assert [message["t"] for message in client.inbox].count("closing") == 1
    assert await asyncio.to_thread(node.wait) == 0
    assert time.monotonic() - began < 10
    assert max(closed) - began > 2  # not all at once
    node.start()
    answers = await come_back(table, node)
    assert [answer["t"] for answer in answers] == ["resumed"] * 3
    await table.play_on()
    await table.prove(node)


async def test_a_server_that_ends_lets_nobody_in(node: Node, meet: Meet) -> None:
    client = await meet()
    node.terminate()
    await client.told("closing")
    with pytest.raises(ConnectionRefusedError):
        await Client.connect(node.url)
    assert await client.closed() == 1012


async def test_a_second_server_on_the_same_folder_stops_and_says_why(node: Node) -> None:
    command = [sys.executable, "-m", "tenmatch", "serve", "--port", "0", "--data", str(node.data)]
    second = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=20)
    assert second.returncode != 0
    assert second.stdout == ""
    assert "another process runs its store" in second.stderr
    assert str(node.data) in second.stderr
    assert "Traceback" not in second.stderr
    assert (await fetch(node.url, "/healthz")).status == 200


async def test_a_second_server_on_the_same_port_stops_and_says_why(node: Node, tmp_path: Any) -> None:
    port = node.url.rsplit(":", 1)[1]
    command = [sys.executable, "-m", "tenmatch", "serve", "--port", port, "--data", str(tmp_path / "other")]
    second = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=20)
    assert second.returncode != 0
    assert f"cannot listen on 127.0.0.1:{port}" in second.stderr


async def test_tokens_and_rooms_survive_a_restart(node: Node, meet: Meet, knock: Knock) -> None:
    maker = await meet(name="Ada")
    made = await maker.ask("create", mode="turns", key="mine", options={"size": 9})
    node.kill()
    node.start()
    back = await knock(CODECS[1])
    welcome = await back.hello(token=maker.token)
    assert (back.player, welcome["seated"]) == (maker.player, [made["room"]])
    again = await back.ask("create", mode="turns", key="mine", options={"size": 9})
    assert (again["room"], again["seq"], again["chain"]) == (made["room"], made["seq"], made["chain"])
    by_code = await back.ask("join", code=made["code"])
    assert by_code["room"] == made["room"]
