"""The same games over a Redis of one's own, which may be frozen, killed and started again."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.live.client import CODECS, Client
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.live.wire import fetch
from tests.servers import Server

READY_S = 10.0
LONG: dict[str, Any] = {"size": 27, "adds": 5, "seed": "006d" * 16}
FREE: dict[str, Any] = {"matches_per_s": 0, "messages_per_s": 0}


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Debian's Redis."""
    with Server("redis", tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(scope="module")
def node(redis: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node over that Redis."""
    with Node(tmp_path_factory.mktemp("node"), "--redis", redis.url, **FREE) as node:
        yield node


@pytest.fixture(autouse=True)
def thawed(redis: Server) -> Iterator[None]:
    """Let the next test find a Redis that goes on, whatever became of this one."""
    yield
    redis.thaw()


@pytest.mark.parametrize("mode", ["race", "turns"])
async def test_a_game_over_a_redis_of_ones_own(node: Node, redis: Server, meet: Meet, mode: str) -> None:
    table = await Table.begin(meet, mode, **LONG)
    await table.play_on()
    await table.prove(node, redis.url)
    assert not node.data.exists()  # nothing of a private store


@pytest.mark.slow
async def test_more_machines_are_more_of_the_same(
    node: Node, redis: Server, meet: Meet, tmp_path: Path
) -> None:
    with Node(tmp_path, "--redis", redis.url, **FREE) as other:
        places = iter([node, other, other])

        async def spread(codec: str = CODECS[0]) -> Client:
            return await meet(codec, url=next(places).url)

        table = await Table.begin(spread, "race", **LONG)
        assert table.players[0].node != table.players[1].node
        for seat in (0, 1, 0):
            await table.match(seat)
        other.kill()
        for group in (table.players[1:], table.watchers):
            assert await group[0].closed() == 1006
        table.players[1] = await meet(url=node.url, token=table.players[1].token)
        await table.players[1].whole(table.room)
        table.watchers = [await table.watchers[0].again(node.url)]
        assert (await table.watchers[0].resume(table.room, watch=True))["t"] == "resumed"
        await table.play_on()
        await table.prove(node, redis.url)


async def move_until_made(table: Table, seat: int) -> dict[str, Any]:
    """Send one move again and again, as a client does, until the store is back and it is made."""
    player, (a, b) = table.players[seat], table.judge.game.pairs()[0]
    held = player.rooms[table.room]
    held.n += 1
    while True:
        began = time.monotonic()
        answer = await player.move("match", table.room, n=held.n, a=a, b=b, seen=table.seq)
        assert time.monotonic() - began < 2.5, "silence"
        if answer["t"] != "error":
            await table.sync(answer["seq"])
            return answer
        assert answer["code"] == "unavailable"


@pytest.mark.slow
async def test_while_the_store_is_frozen_players_hear_so_and_moves_are_made_once(
    node: Node, redis: Server, meet: Meet
) -> None:
    table = await Table.begin(meet, "race", **LONG)
    await table.match(0)
    redis.freeze()
    sent = time.monotonic()
    (a, b), seen = table.judge.game.pairs()[0], table.seq
    answer = await table.players[0].move("match", table.room, n=2, a=a, b=b, seen=seen)
    assert (answer["t"], answer["code"], answer["n"]) == ("error", "unavailable", 2)
    assert time.monotonic() - sent < 2
    await asyncio.sleep(3)  # to be away is what is tested
    assert (await fetch(node.url, "/readyz")).status == 503
    assert await table.players[1].denied("create", mode="race") == "unavailable"
    redis.thaw()
    while (answer := await table.players[0].move("match", table.room, n=2, a=a, b=b, seen=seen))[
        "t"
    ] == "error":
        assert answer["code"] == "unavailable"
    async with asyncio.timeout(READY_S):  # its heart may miss another beat
        while (await fetch(node.url, "/readyz")).status != 200:  # noqa: ASYNC110  # nothing announces it
            await asyncio.sleep(0.05)
    await table.sync(answer["seq"])
    assert len([e for e in table.judge.told if e.get("seat") == 0 and e.get("n") == 2]) == 1
    assert all(client.close_code is None for client in [*table.players, *table.watchers])
    await table.play_on()
    await table.prove(node, redis.url)


@pytest.mark.slow
async def test_when_the_store_dies_and_comes_back_nothing_acknowledged_is_missing(
    node: Node, redis: Server, meet: Meet
) -> None:
    table = await Table.begin(meet, "race", **LONG)
    for seat in (0, 1):
        await table.match(seat)
        redis.kill()
        waiting = asyncio.ensure_future(move_until_made(table, seat))
        await table.players[seat].told("error", code="unavailable", since=len(table.players[seat].inbox))
        redis.start()
        assert (await waiting)["kind"] == "matched"
    await move_until_made(table, 0)  # the node may still have to beat before it takes anything new
    assert all(client.close_code is None for client in [*table.players, *table.watchers])
    await table.play_on()
    await table.prove(node, redis.url)


@pytest.mark.parametrize(
    ("option", "said"),
    [(("--appendonly", "no"), "append"), (("--maxmemory-policy", "allkeys-lru"), "noeviction")],
)
async def test_a_redis_that_may_lose_games_is_refused(
    tmp_path: Path, option: tuple[str, str], said: str
) -> None:
    with Server("redis", tmp_path, *option) as unfit:
        command = [sys.executable, "-m", "tenmatch", "serve", "--port", "0", "--redis", unfit.url]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=20)
    assert done.returncode != 0
    assert said in done.stderr.lower()
    assert "Traceback" not in done.stderr
