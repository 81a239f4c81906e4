"""How often something was how large: plain integers, which cost next to nothing until somebody reads them."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

SECONDS: Final = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Bounds for what should take some milliseconds, and is given up after a second or so."""


class Histogram:
    """Counts values by the least of its bounds that is not below them."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        """Count nothing yet; *bounds* ascend."""
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)  # the last: above all bounds
        self.total = 0.0  # of all values

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value
