"""The table for people, and the same for machines."""

import json
import os
import platform
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.table import Column, Table
from tests.bench.measures import Results
from tests.bench.rows import Row
from tests.bench.runs import Run, p99_ms
from tests.bench.systems import ROOT

from tenmatch import __version__

OUT: Final = ROOT / "build" / "bench.json"
STOLEN: Final = 0.05  # of the server's core: from there on somebody else was measured, too
STYLES: Final = {"met": "green", "missed": "red", "": "dim"}


def show(rows: Sequence[Row], results: Results, console: Console) -> None:
    """Print the table, and what speaks against it."""
    table = Table("what", Column("ours", justify="right"), "beside")
    for name in ("ratio", "target", "verdict"):
        table.add_column(name, justify="right")
    for row in rows:
        most = "" if row.most is None else f"≤ {row.most:g}" + (f" {row.unit}" if row.ratio is None else "")
        table.add_row(
            row.what,
            _figure(row.ours, row.unit),
            "" if row.beside is None else f"{_figure(row.beside, row.unit)}, {row.than}",
            "" if row.ratio is None else f"{row.ratio:.2f}",
            most,
            f"[{STYLES[row.verdict]}]{row.verdict}[/]",
        )
    console.print(table)
    for failure in results.failed:
        console.print(f"no figures of {failure}", style="red", markup=False)
    for doubt in doubts(results):
        console.print(doubt, style="yellow", highlight=False)


def _figure(value: float, unit: str) -> str:
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def doubts(results: Results) -> Iterator[str]:
    """Yield what makes figures doubtful."""
    for name, runs in results.runs.items():
        full = sum(run.load_is_full for run in runs)
        stolen = sum(run.others > STOLEN for run in runs)
        if full:
            yield f"{name}: in {full} of {len(runs)} runs the load's core was busy all the time"
        if stolen:
            most = max(run.others for run in runs)
            yield f"{name}: in {stolen} of {len(runs)} runs others used the server's core, up to {most:.0%}"


def write(rows: Sequence[Row], results: Results, took_s: float) -> Path:
    """Write rows and all runs as JSON; return where."""
    OUT.parent.mkdir(exist_ok=True)
    said = {
        "version": __version__,
        "commit": _said_by("git", "rev-parse", "HEAD"),
        "machine": platform.platform(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "node": _said_by("node", "--version"),
        "took_s": round(took_s),
        "rows": msgspec.to_builtins(rows),
        "failed": results.failed,
        "doubts": list(doubts(results)),
        "runs": {name: [_run(run) for run in runs] for name, runs in results.runs.items()},
        "values": results.values,
    }
    OUT.write_text(json.dumps(said, indent=1))
    return OUT


def _run(run: Run) -> dict[str, object]:
    said: dict[str, object] = msgspec.to_builtins(run)
    return {**said, "latencies": None, "p99_ms": p99_ms([run])}


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _said_by(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
