"""P13, P14, P41: what is published gets lost, comes twice or in the wrong order, or does not come at all."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
import pytest_asyncio
from tests.effort import amount
from tests.faults.deployment import Deployment, apart
from tests.faults.load import Load, playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise
from tests.faults.pushes import Bend, Every, Pushes, Swapped, as_it_is, swallowed, twice
from tests.faults.watch import caught_up, watching
from tests.live.figures import scrape
from tests.store.fleet import Redis
from tests.store.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

ROOMS, RATE = 20, 100.0
CAUGHT_UP_S = 2.0  # after the last move
FOUND_S = 5.0  # for a node to find out that it hears nothing, and to hear again


class Pair(NamedTuple):
    """Two nodes over one Redis, the second of which hears of it in strange ways."""

    redis: Redis
    way: Pushes
    nodes: Deployment


@asynccontextmanager
async def pair(folder: Path, without: str = "") -> AsyncIterator[Pair]:
    with Redis(folder) as redis:
        async with Pushes(redis.socket) as way:
            ways = [redis.url, way.url]
            start = partial(
                Deployment, folder, nodes=2, without=without, store=redis, ways=ways, metrics_port=0
            )
            async with apart(start) as nodes:
                yield Pair(redis, way, nodes)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pair]:
    """Two nodes with all their guards."""
    async with pair(tmp_path_factory.mktemp("both")) as both:
        yield both


@pytest.fixture
def two(both: Pair) -> Pair:
    """Two nodes that hear all there is."""
    both.way.bend = as_it_is
    return both


async def judge(promise: Promise, load: Load, redis: Redis, what: str) -> None:
    """Stop playing and look that everyone caught up in time, and was told each event once and in order."""
    late = await caught_up(load, redis.local)
    promise.at_most(f"{what}: all at the head after the last move", late, CAUGHT_UP_S, "s")
    resets = sum(view.resets for view in load.record.history.views())
    promise.equals(f"{what}: clients told to begin anew", resets, 0)
    promise.equals(f"{what}: events told twice", load.doubles, 0)
    promise.equals(f"{what}: events told with others missing before", load.gaps, 0)
    flaws = load.examine(redis.local)
    promise.equals(f"{what}: flaws (I1 to I8)", count(flaws, *INVARIANTS), 0)
    promise.equals(f"{what}: what no client should be told", len(load.record.faults), 0)


def repaired(two: Pair) -> float:
    """Return how often the second node made up for what it had not heard, as it says itself."""
    return scrape(two.nodes.nodes[1]).sum("tenmatch_repairs_total", how="missed")


async def lose(promise: Promise, two: Pair, seconds: float) -> None:
    before, gaps = repaired(two), scrape(two.nodes.nodes[1]).sum("tenmatch_feed_gaps_total")
    async with playing(two.nodes.addresses, rooms=ROOMS, rate=RATE) as load:
        two.way.bend = every = Every(10, swallowed)
        await asyncio.sleep(seconds)
        two.way.bend = swallowed  # the last ones, after which no gap tells that something is missing
        await asyncio.sleep(0.5)
        await judge(promise, load, two.redis, "every 10th lost")
        promise.at_least("every 10th lost: messages lost", every.bent, 5)
        promise.at_least("every 10th lost: repairs, by the metric", repaired(two) - before, 1)
        gaps = scrape(two.nodes.nodes[1]).sum("tenmatch_feed_gaps_total") - gaps
        promise.at_least("every 10th lost: gaps, by the metric", gaps, 1)


@pytest.mark.promise("P13")
async def test_messages_that_get_lost_are_made_up_for(promise: Promise, two: Pair) -> None:
    await lose(promise, two, amount(2.5, 60.0))


@pytest.mark.full
@pytest.mark.twin("P13")
async def test_messages_that_get_lost_if_nobody_looks_at_the_logs(promise: Promise, tmp_path: Path) -> None:
    async with pair(tmp_path, "never_in_doubt") as two:
        await lose(promise, two, 2.0)


async def kill(promise: Promise, two: Pair, times: int) -> None:
    before = repaired(two)
    async with playing(two.nodes.addresses, rooms=ROOMS, rate=RATE) as load:
        pauses = [1.0] * times + [0.02] * 20  # so that at the end hardly anybody hears anything
        killed = 0
        for pause in pauses:
            await asyncio.sleep(pause)
            killed += await two.redis.ask("CLIENT", "KILL", "TYPE", "pubsub")
        await judge(promise, load, two.redis, "killed each second")
        promise.at_least("killed each second: subscribers killed", killed, 2 * times)
        promise.at_least("killed each second: repairs, by the metric", repaired(two) - before, 1)


@pytest.mark.promise("P13")
async def test_subscribers_that_are_killed_each_second_miss_nothing(promise: Promise, two: Pair) -> None:
    await kill(promise, two, amount(2, 30))


@pytest.mark.full
@pytest.mark.twin("P13")
async def test_subscribers_that_are_killed_and_do_not_doubt(promise: Promise, tmp_path: Path) -> None:
    async with pair(tmp_path, "never_in_doubt") as two:
        await kill(promise, two, 1)


async def disorder(promise: Promise, two: Pair, what: str, seconds: float) -> None:
    bend: Bend = twice if what == "each twice" else Swapped()
    async with playing(two.nodes.addresses, rooms=ROOMS, rate=RATE) as load:
        two.way.bend = bend
        await asyncio.sleep(seconds)
        await judge(promise, load, two.redis, what)


@pytest.mark.promise("P14")
@pytest.mark.parametrize("what", ["each twice", "each two swapped"])
async def test_doubles_and_disorder_are_not_noticed(promise: Promise, two: Pair, what: str) -> None:
    await disorder(promise, two, what, amount(1.0, 30.0))


@pytest.mark.full
@pytest.mark.twin("P14")
@pytest.mark.parametrize(
    ("what", "without"),
    [("each twice", "taken_as_often_as_it_comes"), ("each two swapped", "taken_in_any_order")],
)
async def test_doubles_and_disorder_where_all_is_taken_as_it_comes(
    promise: Promise, tmp_path: Path, what: str, without: str
) -> None:
    async with pair(tmp_path, without) as two:
        await disorder(promise, two, what, 2.0)


async def deafen(promise: Promise, two: Pair) -> None:
    async with watching(two.nodes.nodes[1].url) as watch:
        two.way.bend = swallowed
        since = time.monotonic()
        found = await watch.until(lambda look: not look.ready, since)
        promise.at_most("swallowed, PING answered: not ready after", found, FOUND_S, "s")
        two.way.bend = as_it_is
        since = time.monotonic()
        healed = await watch.until(lambda look: look.ready, since)
        promise.at_most("swallowed, PING answered: ready again after", healed, FOUND_S, "s")
        await two.redis.ask("CLIENT", "KILL", "TYPE", "pubsub")
        since, heard = time.monotonic(), two.way.published
        await until(lambda: two.way.published > heard, 2 * FOUND_S)
        promise.at_most("killed: hears again after", time.monotonic() - since, FOUND_S, "s")


@pytest.mark.promise("P41")
async def test_a_deaf_node_is_found(promise: Promise, two: Pair) -> None:
    await deafen(promise, two)


@pytest.mark.full
@pytest.mark.twin("P41")
async def test_a_deaf_node_that_sends_itself_nothing(promise: Promise, tmp_path: Path) -> None:
    async with pair(tmp_path, "never_probed") as two:
        await deafen(promise, two)
