"""`make bench`: our server beside Colyseus, on this machine, in turn; a table, and build/bench.json.

python -m tests.bench.bench [--quick]
"""

import asyncio
import sys
import time
from dataclasses import dataclass
from typing import Final

import uvloop
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from tests.bench import measures
from tests.bench.measures import Measure, Results
from tests.bench.peer import checked
from tests.bench.rows import rows
from tests.bench.systems import Missing, Wrong
from tests.bench.table import show, write

from tenmatch.app.load.crew import LoadFailed


@dataclass(frozen=True)
class Part:
    """Something to be measured, once."""

    what: str  # for people, while it is done
    seconds: float  # that it takes, about
    take: Measure


OURS: Final = Part("ours, as fast as it goes", 9, measures.saturated_ours)
PEER, PATCHNOW, PATCH = (
    Part(f"Colyseus {mode}, as fast as it goes", 9, measures.saturated_peer(mode))
    for mode in ("broadcast", "patchnow", "patch")
)
PACED: Final = Part("ours, 2,000 moves a second", 10, measures.paced_ours)
PEER_PACED: Final = Part("Colyseus, 2,000 moves a second", 9, measures.paced_peer)
WATCHED: Final = Part("ours, 1,000 watchers", 9, measures.watched_ours)
PEER_WATCHED: Final = Part("Colyseus, 1,000 watchers", 9, measures.watched_peer)
BARE: Final = Part("a loop that only writes", 6, measures.watched_bare)
CROWD: Final = Part("ours, 5,000 watchers", 31, measures.crowded)
NO_CROWD: Final = Part("ours, no watchers", 22, measures.uncrowded)
RETURNS: Final = Part("ours, 1,000 come back", 16, measures.come_back)
MANY: Final = Part("ours, 1,000 rooms", 16, measures.among(1000))
FEW: Final = Part("ours, 10 rooms", 11, measures.among(10))
LATE: Final = Part("ours, early and late moves", 6, measures.early_and_late)
WORKERS: Final = Part("ours, two workers", 12, measures.two_workers)
MICRO: Final = Part("single calls", 1, measures.micro)
CHECK: Final = Part("Colyseus' own client looks at its state", 2, checked.state_is_right)

QUICK: Final = (OURS, PEER, WATCHED, PEER_WATCHED, BARE)
ALL: Final = (
    CHECK,
    *(OURS, PEER, PATCHNOW) * 3,
    PATCH,
    *(PACED, PEER_PACED) * 3,
    *(WATCHED, PEER_WATCHED, BARE) * 3,
    *(CROWD, NO_CROWD) * 2,
    RETURNS,
    *(MANY, FEW) * 2,
    *(LATE,) * 5,
    *(WORKERS,) * 2,
    MICRO,
)


async def run(parts: tuple[Part, ...], console: Console) -> Results:
    """Measure one part after the other."""
    results = Results()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=sum(part.seconds for part in parts))
        for number, part in enumerate(parts, 1):
            progress.update(task, description=f"{number} of {len(parts)}: {part.what}")
            try:
                await part.take(results)
            except (Wrong, LoadFailed) as error:
                results.failed.append(f"{part.what}: {error}")
            progress.advance(task, part.seconds)
    return results


def main(words: list[str]) -> int:
    """Run as a command; return its exit status."""
    console = Console(width=None if sys.stdout.isatty() else 130)
    if words not in ([], ["--quick"]):
        console.print(f"there is only --quick, not {' '.join(words)}", style="red")
        return 2
    begun = time.monotonic()
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            results = runner.run(run(QUICK if words else ALL, console))
    except Missing as error:
        console.print(str(error), style="red", markup=False)
        return 2
    made = rows(results)
    show(made, results, console)
    console.print(f"all of it: {write(made, results, time.monotonic() - begun)}", highlight=False)
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
