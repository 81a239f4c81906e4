"""The store's clock, as this node reckons it between two answers.

Every script answers with the server's TIME. It was read after the request left and before the answer came, so
each answer confines the offset between the store's clock and our monotonic one to an interval as wide as the
round trip. Intervals are intersected: quick answers narrow it, slow ones change nothing. With age it widens
again, as clocks drift.
"""

import time as _time
from collections.abc import Callable
from typing import Final

from tenmatch.game.ids import Millis

DRIFT: Final = 0.5  # ms a second by which two clocks may part: 500 ppm, the most by which NTP slews
STEADY: Final = 250  # ms; within it the clock stands still rather than go back


class StoreClock:
    """Tells the time of the store; kept right by `observe`."""

    def __init__(self, monotonic: Callable[[], float] = _time.monotonic) -> None:
        self.monotonic = monotonic
        self._low = float("-inf")  # bounds of the offset in ms, when last observed
        self._high = float("inf")
        self._offset: float | None = None  # the middle of those, once the store was heard
        self._observed = 0.0
        self._last = Millis(0)

    def observe(self, time: Millis, sent: float, received: float) -> None:
        """Learn that the store read *time* somewhere between *sent* and *received* (monotonic seconds)."""
        low = time - received * 1000
        high = time + 1 - sent * 1000  # TIME was cut down to whole ms
        widened = (received - self._observed) * DRIFT
        self._observed = received
        self._low = max(low, self._low - widened)
        self._high = min(high, self._high + widened)
        if self._low > self._high:  # the store's clock was set, or another server took over
            self._low, self._high = low, high
        self._offset = (self._low + self._high) / 2

    @property
    def known(self) -> bool:
        """Tell whether the store's time was ever heard."""
        return self._offset is not None

    @property
    def error(self) -> float:
        """Return by how many ms `now` can be wrong at most, as of the last answer."""
        return (self._high - self._low) / 2

    def now(self) -> Millis:
        """Return the store's time; small corrections never make it go back."""
        assert self._offset is not None, "the store has not been asked yet"
        now = Millis(int(self.monotonic() * 1000 + self._offset))
        if 0 < self._last - now <= STEADY:
            return self._last
        # A step back by more than that must be followed: the store refuses what claims to come from its
        # future.
        self._last = now
        return now
