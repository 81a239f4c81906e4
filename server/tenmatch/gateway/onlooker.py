"""Who may look on as moves are made: for traces. With nobody looking, a move costs one comparison more."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from tenmatch.game.ids import RoomId
from tenmatch.protocol.stored import Entry


class Way(NamedTuple):
    """What became of commands that went into one append, in seconds of the loop's clock."""

    asked: Sequence[float]  # when each frame had come
    judged: float  # then it was sent to the store
    known: float  # the store had it
    told: float  # everyone here was sent it


class Onlooker(Protocol):
    """Who looks on: `tenmatch.app.traces.Traces`."""

    def wrote(self, room: RoomId, entries: Sequence[Entry], way: Way) -> None:
        """See what this node appended and told."""

    def heard(self, room: RoomId, entries: Sequence[Entry], came: float, told: float) -> None:
        """See what another node appended, and the feed brought, and this one told."""
