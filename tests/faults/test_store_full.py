"""P32, P33: Redis has no memory left, or no disk: it takes no moves, players hear so, and nothing is lost."""

import asyncio
import math
import random
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
import redis as driver
from tests.effort import amount
from tests.faults.deployment import Deployment, apart
from tests.faults.disk import Disk
from tests.faults.load import Load, percentile, playing
from tests.faults.promise import Promise
from tests.live.client import Client
from tests.live.wire import fetch
from tests.servers import ENDS_S
from tests.store.fleet import Redis
from tests.store.waiting import until

ROOMS: Final = amount(20, 60)
RATE: Final = 200.0
FULL_S: Final = amount(1.0, 20.0)  # for so long nothing fits in any more
LEFT: Final = amount(-500_000, 20_000)  # bytes; to fill them takes a while
ANSWER_S: Final = 1.2  # `unavailable` is said after a second
BACK_S: Final = 3.0
FULLER_S: Final = 20.0  # until it is full

pytestmark = pytest.mark.slow


def memory(url: str) -> int:
    """Return how much memory a Redis uses."""
    with closing(driver.Redis.from_url(url)) as store:
        return int(store.info("memory")["used_memory"])


def set_memory(url: str, most: int) -> None:
    """Set how much memory a Redis may use."""
    with closing(driver.Redis.from_url(url)) as store:
        store.config_set("maxmemory", most)


def lengths(load: Load, url: str) -> dict[str, int]:
    with closing(driver.Redis.from_url(url)) as store:
        return load.heads(store)


async def be_told(load: Load) -> None:
    """Wait until so many moves were answered by `unavailable` that Redis surely is full."""
    before = load.answers("unavailable")
    await until(lambda: load.answers("unavailable") >= before + ROOMS, FULLER_S)


async def fill(load: Load, url: str) -> None:
    """Leave Redis a little memory, more than the least it used, until it is full.

    What it uses goes up and down by more than is left, as connections' buffers come and go.
    """
    full = asyncio.ensure_future(be_told(load))
    least = math.inf
    while not full.done():
        least = min(least, memory(url))
        set_memory(url, int(least) + LEFT)
        await asyncio.wait([full], timeout=0.1)
    await full


async def play_on(load: Load) -> float:
    """Wait until moves are made again in as many rooms as before, and return how long that took."""
    began, before = time.monotonic(), load.record.history.acknowledged
    await until(lambda: load.record.history.acknowledged >= before + ROOMS, FULLER_S)
    return time.monotonic() - began


