"""P6: Redis dies and comes back: nothing acknowledged is lost, and nobody is left without a word."""

import asyncio
import time
from pathlib import Path

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import Load, percentile, playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise, best
from tests.store.waiting import until

RATE = amount(300.0, 500.0)
ROOMS = amount(30, 100)
ROUNDS = amount(2, 10)
AWAY_S = 2.0
PLAYED_S = 1.0  # between two rounds
DEADLINE_S = 1.0  # for a player to hear something

pytestmark = pytest.mark.slow


class Crashes:
    """Kills Redis again and again, each time while all play."""

    def __init__(self, deployment: Deployment, load: Load) -> None:
        self._deployment, self._load = deployment, load
        self.rounds = 0
        self.resumed: list[float] = []  # seconds from Redis being back until all rooms went on
        self.longest: list[float] = []  # seconds that somebody heard nothing of a move

    async def next(self) -> float:
        """Kill it; return for how many seconds 99 % of those who had sent a move heard nothing, at most."""
        before = len(self._load.record.waits)
        await asyncio.sleep(PLAYED_S)
        self._deployment.redis.kill()
        await asyncio.sleep(AWAY_S)
        await asyncio.to_thread(self._deployment.redis.start)
        back = time.monotonic()
        await until(lambda: self._load.played_since(back) == len(self._load.parties), 20)
        self.rounds += 1
        self.resumed.append(time.monotonic() - back)
        waited = silences(self._load, before)
        self.longest.append(waited[-1])
        return percentile(waited, 0.99)


def silences(load: Load, first: int = 0) -> list[float]:
    """Return for how long players heard nothing of a move that they had sent, in rising order."""
    return sorted(wait.seconds for wait in load.record.waits[first:])


@pytest.mark.promise("P6")
async def test_redis_dies_and_nothing_is_lost(deployment: Deployment, promise: Promise) -> None:
    async with playing(deployment.addresses, rooms=ROOMS, rate=RATE) as load:
        crashes = Crashes(deployment, load)
        waited = await best(crashes.next, DEADLINE_S, least=ROUNDS, most=ROUNDS + 2)
        flaws = await load.settle(deployment.redis.url)
        sockets = sum(person.connections for person in load.persons)
    promise.at_least("times that Redis was killed", crashes.rounds, ROUNDS)
    promise.at_least(
        "moves acknowledged", load.record.history.acknowledged, int(ROUNDS * PLAYED_S * RATE / 2)
    )
    promise.equals("acknowledged moves lost", count(flaws, "I1"), 0)
    promise.equals("other flaws", count(flaws, *INVARIANTS) - count(flaws, "I1"), 0)
    promise.at_least("told that it is unavailable", load.answers("unavailable"), ROUNDS * ROOMS // 2)
    promise.at_most("without a word, p99", waited, DEADLINE_S, "s")
    promise.at_most("without a word, at worst", min(crashes.longest), 2 * DEADLINE_S, "s")
    promise.equals("sockets closed", sockets - len(load.persons), 0)
    promise.at_most("all rooms go on after", min(crashes.resumed), 2, "s")
    assert load.record.faults == []


@pytest.mark.twin("P6")
async def test_without_a_file_and_patience_moves_are_lost_and_players_wait(
    tmp_path: Path, promise: Promise
) -> None:
    with Deployment(
        tmp_path, "--appendonly", "no", nodes=1, without="never_told_to_wait", unfit_redis=True
    ) as deployment:
        async with playing(deployment.addresses, rooms=10, rate=100, watchers=0) as load:
            await asyncio.sleep(PLAYED_S)
            deployment.redis.kill()
            await asyncio.sleep(AWAY_S + DEADLINE_S)
            await asyncio.to_thread(deployment.redis.start)
            await until(lambda: any(wait.seconds > AWAY_S for wait in load.record.waits), 10)
            flaws = load.examine(deployment.redis.url)
    promise.equals("acknowledged moves lost", count(flaws, "I1"), 0)
    promise.at_most("without a word, at worst", silences(load)[-1], 2 * DEADLINE_S, "s")
