"""How each figure is taken: which systems run, what is played on them, and for how long.

A measure runs once; the benchmark runs it as often as it wants, ours and the peer in turn.
"""

import asyncio
import json
import os
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tests.bench.runs import Run, loaded, measure, rest, rested, until, window
from tests.bench.systems import ROOT, System, bare, ours, peer
from tests.bench.vitals import cpu_s, memory

from tenmatch.app.load.plan import Order, Plan

ROOMS: Final = 100
RATE: Final = 2_000.0  # moves a second
AUDIENCE: Final = 1_000
AUDIENCE_RATE: Final = 20.0
CROWD: Final = 5_000
CROWD_RATE: Final = 10.0
CLIENTS: Final = 1_000  # that come back
LONG: Final = 20  # Adds, so that no new room is needed meanwhile
IDLE_S: Final = 2.0  # for what entering needed for a moment to be free again
STEPS: Final = (10, 100)  # moves of a game compared, and so many before and after them
AROUND: Final = 5
LOCKSTEP_ROOMS: Final = 200


def _seed(number: int) -> str:
    return number.to_bytes(32, "big").hex()


LONGEST: Final = _seed(51)  # of a game of 598 steps
CALM: Final = tuple(map(_seed, (3, 4, 8, 13, 31)))  # of games without an Add among the moves compared


@dataclass
class Results:
    """What was measured so far, by name, a figure for each time."""

    failed: list[str] = field(default_factory=list)  # what, and why there are no figures of it
    runs: dict[str, list[Run]] = field(default_factory=lambda: defaultdict(list))
    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


Measure: TypeAlias = Callable[[Results], Awaitable[None]]


def _saturated(system: System) -> Plan:
    return Plan(url=system.url, rooms=ROOMS)


def _paced(system: System) -> Plan:
    return Plan(url=system.url, rooms=ROOMS, rate=RATE)


def _watched(system: System, watchers: int = AUDIENCE, rate: float = AUDIENCE_RATE) -> Plan:
    return Plan(url=system.url, watchers=watchers, rate=rate, adds=LONG, seeds=(LONGEST,), staggered=False)


# -- beside the peer


async def saturated_ours(results: Results) -> None:
    """Ours, 100 rooms, as fast as it goes."""
    with ours() as system:
        results.runs["ours"].append(await measure(system, _saturated(system), 5))


def saturated_peer(mode: str) -> Measure:
    """The peer, the same."""

    async def take(results: Results) -> None:
        with peer(mode) as system:
            results.runs[mode].append(await measure(system, _saturated(system), 5))

    return take


async def paced_ours(results: Results) -> None:
    """Ours, 100 rooms, at 2,000 moves a second."""
    with ours() as system:
        results.runs["ours, paced"].append(await measure(system, _paced(system), 5))


async def paced_peer(results: Results) -> None:
    """The peer, the same."""
    with peer("broadcast") as system:
        results.runs["broadcast, paced"].append(await measure(system, _paced(system), 5))


async def watched_ours(results: Results) -> None:
    """Ours, one room with 1,000 watchers."""
    with ours() as system:
        results.runs["ours, watched"].append(await measure(system, _watched(system), 5, warm_s=1))


async def watched_peer(results: Results) -> None:
    """The peer, the same."""
    with peer("broadcast") as system:
        results.runs["broadcast, watched"].append(await measure(system, _watched(system), 5, warm_s=1))


async def watched_bare(results: Results) -> None:
    """A bare loop that writes as much to as many."""
    told = AUDIENCE + 2
    with bare(told, AUDIENCE_RATE) as system:
        plan = Plan(url=system.url, watchers=told)
        results.runs["bare"].append(await measure(system, plan, 4, warm_s=1))


# -- ours alone


async def uncrowded(results: Results) -> None:
    """Latency of two players without watchers."""
    with ours() as system:
        plan = _watched(system, watchers=0, rate=CROWD_RATE)
        results.runs["no crowd"].append(await measure(system, plan, 20, warm_s=1))


async def crowded(results: Results) -> None:
    """Memory and latency with 5,000 watchers, who read in a process that steps back for the players'."""
    with ours() as system:
        empty = memory(system.servers)
        async with loaded(system, _watched(system, watchers=0, rate=CROWD_RATE)) as players:
            room = (await players.tell(Order("report"))).rooms[0]
            plan = Plan(url=system.url, watch=room, watchers=CROWD)
            async with loaded(system, plan) as watchers:
                _step_back(watchers.pids)
                await asyncio.sleep(IDLE_S)
                results.values["bytes a watcher"].append((memory(system.servers) - empty) / CROWD)
                await players.tell(Order("play"))
                await asyncio.sleep(1)
                results.runs["crowd"].append(await window(system, players, 20))
                await rest(players)
                await rest(watchers)


def _step_back(pids: list[int]) -> None:
    for pid in pids:
        os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))


async def come_back(results: Results) -> None:
    """1,000 players resume at once: over their connections, and after these were all cut."""
    with ours() as system:
        async with loaded(system, Plan(url=system.url, rooms=CLIENTS // 2, staggered=False)) as workers:
            await workers.tell(Order("play", until=10))
            await rested(workers)
            for do, name in (("resume", "us a resume"), ("cut", "us a return")) * 3:
                await asyncio.sleep(1)
                before = cpu_s(system.servers)
                await workers.tell(Order(do))  # type: ignore[arg-type]  # a str, in a tuple made of two
                await until(workers, lambda report: not report.away, "not all have come back")
                results.values[name].append((cpu_s(system.servers) - before) / CLIENTS * 1e6)
                await rested(workers)


def among(rooms: int) -> Measure:
    """So many rooms, at the same total rate."""

    async def take(results: Results) -> None:
        with ours() as system:
            plan = Plan(url=system.url, rooms=rooms, rate=RATE)
            results.runs[f"{rooms} rooms"].append(await measure(system, plan, 6))

    return take


async def early_and_late(results: Results) -> None:
    """The 10th move of games, and the 100th: all rooms go on together and wait for each other."""
    with ours() as system:
        plan = Plan(url=system.url, rooms=LOCKSTEP_ROOMS, adds=LONG, seeds=CALM, staggered=False)
        async with loaded(system, plan) as workers:
            for step in STEPS:
                await workers.tell(Order("play", until=step - AROUND))
                await rested(workers)
                before = cpu_s(system.servers)
                await workers.tell(Order("play", until=step + AROUND))
                await rested(workers)
                moves = LOCKSTEP_ROOMS * 2 * AROUND
                results.values[f"us, move {step}"].append((cpu_s(system.servers) - before) / moves * 1e6)


async def two_workers(results: Results) -> None:
    """Two workers share the core and the rooms."""
    with ours(workers=2) as system:
        plan = Plan(url=system.url, rooms=ROOMS, one_node=True)
        results.runs["two workers"].append(await measure(system, plan, 5))


async def micro(results: Results) -> None:
    """Bare calls."""
    command = (sys.executable, "-m", "tests.bench.micro")
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    for name, value in json.loads(said).items():
        results.values[name].append(value)
