"""P17: a node that does not read what is published costs Redis little memory, and misses nothing.

And a stranger with access to Redis publishes more than any node would.
"""

import asyncio
import contextlib
import math
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from redis import Redis as Client
from tests.effort import amount
from tests.faults.deployment import Deployment, apart
from tests.faults.load import playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise
from tests.faults.pushes import Pushes
from tests.faults.watch import all_level, caught_up, watching
from tests.live.node import Node
from tests.store.fleet import Redis
from tests.store.waiting import until

from tenmatch.game.ids import RoomId
from tenmatch.store import keys, published

pytestmark = pytest.mark.slow

MEGABYTE = 2**20
LIMIT = 16 * MEGABYTE
PIECE = MEGABYTE // 4
BACK_S = 3.0
OUTPUT_LIMIT = ("--client-output-buffer-limit", "pubsub 16mb 4mb 10")  # as deploy/redis.conf has it


async def memory(redis: Redis, name: str) -> int:
    """Return a figure of Redis' own about its memory, in bytes."""
    info: bytes = await redis.ask("INFO", "memory")
    return int(info.partition(name.encode() + b":")[2].split()[0])


async def publish(client: Client, room: str, message: bytes, times: int = 1, *, deaf: int = 0) -> None:
    """Publish on a room's channel, at a pace at which all can follow but those who do not read."""
    for _ in range(times):
        client.spublish(keys.feed(RoomId(room)), message)
        await asyncio.sleep(0.005)
        await until(lambda: behind(client) <= deaf)


def behind(client: Client) -> int:
    """Count the subscribers for whom Redis keeps what they have not read."""
    subscribers = client.client_list(_type="pubsub")
    return sum(int(subscriber["omem"]) > 0 for subscriber in subscribers)


