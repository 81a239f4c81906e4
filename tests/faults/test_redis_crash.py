"""P6: Redis dies and comes back: nothing acknowledged is lost, and nobody is left without a word."""

import asyncio
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import Load, percentile, playing
from tests.faults.oracle import INVARIANTS, Flaw, count
from tests.faults.promise import Promise
from tests.store.waiting import until

RATE = amount(300.0, 500.0)
ROOMS = amount(30, 100)
ROUNDS = amount(2, 10)
AWAY_S = 2.0
PLAYED_S = 1.0  # between two rounds
DEADLINE_S = 1.0  # for a player to hear something

pytestmark = pytest.mark.slow


class Crashes(NamedTuple):
    """What came of them."""

    resumed: list[float]  # seconds from Redis being back until every room had an acknowledged move, by round
    flaws: list[Flaw]


async def crash(deployment: Deployment, load: Load, rounds: int) -> Crashes:
    """Kill Redis again and again, each time while all play."""
    resumed = []
    for _ in range(rounds):
        await asyncio.sleep(PLAYED_S)
        deployment.redis.kill()
        await asyncio.sleep(AWAY_S)
        await asyncio.to_thread(deployment.redis.start)
        back = time.monotonic()
        await until(lambda since=back: played_since(load, since) == len(load.parties), 10)  # type: ignore[misc]
        resumed.append(time.monotonic() - back)
    return Crashes(resumed, await load.settle(deployment.redis.url))


def played_since(load: Load, moment: float) -> int:
    """Count the rooms in which a move was acknowledged since."""
    rooms = load.record.history.rooms
    return sum(
        any(when > moment for move in seen.moves.values() for when, _ in move.acknowledged)
        for seen in rooms.values()
    )


def silences(load: Load) -> list[float]:
    """Return for how long players heard nothing of a move that they had sent, in rising order."""
    return sorted(wait.seconds for wait in load.record.waits)


@pytest.mark.promise("P6")
async def test_redis_dies_and_nothing_is_lost(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path) as deployment:
        async with playing(deployment.addresses, rooms=ROOMS, rate=RATE) as load:
            crashes = await crash(deployment, load, ROUNDS)
            sockets = sum(person.connections for person in load.persons)
    waited = silences(load)
    promise.at_least("times that Redis was killed", len(crashes.resumed), ROUNDS)
    promise.at_least(
        "moves acknowledged", load.record.history.acknowledged, int(ROUNDS * PLAYED_S * RATE / 2)
    )
    promise.equals("acknowledged moves lost", count(crashes.flaws, "I1"), 0)
    promise.equals("other flaws", count(crashes.flaws, *INVARIANTS) - count(crashes.flaws, "I1"), 0)
    promise.at_least("told that it is unavailable", load.answers("unavailable"), ROUNDS * ROOMS // 2)
    promise.at_most("without a word, p99", percentile(waited, 0.99), DEADLINE_S, "s")
    promise.at_most("without a word, at worst", waited[-1], 2 * DEADLINE_S, "s")
    promise.equals("sockets closed", sockets - len(load.persons), 0)
    promise.at_most("all rooms go on after", max(crashes.resumed), 2, "s")
    assert not load.record.faults


@pytest.mark.twin("P6")
async def test_without_a_file_and_patience_moves_are_lost_and_players_wait(
    tmp_path: Path, promise: Promise
) -> None:
    with Deployment(
        tmp_path, "--appendonly", "no", without="never_told_to_wait", unfit_redis=True
    ) as deployment:
        async with playing(deployment.addresses, rooms=10, rate=100, watchers=0) as load:
            await asyncio.sleep(PLAYED_S)
            deployment.redis.kill()
            await asyncio.sleep(AWAY_S)
            await asyncio.to_thread(deployment.redis.start)
            await until(lambda: any(wait.seconds > AWAY_S for wait in load.record.waits), 10)
            flaws = load.examine(deployment.redis.url)
    promise.equals("acknowledged moves lost", count(flaws, "I1"), 0)
    promise.at_most("without a word, at worst", silences(load)[-1], 2 * DEADLINE_S, "s")
