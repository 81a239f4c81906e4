"""The server's clock, estimated from answers that carry its time."""

import time

from tenmatch.game.ids import Millis


class ServerClock:
    """What time it is at the server: the tightest sample counts, until one contradicts it."""

    def __init__(self) -> None:
        """Take the server's clock for ours."""
        self._offset = 0.0  # ms that it is ahead of ours
        self._error = float("inf")
        self.latency: float | None = None  # ms of the last round trip

    def now(self) -> Millis:
        """Return the server's time."""
        return Millis(round(local_ms() + self._offset))

    def sample(self, sent_at: float, server_time: int) -> None:
        """Take a sample: the server's time lies somewhere between the sending and now."""
        error = max(0.5, (local_ms() - sent_at) / 2)
        offset = server_time - (sent_at + error)
        self.latency = error * 2
        if error <= self._error or abs(offset - self._offset) > error + self._error:
            self._offset, self._error = offset, error


def local_ms() -> float:
    """Return what time it is here, in ms since the epoch."""
    return time.time() * 1000
