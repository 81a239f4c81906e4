"""Who may see what of a room: its events, its state, its line in a list.

server/protocol.md, "Events", "The state of a room" and "Server to client".

What is hidden is left out here and nowhere else, so nobody behind this module needs to know what a secret is.
"""

from typing import Final

from msgspec import UNSET, Struct, to_builtins

from tenmatch.game.events import (
    Added,
    AnyEvent,
    Flagged,
    Matched,
    Passed,
    Player,
    Resigned,
    Seated,
    Started,
)
from tenmatch.game.featured import strength
from tenmatch.game.ids import RoomId, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase, Room
from tenmatch.game.seat import Seat
from tenmatch.game.sheet import Sheet
from tenmatch.protocol.maps import (
    ALWAYS,
    ApartMap,
    BoardMap,
    EventMap,
    PersonMap,
    PlayerMap,
    ProgressMap,
    RoomLine,
    SeatMap,
    SharedMap,
    StateMap,
)
from tenmatch.protocol.progress import Hidden, Progress
from tenmatch.protocol.stored import Entry
from tenmatch.rules.notation import text


class View(Struct, frozen=True):
    """What a viewer may see of a room's state. Equal views get equal bytes, which can be kept under it."""

    board: SeatNumber | None = None  # the seat whose board alone is shown; None: all there is

    def shows(self, seat: int) -> bool:
        """Tell whether what a seat does on its own board is seen."""
        return self.board is None or self.board == seat


EVERYTHING: Final = View()

_TURNED: Final = frozenset({Started, Matched, Added, Passed, Flagged, Resigned})
"""Kinds that say in a game in turns whose turn it is; also where it is nobody's any more."""


def view_of(room: Room, seat: SeatNumber | None) -> View:
    """Return what is seen from *seat*, or by a watcher where it is None."""
    if not room.own_boards or room.phase is Phase.OVER or seat is None:
        return EVERYTHING
    return View(seat)


def hides(room: Room, event: AnyEvent, seat: SeatNumber | None) -> bool:
    """Tell whether of this event a player on *seat* is told the progress alone: it is a rival's move."""
    return room.own_boards and seat is not None and isinstance(event, Hidden) and event.seat != seat


def progress_map(entry: Entry, progress: Progress) -> EventMap:
    """Tell of a hidden event what rivals may know: how far its player has come by it."""
    event = entry.event
    assert isinstance(event, Hidden), f"this is told to all alike: {event!r}"
    told: EventMap = {
        "seq": entry.seq,
        "chain": entry.chain,
        "at": event.at,
        "hash": None,
        "kind": "progress",
        "seat": event.seat,
        **to_builtins(progress),
    }
    if isinstance(event, Matched) and event.ends_at is not None:
        told["ends_at"] = event.ends_at
    return told


def event_map(entry: Entry) -> EventMap:
    """Tell an event: `seq`, `chain`, `at`, `hash`, `kind` and the kind's fields."""
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
    over = room.phase is Phase.OVER
    told = StateMap(
        mode=room.mode.value,
        options=to_builtins(room.options),
        private=room.private,
        phase=room.phase.value,
        host=room.host,
        code=room.code,
        commit=room.commit,
        seed=room.revealed if over else None,
        salt=room.salt if over else None,
        seats=[
            None if seat is None else _seat_map(seat, view.shows(number))
            for number, seat in enumerate(room.seats)
        ],
        # Each of these maps has fields of its own, which no checker follows through a choice.
        **(_apart_map(room, view) if room.own_boards else _shared_map(room)),  # type: ignore[typeddict-item]
        turn=room.turn,
        clocks=room.clocks,
        clocks_at=room.clocks_at,
        starts_at=room.starts_at,
        ends_at=room.ends_at,
        ranking=None if room.ranking is None else list(map(to_builtins, room.ranking)),
    )
    if room.join_by is not None:
        told["join_by"] = room.join_by
    if room.daily is not None:
        told["daily"] = room.daily
    if room.teams is not None:
        told["teams"] = room.teams
    if room.tournament is not None:
        told["tournament"] = room.tournament
    return told


def line_map(room_id: RoomId, room: Room, watching: int) -> RoomLine:
    """Tell what a list says of a room with so many watchers."""
    host = room.seats[room.host]
    told = RoomLine(
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
    if room.options.teams is not UNSET:
        told["teams"] = room.options.teams.value
    known = strength(room)
    if known is not None:
        told["rating"] = known
    return told


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


def _seat_map(seat: Seat, shown: bool) -> SeatMap:
    """Tell of a taken seat; of a rival's that is not *shown* without what only its player's moves tell."""
    return SeatMap(
        player=player_map(seat.player),
        ready=seat.ready,
        score=seat.score,
        mistakes=seat.mistakes,
        locked_until=seat.locked_until if shown else None,
        out=seat.out,
        last_n=seat.last_n if shown else 0,
    )


def _shared_map(room: Room) -> SharedMap:
    """Tell of the board that all play on."""
    if not room.sheets:
        return SharedMap(board=None, ids=[], next_id=0, adds_left=room.options.adds, left=0, open=None)
    [sheet] = room.sheets
    shared = SharedMap(**_board_map(sheet))
    if room.mode is Mode.RACE and room.phase is not Phase.OVER:
        shared["open"] = None
    return shared


def _apart_map(room: Room, view: View) -> ApartMap:
    """Tell of the boards that each has for themselves, and how far they have come there."""
    if not room.sheets:
        return ApartMap(boards=[None for _ in room.seats], progress=[None for _ in room.seats])
    played = [sheet if seat else None for seat, sheet in zip(room.seats, room.sheets, strict=True)]
    return ApartMap(
        boards=[
            _board_map(sheet) if sheet is not None and view.shows(seat) else None
            for seat, sheet in enumerate(played)
        ],
        progress=[None if sheet is None else _progress_map(sheet) for sheet in played],
    )


def _board_map(sheet: Sheet) -> BoardMap:
    return BoardMap(
        board=text(sheet.board),
        ids=sheet.board.ids(),
        next_id=sheet.board.next_id,
        adds_left=sheet.adds_left,
        left=sheet.board.left,
        open=sheet.open,
    )


def _progress_map(sheet: Sheet) -> ProgressMap:
    return ProgressMap(left=sheet.board.left, rows_closed=sheet.rows_closed)
