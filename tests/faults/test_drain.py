"""P3: a node that is asked to end is ready no longer, answers what is under way, and sends everyone away."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import Load, percentile, playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.person import RESTART
from tests.faults.promise import Promise
from tests.live.node import Node
from tests.live.wire import fetch

HELD_UP_S = 0.3  # by Redis, so that moves are under way when the node is asked to end
DRAIN_S = 4  # as by default

pytestmark = pytest.mark.slow


async def until_shut(node: Node) -> float:
    """Return the seconds until a node no longer says that it is ready."""
    began = time.monotonic()
    while True:
        try:
            if (await fetch(node.url, "/readyz")).status != 200:
                break
        except OSError:
            break
    return time.monotonic() - began


def untold(load: Load, clients: set[str]) -> int:
    """Count those of *clients* who did not hear that the node was about to close."""
    return len(clients - {who for who, _ in load.record.closings})


@dataclass(frozen=True)
class Drained:
    """How a node ended."""

    asked: float  # when it was asked to
    shut: float  # seconds until nobody was let in any more
    ended: float  # seconds until it was gone


def unanswered(load: Load, drained: Drained) -> int:
    """Count the moves that were under way when the node was asked to end, and got no answer."""
    return sum(wait.answer == "lost" and wait.sent < drained.asked for wait in load.record.waits)


async def drain(deployment: Deployment) -> Drained:
    """Ask a node to end while moves are under way."""
    node = deployment.nodes[0]
    deployment.redis.freeze()
    await asyncio.sleep(HELD_UP_S)
    asked = time.monotonic()
    node.terminate()
    shut = await until_shut(node)
    deployment.redis.thaw()
    assert await asyncio.to_thread(node.wait) == 0
    return Drained(asked, shut, time.monotonic() - asked)


@pytest.mark.promise("P3")
async def test_a_node_that_is_asked_to_end_ends_well(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, drain_s=DRAIN_S) as deployment:
        async with playing(deployment.addresses, rooms=amount(30, 100), rate=300) as load:
            clients = {person.name for person in load.on(deployment.nodes[0].url)}
            drained = await drain(deployment)
            await deployment.replace(0)
            flaws = await load.settle(deployment.redis.url)
    gone = sorted(each.lost for each in load.record.interruptions)
    promise.at_most("not ready any more", drained.shut, 0.1, "s")
    promise.at_most("ended", drained.ended, 10, "s")
    promise.equals("clients not told beforehand", untold(load, clients), 0)
    promise.equals("close codes", {each.code for each in load.record.interruptions}, {RESTART})
    promise.equals("moves under way that got no answer", unanswered(load, drained), 0)
    promise.equals("moves made, but not answered", len(load.record.unanswered), 0)
    promise.equals("flaws", count(flaws, *INVARIANTS), 0)
    promise.at_least("spread of those who went", gone[-1] - gone[0], 3, "s")
    promise.at_most("interruption, p99", percentile(load.interruptions(), 0.99), 1, "s")
    assert len(gone) == len(clients)
    assert not load.record.faults


@pytest.mark.twin("P3")
async def test_a_node_that_just_ends_leaves_moves_unanswered(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, without="ended_at_once", drain_s=DRAIN_S) as deployment:
        async with playing(deployment.addresses, rooms=30, rate=300, watchers=0) as load:
            clients = {person.name for person in load.on(deployment.nodes[0].url)}
            drained = await drain(deployment)
            await load.settle(deployment.redis.url)
    promise.equals("clients not told beforehand", untold(load, clients), 0)
    promise.equals("moves under way that got no answer", unanswered(load, drained), 0)
