"""Games go on while the Redis under them fails over: sentinels, or a cluster, of Debian's Redis."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.live.test_redis import FREE, LONG, move_until_made
from tests.store.fleet import Cluster, Watched, running

from tenmatch.game.ids import RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Address, Store

pytestmark = pytest.mark.slow


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    async with running(Watched(tmp_path)) as watched:
        yield watched


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with running(Cluster(tmp_path)) as cluster:
        yield cluster


async def primary_of(url: str, room: str) -> str:
    """Return the URL of the server on which a room lies now."""
    store = Store(Address(url))
    await store.survey()
    store.close()
    return f"redis://{store.shard_of(keys.log(RoomId(room)))}"


async def test_a_game_outlives_its_primary(watched: Watched, meet: Meet, tmp_path: Path) -> None:
    """What a replica confirmed is there, every move is made once, and nobody is sent away."""
    (tmp_path / "node").mkdir()
    with Node(tmp_path / "node", "--redis", watched.url, durability="replicated", **FREE) as node:
        table = await Table.begin(lambda *codec, **hello: meet(*codec, url=node.url, **hello), "race", **LONG)
        for seat in (0, 1, 0):
            await table.match(seat)
        watched.primary.kill()
        assert (await move_until_made(table, 0))["kind"] == "matched"
        assert all(client.close_code is None for client in [*table.players, *table.watchers])
        await table.play_on()
        await table.prove(node, await primary_of(watched.url, table.room))


async def test_games_on_other_shards_go_on_meanwhile(cluster: Cluster, meet: Meet, tmp_path: Path) -> None:
    (tmp_path / "node").mkdir()
    with Node(tmp_path / "node", "--redis", cluster.url, **FREE) as node:

        async def begin() -> Table:
            return await Table.begin(
                lambda *codec, **hello: meet(*codec, url=node.url, **hello), "race", **LONG
            )

        tables = [await begin() for _ in range(6)]
        places = {table.room: await primary_of(cluster.url, table.room) for table in tables}
        for table in tables:
            await table.match(0)
        cluster.members[0].kill()
        await asyncio.gather(*(move_until_made(table, 1) for table in tables))
        for table in tables:
            await table.play_on()
            await table.prove(node, await primary_of(cluster.url, table.room))
        assert len(set(places.values())) > 1


async def test_a_move_that_no_replica_has_is_not_acknowledged(
    watched: Watched, meet: Meet, tmp_path: Path
) -> None:
    (tmp_path / "node").mkdir()
    with Node(tmp_path / "node", "--redis", watched.url, durability="replicated", **FREE) as node:
        table = await Table.begin(lambda *codec, **hello: meet(*codec, url=node.url, **hello), "race", **LONG)
        await table.match(0)
        for replica in watched.replicas:
            replica.freeze()
        (a, b), seen = table.judge.game.pairs()[0], table.seq
        answer = await table.players[0].move("match", table.room, n=2, a=a, b=b, seen=seen)
        assert (answer["t"], answer["code"], answer["n"]) == ("error", "unavailable", 2)
        assert len(node.entries(table.room, watched.primary.url)) == seen + 1  # it is there, and was not told
        unknown = {
            "room": "2222222222",
            "watch": True,
        }  # what is not there may be on the primary that others have
        assert await table.watchers[0].denied("join", **unknown) == "unavailable"
        for replica in watched.replicas:
            replica.thaw()
        while (answer := await table.players[0].move("match", table.room, n=2, a=a, b=b, seen=seen))[
            "t"
        ] == "error":
            assert answer["code"] == "unavailable"
        assert await table.watchers[0].denied("join", **unknown) == "no_such_room"
        await table.sync(answer["seq"])
        assert (
            len([event for event in table.judge.told if (event.get("seat"), event.get("n")) == (0, 2)]) == 1
        )
        await table.play_on()
        await table.prove(node, watched.primary.url)
