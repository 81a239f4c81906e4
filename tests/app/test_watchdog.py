"""The watchdog: it sees a loop that is stuck, says where, ends the process, and blames nobody else's time."""

import asyncio
import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Final

import pytest
from tests.store.waiting import until

from tenmatch.app import watchdog
from tenmatch.app.watchdog import STATUS, TICK_S, Watchdog

ENDS_S: Final = 50.0  # for a process to end
PROGRAM: Final = """
import asyncio, logging, os, re, sys, time
from tenmatch.app.logs import set_up_logs
from tenmatch.app.watchdog import Watchdog

def busy_with_the_lock():
    re.match("(a+)+$", "a" * 60 + "b")  # takes years, and lets no other thread run

def talking_to_nobody():
    while True:
        logging.warning("x" * 10_000)  # until the pipe is full

async def main():
    with Watchdog(log_s=0.2, end_s=0.6):
        await asyncio.sleep(0.5)
        print("begun", flush=True)
        %s
        await asyncio.sleep(0.5)
    print("ended", flush=True)

set_up_logs("json", "info")
asyncio.run(main())
"""


@contextmanager
def program(stuck: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a watched program up to where it says that it has begun what gets it stuck."""
    command = [sys.executable, "-c", PROGRAM % stuck]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            yield process
        finally:
            process.kill()


async def stuck_until(watching: Watchdog, seen: Callable[[], bool], seconds: float) -> None:
    """Hold the loop up until it was asked for a turn and something is *seen*, and for a while more."""
    loop, asked = asyncio.get_running_loop(), threading.Event()

    def ask(turn: Callable[[float], None], now: float) -> None:
        loop.call_soon_threadsafe(turn, now)
        asked.set()

    vars(watching)["_loop"] = SimpleNamespace(call_soon_threadsafe=ask)
    while not asked.is_set() or not seen():
        time.sleep(0.001)  # noqa: ASYNC251  # that is what is watched for
    time.sleep(seconds)  # noqa: ASYNC251  # in which more could be seen
    turns = sum(watching.lags.counts)
    await until(lambda: sum(watching.lags.counts) > turns)


async def test_the_lag_of_a_loop_that_was_held_up_can_be_read() -> None:
    with Watchdog(log_s=0, end_s=0) as watching:
        assert watching.lag == 0
        await stuck_until(watching, lambda: True, 0.3)
        assert 0.3 <= watching.lag < 60


async def test_where_a_loop_is_stuck_is_logged_once_and_that_it_turns_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Watchdog(log_s=0.5, end_s=0) as watching:
        await stuck_until(watching, lambda: "the event loop is stuck" in caplog.text, 0.5)
        await until(lambda: "the event loop turns again" in caplog.text)
    stuck, again = caplog.records
    assert (stuck.levelno, stuck.getMessage()) == (logging.ERROR, "the event loop is stuck")
    stacks = vars(stuck)["stacks"]
    assert stacks.startswith("MainThread:\n")
    assert "in stuck_until" in stacks
    assert vars(again)["seconds"] >= 0.5


@pytest.mark.parametrize("late", [0.05, 0.3])
async def test_a_loop_that_turns_in_time_is_not_mentioned(
    caplog: pytest.LogCaptureFixture, late: float
) -> None:
    with Watchdog(log_s=50, end_s=100) as watching:
        await stuck_until(watching, lambda: True, late)
    assert not caplog.records


async def test_it_leaves_no_thread_and_no_limit_behind() -> None:
    with Watchdog(log_s=1, end_s=10):
        assert [one.name for one in threading.enumerate()].count("watchdog") == 1
        assert signal.getitimer(signal.ITIMER_PROF)[0] > 0
    assert "watchdog" not in [one.name for one in threading.enumerate()]
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


@pytest.mark.slow
def test_a_process_that_stays_stuck_says_where_and_ends() -> None:
    with program("time.sleep(60)") as process:
        _, said = process.communicate(timeout=ENDS_S)
        assert process.returncode == STATUS
    assert "the event loop is stuck: this process ends" in said
    assert "in main" in said


@pytest.mark.slow
def test_a_process_that_is_stuck_with_the_interpreters_lock_ends_too() -> None:
    with program("busy_with_the_lock()") as process:
        _, said = process.communicate(timeout=ENDS_S)
        assert process.returncode == -signal.SIGPROF
    assert "in busy_with_the_lock" in said


@pytest.mark.slow
def test_a_process_that_is_stuck_in_its_log_ends_too() -> None:
    with program("talking_to_nobody()") as process:
        assert process.wait(ENDS_S) == STATUS


async def test_time_in_which_the_process_was_stopped_does_not_count(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stopped_s = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + stopped_s)
    monkeypatch.setattr(watchdog, "time", clock)

    def stop() -> bool:
        nonlocal stopped_s
        time.sleep(2 * TICK_S)  # it looks whether the turn has come
        stopped_s = 100.0
        return True

    with Watchdog(log_s=50, end_s=0) as watching:
        await stuck_until(watching, stop, 3 * TICK_S)
        assert watching.lag > 100
    assert not caplog.records
