"""P37: hundreds of moves at once go over few connections to Redis; where too many wait, the rest hear so."""

import time
from pathlib import Path
from statistics import median
from typing import Final

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment, apart
from tests.faults.load import Load, percentile, playing
from tests.faults.person import Wait
from tests.faults.promise import Promise
from tests.store.waiting import until

ROOMS: Final = amount(100, 250)  # in each two who move
BURSTS: Final = amount(5, 40)
CONNECTIONS: Final = 32
WAIT_S: Final = 0.1  # p99
MAY_WAIT: Final = 8  # see launch.py
FEW: Final = 40  # rooms, more than that
AT_ONCE_S: Final = 0.5
PATIENCE_S: Final = 30.0

pytestmark = pytest.mark.slow


async def burst(load: Load) -> list[float]:
    """Let all players of all rooms move in the same moment; return how many seconds each waited."""
    await until(lambda: all(party.plays and party.quiet for party in load.parties))
    before = len(load.record.waits)
    sent = sum(party.step(contention=1) for party in load.parties)
    await until(lambda: len(load.record.waits) >= before + sent, PATIENCE_S)
    answers = {wait.answer for wait in load.record.waits[before:]}
    assert answers <= {"event", "refused", "unavailable"}  # that one after a second: it counts as such
    return sorted(wait.seconds for wait in load.record.waits[before:])


async def connections(deployment: Deployment) -> int:
    """Count the connections that Redis has, but for the one that asks."""
    listed = await deployment.redis.ask("CLIENT", "LIST")
    assert isinstance(listed, bytes)
    return len(listed.splitlines()) - 1


@pytest.mark.promise("P37")
async def test_hundreds_of_moves_at_once_wait_for_nobody_long(
    deployment: Deployment, promise: Promise
) -> None:
    async with playing(deployment.addresses, rooms=ROOMS, rate=0.001, watchers=0) as load:
        load.resting = True
        waits = [await burst(load) for _ in range(BURSTS)]
        used = await connections(deployment)
        flaws = await load.settle(deployment.redis.url)
    promise.at_least("moves at once", median(map(len, waits)), 2 * ROOMS)
    promise.at_most("connections to Redis, of each node", used / len(deployment.nodes), CONNECTIONS)
    promise.at_most("their answers, p99", median(percentile(each, 0.99) for each in waits), WAIT_S, "s")
    promise.equals("flaws", len(flaws), 0)
    assert not load.record.faults


async def overfill(folder: Path, promise: Promise, without: str) -> None:
    """Freeze Redis, let more rooms move than may wait for it, and take down who is told so at once."""
    async with (
        apart(lambda: Deployment(folder, nodes=1, without=without)) as deployment,
        playing(deployment.addresses, rooms=FEW, rate=0.001, watchers=0) as load,
    ):
        load.resting = True
        await until(lambda: all(party.plays and party.quiet for party in load.parties), PATIENCE_S)
        deployment.redis.freeze()
        began = time.monotonic()
        for party in load.parties:
            party.step(contention=0)
        ended = time.monotonic()

        def first() -> list[Wait]:
            """Return what came of the moves that were sent just now, the first time."""
            return [wait for wait in load.record.waits if began <= wait.sent <= ended]

        await until(lambda: len(first()) == FEW, PATIENCE_S)
        deployment.redis.thaw()
        flaws = await load.settle(deployment.redis.url)
    assert {wait.answer for wait in first()} == {"unavailable"}
    quickest = min(wait.seconds for wait in first())  # which tells how busy this machine is
    at_once = sum(wait.seconds < quickest + AT_ONCE_S for wait in first())
    promise.equals(f"of {FEW}, told at once that too many wait", at_once, FEW - MAY_WAIT)
    promise.equals("flaws", len(flaws), 0)
    assert not load.record.faults


@pytest.mark.promise("P37")
async def test_where_too_many_wait_the_rest_hear_so_at_once(tmp_path: Path, promise: Promise) -> None:
    await overfill(tmp_path, promise, "eight_may_wait")


@pytest.mark.full
@pytest.mark.twin("P37")
async def test_where_any_number_may_wait_all_do(tmp_path: Path, promise: Promise) -> None:
    await overfill(tmp_path, promise, "")
