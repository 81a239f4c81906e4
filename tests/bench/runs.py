"""One run: a load on a system, and what both took while it lasted."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from msgspec import Struct
from tests.bench.systems import OTHER_CORE, SERVER_CORE, System, Wrong
from tests.bench.vitals import core_times, cpu_s

from tenmatch.app.load.crew import Crew, crew
from tenmatch.app.load.plan import Order, Plan, Report
from tenmatch.app.load.tally import Tally

PATIENCE_S: Final = 60.0
WARM_S: Final = 2.0  # in which Node compiles, and rooms that began together get out of step
FULL: Final = 0.95  # of the core that is not the server's: from there on the load may be what is measured


class Run(Struct, frozen=True):
    """What happened in so many seconds."""

    seconds: float
    moves: int
    told: int  # events, or what else was sent, at players and watchers
    games: int
    server_s: float  # CPU seconds of the server
    store_s: float  # and of its store
    load_busy: float  # the share of a core that the busiest process of the load took
    core_busy: float  # the share of time in which the core of load and store was busy, with whatever
    others: float  # the share of the server's core that went to somebody else
    latencies: dict[int, int]  # move -> opponent, by bucket

    @property
    def load_is_full(self) -> bool:
        """Whether the load, or the core it shares with the store, may be what was measured."""
        return max(self.load_busy, self.core_busy) >= FULL


@asynccontextmanager
async def loaded(system: System, *plans: Plan) -> AsyncIterator[Crew]:
    """Let a load enter a system, from the other core; it has not made a move yet. Raises Wrong."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {OTHER_CORE})  # for the workers that are started here, and for us who read
    try:
        async with crew(plans, system.worker) as workers:
            await until(workers, lambda report: report.entered, "not all are in their rooms")
            yield workers
    finally:
        os.sched_setaffinity(0, before)


async def measure(
    system: System, plan: Plan, seconds: float, *, warm_s: float = WARM_S, until: int | None = None
) -> Run:
    """Load a system with a plan and return what the seconds after warming up were like. Raises Wrong."""
    async with loaded(system, plan) as workers:
        await workers.tell(Order("play", until=until))
        await asyncio.sleep(warm_s)
        run = await window(system, workers, seconds)
        await rest(workers)
        return run


async def window(system: System, workers: Crew, seconds: float) -> Run:
    """Return what so many seconds are like."""
    begin = await _moment(system, workers)
    await asyncio.sleep(seconds)
    return begin.to(await _moment(system, workers))


async def rest(workers: Crew) -> Report:
    """Let all moves be answered, and look whether all was right. Raises Wrong."""
    await workers.tell(Order("rest"))
    return await rested(workers)


async def rested(workers: Crew) -> Report:
    """Wait until no move is under way or to come, and look whether all was right. Raises Wrong."""
    report = await until(workers, lambda report: report.resting, "not every move was answered")
    if report.tally.faults:
        raise Wrong("; ".join(report.tally.first_faults))
    return report


async def until(workers: Crew, true: Callable[[Report], bool], otherwise: str) -> Report:
    """Return the first report for which something is true. Raises Wrong, saying what is not so."""
    try:
        return await workers.until(true, PATIENCE_S)
    except TimeoutError:
        report = await workers.tell(Order("report"))
        raise Wrong("; ".join([f"{otherwise} after {PATIENCE_S:g} s", *report.tally.first_faults])) from None


class _Moment(Struct, frozen=True):
    tally: Tally
    server_s: float
    store_s: float
    cores: tuple[tuple[int, int], tuple[int, int]]  # the server's and the other: busy, and all ticks

    def to(self, later: "_Moment") -> Run:
        """Return what was in between."""
        tally = later.tally.since(self.tally)
        server_s = later.server_s - self.server_s
        own, other = (
            (after[0] - before[0]) / max(after[1] - before[1], 1)
            for before, after in zip(self.cores, later.cores, strict=True)
        )
        return Run(
            seconds=tally.at_s,
            moves=tally.moves,
            told=tally.told,
            games=tally.games,
            server_s=server_s,
            store_s=later.store_s - self.store_s,
            load_busy=tally.cpu_s / tally.at_s,
            core_busy=other,
            others=max(own - server_s / tally.at_s, 0.0),
            latencies=tally.latencies,
        )


async def _moment(system: System, workers: Crew) -> _Moment:
    server_s, store_s = cpu_s(system.servers), cpu_s(system.stores)
    report = await workers.tell(Order("report"))
    cores = core_times(SERVER_CORE), core_times(OTHER_CORE)
    return _Moment(report.tally, server_s, store_s, cores)


def p99_ms(runs: Sequence[Run], share: float = 0.99) -> float:
    """Return the milliseconds from a move to the opponent that 99 %, or another share, did not exceed."""
    tally = Tally()
    for run in runs:
        tally = tally.with_(Tally(latencies=run.latencies))
    return (tally.latency(share) or 0.0) * 1e3
