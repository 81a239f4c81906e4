"""P8: a primary dies, and what a replica confirmed is there: with sentinels, and in a cluster."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from tests.faults.deployment import Deployment, apart
from tests.faults.load import Load, playing
from tests.faults.oracle import INVARIANTS, count, lost
from tests.faults.person import Person
from tests.faults.promise import Promise
from tests.faults.watch import acknowledgements, caught_up, watching
from tests.store.fleet import Cluster, Redis, Watched, role, running, until_so

from tenmatch.game.ids import RoomId
from tenmatch.store import keys

pytestmark = [pytest.mark.slow, pytest.mark.full]

ROOMS, RATE = 30, 150.0
DOWN_AFTER_MS = 2000
GAP_S = 6.0  # without a move acknowledged
READY_S = 5.0  # for a node to be ready, once it can


@asynccontextmanager
async def deployed(folder: Path, store: Redis, url: str, durability: str) -> AsyncIterator[Deployment]:
    start = partial(Deployment, folder, nodes=2, store=store, ways=[url, url], durability=durability)
    async with apart(start) as deployment:
        yield deployment


def gap(load: Load, persons: Sequence[Person], since: float) -> float:
    """Return for how many seconds at most none of them had a move acknowledged."""
    moments = [when for when in acknowledgements(load, persons) if when > since - 1]
    return max(after - before for before, after in pairwise(moments))


async def judge(
    promise: Promise, what: str, load: Load, store: str, since: float, struck: Sequence[Person]
) -> None:
    """Look that nothing was lost, and for how long nobody could move of those who were struck."""
    late = await caught_up(load, store, within=10)
    flaws = load.examine(store)
    later = sum(when > since + GAP_S for when in acknowledgements(load, load.persons))
    promise.at_least(f"{what}: moves acknowledged after that", later, 50)
    gone = lost(load.record.history, load.logs(store))
    promise.equals(f"{what}: acknowledged moves lost", len(gone), 0)
    promise.equals(f"{what}: flaws (I1 to I8)", count(flaws, *INVARIANTS), 0)
    promise.at_most(f"{what}: no move acknowledged for", gap(load, struck, since), GAP_S, "s")
    promise.at_most(f"{what}: at the head after the last move", late, 2.0, "s")
    promise.equals(f"{what}: clients that lost their connection", len(load.record.interruptions), 0)
    promise.equals(f"{what}: what no client should be told", len(load.record.faults), 0)


@pytest.mark.promise("P8")
async def test_the_primary_that_sentinels_watch_dies(promise: Promise, tmp_path: Path) -> None:
    async with (
        running(Watched(tmp_path, down_after_ms=DOWN_AFTER_MS)) as watched,
        deployed(tmp_path, watched.primary, watched.url, "replicated") as deployment,
        playing(deployment.addresses, rooms=ROOMS, rate=RATE) as load,
        watching(deployment.nodes[0].url) as watch,
    ):
        await asyncio.sleep(1)
        watched.primary.kill()
        killed = time.monotonic()
        await watch.until(lambda look: not look.ready, killed)
        ready = await watch.until(lambda look: look.ready, killed + 1)
        await asyncio.sleep(max(0.0, killed + GAP_S + 2 - time.monotonic()))
        [primary] = [replica for replica in watched.replicas if await role(replica) == b"master"]
        await judge(promise, "sentinels", load, primary.local, killed, load.persons)
    promise.at_most("sentinels: a node is ready again after", ready + 1, GAP_S, "s")


@pytest.mark.promise("P8")
async def test_a_primary_of_a_cluster_dies(promise: Promise, tmp_path: Path) -> None:
    """With one replica a shard takes no moves after that, until it has one again: the one that died."""
    async with (
        running(Cluster(tmp_path)) as cluster,
        deployed(tmp_path, cluster.members[1], cluster.url, "replicated") as deployment,
        playing(deployment.addresses, rooms=ROOMS, rate=RATE) as load,
    ):
        await asyncio.sleep(1)
        struck = [person for person in load.persons if place_of(person.room) == 0]
        cluster.members[0].kill()
        killed = time.monotonic()
        await until_so(partial(role, cluster.members[3]), b"master")
        await asyncio.to_thread(cluster.members[0].start)
        again = time.monotonic()
        await asyncio.sleep(max(0.0, killed + GAP_S + 2 - again))
        url = f"redis+cluster://127.0.0.1:{cluster.members[1].port}"
        await judge(promise, "cluster", load, url, killed, struck)
        promise.at_most("cluster: on other shards for", gap(load, load.persons, killed), 2.0, "s")
    shards = {place_of(room) for room in load.record.history.rooms}
    promise.equals("cluster: shards that were played on", len(shards), 3)


def place_of(room: str) -> int:
    """Return which third of the slots a room lies in."""
    return 3 * key_slot(keys.log(RoomId(room)).encode()) // REDIS_CLUSTER_HASH_SLOTS
