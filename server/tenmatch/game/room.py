"""The state of a room, and what an event makes of it."""

from enum import StrEnum

import msgspec

from tenmatch.game.events import AnyEvent, Clocks, Level, Player, Rank
from tenmatch.game.ids import Millis, MoveNumber, PlayerId, RoomCode, RoomId, SeatNumber, Seq
from tenmatch.game.options import Mode, Options
from tenmatch.rules.board import Board, NumberId, Pair

RULES = 1
"""Version of the rules by which this code judges; stored with every room."""


class Phase(StrEnum):
    """Where a room is in its life."""

    OPEN = "open"
    STARTING = "starting"
    PLAYING = "playing"
    OVER = "over"


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A taken seat."""

    player: Player
    ready: bool = False
    score: int = 0
    mistakes: int = 0
    streak: int = 0  # mistakes in a row
    locked_until: Millis | None = None
    out_at: Seq | None = None  # the event by which the player went out
    moves: tuple[tuple[MoveNumber, Seq], ...] = ()  # those logged, and where

    @property
    def last_n(self) -> int:
        """The highest move number logged, or 0."""
        raise NotImplementedError
