"""What clients did and were told: the moves they sent, the answers they got, and what each of them holds.

Times are seconds of one monotonic clock.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

Pair = tuple[int, int]


class Told(NamedTuple):
    """An event, as a client applied it to what it held."""

    seq: int
    chain: int
    hash: int | None
    kind: str
    seat: int | None = None
    n: int | None = None


class Shown(NamedTuple):
    """A snapshot, which replaced what a client held."""

    seq: int
    chain: int
    board: str | None  # text; None before the start


@dataclass
class View:
    """What one client holds of one room, step by step; a snapshot with `reset` begins it anew."""

    who: str
    seat: int | None  # None for a spectator
    steps: list[Told | Shown] = field(default_factory=list)
    gaps: int = 0  # events that came with others missing before them
    doubles: int = 0  # events that came although it held them, and answered nothing
    resets: int = 0

    @property
    def seq(self) -> int:
        """The last event it holds."""
        return self.steps[-1].seq if self.steps else 0

    @property
    def chain(self) -> int:
        """The chain of that."""
        return self.steps[-1].chain if self.steps else 0


@dataclass
class Move:
    """A move of one's own, sent once or again and again."""

    pair: Pair
    sent: float  # for the first time
    acknowledged: list[tuple[float, int]] = field(default_factory=list)  # when, and as which event
    refused: str = ""  # the code with which it was


@dataclass
class RoomHistory:
    """All of one room."""

    moves: dict[tuple[int, int], Move] = field(default_factory=dict)  # by seat and n
    views: list[View] = field(default_factory=list)


@dataclass
class History:
    """All of all rooms."""

    rooms: dict[str, RoomHistory] = field(default_factory=dict)

    def room(self, room: str) -> RoomHistory:
        """Return a room's, from now on if there was none."""
        return self.rooms.setdefault(room, RoomHistory())

    def moves(self) -> Iterator[Move]:
        """Yield all moves."""
        for room in self.rooms.values():
            yield from room.moves.values()

    def views(self) -> Iterator[View]:
        """Yield all views."""
        for room in self.rooms.values():
            yield from room.views

    @property
    def acknowledged(self) -> int:
        """Count the moves that were acknowledged."""
        return sum(bool(move.acknowledged) for move in self.moves())
