"""A log as this node has it, a room's or a tournament's: where it ends, and what continues it."""

from collections.abc import Sequence
from typing import Generic

from tenmatch.game.ids import Seq
from tenmatch.protocol.stored import E, Sealed, StoredError
from tenmatch.store.log import Head


class Copied(Generic[E]):
    """A log of at least one entry. It is a copy: what is in the store may have gone on, or be another."""

    entries: list[Sealed[E]]

    @property
    def head(self) -> Head:
        """Where the log ends, as far as this node knows."""
        last = self.entries[-1]
        return Head(last.seq, last.chain)

    def ended_at(self, end: Head) -> bool:
        """Tell whether this log, when it was so long, ended there."""
        return 0 < end.seq <= len(self.entries) and self.entries[end.seq - 1].chain == end.chain

    def news(self, first: Seq, raws: Sequence[bytes]) -> Sequence[bytes]:
        """Return those of the entries that the feed brought which come after the head.

        Args:
            first: The number of the first that it brought.

        Raises:
            StoredError: They do not follow it: some are missing, or they are of another log.
        """
        beyond = len(self.entries) + 1
        known = raws[: max(0, beyond - first)]
        fresh = raws[len(known) :]
        forked = known and self.entries[first + len(known) - 2].raw != known[-1]
        if forked or (fresh and first > beyond):
            raise StoredError(f"entries from {first} on do not continue the log, which ends at {beyond - 1}")
        return fresh
