"""The game day: faults happen in a set-up like compose's, promises are kept, and nothing is left running."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from tests.deploy.files import DEPLOY
from tests.store.waiting import until

GAMEDAY: Final = (sys.executable, str(DEPLOY / "gameday" / "gameday.py"))
SLACK: Final = "30"  # what is measured here is what was lost, not how busy the machine is
NAMES: Final = ("node-killed", "node-drained", "redis-killed", "redis-frozen", "feed-cut", "replica-lost")

pytestmark = pytest.mark.slow


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(folder), "COLUMNS": "120"}


def left(folder: Path) -> list[Path]:
    """Return the processes that run in a folder, or below."""
    running = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            at = (process / "cwd").readlink()
        except OSError:
            continue  # it ended meanwhile
        running += [process] if at.is_relative_to(folder) else []
    return running


def held(folder: Path, names: Sequence[str], *options: str) -> str:
    """Hold drills and return what was said, all promises having been kept."""
    chosen = [word for name in names for word in ("--only", name)]
    day = subprocess.run(
        [*GAMEDAY, "--slack", SLACK, *chosen, *options],
        env=environment(folder), capture_output=True, text=True, timeout=280,
    )  # fmt: skip
    assert day.returncode == 0, day.stdout + day.stderr
    until = time.monotonic() + 30
    while still := left(folder):  # what was told to end, or lost its parent, ends by itself
        assert time.monotonic() < until, still
        time.sleep(0.05)
    assert not list(folder.iterdir()), "what was written is gone"
    return day.stdout


def rows(said: str) -> dict[str, list[str]]:
    """Return the lines of the table, by their fault."""
    cells = [re.split(r"\s{2,}|(?<=\d)\s+(?=\d)", line.strip()) for line in said.splitlines()]
    return {line[0]: line[1:] for line in cells if line[0] in NAMES and len(line) > 3}


def test_a_node_is_killed_and_the_feed_is_cut(tmp_path: Path) -> None:
    names = ["node-killed", "feed-cut"]
    said = held(tmp_path, names, "--seconds-each", "0.5")
    assert {name: (row[1], row[2], row[-1]) for name, row in rows(said).items()} == dict.fromkeys(
        names, ("0", "0", "kept")
    )
    assert "TenmatchDown" in said


@pytest.mark.full
def test_all_faults_of_a_game_day(tmp_path: Path) -> None:
    said = held(tmp_path, [], "--minutes", "0.3")
    assert {name: row[-1] for name, row in rows(said).items()} == dict.fromkeys(NAMES, "kept")


@pytest.mark.full
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_who_breaks_it_off_leaves_nothing_running(tmp_path: Path, stop: signal.Signals) -> None:
    day = await asyncio.create_subprocess_exec(*GAMEDAY, env=environment(tmp_path), stdout=subprocess.DEVNULL)
    try:
        await until(lambda: len(left(tmp_path)) >= 7, 120)  # the load and its worker are the last
        day.send_signal(stop)
        async with asyncio.timeout(30):
            assert await day.wait() == (-9 if stop is signal.SIGKILL else 130)
    finally:
        if day.returncode is None:
            day.kill()
    await until(lambda: not left(tmp_path), 30)


def test_faults_are_listed_and_misspelt_ones_refused() -> None:
    listed = subprocess.run([*GAMEDAY, "--list"], capture_output=True, text=True, timeout=60)
    assert [line.split(":")[0] for line in listed.stdout.splitlines() if line.startswith(NAMES)] == list(
        NAMES
    )
    refused = subprocess.run([*GAMEDAY, "--only", "no-node"], capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2
    assert "no-node" in refused.stderr


def test_each_alert_that_is_named_is_one() -> None:
    alerts = (DEPLOY / "prometheus" / "alerts.yml").read_text()
    named = set(re.findall(r"Tenmatch\w+", (DEPLOY / "gameday" / "drills.py").read_text()))
    assert named
    assert all(f"alert: {name}\n" in alerts for name in named)