async def look_around(load: Load, deployment: Deployment, promise: Promise, *, seated: bool) -> None:
    """Let people break off and come back, strangers come, and lists be read, while Redis is full.

    Args:
        seated: Whether those on seats can come back, too.
    """
    logs = lengths(load, deployment.redis.url)
    settled = [person for party in load.parties if party.plays for person in party.persons]
    able = [person for person in settled if seated or person.seat is None]
    leaving = random.sample(able, len(able) // 2)
    before = len(load.record.interruptions)
    for person in leaving:
        assert person.line is not None
        person.line.abort()
    await until(lambda: len(load.record.interruptions) == before + len(leaving), FULLER_S)
    slowest = max(interruption.seconds for interruption in load.record.interruptions[before:])
    promise.at_most("back in the room, the last of those who broke off", slowest, BACK_S, "s")
    for url in deployment.addresses():
        stranger = await Client.connect(url)
        await stranger.hello()
        shown = [await stranger.ask("join", room=room, watch=True) for room in list(logs)[:5]]
        assert [answer["seq"] for answer in shown] == list(logs.values())[:5]
        assert (await fetch(url, "/v1/rooms")).status == 200
        await stranger.close()
    await asyncio.sleep(FULL_S)
    grown = lengths(load, deployment.redis.url).items() - logs.items()
    promise.equals("logs that grew meanwhile", len(grown), 0)


async def check(load: Load, url: str, promise: Promise) -> None:
    waits = sorted(wait.seconds for wait in load.record.waits if wait.answer == "unavailable")
    promise.at_most("`unavailable` is said, p99", percentile(waits, 0.99), ANSWER_S, "s")
    promise.equals("flaws", len(await load.settle(url)), 0)
    assert not load.record.faults


@pytest.mark.promise("P32")
async def test_a_redis_without_memory_takes_no_moves_and_loses_none(tmp_path: Path, promise: Promise) -> None:
    async with (
        apart(lambda: Deployment(tmp_path, nodes=2)) as deployment,
        playing(deployment.addresses, rooms=ROOMS, rate=RATE) as load,
    ):
        url = deployment.redis.url
        await fill(load, url)
        set_memory(url, memory(url) // 2)  # while it comes and goes, a move may fit in now and then
        await be_told(load)
        await look_around(load, deployment, promise, seated=True)
        for node in deployment.nodes:
            assert "store takes no appends" in node.log()
        set_memory(url, 0)  # as much as there is
        promise.at_most("moves are made again", await play_on(load), BACK_S, "s")
        await check(load, url, promise)


@pytest.mark.twin("P32")
async def test_a_redis_that_makes_room_loses_games(tmp_path: Path, promise: Promise) -> None:
    """No server starts on such a one, unless it is told to."""
    evicting = ("--maxmemory-policy", "allkeys-random")
    with Deployment(tmp_path, *evicting, nodes=1, unfit_redis=True) as deployment:
        async with playing(deployment.addresses, rooms=5, rate=100, watchers=0) as load:
            set_memory(deployment.redis.url, memory(deployment.redis.url) // 2)
            await asyncio.sleep(1)
            load.resting = True
            promise.equals("flaws", len(load.examine(deployment.redis.url)), 0)


@pytest.mark.full
@pytest.mark.promise("P33")
async def test_a_redis_without_disk_takes_no_moves_and_loses_none(tmp_path: Path, promise: Promise) -> None:
    with Disk(tmp_path / "disk", "4m") as disk, Redis(tmp_path, "--dir", str(disk.path), at=disk) as redis:
        async with (
            apart(lambda: Deployment(tmp_path, nodes=2, store=redis)) as deployment,
            playing(deployment.addresses, rooms=ROOMS, rate=RATE) as load,
        ):
            disk.fill()
            await be_told(load)
            await look_around(load, deployment, promise, seated=False)
            disk.free()
            promise.at_most("moves are made again", await play_on(load), BACK_S, "s")
            await check(load, redis.url, promise)


@pytest.mark.full
@pytest.mark.promise("P33")
async def test_a_redis_that_ends_for_want_of_disk_has_all_when_it_is_started_again(
    tmp_path: Path, promise: Promise
) -> None:
    with (
        Disk(tmp_path / "disk", "4m") as disk,
        Redis(tmp_path, "--dir", str(disk.path), "--appendfsync", "always", at=disk) as redis,
    ):
        async with (
            apart(lambda: Deployment(tmp_path, nodes=2, store=redis)) as deployment,
            playing(deployment.addresses, rooms=ROOMS, rate=RATE) as load,
        ):
            disk.fill()
            await asyncio.to_thread(redis.process.wait, ENDS_S)
            await be_told(load)
            disk.free()
            redis.kill()  # only to clear up after it
            await asyncio.to_thread(redis.start)
            promise.at_most("moves are made again", await play_on(load), BACK_S, "s")
            await check(load, redis.url, promise)


@pytest.mark.full
@pytest.mark.twin("P33")
async def test_a_redis_that_does_not_care_whether_it_could_write_loses_games(
    tmp_path: Path, promise: Promise
) -> None:
    """Nothing is written at all, and it is restarted: that is what a server refuses to start on."""
    with Redis(tmp_path, "--appendonly", "no") as redis:
        with Deployment(tmp_path, nodes=1, store=redis, unfit_redis=True) as deployment:
            async with playing(deployment.addresses, rooms=5, rate=100, watchers=0) as load:
                await asyncio.sleep(0.5)
                load.resting = True
                redis.kill()
                await asyncio.to_thread(redis.start)
                promise.equals("flaws", len(load.examine(redis.url)), 0)
