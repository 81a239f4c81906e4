"""Who came where ("Ranking" in server/rules.md)."""

from collections.abc import Sequence
from math import inf

from tenmatch.game.events import Rank
from tenmatch.game.ids import SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.room import Room


def ranking(room: Room) -> tuple[Rank, ...]:
    """Return the ranking by place, then seat; equal sides share a place and the next place is skipped.

    It is empty where no game was played.
    """
    if room.started_at is None:
        return ()
    sides = room.sides(number for number, _ in room.taken())
    standings = {side: _standing(room, seats) for side, seats in sides.items()}
    better = sorted(standings.values())
    places = {seat: better.index(standings[side]) + 1 for side, seats in sides.items() for seat in seats}
    return tuple(
        Rank(number, place, room.seated(number).score, room.seated(number).mistakes)
        for place, number in sorted((place, number) for number, place in places.items())
    )


def _standing(room: Room, side: Sequence[SeatNumber]) -> tuple[bool, int, int, int, float]:
    """Return what is compared of those who win together, the better the lower."""
    seats = [room.seated(number) for number in side]
    out_at = [seat.out_at for seat in seats if seat.out_at is not None]
    out = len(out_at) == len(seats)
    later_out = -max(out_at) if out and room.mode is Mode.TURNS else 0
    sheets = [room.sheet_of(number) for number in side] if room.own_boards else []
    cleared_at = min((sheet.since for sheet in sheets if sheet.board.cleared), default=inf)
    return (
        out,
        later_out,
        -sum(seat.score for seat in seats),
        sum(seat.mistakes for seat in seats),
        cleared_at,
    )
