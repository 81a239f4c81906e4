"""How much a client may send: a bucket of credits that refills with time."""


class Credits:
    """A bucket of *burst* credits that refills by *per_second*; a rate of 0 means no limit."""

    __slots__ = ("_at", "_burst", "_left", "_per_second")

    def __init__(self, per_second: float, burst: float, now: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left = burst
        self._at = now

    def take(self, now: float) -> bool:
        """Take one credit and return True, or False where none is left.

        Args:
            now: Seconds of a monotonic clock.
        """
        if not self._per_second:
            return True
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
