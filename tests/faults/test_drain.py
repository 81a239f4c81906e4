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
from tests.store.waiting import until

SHUT_S, AWAY_S = 0.1, 1.0  # until nobody is let in any more; for a client without its room
HELD_UP_S = 0.3  # by Redis, so that moves are under way when the node is asked to end

pytestmark = pytest.mark.slow


async def until_shut(node: Node) -> float:
    """Return the seconds until a node no longer says that it is ready."""
    began = time.monotonic()
    while True:
        try:
            if (await fetch(node.url, "/readyz")).status != 200:
                break
        except (OSError, ValueError):  # nobody is there, or went before the answer
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
    spread: float  # seconds between the first and the last client who was sent away
    away: float  # seconds that 99 % of its clients were without their rooms, at most
    codes: set[int]  # with which their connections were closed

    @property
    def soon(self) -> bool:
        """Whether all was done in the time that is promised."""
        return self.shut <= SHUT_S and self.away <= AWAY_S


def unanswered(load: Load, drained: Drained) -> int:
    """Count the moves that were under way when the node was asked to end, and got no answer."""
    return sum(
        wait.answer == "lost" and wait.sent < drained.asked <= wait.sent + wait.seconds
        for wait in load.record.waits
    )


async def drain(deployment: Deployment, load: Load, number: int = 0) -> Drained:
    """Ask a node to end while moves are under way."""
    node, before = deployment.nodes[number], len(load.record.interruptions)
    clients = load.on(node.url)
    deployment.redis.freeze()
    await asyncio.sleep(HELD_UP_S)
    asked = time.monotonic()
    node.terminate()
    shut = await until_shut(node)
    deployment.redis.thaw()
    assert await asyncio.to_thread(node.wait) == 0
    ended = time.monotonic() - asked
    await until(lambda: all(person.at_head and person.url != node.url for person in clients), 20)
    gone = load.record.interruptions[before:]
    lost = sorted(each.lost for each in gone)
    away = percentile(sorted(each.seconds for each in gone), 0.99)
    return Drained(asked, shut, ended, lost[-1] - lost[0], away, {each.code for each in gone})


@pytest.mark.promise("P3")
async def test_a_node_that_is_asked_to_end_ends_well(deployment: Deployment, promise: Promise) -> None:
    async with playing(deployment.addresses, rooms=amount(30, 100), rate=300) as load:
        for number in range(len(deployment.nodes)):  # one, unless the machine was too busy for that
            clients = {person.name for person in load.on(deployment.nodes[number].url)}
            drained = await drain(deployment, load, number)
            if drained.soon:
                break
            await deployment.replace(number)
        flaws = await load.settle(deployment.redis.url)
    promise.at_most("not ready any more", drained.shut, SHUT_S, "s")
    promise.at_most("ended", drained.ended, 10, "s")
    promise.equals("clients not told beforehand", untold(load, clients), 0)
    promise.equals("close codes", drained.codes, {RESTART})
    promise.equals("moves under way that got no answer", unanswered(load, drained), 0)
    promise.equals("moves made, but not answered", len(load.record.unanswered), 0)
    promise.equals("flaws", count(flaws, *INVARIANTS), 0)
    promise.at_least("spread of those who went", drained.spread, 3, "s")
    promise.at_most("interruption, p99", drained.away, AWAY_S, "s")
    assert load.record.faults == []


@pytest.mark.twin("P3")
async def test_a_node_that_just_ends_leaves_moves_unanswered(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, nodes=2, without="ended_at_once") as deployment:
        async with playing(deployment.addresses, rooms=30, rate=300, watchers=0) as load:
            clients = {person.name for person in load.on(deployment.nodes[0].url)}
            drained = await drain(deployment, load)
            await load.settle(deployment.redis.url)
    promise.equals("clients not told beforehand", untold(load, clients), 0)
    promise.equals("moves under way that got no answer", unanswered(load, drained), 0)
