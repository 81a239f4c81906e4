"""What follows an event in the same breath, before anybody else may act: Adds, and the end."""

from tenmatch.game.answers import Taken
from tenmatch.game.commands import TakeAdd
from tenmatch.game.events import Added, Ended, EndReason
from tenmatch.game.ids import Millis
from tenmatch.game.modes import MODES
from tenmatch.game.modes.play import Follows
from tenmatch.game.ranking import ranking
from tenmatch.game.room import ANY, Room, added_sheet, with_add
from tenmatch.rules.board import NumberId
from tenmatch.rules.notation import board_hash, copies


def follow(taken: Taken, at: Millis) -> Taken:
    """Let happen what must follow a change of the board, or of who passed."""
    play = MODES[taken.room.mode]
    while follows := play.follows(taken.room):
        if follows is not Follows.ADD:
            return end(taken, EndReason(follows.value), at)
        taken = add(taken, at)
    return taken


def follow_out(taken: Taken, at: Millis) -> Taken:
    """Let happen what must follow when a player went out."""
    still_in = taken.room.still_in()
    if len(taken.room.sides(still_in)) == 1:
        return end(taken, EndReason.LAST_ONE_IN, at)
    if all(taken.room.seated(seat).player.bot for seat in still_in):
        return end(taken, EndReason.ABANDONED, at)
    return follow(taken, at)


def add(taken: Taken, at: Millis, move: TakeAdd | None = None) -> Taken:
    """Add to the board of who makes that *move*, or to the one for all. Its sheet must allow it."""
    room, play = taken.room, MODES[taken.room.mode]
    before = room.sheet_of(ANY if move is None else move.seat)
    sheet = added_sheet(room, before, at)
    timing = play.timing(room, at)
    event = Added(
        at=at,
        digits=copies(before.board.active),
        first=NumberId(before.board.next_id),
        adds_left=sheet.adds_left,
        left=sheet.board.left,
        open=sheet.open if play.TELLS_OPEN else None,
        seat=None if move is None else move.seat,
        n=None if move is None else move.n,
        turn=timing.turn,
        clocks=timing.clocks,
        hash=board_hash(sheet.board),
    )
    return Taken((*taken.events, event), with_add(room, event, sheet))


def end(taken: Taken, reason: EndReason, at: Millis, *, closed: bool = False) -> Taken:
    """End the room, played or not; *closed*: by an operator."""
    room = taken.room
    return taken.then(
        Ended(
            at=at,
            reason=reason,
            ranking=ranking(room),
            closed=closed or None,
            seed=room.revealed,
            salt=room.salt,
            hash=shown_hash(room),
        )
    )


def shown_hash(room: Room) -> int | None:
    """Return the hash on an event that changes no board: of the one that all play on, if there is one."""
    return None if room.own_boards or not room.sheets else board_hash(room.sheets[0].board)
