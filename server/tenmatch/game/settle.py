"""What is due by itself, in the order of its deadlines ("What happens by itself" in server/rules.md).

What is settled carries its deadline as `at`, so nodes that settle at different times write the same. Only
`shifted` carries the time of who wrote it, and what is due after one never happens before it.
"""

from typing import assert_never

from tenmatch.game import computer, moves
from tenmatch.game.answers import Taken
from tenmatch.game.clock import OPEN_IDLE_MS, REMATCH_MS, Due, What
from tenmatch.game.consequences import add, end, follow, shown_hash
from tenmatch.game.events import AnyEvent, EndReason, Shifted
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.modes import MODES
from tenmatch.game.room import FULL_LOG, Phase, Room
from tenmatch.game.seating import begin


def settle(room: Room, now: Millis) -> Taken:
    """Return all that is due at or before *now*, and the room after it; no events if there is nothing."""
    events: list[AnyEvent] = []
    while (taken := settle_first(room, now)).events:
        events += taken.events
        room = taken.room
    return Taken(tuple(events), room)


def settle_first(room: Room, now: Millis, *, computers: bool = True) -> Taken:
    """Return what is due first, at or before *now*, with what follows from it in the same breath.

    Args:
        computers: Let computer players move. Without, only what the rules fix to the millisecond happens.
    """
    due = _next(room, computers)
    if due is None or due.at > max(now, room.at):
        return Taken((), room)
    return _happen(room, due, max(due.at, room.at))


def next_due(room: Room) -> Millis | None:
    """Return when the room must be looked at again: to settle it, or to make the room of its rematch."""
    due = _next(room)
    return _rematch_at(room) if due is None else due.at


def shift(room: Room, by_ms: int, now: Millis) -> Taken:
    """Return that the server was away for *by_ms*; nothing where no clock was running."""
    waits = room.phase is Phase.OPEN and room.join_by is not None
    if by_ms <= 0 or not (waits or room.phase in (Phase.STARTING, Phase.PLAYING)):
        return Taken((), room)
    return Taken((), room).then(Shifted(at=max(now, room.at), by_ms=by_ms, hash=shown_hash(room)))


def rematch_due(room: Room, now: Millis) -> bool:
    """Tell whether the room of the rematch is to be made now."""
    at = _rematch_at(room)
    return at is not None and at <= now


def _rematch_at(room: Room) -> Millis | None:
    if room.phase is not Phase.OVER or room.rematch is not None or not room.wants:
        return None
    persons = {number for number, seat in room.taken() if not seat.player.bot}
    if persons <= set(room.wants):
        return room.at
    return None if room.wanted_at is None else Millis(room.wanted_at + REMATCH_MS)


def _next(room: Room, computers: bool = True) -> Due | None:
    match room.phase:
        case Phase.PLAYING:
            dues = MODES[room.mode].dues(room)
            if computers:
                dues += computer.dues(room)
            if room.seq >= FULL_LOG:
                dues.append(Due(room.at, What.ABANDONED))
            return min(dues)
        case Phase.OPEN:
            return Due(room.join_by or Millis(room.at + OPEN_IDLE_MS), What.ABANDONED)
        case Phase.STARTING:
            assert room.starts_at is not None, "a countdown ends"
            return Due(room.starts_at, What.START)
        case Phase.OVER:
            return None
        case _:
            assert_never(room.phase)


def _happen(room: Room, due: Due, at: Millis) -> Taken:
    nothing = Taken((), room)
    match due.what:
        case What.TIME_UP:
            return end(nothing, MODES[room.mode].time_up(room), at)
        case What.ABANDONED:
            return end(nothing, EndReason.ABANDONED, at)
        case What.FLAG:
            return moves.flag(room, due.seat, at)
        case What.START:
            return begin(nothing, at)
        case What.ADD:
            return follow(add(nothing, at), at)
        case What.COMPUTER:
            return _computer(room, due.seat, at)
        case _:
            assert_never(due.what)


def _computer(room: Room, seat: SeatNumber, at: Millis) -> Taken:
    answer = moves.make(room, computer.move(room, seat), at)
    assert isinstance(answer, Taken), f"a computer player's move was refused: {answer!r}"
    return answer
