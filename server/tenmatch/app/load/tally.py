"""What a worker counts; figures of several workers, or of two moments, put together."""

from collections import Counter
from typing import Final, Self

from msgspec import Struct, field

FAULTS_KEPT: Final = 10
_EXACT_BITS: Final = 7  # of a latency; so a bucket is at most a 64th of it wide


def bucket(us: int) -> int:
    """Return the number of the bucket that a latency in microseconds falls into."""
    shift = max(us.bit_length() - _EXACT_BITS, 0)
    return (shift << (_EXACT_BITS - 1)) + (us >> shift)


def lowest(number: int) -> int:
    """Return the least latency, in microseconds, that falls into a bucket."""
    half = 1 << (_EXACT_BITS - 1)
    shift = max(number // half - 1, 0)
    return (number - shift * half) << shift


class Tally(Struct):
    """Counts since a worker began."""

    moves: int = 0  # answered: the mover has its event
    told: int = 0  # events that came, at players and watchers
    games: int = 0  # played to their end
    came_back: int = 0  # connections that were lost and resumed
    snapshots: int = 0  # that watchers got because they read too slowly
    held_back: dict[str, int] = field(default_factory=dict)  # by the code of the error; tried again each time
    faults: int = 0
    first_faults: list[str] = field(default_factory=list)  # at most FAULTS_KEPT
    latencies: dict[int, int] = field(default_factory=dict)  # move -> opponent: how many, by bucket
    cpu_s: float = 0  # that the worker took
    at_s: float = 0  # when this was said, by a clock that all workers share

    def fault(self, text: str) -> None:
        """Note something that must not be."""
        self.faults += 1
        if len(self.first_faults) < FAULTS_KEPT:
            self.first_faults.append(text)

    def hold_back(self, code: str) -> None:
        """Note that the server asked us to try again later."""
        self.held_back[code] = self.held_back.get(code, 0) + 1

    def took(self, seconds: float) -> None:
        """Note a latency."""
        number = bucket(int(seconds * 1e6))
        self.latencies[number] = self.latencies.get(number, 0) + 1

    def since(self, before: "Tally") -> Self:
        """Return what came after *before*, a tally of the same worker; faults stay all there are."""
        return type(self)(
            moves=self.moves - before.moves,
            told=self.told - before.told,
            games=self.games - before.games,
            came_back=self.came_back - before.came_back,
            snapshots=self.snapshots - before.snapshots,
            held_back=Counter(self.held_back) - Counter(before.held_back),
            faults=self.faults,
            first_faults=self.first_faults,
            latencies=Counter(self.latencies) - Counter(before.latencies),
            cpu_s=self.cpu_s - before.cpu_s,
            at_s=self.at_s - before.at_s,
        )

    def with_(self, other: "Tally") -> Self:
        """Return the sum of two workers' tallies of the same span."""
        return type(self)(
            moves=self.moves + other.moves,
            told=self.told + other.told,
            games=self.games + other.games,
            came_back=self.came_back + other.came_back,
            snapshots=self.snapshots + other.snapshots,
            held_back=Counter(self.held_back) + Counter(other.held_back),
            faults=self.faults + other.faults,
            first_faults=[*self.first_faults, *other.first_faults][:FAULTS_KEPT],
            latencies=Counter(self.latencies) + Counter(other.latencies),
            cpu_s=max(self.cpu_s, other.cpu_s),  # a core is the bound of each
            at_s=max(self.at_s, other.at_s),
        )

    @property
    def moves_per_s(self) -> float:
        """Moves a second, over the span that this tally is of."""
        return self.moves / self.at_s if self.at_s else 0.0

    def latency(self, share: float) -> float | None:
        """Return the latency in seconds that this share (0 … 1) of moves did not exceed, if there are any."""
        rest = share * sum(self.latencies.values())
        for number in sorted(self.latencies):
            rest -= self.latencies[number]
            if rest <= 0:
                return lowest(number + 1) / 1e6
        return None
