"""A taken seat of a room: who sits there, how they stand, and which of their moves are logged."""

from bisect import bisect_left

import msgspec
from msgspec.structs import replace

from tenmatch.game.clock import moved
from tenmatch.game.events import Player
from tenmatch.game.ids import Millis, MoveNumber, SeatNumber, Seq


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A taken seat."""

    player: Player
    ready: bool = False
    score: int = 0
    mistakes: int = 0
    streak: int = 0  # mistakes in a row
    locked_until: Millis | None = None  # when the latest lock ends, or ended
    acted_at: Millis | None = None  # the player's own last move, or the start
    out_at: Seq | None = None  # the event by which the player went out
    moves: tuple[tuple[MoveNumber, Seq], ...] = ()  # those logged, and where, by their numbers

    @property
    def last_n(self) -> int:
        """The highest move number logged, or 0."""
        return self.moves[-1][0] if self.moves else 0

    @property
    def out(self) -> bool:
        """Whether the player resigned or was flagged."""
        return self.out_at is not None

    def logged(self, n: MoveNumber) -> Seq | None:
        """Return where in the log the player's move *n* is, if it is there."""
        if n > self.last_n:
            return None
        number, seq = self.moves[bisect_left(self.moves, (n, Seq(0)))]
        return seq if number == n else None

    @property
    def free_n(self) -> MoveNumber:
        """The lowest move number that the player has not used."""
        used = {number for number, _ in self.moves}
        return next(n for n in map(MoveNumber, range(1, len(used) + 2)) if n not in used)

    def moved(self, n: MoveNumber, seq: Seq, at: Millis) -> "Seat":
        """Return the seat with the player's move *n*, logged as *seq*."""
        move = (n, seq)
        if n > self.last_n:
            moves = (*self.moves, move)
        else:  # numbers may come in any order
            place = bisect_left(self.moves, move)
            moves = (*self.moves[:place], move, *self.moves[place:])
        return replace(self, moves=moves, acted_at=at)

    def shifted(self, by_ms: int) -> "Seat":
        """Return the seat with its moments *by_ms* later."""
        return replace(
            self, locked_until=moved(self.locked_until, by_ms), acted_at=moved(self.acted_at, by_ms)
        )


Seats = tuple[Seat | None, ...]
"""By seat number up to `max_players`; None: the seat is free."""


def put(seats: Seats, number: SeatNumber, seat: Seat | None) -> Seats:
    """Return the seats with another in the place of one."""
    return (*seats[:number], seat, *seats[number + 1 :])
