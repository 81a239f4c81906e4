"""The processes of a load, seen from the one that started them."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import reduce
from typing import Final

import msgspec

from tenmatch.app.load.plan import Order, Plan, Report
from tenmatch.app.load.tally import Tally

WORKER: Final = ("-m", "tenmatch.app.load.worker")
LINE_BYTES: Final = 2**24  # of a report
POLL_S: Final = 0.02


class LoadFailed(Exception):
    """The load did not come about; says why."""


class Crew:
    """Workers that are told the same at the same time."""

    def __init__(self, workers: Sequence[asyncio.subprocess.Process]) -> None:
        """Take over processes that were told their plans."""
        self._workers = workers

    @property
    def pids(self) -> list[int]:
        """The workers' processes."""
        return [worker.pid for worker in self._workers]

    async def tell(self, order: Order) -> Report:
        """Tell all workers and return what they report, taken together.

        Raises:
            LoadFailed: A worker cannot go on, or died.
        """
        reports = await asyncio.gather(*(_told(worker, order) for worker in self._workers))
        for report in reports:
            if report.failed:
                raise LoadFailed(report.failed)
        return Report(
            tally=reduce(Tally.with_, (report.tally for report in reports)),
            entered=all(report.entered for report in reports),
            resting=all(report.resting for report in reports),
            away=sum(report.away for report in reports),
            rooms=tuple(room for report in reports for room in report.rooms),
        )

    async def until(self, true: Callable[[Report], bool], within: float) -> Report:
        """Return the first report for which something is true.

        Raises:
            LoadFailed: As `tell`.
            TimeoutError: It was not true within so many seconds.
        """
        async with asyncio.timeout(within):
            while not true(report := await self.tell(Order("report"))):  # noqa: ASYNC110  # processes
                await asyncio.sleep(POLL_S)
        return report


async def _told(worker: asyncio.subprocess.Process, order: Order) -> Report:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(msgspec.json.encode(order) + b"\n")
    line = await worker.stdout.readline()
    if not line:
        raise LoadFailed(f"a process of the load died with status {await worker.wait()}")
    return msgspec.json.decode(line, type=Report)


@asynccontextmanager
async def crew(plans: Sequence[Plan], command: Sequence[str] = WORKER) -> AsyncIterator[Crew]:
    """Start a worker for each plan, and end them all at last.

    Args:
        command: What Python is to run as a worker.
    """
    workers: list[asyncio.subprocess.Process] = []
    try:
        for plan in plans:
            worker = await asyncio.create_subprocess_exec(
                *(sys.executable, *command),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LINE_BYTES,
                start_new_session=True,  # Ctrl-C is for us, who still want to hear what they counted
            )
            workers.append(worker)
            assert worker.stdin is not None
            worker.stdin.write(msgspec.json.encode(plan) + b"\n")
        yield Crew(workers)
    finally:
        for worker in workers:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()


def shares(plan: Plan, processes: int) -> list[Plan]:
    """Split a plan among so many processes, or as many as there is something to do for."""
    whole = plan.watchers if plan.watch else plan.rooms
    parts = max(min(processes, whole), 1)
    return [
        msgspec.structs.replace(
            plan,
            **{"watchers" if plan.watch else "rooms": whole // parts + (number < whole % parts)},
            rate=plan.rate / parts,
            chance=plan.chance + number,
        )
        for number in range(parts)
    ]
