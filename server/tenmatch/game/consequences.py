"""What follows an event in the same breath, before anybody else may act: Adds, and the end."""

from tenmatch.game.answers import Taken
from tenmatch.game.events import Added, Ended, EndReason
from tenmatch.game.ids import Millis
from tenmatch.game.modes import MODES
from tenmatch.game.modes.play import Follows
from tenmatch.game.ranking import ranking
from tenmatch.game.room import Room, next_sheet, with_add
from tenmatch.rules.board import NumberId, added
from tenmatch.rules.notation import board_hash, copies


def follow(taken: Taken, at: Millis) -> Taken:
    """Let happen what must follow a change of the board, or of who passed."""
    play = MODES[taken.room.mode]
    while (follows := play.follows(taken.room)) is Follows.ADD:
        taken = add(taken, at)
    return taken if follows is None else end(taken, EndReason(follows.value), at)


def follow_out(taken: Taken, at: Millis) -> Taken:
    """Let happen what must follow when a player went out."""
    still_in = taken.room.still_in()
    if len(still_in) == 1:
        return end(taken, EndReason.LAST_ONE_IN, at)
    if all(taken.room.seated(seat).player.bot for seat in still_in):
        return end(taken, EndReason.ABANDONED, at)
    return follow(taken, at)


def add(taken: Taken, at: Millis) -> Taken:
    """Add to the shared board. The room's sheet must allow it."""
    room, play = taken.room, MODES[taken.room.mode]
    before = room.in_play()
    sheet = next_sheet(room, added(before.board), at, adds=1)
    turn = play.turn_now(room, at)
    event = Added(
        at=at,
        digits=copies(before.board.active),
        first=NumberId(before.board.next_id),
        adds_left=sheet.adds_left,
        left=sheet.board.left,
        open=sheet.open if play.TELLS_OPEN else None,
        turn=turn.seat,
        clocks=turn.clocks,
        hash=board_hash(sheet.board),
    )
    return Taken((*taken.events, event), with_add(room, event, sheet))


def end(taken: Taken, reason: EndReason, at: Millis) -> Taken:
    """End the room, played or not."""
    room = taken.room
    return taken.then(
        Ended(
            at=at,
            reason=reason,
            ranking=ranking(room),
            seed=room.seed,
            salt=room.salt,
            hash=shown_hash(room),
        )
    )


def shown_hash(room: Room) -> int | None:
    """Return the hash that an event has which leaves the board as it is; None before the start."""
    return None if room.board is None else board_hash(room.board)
