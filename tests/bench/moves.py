"""What a durable move costs, and an idle server: quickly, for whoever is about to change something.

    .venv/bin/python -m tests.bench.moves [ROOMS] [SECONDS] [RUNS]

One server on a core of its own, Valkey and the load on the other. Prints each run and the medians.
"""

import asyncio
import json
import sys
from statistics import median
from typing import Final

import uvloop
from tests.bench.runs import Run, measure, p99_ms
from tests.bench.systems import System, ours
from tests.bench.vitals import cpu_s

from tenmatch.app.load.plan import Plan

IDLE_S: Final = 10.0


async def idle(system: System) -> float:
    """Return the share of a core that a server without clients takes."""
    await asyncio.sleep(2)
    before = cpu_s(system.servers)
    await asyncio.sleep(IDLE_S)
    return (cpu_s(system.servers) - before) / IDLE_S


def _figures(run: Run) -> dict[str, float]:
    return {
        "moves_per_s": round(run.moves / run.seconds),
        "cpu_us_per_move": round(run.server_s / run.moves * 1e6, 1),
        "store_us_per_move": round(run.store_s / run.moves * 1e6, 1),
        "p50_ms": round(p99_ms([run], 0.5), 2),
        "p99_ms": round(p99_ms([run]), 2),
        "server_cpu": round(run.server_s / run.seconds, 3),
        "load_cpu": round(run.load_busy, 3),
        "others": round(run.others, 3),
    }


async def main(rooms: int = 100, seconds: int = 5, runs: int = 3) -> None:
    """Print a line for each run."""
    with ours() as system:
        sys.stdout.write(f"idle: {await idle(system):.2%} of a core\n")
        measured = []
        for _ in range(runs):
            measured.append(_figures(await measure(system, Plan(url=system.url, rooms=rooms), seconds)))
            sys.stdout.write(f"{json.dumps(measured[-1])}\n")
            sys.stdout.flush()
    medians = {name: median(figures[name] for figures in measured) for name in measured[0]}
    sys.stdout.write(f"median {json.dumps(medians)}\n")


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(*map(int, sys.argv[1:4])))