async def read_nothing(promise: Promise, folder: Path, without: str = "") -> None:
    """Freeze a node, publish more than Redis may keep for it, and let it go on."""
    with (
        Deployment(folder, *OUTPUT_LIMIT, nodes=2, without=without) as deployment,
        closing(Client.from_url(deployment.redis.local)) as client,
    ):
        redis = deployment.redis
        async with playing(deployment.addresses, rooms=10, rate=50) as load:
            slow = load.on(deployment.nodes[1].url)
            rooms = {person.room for person in slow}
            before = await memory(redis, "used_memory")
            for person in slow:
                person.gone_s = math.inf  # nobody goes elsewhere, however long this takes
            deployment.freeze(1)
            pieces = 40 * MEGABYTE // PIECE
            await publish(client, rooms.pop(), published.note(250, bytes(PIECE)), pieces, deaf=1)
            peak = await memory(redis, "used_memory_peak") - before
            subscribers: bytes = await redis.ask("CLIENT", "LIST", "TYPE", "pubsub")
            with contextlib.suppress(TimeoutError):
                await until(lambda: bool(load.stragglers(client)), every=0.02)
            load.resting = True  # so that nothing comes that would tell of what was missed
            await asyncio.sleep(0.5)
            missing = len(load.stragglers(client))
            deployment.thaw(1)
            level = await all_level(load, slow, redis.local)
            load.resting = False
            await asyncio.sleep(0.5)
            late = await caught_up(load, redis.local)
            flaws = load.examine(redis.local)
    promise.at_least("MB published while a node was frozen", 40 * MEGABYTE // PIECE * PIECE // MEGABYTE, 40)
    promise.equals("subscribers that Redis had kept", len(subscribers.splitlines()), 1)
    promise.at_most("memory of Redis at its peak", peak / MEGABYTE, 1.1 * LIMIT / MEGABYTE, "MB")
    promise.at_least("clients that missed something", missing, 1)
    promise.at_most("they have it after", level, BACK_S, "s")
    promise.at_most("at the head after the last move", late, 2.0, "s")
    promise.equals("flaws (I1 to I8)", count(flaws, *INVARIANTS), 0)
    promise.equals("what no client should be told", len(load.record.faults), 0)


@pytest.mark.promise("P17")
async def test_a_node_that_does_not_read_is_cut_off_and_misses_nothing(
    promise: Promise, tmp_path: Path
) -> None:
    await read_nothing(promise, tmp_path)


@pytest.mark.full
@pytest.mark.twin("P17")
async def test_a_node_that_was_cut_off_and_does_not_doubt(promise: Promise, tmp_path: Path) -> None:
    await read_nothing(promise, tmp_path, "never_in_doubt")


@pytest.mark.full
@pytest.mark.promise("P17")
async def test_a_connection_that_is_not_read_is_cut_off_and_the_node_misses_nothing(
    promise: Promise, tmp_path: Path
) -> None:
    """The node lives on, and what it asks is answered; only what is published is not read on its way."""
    with Redis(tmp_path, *OUTPUT_LIMIT) as redis, closing(Client.from_url(redis.local)) as client:
        async with Pushes(redis.socket) as way:
            ways = [redis.url, way.url]
            start = partial(Deployment, tmp_path, nodes=2, store=redis, ways=ways)
            async with (
                apart(start) as deployment,
                playing(deployment.addresses, rooms=10, rate=50) as load,
                watching(deployment.nodes[1].url) as watch,
            ):
                slow = load.on(deployment.nodes[1].url)
                before = await memory(redis, "used_memory")
                way.stop_reading()
                stopped = time.monotonic()
                message = published.note(250, bytes(PIECE))
                await publish(client, slow[0].room, message, 40 * MEGABYTE // PIECE, deaf=1)
                peak = await memory(redis, "used_memory_peak") - before
                unready = await watch.until(lambda look: not look.ready, stopped)
                way.read_on()
                read_on = time.monotonic()
                level = await all_level(load, slow, redis.local)
                ready = await watch.until(lambda look: look.ready, read_on)
                late = await caught_up(load, redis.local)
                flaws = load.examine(redis.local)
    what = "not read on its way: "
    promise.at_most(what + "memory of Redis at its peak", peak / MEGABYTE, 1.1 * LIMIT / MEGABYTE, "MB")
    promise.at_most(what + "the node not ready after", unready, 5.0, "s")
    promise.at_most(what + "ready after it is read again", ready, BACK_S, "s")
    promise.at_most(what + "clients have all after it is read again", level, BACK_S, "s")
    promise.at_most(what + "at the head after the last move", late, 2.0, "s")
    promise.equals(what + "flaws (I1 to I8)", count(flaws, *INVARIANTS), 0)


# A stranger who has access to Redis

LONG = 40 * MEGABYTE
GROWTH = 64 * MEGABYTE  # of a node's memory, for good
NO_LIMIT = ("--client-output-buffer-limit", "pubsub 0 0 0")


@pytest.mark.promise("P17")
@pytest.mark.parametrize(
    "limit", amount([OUTPUT_LIMIT], [OUTPUT_LIMIT, NO_LIMIT]), ids=lambda limit: limit[1]
)
async def test_a_stranger_publishes_40_mb(promise: Promise, tmp_path: Path, limit: Sequence[str]) -> None:
    with (
        Deployment(tmp_path, *limit, nodes=2) as deployment,
        closing(Client.from_url(deployment.redis.local)) as client,
    ):
        async with (
            playing(deployment.addresses, rooms=10, rate=50) as load,
            watching(deployment.nodes[0].url) as watch,
        ):
            before = [resident(node) for node in deployment.nodes]
            for message in strange():
                await publish(client, load.persons[0].room, message)
                await asyncio.sleep(0.2)
            last = time.monotonic()
            ready = await watch.until(lambda look: look.ready, last)
            late = await caught_up(load, deployment.redis.local)
            flaws = load.examine(deployment.redis.local)
            grown = max(resident(node) - then for node, then in zip(deployment.nodes, before, strict=True))
    what = f"a stranger, {limit[1]}: "
    promise.at_most(what + "a move waits", max(wait.seconds for wait in load.record.waits), 1.5, "s")
    stuck = sum(node.log().count("the event loop is stuck") for node in deployment.nodes)
    promise.equals(what + "times that an event loop was stuck for a second", stuck, 0)
    promise.at_most(what + "ready again after", ready, BACK_S, "s")
    promise.at_most(what + "at the head after the last move", late, 2.0, "s")
    promise.equals(what + "flaws (I1 to I8)", count(flaws, *INVARIANTS), 0)
    promise.equals(what + "clients that lost their connection", len(load.record.interruptions), 0)
    promise.at_most(what + "memory of a node, more", grown / MEGABYTE, GROWTH / MEGABYTE, "MB")
    promise.equals("what no client should be told", len(load.record.faults), 0)


def strange() -> Iterator[bytes]:
    """Yield messages as no node publishes them."""
    entries = b"\x01\x00\x00\x00\x00\x05"
    yield b"x" * LONG
    yield published.note(250, bytes(LONG))
    yield entries + LONG.to_bytes(4) + bytes(LONG)  # one
    yield entries + bytes(LONG)  # ten million, all empty
    yield published.note(2, b"no chat")
    yield published.note(published.ARRIVED, b"no")


def resident(node: Node) -> int:
    """Return the bytes that a node has in memory."""
    return int(Path(f"/proc/{node.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
