"""A game day: the main faults, one after another, in a set-up like deploy/compose, and what comes of them.

    .venv/bin/python deploy/gameday/gameday.py

Two nodes, Redis with a replica and, where it is installed, nginx are started as processes of this machine, in
a temporary folder and on free ports. `tenmatch load` plays there and checks every answer; players beside it
remember each move that was acknowledged, and look for it in the room's log afterwards. Ends with 1 if
anything was otherwise than promised; then the logs are kept. Everything that was started is ended, also by
Ctrl-C.
"""

import asyncio
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from drills import DRILLS, Drill
from installation import ROOMS, Installation, Load, Trouble, until
from witnesses import PAIRS, Eye, Pair, missing

WAITS_S: Final = 60.0  # for all to go on; longer than any promise, so that how long it took is seen
INTERRUPTED: Final = 130


@dataclass(frozen=True)
class Result:
    """What came of a drill."""

    drill: Drill
    moves: int  # acknowledged
    lost: int  # of these, not exactly once in their room's log
    wrong: Sequence[str]
    unavailable: int  # times that a move was answered so
    longest_s: float  # from a move until the opponent had it
    unready_s: float  # in which not all nodes were ready
    back_s: float  # from the cause's being gone until all nodes were ready and all players played
    signed: bool  # the figure behind the alert moved

    def broken(self, slack: float) -> list[str]:
        """Say which promises were not kept, where times may be *slack* times as long."""
        said = [f"{self.lost} acknowledged moves lost"] * (self.lost > 0) + list(self.wrong)
        if self.longest_s > self.drill.longest_s * slack:
            said.append(f"a move waited {self.longest_s:.1f} s")
        if self.back_s > self.drill.back_s * slack:
            said.append(f"it took {self.back_s:.1f} s until all went on")
        if not self.signed:
            said.append(f"the figure behind the alert did not move ({self.drill.sign})")
        return said


class GameDay:
    """The drills, in a set-up that is running."""

    def __init__(self, installation: Installation, eye: Eye, pairs: Sequence[Pair], calm_s: float) -> None:
        """Be ready; *calm_s* seconds are played before and after each fault."""
        self._installation = installation
        self._eye = eye
        self._pairs = pairs
        self._calm_s = calm_s

    async def hold(self, drill: Drill) -> Result:
        """Let something go wrong, and return what came of it. Raises Trouble."""
        load = self._installation.load()
        try:
            there = 2 * (len(self._pairs) + ROOMS)
            await until(lambda: self._eye.sockets >= there or load.ended, WAITS_S, "the load to come in")
            await self._all_play()
            await asyncio.sleep(self._calm_s)
            self._eye.forget()
            for pair in self._pairs:
                pair.testify()
            await drill.fault(self._installation)
            since = time.monotonic()
            await self._all_play()
            back_s = time.monotonic() - since
            await asyncio.sleep(self._calm_s)
            return await self._judge(drill, load, back_s)
        finally:
            load.kill()

    async def _all_play(self) -> None:
        before = [pair.steps for pair in self._pairs]
        await until(
            lambda: (
                self._eye.ready
                and all(pair.steps > steps for pair, steps in zip(self._pairs, before, strict=True))
            ),
            WAITS_S,
            "all nodes to be ready and all players to play",
        )

    async def _judge(self, drill: Drill, load: Load, back_s: float) -> Result:
        testimonies = [pair.testify() for pair in self._pairs]
        seen, unready_s = self._eye.seen.copy(), self._eye.unready_s
        moves = [move for testimony in testimonies for move in testimony.acknowledged]
        figures, lost = await asyncio.gather(load.result(), missing(self._installation, moves))
        wrong = [text for testimony in testimonies for text in testimony.broken]
        wrong += figures["first_faults"]
        if not figures["moves"]:
            wrong.append("the load made no move")
        longest = figures["latency_s"]["longest"] or 0.0
        return Result(
            drill=drill,
            moves=len(moves) + figures["moves"],
            lost=len(lost),
            wrong=wrong,
            unavailable=seen["unavailable"],
            longest_s=max(longest, *(testimony.longest_s for testimony in testimonies)),
            unready_s=unready_s,
            back_s=back_s,
            signed=seen[drill.sign] > 0,
        )


