"""What a move makes happen that its seat may make now: the board, the turn and the points judge it here."""

from typing import assert_never

from tenmatch.game.answers import Obstacle, Refused, Taken
from tenmatch.game.commands import Call, Claim, Pass, Resign, TakeAdd
from tenmatch.game.consequences import add, follow, follow_out, shown_hash
from tenmatch.game.events import Called, Flagged, Matched, Mistaken, Passed, Resigned
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.modes import MODES
from tenmatch.game.room import Room, matched, played_sheet
from tenmatch.game.sheet import excuse
from tenmatch.rules.board import NumberId
from tenmatch.rules.judge import judge
from tenmatch.rules.notation import board_hash
from tenmatch.rules.score import CALL, MISTAKE, Match, clear_points, lock_ms, try_match


def make(room: Room, move: Claim | Call | TakeAdd | Pass | Resign, now: Millis) -> Taken | Refused:
    """Judge a move."""
    match move:
        case Claim():
            return claim(room, move, now)
        case Call():
            return call(room, move, now)
        case TakeAdd():
            return take_add(room, move, now)
        case Pass():
            return let_pass(room, move, now)
        case Resign():
            return resign(room, move, now)
        case _:
            assert_never(move)


def claim(room: Room, move: Claim, now: Millis) -> Taken | Refused:
    """Judge the claim of a pair."""
    sheet = room.sheet_of(move.seat)
    found = try_match(sheet.board, move.a, move.b)
    if isinstance(found, Match):
        return _match(room, move, found, now)
    # Another player's match may have been on its way to us while this claim was on its way to them.
    earlier = excuse(sheet, move.seen, sent=move.sent, now=now)
    if earlier is not None and judge(earlier.board, move.a, move.b) is None:
        return Refused(Obstacle.STALE)
    if not room.options.penalty:
        return Refused(found.code.value, found.blockers)
    return _mistake(room, move, found.code.value, now, blockers=found.blockers)


def _match(room: Room, move: Claim, match: Match, now: Millis) -> Taken:
    mode, sheet, seat = MODES[room.mode], room.sheet_of(move.seat), room.seated(move.seat)
    played, points = match.played, match.points
    if played.board.cleared:
        points += clear_points(own=room.own_boards, adds_left=sheet.adds_left)
    after = played_sheet(room, sheet, played, now)
    timing = mode.after_match(room, move.seat, played, now)
    event = Matched(
        at=now,
        seat=move.seat,
        n=move.n,
        a=move.a,
        b=move.b,
        rows=played.rows,
        points=points,
        score=seat.score + points,
        left=played.board.left,
        open=after.open if mode.TELLS_OPEN else None,
        turn=timing.turn,
        clocks=timing.clocks,
        ends_at=timing.ends_at,
        hash=board_hash(played.board),
    )
    return follow(Taken((event,), matched(room, event, after)), now)


def call(room: Room, move: Call, now: Millis) -> Taken | Refused:
    """Judge the call that no pair is left; a right one brings the Add at once."""
    sheet = room.sheet_of(move.seat)
    if not sheet.open:
        event = Called(
            at=now,
            seat=move.seat,
            n=move.n,
            points=CALL,
            score=room.seated(move.seat).score + CALL,
            seen=move.seen,
            hash=board_hash(sheet.board),
        )
        return follow(add(Taken((), room).then(event), now), now)
    earlier = excuse(sheet, move.seen, sent=move.sent, now=now)
    if earlier is not None and not earlier.open:
        return Refused(Obstacle.STALE)
    if not room.options.penalty:
        return Refused(Obstacle.PAIRS_LEFT)
    return _mistake(room, move, Obstacle.PAIRS_LEFT.value, now)


def _mistake(
    room: Room, move: Claim | Call, code: str, now: Millis, *, blockers: tuple[NumberId, ...] = ()
) -> Taken:
    mode, seat = MODES[room.mode], room.seated(move.seat)
    a, b = (move.a, move.b) if isinstance(move, Claim) else (None, None)
    event = Mistaken(
        at=now,
        seat=move.seat,
        n=move.n,
        code=code,
        a=a,
        b=b,
        blockers=blockers or None,
        points=MISTAKE,
        score=seat.score + MISTAKE,
        locked_until=Millis(now + lock_ms(seat.streak + 1)) if mode.LOCKS else None,
        clocks=mode.timing(room, now).clocks,
        seen=move.seen,
        hash=board_hash(room.sheet_of(move.seat).board),
    )
    return Taken((), room).then(event)


def take_add(room: Room, move: TakeAdd, now: Millis) -> Taken | Refused:
    """Add to the player's own board."""
    if not room.sheet_of(move.seat).may_add:
        return Refused(Obstacle.NO_ADD)
    return follow(add(Taken((), room), now, move), now)


def let_pass(room: Room, move: Pass, now: Millis) -> Taken:
    """Let the turn go to the next player; when all have, an Add or the end follows."""
    timing = MODES[room.mode].after_pass(room, move.seat, now)
    event = Passed(
        at=now, seat=move.seat, n=move.n, turn=timing.turn, clocks=timing.clocks, hash=shown_hash(room)
    )
    return follow(Taken((), room).then(event), now)


def resign(room: Room, move: Resign, now: Millis, *, kicked: bool = False) -> Taken:
    """Let a player go out by their own will, or *kicked* by an operator's."""
    timing = MODES[room.mode].after_out(room, move.seat, now)
    event = Resigned(
        at=now,
        seat=move.seat,
        n=move.n,
        kicked=kicked or None,
        turn=timing.turn,
        clocks=timing.clocks,
        hash=shown_hash(room),
    )
    return follow_out(Taken((), room).then(event), now)


def flag(room: Room, seat: SeatNumber, at: Millis) -> Taken:
    """Let a player go out whose clock ran out at *at*."""
    timing = MODES[room.mode].after_out(room, seat, at)
    event = Flagged(at=at, seat=seat, turn=timing.turn, clocks=timing.clocks, hash=shown_hash(room))
    return follow_out(Taken((), room).then(event), at)
