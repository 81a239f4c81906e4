"""Who came where ("Ranking" in server/rules.md)."""

from math import inf

from tenmatch.game.events import Rank
from tenmatch.game.ids import SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.room import Room
from tenmatch.game.seat import Seat


def ranking(room: Room) -> tuple[Rank, ...]:
    """Return the ranking by place, then seat; equal players share a place and the next place is skipped.

    It is empty where no game was played.
    """
    if room.started_at is None:
        return ()
    standings = sorted((_standing(room, number, seat), number) for number, seat in room.taken())
    better = [standing for standing, _ in standings]
    return tuple(
        Rank(number, better.index(standing) + 1, room.seated(number).score, room.seated(number).mistakes)
        for standing, number in standings
    )


def _standing(room: Room, number: SeatNumber, seat: Seat) -> tuple[bool, int, int, int, float]:
    """Return what is compared, the better the lower."""
    later_out = -seat.out_at if seat.out_at is not None and room.mode is Mode.TURNS else 0
    sheet = room.sheet_of(number)
    cleared_at = sheet.since if room.own_boards and sheet.board.cleared else inf
    return (seat.out, later_out, -seat.score, seat.mistakes, cleared_at)
