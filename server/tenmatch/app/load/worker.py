"""One process of a load: does what the first line of its input plans, then what each further line orders.

    python -m tenmatch.app.load.worker

Each order is answered by one line, a report; the end of the input ends the process.
"""

import asyncio
import resource
import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec
import uvloop

from tenmatch.app.load.crowd import Crowd, Ours
from tenmatch.app.load.member import Spawn
from tenmatch.app.load.party import Pace
from tenmatch.app.load.plan import Order, Plan, Report
from tenmatch.app.load.tally import Tally
from tenmatch.client.errors import BadUrl

LOOK_S = 0.25  # between two looks for answers that do not come

Gather: TypeAlias = Callable[[Plan, Tally, Pace, Spawn], Crowd]


class Worker:
    """A crowd that is told what to do."""

    def __init__(self, crowd: Crowd, tally: Tally, pace: Pace) -> None:
        """Take the lead."""
        self._crowd = crowd
        self._tally = tally
        self._pace = pace
        self._broken = ""  # a bug of ours
        asyncio.get_running_loop().set_exception_handler(self._break)

    def _break(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        loop.default_exception_handler(context)
        self._broken = f"the load itself has a bug: {context.get('exception') or context['message']!r}"

    def obey(self, order: Order) -> Report:
        """Do what is asked, and say how things are."""
        match order.do:
            case "play":
                self._pace.until = order.until
                for party in self._crowd.parties:
                    party.go_on_from_now()
            case "rest":
                self._pace.until = 0
                for party in self._crowd.parties:
                    party.rest()
            case "resume":
                self._crowd.resume()
            case "cut":
                self._crowd.cut()
        return self._report()

    def _report(self) -> Report:
        crowd = self._crowd
        self._tally.cpu_s, self._tally.at_s = time.process_time(), time.monotonic()
        return Report(
            tally=self._tally,
            entered=crowd.entered,
            resting=all(party.resting for party in crowd.parties),
            away=crowd.away,
            rooms=tuple(party.room for party in crowd.parties),
            failed=self._broken or crowd.failed,
        )

    async def look(self) -> None:
        """Look for answers that do not come, for ever."""
        while True:
            await asyncio.sleep(LOOK_S)
            for party in self._crowd.parties:
                party.check()


async def work(gather: Gather) -> None:
    """Follow the orders on standard input until it ends."""
    loop = asyncio.get_running_loop()
    orders = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    plan = msgspec.json.decode(await orders.readline(), type=Plan)
    tally, pace = Tally(), Pace(plan)
    async with asyncio.TaskGroup() as group:
        try:
            crowd = gather(plan, tally, pace, group.create_task)
        except BadUrl as error:
            _say(Report(tally=tally, failed=str(error)))
            return
        crowd.start()
        worker = Worker(crowd, tally, pace)
        looks = group.create_task(worker.look())
        while line := await orders.readline():
            _say(worker.obey(msgspec.json.decode(line, type=Order)))
        looks.cancel()
        raise SystemExit  # connections end with the process, and whoever is about to connect need not


def _say(report: Report) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
    sys.stdout.buffer.flush()


def main(gather: Gather = Ours) -> None:
    """Run as a process."""
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(least, most), most))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work(gather))


if __name__ == "__main__":
    main()
