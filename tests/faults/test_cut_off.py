"""P10: a node is cut off from Redis without a word, and comes back when the network does."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment, apart
from tests.faults.distant import Way
from tests.faults.load import playing
from tests.faults.network import Network
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise
from tests.faults.watch import acknowledgements, all_level, caught_up, watching
from tests.store.fleet import Redis

pytestmark = pytest.mark.slow

ROOMS, RATE = 10, 100.0
FOUND_S = 5.0
BACK_S = 3.0
ANSWER_S = 1.5
LAG_S = 0.1
ON_ITS_WAY_S = 0.5  # what had been acknowledged when the network went may be told for so long


class Far(NamedTuple):
    """Redis and two nodes, each on a host of its own, and ways from here to the nodes."""

    network: Network
    redis: Redis
    ways: list[Way]

    nodes: Deployment

    def addresses(self) -> list[str]:
        return [way.url for way in self.ways]

    def stuck(self) -> int:
        """Count how often the first node said that its event loop did not turn."""
        return self.nodes.nodes[0].log().count("the event loop is stuck")


@asynccontextmanager
async def far(folder: Path, without: str = "") -> AsyncIterator[Far]:
    with Network() as network:
        hosts = [network.host() for _ in range(2)]
        with Redis(folder, at=network.host()) as redis:
            start = partial(Deployment, folder, nodes=2, without=without, store=redis, places=hosts)
            async with apart(start) as deployment, AsyncExitStack() as stack:
                ways = [
                    await stack.enter_async_context(Way(host, node))
                    for host, node in zip(hosts, deployment.nodes, strict=True)
                ]
                yield Far(network, redis, ways, deployment)


async def cut_off(promise: Promise, folder: Path, seconds: float, without: str = "") -> None:
    async with (
        far(folder, without) as there,
        playing(there.addresses, rooms=ROOMS, rate=RATE) as load,
        watching(there.ways[0].url) as watch,
        watching(there.ways[1].url) as other,
    ):
        cut_one, stayed = there.ways[0].host, load.on(there.ways[0].url)
        there.network.cut(cut_one)
        cut = time.monotonic()
        unready = await watch.until(lambda look: not look.ready, cut, FOUND_S + 2)
        deaf = await watch.until(lambda look: not look.feed, cut, FOUND_S + 2)
        await asyncio.sleep(cut + seconds - time.monotonic())
        there.network.heal(cut_one)
        healed = time.monotonic()
        level = await all_level(load, stayed, there.redis.local)
        ready = await watch.until(lambda look: look.ready, healed, 2 * BACK_S)
        await asyncio.sleep(0.5)  # of play by all
        late = await caught_up(load, there.redis.local)
        flaws = load.examine(there.redis.local)
    what = f"{seconds:g} s: "
    promise.at_least(what + "players and watchers of the node", len(stayed), 5)
    promise.at_most(what + "not ready after", unready, FOUND_S, "s")
    promise.at_most(what + "feed given up after", deaf, FOUND_S, "s")
    meanwhile = [when for when in acknowledgements(load, stayed) if cut + ON_ITS_WAY_S < when < healed]
    promise.equals(what + "moves acknowledged meanwhile", len(meanwhile), 0)
    promise.at_least(what + "moves answered `unavailable`", load.answers("unavailable"), 5)
    promise.at_most(
        what + "a move waits for its answer", max(w.seconds for w in load.record.waits), ANSWER_S, "s"
    )
    slower = watch.slow_answer(cut) - other.slow_answer(cut)  # which tells how busy this machine is
    promise.at_most(what + "a page takes longer than of the other node, p95", max(0.0, slower), LAG_S, "s")
    promise.equals(what + "times that its event loop was stuck for a second", there.stuck(), 0)
    promise.at_most(what + "ready again after", ready, BACK_S, "s")
    promise.at_most(what + "everyone at the head again after", level, BACK_S, "s")
    promise.at_most(what + "at the head after the last move", late, 2.0, "s")
    promise.equals(what + "flaws (I1 to I8)", count(flaws, *INVARIANTS), 0)
    promise.equals(what + "events told twice, or after a gap", load.doubles + load.gaps, 0)
    promise.equals(what + "what no client should be told", len(load.record.faults), 0)


@pytest.mark.promise("P10")
@pytest.mark.parametrize("seconds", amount([5.0], [20.0, 60.0]))
async def test_a_node_that_is_cut_off(promise: Promise, tmp_path: Path, seconds: float) -> None:
    await cut_off(promise, tmp_path, seconds)


@pytest.mark.full
@pytest.mark.twin("P10")
async def test_a_node_that_is_cut_off_and_does_not_watch_its_connection(
    promise: Promise, tmp_path: Path
) -> None:
    await cut_off(promise, tmp_path, 7.0, "never_probed")
