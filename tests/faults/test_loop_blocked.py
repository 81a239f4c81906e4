"""P42: a blocked event loop is noticed, where it is blocked is logged, and the process ends; games go on."""

import asyncio
import json
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from tests.effort import amount
from tests.faults.deployment import Launched
from tests.faults.promise import Promise
from tests.live.conftest import knock, meet
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.live.wire import fetch
from tests.store.waiting import until

from tenmatch.app.watchdog import STATUS

__all__ = ["knock", "meet"]

HELD_UP_S: Final = 0.3
EVERY_S: Final = 0.25  # as often the loop is asked for a turn: so much later it may be noticed
LOG_S: Final = 1.0
TRIES: Final = 5  # a busy machine may let the watchdog ask too late
END_S: Final = amount(2.0, 10.0)
LATE_S: Final = 3.0  # on a machine that does other things, too
LIMITS: Final[dict[str, Any]] = {"stuck_log_s": LOG_S, "stuck_end_s": END_S}
STUCK: Final = '"the event loop is stuck"'

pytestmark = pytest.mark.slow


@pytest.fixture
def node() -> None:
    """Let each test start its own."""


async def lag_ms(node: Node) -> int:
    """Return by how much the loop was late of late, as the node says."""
    return int(json.loads((await fetch(node.url, "/readyz")).body)["lag_ms"])


async def measure(node: Node, promise: Promise, late_s: float = LATE_S) -> None:
    """Hold the loop up, for a moment and for good, and take down what becomes of it."""
    promise.at_most("late at worst, when nothing holds it up", await lag_ms(node), HELD_UP_S * 500, "ms")
    least = 1000 * (HELD_UP_S - EVERY_S)
    for _ in range(TRIES):
        node.process.send_signal(signal.SIGUSR1)
        await asyncio.sleep(HELD_UP_S + 2 * EVERY_S)
        if (late := await lag_ms(node)) >= least:
            break
    promise.at_least("late, after 300 ms of a blocking call", late, least, "ms")
    node.process.send_signal(signal.SIGUSR2)
    said = await waited(lambda: STUCK in node.log(), LOG_S + late_s)
    promise.at_most("until it is logged where it is stuck", said, LOG_S + late_s, "s")
    ended = said + await waited(lambda: node.process.poll() is not None, END_S + late_s - said)
    promise.at_least("until the process ends, at least", ended, END_S, "s")
    promise.at_most("until the process ends, at most", ended, END_S + late_s, "s")
    promise.equals("its status", node.process.poll(), STATUS)


async def waited(holds: Callable[[], bool], within: float) -> float:
    """Wait for something, and return how long; more than *within* seconds if it does not come."""
    began = time.monotonic()
    with suppress(TimeoutError):
        await until(holds, within)
    return time.monotonic() - began


@pytest.mark.promise("P42")
async def test_a_blocked_loop_is_logged_and_ended_and_games_go_on(
    tmp_path: Path, meet: Meet, promise: Promise
) -> None:
    with Launched(tmp_path, without="held_up_on_demand", **LIMITS) as node:
        table = await Table.begin(
            lambda *codec: meet(*codec, url=node.url), "race", size=27, seed="006d" * 16
        )
        await table.match(0)
        await measure(node, promise)
        stuck = next(json.loads(line) for line in node.log().splitlines() if STUCK in line)
        assert "in _hold_up" in stuck["stacks"].split("MainThread")[1]
        assert node.wait() == STATUS
        node.start()
        for place, player in enumerate(table.players):
            table.players[place] = back = await player.again(node.url)
            assert (await back.resume(table.room))["t"] == "resumed"
        table.teller, table.watchers = table.players[0], []
        assert (await table.match(1))["kind"] == "matched"


@pytest.mark.full
@pytest.mark.twin("P42")
async def test_a_loop_that_nobody_watches_stays_blocked(tmp_path: Path, promise: Promise) -> None:
    node = Launched(tmp_path, without="held_up_and_not_watched", **LIMITS)
    try:
        await measure(node, promise, late_s=0.5)
    finally:
        node.kill()
