"""P7: the power of Redis fails. Its file ends where it was last synced, a second ago, or within a command.

The power cannot be cut here: Redis is killed, and its file cut off instead.
"""

import asyncio
import os
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.faults.deployment import Deployment
from tests.faults.load import Load, playing
from tests.faults.oracle import INVARIANTS, Flaw, count, lost
from tests.faults.promise import Promise
from tests.store.fleet import Redis
from tests.store.waiting import until

PLAYED_S = 1.0
UNSYNCED_S = 1.0  # with appendfsync everysec
HALF_A_COMMAND = 7  # bytes
ALLOWED_S = 2.0  # of moves that may be lost
ROOMS = 20

pytestmark = pytest.mark.slow


def written(redis: Redis) -> Path:
    """Return the file to which Redis appends."""
    [file] = (redis.folder / "appendonlydir").glob("*.incr.aof")
    return file


class Failure(NamedTuple):
    """What came of it."""

    lost: list[float]  # for how many seconds before the failure the lost moves had been acknowledged
    unsynced: float  # seconds before the failure of which nothing is in the file
    flaws: list[Flaw]


async def fail(deployment: Deployment, load: Load, *, nodes_too: bool) -> tuple[float, float]:
    """Let the power fail, and come back; return when the file was synced, and when the power failed."""
    await asyncio.sleep(PLAYED_S)
    last = time.monotonic()
    synced = written(deployment.redis).stat().st_size
    await asyncio.sleep(UNSYNCED_S)
    await until(lambda: load.played_since(last) == len(load.parties))  # each log has a tail to lose
    failed = time.monotonic()
    deployment.redis.kill()
    if nodes_too:
        for node in deployment.nodes:
            node.kill()
    os.truncate(written(deployment.redis), synced + HALF_A_COMMAND)
    await asyncio.to_thread(deployment.redis.start)
    if nodes_too:
        await asyncio.gather(*(deployment.replace(number) for number in range(len(deployment.nodes))))
        load.hurry()
    return last, failed


async def play_and_fail(deployment: Deployment, load: Load, *, nodes_too: bool) -> Failure:
    """Let the power fail while all play, and everyone play on."""
    synced, failed = await fail(deployment, load, nodes_too=nodes_too)
    await asyncio.sleep(PLAYED_S)
    flaws = await load.settle(deployment.redis.url)
    gone = lost(load.record.history, load.logs(deployment.redis.url))
    return Failure([failed - when for when in gone], failed - synced, flaws)


def resets(load: Load) -> int:
    """Count how often a client was told to hold another game than it did."""
    return sum(view.resets for view in load.record.history.views())


@pytest.mark.promise("P7")
async def test_where_nodes_fail_too_all_go_back_together(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, nodes=2) as deployment:
        async with playing(deployment.addresses, rooms=ROOMS, rate=200) as load:
            failure = await play_and_fail(deployment, load, nodes_too=True)
    limit = failure.unsynced - UNSYNCED_S + ALLOWED_S  # a slow machine lets more than a second go by unsynced
    promise.at_least("clients that were ahead and were told so", resets(load), ROOMS)
    promise.at_most("acknowledged so long before the failure, and lost", max(failure.lost), limit, "s")
    promise.equals("flaws of what is left", count(failure.flaws, *INVARIANTS) - count(failure.flaws, "I1"), 0)
    assert failure.lost, "all had been synced: nothing went back"
    assert load.record.faults == []


@pytest.mark.promise("P7")
async def test_where_nodes_live_on_they_put_back_what_they_know(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, nodes=2) as deployment:
        async with playing(deployment.addresses, rooms=ROOMS, rate=200) as load:
            failure = await play_and_fail(deployment, load, nodes_too=False)
            put_back = sum(node.log().count("a log lost its tail") for node in deployment.nodes)
    promise.at_least("logs that had lost their tails", put_back, ROOMS // 2)
    promise.equals("moves lost where nodes live on", len(failure.lost), 0)
    promise.equals("flaws", count(failure.flaws, *INVARIANTS), 0)
    assert load.record.faults == []


@pytest.mark.full
@pytest.mark.twin("P7")
async def test_clients_that_are_believed_hold_what_is_gone(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, nodes=2, without="believing_whatever_is_held") as deployment:
        async with playing(deployment.addresses, rooms=10, rate=100, watchers=0) as load:
            await fail(deployment, load, nodes_too=True)
            await asyncio.sleep(PLAYED_S)
            flaws = load.examine(deployment.redis.url)
    promise.equals("flaws of what is left", count(flaws, *INVARIANTS) - count(flaws, "I1"), 0)
