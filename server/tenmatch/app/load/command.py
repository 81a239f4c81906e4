"""`tenmatch load`, from its start to its result."""

import asyncio
import json
import signal
from typing import Final

import uvloop
from rich.console import Console
from rich.live import Live
from rich.text import Text

from tenmatch.app.load.crew import Crew, LoadFailed, crew, shares
from tenmatch.app.load.plan import Order, Plan
from tenmatch.app.load.report import doing, now, result, summary
from tenmatch.app.load.tally import Tally

ENTER_S: Final = 120.0  # for all to be where they should be
SHOWN_S: Final = 1.0  # between two looks at the load


def run_load(plan: Plan, seconds: float, processes: int, *, as_json: bool = False) -> bool:
    """Load a server for so long, show what comes of it, and return whether nothing was wrong.

    Raises:
        LoadFailed: The load did not come about.
    """
    console = Console(stderr=as_json)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        tally = runner.run(load(plan, seconds, processes, console))
    if as_json:
        Console(soft_wrap=True, highlight=False).print_json(json.dumps(summary(plan, tally)))
    else:
        console.print(result(plan, tally))
    return not tally.faults


async def load(plan: Plan, seconds: float, processes: int, console: Console) -> Tally:
    """Load a server for so long, or until Ctrl-C, and return what was counted.

    Raises:
        LoadFailed: The load did not come about.
    """
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    entering = Text(f"entering: {doing(plan)}", no_wrap=True, overflow="ellipsis")
    with Live(entering, console=console, transient=True) as live:
        async with crew(shares(plan, processes)) as workers:
            await _enter(workers)
            first = last = (await workers.tell(Order("play"))).tally
            while not stop.is_set() and last.at_s - first.at_s < seconds:
                await _pause(stop, min(SHOWN_S, seconds - (last.at_s - first.at_s)))
                before, last = last, (await workers.tell(Order("report"))).tally
                live.update(now(last.since(before), last.at_s - first.at_s, seconds))
            await workers.tell(Order("rest"))
            return await _rest(workers, last.since(first), plan.patience_s)


async def _enter(workers: Crew) -> None:
    try:
        report = await workers.until(lambda report: report.entered or report.tally.faults > 0, ENTER_S)
    except TimeoutError:
        held_back = (await workers.tell(Order("report"))).tally.held_back
        why = ", ".join(f"{code} {count} times" for code, count in held_back.items())
        text = f"after {ENTER_S:g} s not all are in their rooms; the server said {why or 'nothing'}"
        raise LoadFailed(text) from None
    if not report.entered:
        raise LoadFailed(report.tally.first_faults[0])


async def _rest(workers: Crew, tally: Tally, patience_s: float) -> Tally:
    """Wait for the answers still to come; those that do not are faults."""
    try:
        report = await workers.until(lambda report: report.resting, patience_s + 1)
    except TimeoutError:
        report = await workers.tell(Order("report"))
        report.tally.fault("not every move was answered in the end")
    tally.faults, tally.first_faults = report.tally.faults, report.tally.first_faults
    return tally


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
