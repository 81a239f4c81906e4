"""A process of a load that only reads: what the bare loop writes to so many sockets, over the same client."""

from collections.abc import Sequence

from tenmatch.app.load.member import Spawn
from tenmatch.app.load.party import Pace, Party
from tenmatch.app.load.plan import Plan
from tenmatch.app.load.tally import Tally
from tenmatch.app.load.wire import Where, Wire
from tenmatch.app.load.worker import main


class Reader:
    """One client."""

    def __init__(self, readers: "Readers") -> None:
        self._readers = readers

    def opened(self, wire: Wire) -> None:
        """Count who is there."""
        self._readers.open += 1

    def heard(self, payload: bytes) -> None:
        """Count what came, which is always the same."""
        self._readers.count(payload)

    def lost(self, why: str) -> None:
        """Note an end that was not to be."""
        self._readers.failed = why


class Readers:
    """As many as a plan has watchers."""

    parties: Sequence[Party] = ()
    away = 0

    def __init__(self, plan: Plan, tally: Tally, pace: Pace, spawn: Spawn) -> None:
        """Gather them."""
        self.open = 0
        self.failed = ""
        self._where = Where(plan.url)
        self._tally = tally
        self._spawn = spawn
        self._wanted = plan.watchers
        self._payload = b""

    @property
    def entered(self) -> bool:
        """Whether all are there."""
        return self.open == self._wanted

    def start(self) -> None:
        """Connect everyone."""
        for _ in range(self._wanted):
            self._spawn(self._where.connect("/", Reader(self)))

    def count(self, payload: bytes) -> None:
        """Count a message and look at it."""
        self._payload = self._payload or payload
        if payload != self._payload:
            self._tally.fault("a reader was sent something else")
        self._tally.told += 1

    def resume(self) -> None:
        """There is nothing to resume."""
        raise NotImplementedError

    def cut(self) -> None:
        """Nobody comes back."""
        raise NotImplementedError


if __name__ == "__main__":
    main(Readers)
