"""Watches whether the event loop turns, says where it is stuck, and ends a process that does not come free.

All of a node runs on one loop: a call that does not return there stops every game, and the node's signs of
life too. A thread asks the loop for a turn again and again. If none comes for a while, the stacks of all
threads are logged; if none comes for long, the process ends, so that a supervisor starts another. Rooms lose
nothing by that: they are in the store.

Time in which this thread did not run either does not count: the process was stopped, or the machine is busy.
A call that keeps the interpreter's lock stops this thread, too. Such a call is busy, and so the kernel ends
the process when it has used that much of a processor without a turn of the loop (ITIMER_PROF).
"""

import asyncio
import faulthandler
import logging
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator
from threading import Event, Thread, get_ident
from typing import Final, Self

from tenmatch.store.histogram import SECONDS, Histogram

log = logging.getLogger(__name__)

EVERY_S: Final = 0.25  # between two questions
TICK_S: Final = 0.1  # between two looks whether the turn came
KEPT: Final = 40  # lags: those of the last ten seconds, about
SAY_S: Final = 1.0  # for a line to be logged: the log may be what the loop waits for
GRACE_S: Final = 2.0  # of a processor's time beyond end_s: the thread comes first where it can
STATUS: Final = os.EX_SOFTWARE
STDERR: Final = 2  # as a descriptor


class Watchdog:
    """Watches the loop on which it is entered, until it is left."""

    def __init__(self, *, log_s: float, end_s: float) -> None:
        """Prepare to watch.

        Args:
            log_s: Seconds without a turn of the loop, then all stacks are logged; 0: never.
            end_s: Seconds without one, then the process ends with STATUS, or by SIGPROF; 0: never.
        """
        self._log_s = log_s
        self._end_s = end_s
        self.lags = Histogram(SECONDS)  # how late the loop was at each question
        self._lags: deque[float] = deque(maxlen=KEPT)
        self._turned = Event()
        self._left = Event()
        self._loop: asyncio.AbstractEventLoop
        self._watched: int  # the loop's thread
        self._thread: Thread

    @property
    def lag(self) -> float:
        """Seconds that the loop was late at worst, of late; for the loop's own thread."""
        return max(self._lags, default=0.0)

    def __enter__(self) -> Self:
        """Begin, in the thread of the running loop."""
        self._loop, self._watched = asyncio.get_running_loop(), get_ident()
        if self._end_s:
            faulthandler.register(signal.SIGPROF, STDERR, chain=True)  # it says where, and dies of it
            self._allow(self._end_s + GRACE_S)
        self._thread = Thread(target=self._watch, name="watchdog", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *failed: object) -> None:
        self._left.set()
        self._turned.set()
        self._thread.join()
        if self._end_s:
            self._allow(0)
            faulthandler.unregister(signal.SIGPROF)

    def _allow(self, seconds: float) -> None:
        """Give the process so much of a processor's time from now on; 0: as much as it wants."""
        signal.setitimer(signal.ITIMER_PROF, seconds)

    def _turn(self, asked: float) -> None:
        lag = time.monotonic() - asked
        self._lags.append(lag)
        self.lags.observe(lag)
        self._turned.set()
        if self._end_s:
            self._allow(self._end_s + GRACE_S)

    # -- in the thread

    def _watch(self) -> None:
        while not self._left.wait(EVERY_S):
            self._turned.clear()
            try:
                self._loop.call_soon_threadsafe(self._turn, time.monotonic())
            except RuntimeError:  # the loop is closed
                return
            self._wait()

    def _wait(self) -> None:
        """Wait for a turn, and do what has to be done if it does not come."""
        stuck, logged, before = 0.0, False, time.monotonic()
        while not self._turned.wait(TICK_S) and not self._left.is_set():
            now = time.monotonic()
            stuck += min(now - before, 2 * TICK_S)
            before = now
            if self._log_s and stuck >= self._log_s and not logged:
                logged = True
                self._say(logging.ERROR, "the event loop is stuck", stuck)
            if self._end_s and stuck >= self._end_s:
                self._say(logging.CRITICAL, "the event loop is stuck: this process ends", stuck)
                os._exit(STATUS)
        if logged:
            log.warning("the event loop turns again", extra={"seconds": round(stuck, 1)})

    def _say(self, level: int, event: str, stuck: float) -> None:
        """Log an event with all stacks, or give up if that takes too long."""
        fields = {"seconds": round(stuck, 1), "stacks": "\n".join(self._stacks())}
        saying = Thread(target=log.log, args=(level, event), kwargs={"extra": fields}, daemon=True)
        saying.start()
        saying.join(SAY_S)

    def _stacks(self) -> Iterator[str]:
        """Yield what each thread but this one is doing, the loop's first."""
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        frames = sys._current_frames()
        for ident in sorted(frames.keys() - {get_ident()}, key=lambda ident: ident != self._watched):
            yield f"{names.get(ident, ident)}:\n" + "".join(traceback.format_stack(frames[ident]))
