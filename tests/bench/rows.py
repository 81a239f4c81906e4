"""What is to be shown: each row with its target, and what the measures say of it."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from tests.bench.measures import CROWD, ROOMS, STEPS, Results
from tests.bench.runs import Run, p99_ms

Figure: TypeAlias = Callable[[Results], float | None]
Verdict: TypeAlias = Literal["met", "missed", ""]


@dataclass(frozen=True)
class Target:
    """A row to be."""

    name: str  # for machines, always the same
    what: str
    unit: str
    most: float | None  # what the ratio may be, or ours where nothing stands beside it; None: as it is
    ours: Figure
    than: str = ""  # what stands beside it
    beside: Figure | None = None


class Row(Struct, frozen=True):
    """A row that is there."""

    name: str
    what: str
    unit: str
    ours: float
    than: str
    beside: float | None
    ratio: float | None
    most: float | None
    verdict: Verdict


def rows(results: Results) -> list[Row]:
    """Return a row for each target of which everything was measured."""
    return [row for target in TARGETS if (row := _row(target, results)) is not None]


def _row(target: Target, results: Results) -> Row | None:
    ours = target.ours(results)
    beside = None if target.beside is None else target.beside(results)
    if ours is None or (target.beside is not None and beside is None):
        return None
    ratio = None if beside is None else ours / beside
    verdict: Verdict = ""
    if target.most is not None:
        verdict = "met" if (ours if ratio is None else ratio) <= target.most else "missed"
    return Row(target.name, target.what, target.unit, ours, target.than, beside, ratio, target.most, verdict)


def _of_runs(name: str, figure: Callable[[Run], float]) -> Figure:
    """Return the median of what the runs of a name give."""
    return lambda results: median(map(figure, results.runs[name])) if name in results.runs else None


def _move(name: str) -> Figure:
    return _of_runs(name, lambda run: run.server_s / run.moves * 1e6)


def _delivery(name: str) -> Figure:
    return _of_runs(name, lambda run: run.server_s / run.told * 1e6)


def _store(run: Run) -> float:
    return run.store_s / run.moves * 1e6


def _p99(name: str) -> Figure:
    return _of_runs(name, lambda run: p99_ms([run]))


def _p99_of_all(name: str) -> Figure:
    """Return that of all runs of a name together, where one has too few moves for it."""
    return lambda results: p99_ms(results.runs[name]) if name in results.runs else None


def _value(name: str, scale: float = 1.0) -> Figure:
    return lambda results: median(results.values[name]) * scale if name in results.values else None


_SATURATED: Final = f"CPU a move, {ROOMS} rooms, as fast as it goes"
_PACED: Final = "a move's way to the opponent, 99 %, at 2,000 moves/s"
_WATCHED: Final = "CPU a delivery, 1,000 watchers, 20 moves/s"
_CROWD: Final = f"a move's way to the opponent, 99 %, {CROWD:,} watchers"
_EARLY, _LATE = STEPS
_OURS, _WATCH = _move("ours"), _delivery("ours, watched")

TARGETS: Final = (
    Target("move_broadcast", _SATURATED, "µs", 0.6, _OURS, "Colyseus broadcast", _move("broadcast")),
    Target("move_patchnow", _SATURATED, "µs", 0.3, _OURS, "Colyseus patchnow", _move("patchnow")),
    Target("move_patch", _SATURATED, "µs", None, _OURS, "Colyseus patch", _move("patch")),
    Target("store", "of it Valkey's own, in its process", "µs", None, _of_runs("ours", _store)),
    Target("latency", _PACED, "ms", 0.7, _p99("ours, paced"), "Colyseus broadcast", _p99("broadcast, paced")),
    Target(
        *("delivery_broadcast", _WATCHED, "µs", 0.5, _WATCH),
        *("Colyseus broadcast", _delivery("broadcast, watched")),
    ),
    Target("delivery_bare", _WATCHED, "µs", 1.3, _WATCH, "a loop that only writes", _delivery("bare")),
    Target("crowd", _CROWD, "ms", 1.5, _p99_of_all("crowd"), "no watchers", _p99_of_all("no crowd")),
    Target("memory", "memory of an idle watcher", "KB", 8, _value("bytes a watcher", 1 / 1024)),
    Target("resume", "CPU a resume, 1,000 at once, connecting too", "µs", 150, _value("us a return")),
    Target("resume_only", "of it over connections that are there", "µs", None, _value("us a resume")),
    Target(
        *("rooms", "CPU a move, 1,000 rooms, 2,000 moves/s", "µs", 1.1, _move("1000 rooms")),
        *("10 rooms", _move("10 rooms")),
    ),
    Target(
        *("late_moves", f"CPU of a game's {_LATE}th move", "µs", 1.1, _value(f"us, move {_LATE}")),
        *(f"its {_EARLY}th", _value(f"us, move {_EARLY}")),
    ),
    Target("workers", "CPU a move, two workers on one core", "µs", 1.4, _move("two workers"), "one", _OURS),
    Target("match", "judge and play a match", "µs", 3, _value("match_us")),
    Target("choice", "a computer player's choice, 180 numbers", "µs", 100, _value("choice_us")),
)
