"""Nothing happens for long, then somebody moves: whatever was closed or fell asleep, nobody notices.

What may be hours in life is seconds here, or two minutes; in return Redis closes connections that are idle
for a second.
"""

import asyncio
from pathlib import Path

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise
from tests.faults.watch import caught_up

pytestmark = pytest.mark.slow

IDLE_S = amount(4.0, 120.0)
ANSWER_S = 0.5


@pytest.mark.promise("P10")
async def test_one_move_after_a_long_silence(promise: Promise, tmp_path: Path) -> None:
    with Deployment(tmp_path, "--timeout", "1", nodes=2) as deployment:
        async with playing(deployment.addresses, rooms=5, rate=50) as load:
            await asyncio.sleep(0.5)
            await caught_up(load, deployment.redis.local)
            before = len(load.record.waits)
            await asyncio.sleep(IDLE_S)  # which is what is tested
            for party in load.parties:
                party.step()
            late = await caught_up(load, deployment.redis.local)
            waits = load.record.waits[before:]
            flaws = load.examine(deployment.redis.local)
    what = f"after {IDLE_S:g} s of silence: "
    promise.at_least(what + "moves", len(waits), len(load.parties))
    promise.equals(
        what + "moves not answered at once", sum(w.answer not in ("event", "refused") for w in waits), 0
    )
    promise.at_most(what + "a move waits", max(wait.seconds for wait in waits), ANSWER_S, "s")
    promise.at_most(what + "everyone has it after", late, ANSWER_S, "s")
    promise.equals(what + "clients that lost their connection", len(load.record.interruptions), 0)
    promise.equals(what + "flaws (I1 to I8)", count(flaws, *INVARIANTS), 0)
