"""Who may see what of a room: its events, its state, its line in a list.

server/protocol.md, "Events", "The state of a room" and "Server to client".

What is hidden is left out here and nowhere else, so nobody behind this module needs to know what a secret is.
"""

from typing import Final

from msgspec import Struct, to_builtins

from tenmatch.game.events import Added, Flagged, Matched, Passed, Player, Resigned, Seated, Started
from tenmatch.game.ids import RoomId, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase, Room
from tenmatch.game.seat import Seat
from tenmatch.protocol.maps import (
    ALWAYS,
    BoardMap,
    EventMap,
    PersonMap,
    PlayerMap,
    RoomLine,
    SeatMap,
    StateMap,
)
from tenmatch.protocol.stored import Entry
from tenmatch.rules.notation import text


class View(Struct, frozen=True):
    """What a viewer may see. Equal views get equal bytes, which can be kept under it once encoded."""

    board: SeatNumber | None = None  # the seat whose board alone is shown; None: all there is


EVERYTHING: Final = View()

_TURNED: Final = frozenset({Started, Matched, Added, Passed, Flagged, Resigned})
"""Kinds that say in a game in turns whose turn it is; also where it is nobody's any more."""


def view_of(room: Room, seat: SeatNumber | None) -> View:
    """Return what is seen from *seat*, or by a watcher where it is None."""
    assert room.mode in (Mode.RACE, Mode.TURNS), "each mode says who sees its boards"
    return EVERYTHING  # one board for all


def event_map(entry: Entry, view: View = EVERYTHING) -> EventMap:
    """Tell an event: `seq`, `chain`, `at`, `hash`, `kind` and the kind's fields."""
    assert view == EVERYTHING, "no mode hides an event from somebody yet"
    event = entry.event
    told: EventMap = {"seq": entry.seq, "chain": entry.chain, "at": None, "hash": None, **to_builtins(event)}
    for name in event.SECRET:
        told.pop(name, None)
    for name in ALWAYS.get(type(event), ()):
        told.setdefault(name)
    if "clocks" in told and type(event) in _TURNED:
        told.setdefault("turn")
    if isinstance(event, Seated):
        told["player"] = player_map(event.player)
    return told


def state_map(room: Room, view: View = EVERYTHING) -> StateMap:
    """Tell what a room is like, as far as *view* goes."""
    assert view == EVERYTHING, "no mode hides a board from somebody yet"
    over = room.phase is Phase.OVER
    told = StateMap(
        mode=room.mode.value,
        options=to_builtins(room.options),
        private=room.private,
        phase=room.phase.value,
        host=room.host,
        code=room.code,
        commit=room.commit,
        seed=room.seed if over else None,
        salt=room.salt if over else None,
        seats=[None if seat is None else _seat_map(seat) for seat in room.seats],
        **_board_map(room),  # type: ignore[typeddict-item]  # it has no keys but its own
        turn=room.turn,
        clocks=room.clocks,
        clocks_at=room.clocks_at,
        starts_at=room.starts_at,
        ends_at=room.ends_at,
        ranking=None if room.ranking is None else list(map(to_builtins, room.ranking)),
    )
    if room.join_by is not None:
        told["join_by"] = room.join_by
    return told


def line_map(room_id: RoomId, room: Room, watching: int) -> RoomLine:
    """Tell what a list says of a room with so many watchers."""
    host = room.seats[room.host]
    return RoomLine(
        room=room_id,
        code=room.code,
        mode=room.mode.value,
        phase=room.phase.value,
        host=None if host is None else person_map(host.player),
        seats=len(room.taken()),
        max_players=room.options.max_players,
        size=room.options.size,
        rated=room.options.rated,
        watching=watching,
        scores=[None if seat is None else seat.score for seat in room.seats],
        started_at=room.started_at,
    )


def person_map(player: Player) -> PersonMap:
    """Tell who somebody is."""
    return PersonMap(id=player.id, name=player.name)


def player_map(player: Player) -> PlayerMap:
    """Tell who sits on a seat."""
    told = PlayerMap(id=player.id, name=player.name)
    if player.bot is not None:
        told["bot"] = player.bot.value
    if player.rating is not None:
        told["rating"] = player.rating
    return told


def _seat_map(seat: Seat) -> SeatMap:
    return SeatMap(
        player=player_map(seat.player),
        ready=seat.ready,
        score=seat.score,
        mistakes=seat.mistakes,
        locked_until=seat.locked_until,
        out=seat.out,
        last_n=seat.last_n,
    )


def _board_map(room: Room) -> BoardMap:
    sheet = room.sheet
    if sheet is None:
        return BoardMap(board=None, ids=[], next_id=0, adds_left=room.adds_left, left=0, open=None)
    told = room.mode is not Mode.RACE or room.phase is Phase.OVER
    return BoardMap(
        board=text(sheet.board),
        ids=sheet.board.ids(),
        next_id=sheet.board.next_id,
        adds_left=sheet.adds_left,
        left=sheet.board.left,
        open=sheet.open if told else None,
    )
