"""P1: the death of a node loses nothing that was acknowledged, doubles nothing, and all are back at once."""

import asyncio
from pathlib import Path

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import percentile, playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise

RATE = 300.0  # moves a second
ROOMS = amount(40, 100)
KILLS = amount(2, 12)
EVERY_S = amount(3.0, 5.0)
FROZEN_S = 0.05  # before it dies, so that moves are under way when it does

pytestmark = pytest.mark.slow


async def kill_by_turns(deployment: Deployment, kills: int) -> None:
    """Kill one node after the other, and start each again before the next one dies."""
    for kill in range(kills):
        number = kill % len(deployment.nodes)
        await asyncio.sleep(EVERY_S / 2)
        deployment.freeze(number)
        await asyncio.sleep(FROZEN_S)
        deployment.nodes[number].kill()
        await asyncio.sleep(EVERY_S / 2)
        await deployment.replace(number)


@pytest.mark.promise("P1")
async def test_the_death_of_a_node_costs_nobody_a_move(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path) as deployment:
        async with playing(deployment.addresses, rooms=ROOMS, rate=RATE) as load:
            await kill_by_turns(deployment, KILLS)
            flaws = await load.settle(deployment.redis.url)
    back = load.interruptions()
    promise.at_least("nodes killed", KILLS, 2)
    promise.at_least("moves acknowledged", load.record.history.acknowledged, int(KILLS * EVERY_S * RATE / 2))
    promise.at_least("moves whose node died under them", load.answers("lost"), 1)
    promise.equals("acknowledged moves lost", count(flaws, "I1"), 0)
    promise.equals("moves doubled", count(flaws, "I2"), 0)
    promise.equals("other flaws", count(flaws, *INVARIANTS) - count(flaws, "I1", "I2"), 0)
    promise.at_least("clients that had to go elsewhere", len(back), KILLS * ROOMS // 2)
    promise.at_most("back at the head, p99", percentile(back, 0.99), 2, "s")
    promise.at_most("back at the head, the last one", back[-1], 3, "s")
    assert not load.record.faults


@pytest.mark.twin("P1")
async def test_what_is_acknowledged_before_it_is_stored_is_lost(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, without="acknowledged_before_it_is_stored") as deployment:
        async with playing(deployment.addresses, rooms=10, rate=100, watchers=0) as load:
            await asyncio.sleep(0.5)
            for node in deployment.nodes:
                node.kill()
            flaws = load.examine(deployment.redis.url)
    promise.equals("acknowledged moves lost", count(flaws, "I1"), 0)
