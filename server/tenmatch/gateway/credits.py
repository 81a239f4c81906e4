"""How much a client may send: buckets of credits that refill with time."""

from collections import OrderedDict


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
        left = self._left + (now - self._at) * self._per_second
        if left > self._burst:  # `min` would take as long as all the rest
            left = self._burst
        self._at = now
        self._left = left - 1 if left >= 1 else left
        return left >= 1


class Shared:
    """Buckets that several connections share: one for each player, or one for each address.

    A bucket outlives its last connection until it would be full again: whoever hangs up and comes back finds
    what was left.
    """

    def __init__(self, per_second: float, burst: float) -> None:
        """Make none yet; a rate of 0 means no limit."""
        self._per_second = per_second
        self._burst = burst
        self._used: dict[str, tuple[Credits, int]] = {}  # with how many use it
        self._left: OrderedDict[str, tuple[Credits, float]] = OrderedDict()  # with when it was, oldest first

    def __len__(self) -> int:
        return len(self._used) + len(self._left)

    def users(self, name: str) -> int:
        """Return how many use the bucket of that name."""
        return self._used[name][1] if name in self._used else 0

    def enter(self, name: str, now: float) -> Credits:
        """Return the bucket of that name, to be used until `leave`."""
        credits, users = self._used.get(name, (None, 0))
        if credits is None:
            self._forget(now)
            credits, _ = self._left.pop(name, (None, now))
        if credits is None:
            credits = Credits(self._per_second, self._burst, now)
        self._used[name] = (credits, users + 1)
        return credits

    def leave(self, name: str, now: float) -> None:
        """Use it no longer."""
        credits, users = self._used.pop(name)
        if users > 1:
            self._used[name] = (credits, users - 1)
        elif self._per_second:
            self._left[name] = (credits, now)
        self._forget(now)

    def _forget(self, now: float) -> None:
        """Drop the buckets that must have filled up in the meantime."""
        while self._left:
            name, (_, left) = next(iter(self._left.items()))
            if (now - left) * self._per_second < self._burst:
                break
            del self._left[name]
