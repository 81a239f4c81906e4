"""P2: a node that hangs is left by its clients, and what it does when it goes on comes too late."""

import asyncio
import math
import time
from pathlib import Path

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import Load, playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise
from tests.store.waiting import until

FROZEN_S = amount(11.0, 28.0)  # after 30 s it would cut off those who stayed, before it hears them
FOUND_S = 1.0  # for a node that goes on, to find out what it missed
BY_THEN_S = 15.0

pytestmark = pytest.mark.slow


async def all_elsewhere(load: Load, url: str, within: float) -> None:
    """Return when everyone is at the head through another node, but those who wait for ever."""
    impatient = [person for person in load.persons if person.gone_s < math.inf]
    await until(lambda: all(p.at_head and p.url != url for p in impatient), within)


@pytest.mark.promise("P2")
async def test_a_node_that_hangs_is_left_and_comes_too_late(deployment: Deployment, promise: Promise) -> None:
    async with playing(deployment.addresses, rooms=amount(30, 100), rate=200) as load:
        hung = deployment.nodes[0].url
        left = load.on(hung)
        faithful = [person for person in left if person.seat is None][:3]
        for person in faithful:
            person.gone_s = math.inf
        deployment.freeze(0)
        frozen = time.monotonic()
        await all_elsewhere(load, hung, 2 * BY_THEN_S)
        moved = time.monotonic() - frozen
        await asyncio.sleep(max(0.0, FROZEN_S - moved))
        deployment.thaw(0)
        await asyncio.sleep(FOUND_S)
        flaws = await load.settle(deployment.redis.url)
        stayed = sum(person.url == hung and person.connections == 1 for person in faithful)
    promise.at_least("clients of the node that hung", len(left) - len(faithful), 10)
    promise.at_least("their moves that it did not answer", load.answers("lost"), 1)
    promise.at_most("all of them at the head elsewhere", moved, BY_THEN_S, "s")
    promise.equals("moves doubled or lost", count(flaws, "I1", "I2"), 0)
    promise.equals("stale events told to those who stayed", count(flaws, "I8"), 0)
    promise.equals("other flaws", count(flaws, *INVARIANTS) - count(flaws, "I1", "I2", "I8"), 0)
    assert stayed == len(faithful) > 0
    assert load.record.faults == []


@pytest.mark.twin("P2")
async def test_appending_without_a_look_at_the_end_breaks_logs(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, without="appended_wherever_the_log_ends") as deployment:
        async with playing(deployment.addresses, rooms=10, rate=200, watchers=0) as load:
            deployment.freeze(0)
            await asyncio.sleep(0.5)
            deployment.thaw(0)
            await asyncio.sleep(0.5)
            flaws = load.examine(deployment.redis.url)
    promise.equals("moves doubled or lost", count(flaws, "I1", "I2"), 0)
