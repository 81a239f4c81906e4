"""What an operator does to a room by hand: take a player out, end it."""

from tenmatch.game.answers import Denial, Denied, Taken
from tenmatch.game.commands import PutOut, Resign
from tenmatch.game.consequences import end
from tenmatch.game.events import EndReason, UnseatReason
from tenmatch.game.ids import Millis
from tenmatch.game.moves import resign
from tenmatch.game.room import Phase, Room
from tenmatch.game.seating import unseat

COMPUTER = Denied(Denial.NOT_ALLOWED, "A computer player stays to the end of its game.")


def put_out(room: Room, command: PutOut, now: Millis) -> Taken | Denied:
    """Free a seat for good; in play its player gives up, however little they want to."""
    seat = room.seats[command.seat] if 0 <= command.seat < len(room.seats) else None
    if seat is None:
        return Denied(Denial.NOT_ALLOWED, f"Nobody sits on seat {command.seat}.")
    if room.phase is not Phase.PLAYING:
        return unseat(room, command.seat, UnseatReason.KICKED, now)
    if seat.player.bot is not None:
        return COMPUTER
    if seat.out:
        return Taken((), room)
    return resign(room, Resign(command.seat, seat.free_n), now, kicked=True)


def close(room: Room, now: Millis) -> Taken:
    """End the room as it stands."""
    return end(Taken((), room), EndReason.ABANDONED, now, closed=True)