async def hold_all(
    drills: Sequence[Drill],
    calm_s: float,
    slack: float,
    folder: Path,
    console: Console,
    results: list[Result],
) -> None:
    """Set everything up, hold all drills, and add what came of each to *results*. Raises Trouble."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with Installation(folder) as installation:
        eye = Eye(installation.nodes)
        await installation.start(eye.look)
        front = "nginx" if installation.proxied else "no nginx, which is not installed: nodes share a port"
        console.print(f"Two nodes, Redis with a replica, {front}: {installation.url}, logs in {folder}\n")
        pairs = [Pair(installation.url) for _ in range(PAIRS)]
        tasks = [asyncio.create_task(player) for player in (eye.watch(), *(pair.play() for pair in pairs))]
        try:
            day = GameDay(installation, eye, pairs, calm_s)
            for drill in drills:
                console.print(f"[bold]{drill.name}[/bold]: {drill.done}")
                console.print(f"  players: {drill.noticed}\n  alert: {drill.alert}")
                results.append(await day.hold(drill))
                said = "; ".join(results[-1].broken(slack)) or "kept what was promised"
                console.print(f"  {said}\n", markup=False)
        finally:
            for waiting in tasks:
                waiting.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def table(results: Sequence[Result], slack: float) -> Table:
    """Show figures, each beside its limit."""
    shown = Table(
        title="Game day", title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False
    )
    shown.add_column("fault", no_wrap=True)
    for column in (
        "moves",
        "lost",
        "wrong",
        "told\nto wait",
        "longest\nwait",
        "not\nready",
        "all back\nafter",
    ):
        shown.add_column(column, justify="right", no_wrap=True)
    shown.add_column("promise", no_wrap=True)
    for result in results:
        drill = result.drill
        shown.add_row(
            drill.name,
            *map(str, (result.moves, result.lost, len(result.wrong), result.unavailable)),
            f"{result.longest_s:.1f}/{drill.longest_s * slack:g} s",
            f"{result.unready_s:.1f} s",
            f"{result.back_s:.1f}/{drill.back_s * slack:g} s",
            "[red]broken[/red]" if result.broken(slack) else "[green]kept[/green]",
        )
    return shown


def main(
    seconds_each: Annotated[
        float, typer.Option(min=0.5, help="Seconds of play before a fault, and after it.")
    ] = 5.0,
    minutes: Annotated[
        float | None, typer.Option(min=0.1, help="Calm play of all drills together, instead.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this fault; may be repeated.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the faults, and do nothing.")] = False,
    slack: Annotated[
        float, typer.Option(min=1.0, help="Let times be so many times as long: for a slow or busy machine.")
    ] = 1.0,
) -> None:
    """Let the main faults happen in a set-up like deploy/compose, and measure what players notice."""
    console = Console()
    if listed:
        for drill in DRILLS:
            console.print(f"[bold]{drill.name}[/bold]: {drill.done}")
        return
    names = [drill.name for drill in DRILLS]
    if unknown := sorted(set(only or ()) - set(names)):
        raise typer.BadParameter(f"{', '.join(unknown)}: there are {', '.join(names)}", param_hint="--only")
    drills = [drill for drill in DRILLS if not only or drill.name in only]
    calm_s = minutes * 60 / len(drills) / 2 if minutes else seconds_each
    folder = Path(tempfile.mkdtemp(prefix="tenmatch-gameday-"))
    results: list[Result] = []
    status = 1
    try:
        asyncio.run(hold_all(drills, calm_s, slack, folder, console, results))
        status = int(any(result.broken(slack) for result in results))
    except Trouble as trouble:
        console.print(f"gameday: {trouble}\n", style="red", markup=False)
    except (KeyboardInterrupt, asyncio.CancelledError):
        status = INTERRUPTED
    finally:
        if results:
            console.print(table(results, slack))
        if status == 1:
            console.print(f"Logs are kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    sys.exit(status)


if __name__ == "__main__":
    typer.run(main)
