"""What players of a mirror game are told of their rivals before the end (server/protocol.md, "Events")."""

from collections.abc import Sequence

from msgspec import Struct

from tenmatch.game.events import Added, AnyEvent, Matched, Mistaken, Started
from tenmatch.game.ids import SeatNumber
from tenmatch.protocol.stored import Entry
from tenmatch.rules.notation import parse

Hidden = Matched | Mistaken | Added
"""What rivals are told as progress."""


class Progress(Struct, frozen=True):
    """How far a player has come on a board of their own."""

    left: int  # active numbers
    rows_closed: int = 0
    score: int = 0
    mistakes: int = 0


class Course:
    """How far each player of a mirror game had come after each move. It is reckoned from the log, once."""

    def __init__(self) -> None:
        """Begin before the first event."""
        self._after: list[Progress | None] = []  # by event: of whose move it was
        self._now: dict[SeatNumber, Progress] = {}
        self._dealt = Progress(0)

    def after(self, entry: Entry, log: Sequence[Entry]) -> Progress:
        """Return how far the player of a hidden move had come by it.

        Args:
            log: From its first entry on, at least up to *entry*.
        """
        for known in log[len(self._after) : entry.seq]:
            self._after.append(self._take(known.event))
        found = self._after[entry.seq - 1]
        assert found is not None, f"no rival's move: {entry.event!r}"
        return found

    def _take(self, event: AnyEvent) -> Progress | None:
        if isinstance(event, Started):
            self._dealt = Progress(parse(event.board).left)
        if not isinstance(event, Hidden) or event.seat is None:
            return None
        progress = _moved(self._now.get(event.seat, self._dealt), event)
        self._now[event.seat] = progress
        return progress


def _moved(before: Progress, event: Hidden) -> Progress:
    """Return how far a player has come who had come so far, by a move of theirs."""
    match event:
        case Matched(left=left, rows=rows, score=score):
            return Progress(left, before.rows_closed + len(rows), score, before.mistakes)
        case Mistaken(score=score):
            return Progress(before.left, before.rows_closed, score, before.mistakes + 1)
        case Added(left=left):
            return Progress(left, before.rows_closed, before.score, before.mistakes)
