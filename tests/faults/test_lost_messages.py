"""P13, P14, P41: what is published gets lost, comes twice or in the wrong order, or does not come at all."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.effort import amount
from tests.faults.busy_room import BusyRoom, meeting
from tests.faults.deployment import Deployment, apart
from tests.faults.load import Load, playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise
from tests.faults.pushes import Bend, Every, Pushes, Swapped, as_it_is, swallowed, twice
from tests.faults.watch import caught_up, watching
from tests.live.client import Client
from tests.store.fleet import Redis, until_so

from tenmatch.game.ids import RoomId
from tenmatch.store import keys

pytestmark = pytest.mark.slow

ROOMS, RATE = 20, 100.0
CAUGHT_UP_S = 2.0  # after the last move
FOUND_S = 5.0  # for a node to find out that it hears nothing, and to hear again


class Pair(NamedTuple):
    """Two nodes over one Redis, the second of which hears of it in strange ways."""

    redis: Redis
    way: Pushes
    nodes: Deployment


@asynccontextmanager
async def pair(folder: Path, without: str = "") -> AsyncIterator[Pair]:
    with Redis(folder) as redis:
        async with Pushes(redis.socket) as way:
            both = partial(
                Deployment, folder, nodes=2, without=without, store=redis, ways=[redis.url, way.url]
            )
            async with apart(both) as nodes:
                yield Pair(redis, way, nodes)


async def judge(promise: Promise, load: Load, redis: Redis, what: str) -> None:
    """Stop playing and look that everyone caught up in time, and was told each event once and in order."""
    promise.at_most(
        f"{what}: all at the head after the last move", await caught_up(load, redis.local), CAUGHT_UP_S, "s"
    )
    resets = sum(view.resets for view in load.record.history.views())
    promise.equals(f"{what}: clients told to begin anew", resets, 0)
    promise.equals(f"{what}: events told twice", load.doubles, 0)
    promise.equals(f"{what}: events told with others missing before", load.gaps, 0)
    flaws = load.examine(redis.local)
    promise.equals(f"{what}: flaws ({', '.join(INVARIANTS)})", count(flaws, *INVARIANTS), 0)
    promise.equals(f"{what}: what no client should be told", load.record.faults, [])


async def lose(promise: Promise, folder: Path, seconds: float, without: str = "") -> None:
    async with pair(folder, without) as two, playing(two.nodes.addresses, rooms=ROOMS, rate=RATE) as load:
        two.way.bend = every = Every(10, swallowed)
        await asyncio.sleep(seconds)
        two.way.bend = swallowed  # the last ones, after which no gap tells that something is missing
        await asyncio.sleep(0.5)
        await judge(promise, load, two.redis, "every 10th lost")
        promise.at_least("every 10th lost: messages lost", every.bent, 10)


@pytest.mark.promise("P13")
async def test_messages_that_get_lost_are_made_up_for(promise: Promise, tmp_path: Path) -> None:
    await lose(promise, tmp_path, amount(4.0, 60.0))


@pytest.mark.full
@pytest.mark.twin("P13")
async def test_messages_that_get_lost_if_nobody_looks_at_the_logs(promise: Promise, tmp_path: Path) -> None:
    await lose(promise, tmp_path, 2.0, "never_in_doubt")


async def kill(promise: Promise, folder: Path, times: int, without: str = "") -> None:
    async with pair(folder, without) as two, playing(two.nodes.addresses, rooms=ROOMS, rate=RATE) as load:
        pauses = [1.0] * times + [0.02] * 20  # so that at the end hardly anybody hears anything
        killed = 0
        for pause in pauses:
            await asyncio.sleep(pause)
            killed += await two.redis.ask("CLIENT", "KILL", "TYPE", "pubsub")
        await judge(promise, load, two.redis, "killed each second")
        promise.at_least("killed each second: subscribers killed", killed, 2 * times)


@pytest.mark.promise("P13")
async def test_subscribers_that_are_killed_each_second_miss_nothing(promise: Promise, tmp_path: Path) -> None:
    await kill(promise, tmp_path, amount(4, 30))


@pytest.mark.full
@pytest.mark.twin("P13")
async def test_subscribers_that_are_killed_and_do_not_doubt(promise: Promise, tmp_path: Path) -> None:
    await kill(promise, tmp_path, 1, "never_in_doubt")


async def kill_at_random(redis: Redis) -> None:
    """Kill all subscribers again and again, until cancelled."""
    while True:
        await redis.ask("CLIENT", "KILL", "TYPE", "pubsub")
        await asyncio.sleep(random.uniform(0.02, 0.4))


class Visits:
    """People who look into rooms, one after the other, and who makes events there."""

    def __init__(self, rooms: list[BusyRoom]) -> None:
        self.rooms = rooms
        self.made = self.put_off = 0
        self.longest = 0.0  # s that an answer took

    async def go_on(self, visitor: Client) -> None:
        """Enter rooms and leave them, until cancelled."""
        while True:
            busy = random.choice(self.rooms)
            began = time.monotonic()
            answer = await visitor.ask("join", room=busy.room, watch=True)
            self.longest = max(self.longest, time.monotonic() - began)
            if answer["t"] == "error":
                assert answer["code"] == "unavailable", answer
                self.put_off += 1
                continue
            self.made += 1
            await busy.toggle()
            await visitor.ok("leave", room=busy.room)


@pytest.mark.promise("P13")
async def test_subscribers_are_killed_while_rooms_are_joined_and_left(
    promise: Promise, tmp_path: Path
) -> None:
    with Deployment(tmp_path, nodes=2) as nodes:
        async with meeting() as meet:
            urls = nodes.addresses()
            visits = Visits([await BusyRoom.begin(await meet(urls[n % 2])) for n in range(30)])
            visitors = [await meet(urls[n % 2]) for n in range(20)]
            killing = asyncio.create_task(kill_at_random(nodes.redis))
            going = [asyncio.create_task(visits.go_on(visitor)) for visitor in visitors]
            await asyncio.sleep(amount(4.0, 60.0))
            assert not any(task.done() for task in (killing, *going)), going
            killing.cancel()
            for task in going:
                task.cancel()
            await asyncio.gather(killing, *going, return_exceptions=True)
            since = time.monotonic()
            wanted = {keys.feed(RoomId(busy.room)).encode() for busy in visits.rooms}
            await until_so(partial(subscribed, nodes.redis, wanted), (0, 2), within=2 * FOUND_S)
            whole = time.monotonic() - since
            faults = [
                fault
                for client in (*visitors, *(busy.client for busy in visits.rooms))
                for fault in client.faults
            ]
    what = "killed while rooms are joined: "
    promise.at_least(what + "joins", visits.made, 50)
    promise.at_most(what + "an answer to a join takes", visits.longest, 2.0, "s")
    promise.equals(what + "events missed or told twice", faults, [])
    promise.at_most(what + "subscribed to all rooms, and to nothing else, after", whole, FOUND_S, "s")


async def subscribed(redis: Redis, wanted: set[bytes]) -> tuple[int, int]:
    """Return how many channels nobody listens to that are wanted, and how many more there are: probes."""
    channels = set(await redis.ask("PUBSUB", "SHARDCHANNELS"))
    return len(wanted - channels), len(channels - wanted)


async def disorder(promise: Promise, folder: Path, what: str, seconds: float, without: str = "") -> None:
    bend: Bend = twice if what == "each twice" else Swapped()
    async with pair(folder, without) as two, playing(two.nodes.addresses, rooms=ROOMS, rate=RATE) as load:
        two.way.bend = bend
        await asyncio.sleep(seconds)
        await judge(promise, load, two.redis, what)


@pytest.mark.promise("P14")
@pytest.mark.parametrize("what", ["each twice", "each two swapped"])
async def test_doubles_and_disorder_are_not_noticed(promise: Promise, tmp_path: Path, what: str) -> None:
    await disorder(promise, tmp_path, what, amount(2.0, 30.0))


@pytest.mark.full
@pytest.mark.twin("P14")
@pytest.mark.parametrize(
    ("what", "without"),
    [("each twice", "taken_as_often_as_it_comes"), ("each two swapped", "taken_in_any_order")],
)
async def test_doubles_and_disorder_where_all_is_taken_as_it_comes(
    promise: Promise, tmp_path: Path, what: str, without: str
) -> None:
    await disorder(promise, tmp_path, what, 2.0, without)


async def deafen(promise: Promise, folder: Path, without: str = "") -> None:
    async with pair(folder, without) as two, watching(two.nodes.nodes[1].url) as watch:
        two.way.bend = swallowed
        since = time.monotonic()
        found = await watch.until(lambda look: not look.ready, since)
        promise.at_most("swallowed, PING answered: not ready after", found, FOUND_S, "s")
        two.way.bend = as_it_is
        since = time.monotonic()
        healed = await watch.until(lambda look: look.ready, since)
        promise.at_most("swallowed, PING answered: ready again after", healed, FOUND_S, "s")


@pytest.mark.promise("P41")
async def test_a_deaf_node_is_found(promise: Promise, tmp_path: Path) -> None:
    await deafen(promise, tmp_path)


@pytest.mark.full
@pytest.mark.twin("P41")
async def test_a_deaf_node_that_sends_itself_nothing(promise: Promise, tmp_path: Path) -> None:
    await deafen(promise, tmp_path, "never_probed")
