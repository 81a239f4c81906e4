"""What an append costs, by durability and how many go together; for how long a failover takes none.

    .venv/bin/python tests/bench/appends.py [RUNS]

A primary and two replicas of each kind on this machine, everything on its two cores: read medians, and the
differences between rows rather than the figures.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median

import uvloop
from tests.servers import Kind
from tests.store.entries import entry
from tests.store.fleet import Cluster, Redis, Watched, replicas_of, running, until_so
from tests.store.writers import writing

from tenmatch.game.ids import RoomId, Seq
from tenmatch.store.committer import Committer
from tenmatch.store.connect import Address, Store
from tenmatch.store.durability import Durability
from tenmatch.store.log import Head, Outcome

APPENDS = 2_000


@asynccontextmanager
async def primary(kind: Kind, *options: str) -> AsyncIterator[Redis]:
    """Run a primary with two replicas, which have caught up."""
    with tempfile.TemporaryDirectory() as folder:
        first = Redis(Path(folder), *options, kind=kind)
        follow = ("--replicaof", f"127.0.0.1 {first.port}")
        replicas = [Redis(Path(folder), *options, *follow, kind=kind) for _ in range(2)]
        try:
            await until_so(partial(replicas_of, first), 2)
            yield first
        finally:
            for server in (*replicas, first):
                server.stop()


async def cost(url: str, durability: Durability, together: int) -> float:
    """Return the microseconds an append takes when so many go together, all in."""
    store = Store(Address(url))
    await store.call("FLUSHALL")
    committer = Committer(store, durability=durability)
    running = asyncio.create_task(committer.run())
    rooms = [RoomId(f"room{number:06}") for number in range(together)]
    rounds = max(APPENDS // together, 20)
    begun = time.perf_counter()
    for number in range(rounds):
        await asyncio.gather(*(_append(committer, room, number) for room in rooms))
    took = time.perf_counter() - begun
    running.cancel()
    await asyncio.wait([running])
    store.close()
    return took / (rounds * together) * 1e6


def _append(committer: Committer, room: RoomId, number: int) -> "asyncio.Future[Outcome]":
    told: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
    head = Head(Seq(number), number)
    mine = entry(number + 1, "x" * 100)
    committer.append(room, head, [mine], at=None, by_player=False, ttl=60, outcome=told.set_result)
    return told


async def gap(url: str, primary: Redis, durability: Durability) -> tuple[float, int]:
    """Kill a primary under appends; return for how long some room got none, and how many were lost."""
    async with writing(url, durability) as writers:
        primary.kill()
        await writers.go_on(within=60)
    return writers.longest_pause, writers.lost


async def main(runs: int) -> None:
    """Print a line for each thing measured."""
    say = sys.stdout.write
    always = ("--appendfsync", "always")  # without it WAITAOF may not wait
    for kind, options, durabilities in (
        ("redis", (), (Durability.FAST, Durability.REPLICATED)),
        ("valkey", (), (Durability.FAST, Durability.REPLICATED)),
        ("valkey", always, tuple(Durability)),
    ):
        async with primary(kind, *options) as server:  # type: ignore[arg-type]  # a str, in such a tuple
            for durability in durabilities:
                for together in (1, 100):
                    took = [await cost(server.url, durability, together) for _ in range(runs)]
                    name = " ".join((kind, *options, durability))
                    say(f"{name} x{together}: {median(took):.0f} us an append\n")
    for run in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            async with running(Watched(Path(folder), down_after_ms=2000)) as watched:
                pause, lost = await gap(watched.url, watched.primary, Durability.REPLICATED)
        say(f"sentinels, down after 2 s, replicated, run {run}: no append for {pause:.2f} s, {lost} lost\n")
        with tempfile.TemporaryDirectory() as folder:
            async with running(Cluster(Path(folder), timeout_ms=2000)) as cluster:
                pause, lost = await gap(cluster.url, cluster.members[0], Durability.FAST)
        say(f"cluster, node timeout 2 s, fast, run {run}: no append for {pause:.2f} s, {lost} lost\n")


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
