"""P1: the death of a node loses nothing that was acknowledged, doubles nothing, and all are back at once."""

import asyncio
from pathlib import Path

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import Load, percentile, playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise, best
from tests.store.waiting import until

RATE = 300.0  # moves a second
ROOMS = amount(40, 100)
KILLS = amount(2, 12)
EVERY_S = amount(2.0, 5.0)
FROZEN_S = (
    0.05  # before it dies, so that answers that were under way have come: moves that wait do so in vain
)
MOVES = int(KILLS * EVERY_S * RATE / 3)  # acknowledged, at least
MOVES_OF_TWIN = 50  # hardly any of them has been written by then
MOST_S, LAST_S = 2.0, 3.0  # until 99 % of its clients are back, and the last one

pytestmark = pytest.mark.slow


class Crashes:
    """Kills one node after the other, and starts each again before the next one dies."""

    def __init__(self, deployment: Deployment, load: Load) -> None:
        self._deployment, self._load = deployment, load
        self.kills = 0
        self.clients = 0  # that were on nodes that died

    async def next(self) -> float:
        """Kill a node; return how long its clients were away, the worse of p99 and the last less 1 s."""
        number = self.kills % len(self._deployment.nodes)
        await asyncio.sleep(EVERY_S / 2)
        url = self._deployment.nodes[number].url
        self._deployment.freeze(number)
        await asyncio.sleep(FROZEN_S)
        lost = self._load.on(url)
        await until(lambda: any(person.move is not None for person in lost))
        before = len(self._load.record.interruptions)
        self._deployment.nodes[number].kill()
        await asyncio.sleep(EVERY_S / 2)
        await self._deployment.replace(number)
        await until(lambda: all(person.at_head and person.url != url for person in lost), 20)
        self.kills += 1
        self.clients += len(lost)
        away = sorted(each.seconds for each in self._load.record.interruptions[before:])
        return max(percentile(away, 0.99), away[-1] - (LAST_S - MOST_S))


@pytest.mark.promise("P1")
async def test_the_death_of_a_node_costs_nobody_a_move(deployment: Deployment, promise: Promise) -> None:
    async with playing(deployment.addresses, rooms=ROOMS, rate=RATE) as load:
        crashes = Crashes(deployment, load)
        away = await best(crashes.next, MOST_S, least=KILLS, most=KILLS + 3)
        await until(lambda: load.record.history.acknowledged >= MOVES, 60)  # however slow the machine is
        flaws = await load.settle(deployment.redis.url)
    promise.at_least("nodes killed", crashes.kills, KILLS)
    promise.at_least("moves acknowledged", load.record.history.acknowledged, MOVES)
    promise.at_least("moves whose node died under them", load.answers("lost"), 1)
    promise.equals("acknowledged moves lost", count(flaws, "I1"), 0)
    promise.equals("moves doubled", count(flaws, "I2"), 0)
    promise.equals("other flaws", count(flaws, *INVARIANTS) - count(flaws, "I1", "I2"), 0)
    promise.at_least("clients that had to go elsewhere", crashes.clients, KILLS * ROOMS // 2)
    promise.at_most("back at the head, p99, and the last one 1 s later", away, MOST_S, "s")
    assert load.record.faults == []


@pytest.mark.twin("P1")
async def test_what_is_acknowledged_before_it_is_stored_is_lost(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, nodes=1, without="acknowledged_before_it_is_stored") as deployment:
        async with playing(deployment.addresses, rooms=10, rate=100, watchers=0) as load:
            await until(lambda: load.record.history.acknowledged >= MOVES_OF_TWIN)
            deployment.nodes[0].kill()
            flaws = load.examine(deployment.redis.url)
    promise.equals("acknowledged moves lost", count(flaws, "I1"), 0)
