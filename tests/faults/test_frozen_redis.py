"""P11: Redis is frozen while its connections stay open; later it also does what it was asked meanwhile."""

import asyncio
import time
from pathlib import Path

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise
from tests.faults.watch import caught_up, watching
from tests.store.waiting import until

pytestmark = pytest.mark.slow

ROOMS, RATE = 20, 200.0
ANSWER_S = 1.5
FOUND_S = 5.0
PLAYED_ON = 100  # moves


async def freeze(promise: Promise, folder: Path, seconds: float, nodes: int = 2, without: str = "") -> None:
    with Deployment(folder, nodes=nodes, without=without) as deployment:
        async with (
            playing(deployment.addresses, rooms=ROOMS, rate=RATE) as load,
            watching(deployment.nodes[0].url) as watch,
        ):
            deployment.redis.freeze()
            frozen = time.monotonic()
            unready = await watch.until(lambda look: not look.ready, frozen, FOUND_S)
            deaf = await watch.until(lambda look: not look.feed, frozen, FOUND_S)
            await asyncio.sleep(max(0.0, frozen + seconds - time.monotonic()))
            before = load.record.history.acknowledged
            deployment.redis.thaw()
            thawed = time.monotonic()
            ready = await watch.until(lambda look: look.ready, thawed, FOUND_S)
            await until(lambda: load.record.history.acknowledged >= before + PLAYED_ON)
            after = load.record.history.acknowledged
            late = await caught_up(load, deployment.redis.local)
            flaws = load.examine(deployment.redis.local)
    promise.at_most("not ready after", unready, FOUND_S, "s")
    promise.at_most("feed given up after", deaf, FOUND_S, "s")
    promise.at_most("a move waits for its answer", max(w.seconds for w in load.record.waits), ANSWER_S, "s")
    promise.at_least("moves answered `unavailable`", load.answers("unavailable"), ROOMS)
    promise.equals("moves made twice", count(flaws, "I2", "I4"), 0)
    promise.equals("acknowledged moves lost", count(flaws, "I1"), 0)
    promise.equals("other flaws", count(flaws, *INVARIANTS) - count(flaws, "I1", "I2", "I4"), 0)
    promise.at_most("ready again after", ready, FOUND_S, "s")
    promise.at_least("moves acknowledged after that", after - before, PLAYED_ON)
    promise.at_most("at the head after the last move", late, 2.0, "s")
    promise.equals("what no client should be told", len(load.record.faults), 0)


@pytest.mark.promise("P11")
async def test_while_redis_is_frozen_and_after_it_each_move_is_made_once_at_most(
    promise: Promise, tmp_path: Path
) -> None:
    await freeze(promise, tmp_path, amount(4.0, 10.0))


@pytest.mark.full
@pytest.mark.twin("P11")
async def test_sending_again_without_a_look_at_the_end_makes_moves_twice(
    promise: Promise, tmp_path: Path
) -> None:
    """With one node only, lest two are in each other's way."""
    await freeze(promise, tmp_path, 2.0, nodes=1, without="appended_wherever_the_log_ends")
