"""The maps inside what the server says: people, seats, states, lines of a list, events.

They are plain dicts, described here and filled by `tenmatch.protocol.viewers`; server/protocol.md, "Server to
client".
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, NotRequired, TypedDict, get_args

from msgspec import NODEFAULT, Meta, Struct, defstruct
from msgspec.structs import fields

from tenmatch.game.events import AnyEvent, Clocks, Created, Ended, Event, Player, Unseated
from tenmatch.game.ids import (
    Day,
    Millis,
    PlayerId,
    RoomCode,
    RoomId,
    SeatNumber,
    TournamentId,
)
from tenmatch.game.teams import BySeat
from tenmatch.rules.board import NumberId

Value = Annotated[object, Meta(extra_json_schema={"description": "any value"})]
EventMap = dict[str, Value]
"""An event as a client gets it: `seq` `chain` `at` `hash` `kind` and the kind's fields (`EVENT_TYPES`)."""


class PersonMap(TypedDict):
    """Who somebody is."""

    id: PlayerId
    name: str


class PlayerMap(PersonMap):
    """Who sits on a seat."""

    bot: NotRequired[str]  # a computer player's level
    rating: NotRequired[int]


class SeatMap(TypedDict):
    """A taken seat."""

    player: PlayerMap
    ready: bool
    score: int
    mistakes: int
    locked_until: Millis | None
    out: bool
    last_n: int  # the highest move number of this player that is in the log, 0 if none is


class RankMap(TypedDict):
    """A line of the ranking."""

    seat: SeatNumber
    place: int
    score: int
    mistakes: int


class BoardMap(TypedDict):
    """A board of one's own (mirror)."""

    board: str
    ids: list[NumberId]  # of the active numbers, in reading order
    next_id: int
    adds_left: int
    left: int
    open: bool  # whether a legal pair is left


class ProgressMap(TypedDict):
    """What everyone may know of a board of another's (mirror)."""

    left: int
    rows_closed: int


class SharedMap(TypedDict, total=False):
    """What a state says of the board where all play on one."""

    board: str | None
    ids: list[NumberId]
    next_id: int
    adds_left: int
    left: int
    open: bool | None  # in a race nobody is told before the end


class ApartMap(TypedDict, total=False):
    """What a state says of the boards where each plays on their own, by seat."""

    boards: list[BoardMap | None]  # null also where the viewer may not see it
    progress: list[ProgressMap | None]


class StateMap(SharedMap, ApartMap):
    """A room at one moment, as far as a viewer may see it."""

    mode: str
    options: dict[str, bool | int | str]  # all of them
    private: bool
    phase: str
    host: SeatNumber | None
    code: RoomCode
    commit: str | None
    seed: str | None  # null before the end, as is
    salt: str | None
    seats: list[SeatMap | None]  # by seat up to `max_players`
    teams: NotRequired[BySeat]  # in teams; not before they are drawn
    turn: SeatNumber | None
    clocks: Clocks | None
    clocks_at: Millis | None  # when the clocks stood so; the one of `turn` runs from here
    join_by: NotRequired[Millis]  # quick match: by when all have to be ready
    daily: NotRequired[Day]  # the day whose deal is played here
    tournament: NotRequired[TournamentId]  # in which this is a game
    starts_at: Millis | None
    ends_at: Millis | None
    ranking: list[RankMap] | None


class RoomLine(TypedDict):
    """A room in a list."""

    room: RoomId
    code: RoomCode
    mode: str
    phase: str
    host: PersonMap | None
    seats: int  # taken
    max_players: int
    teams: NotRequired[str]  # how they come about, where there are some
    size: int
    rated: bool
    watching: int
    scores: list[int | None]
    started_at: Millis | None
    rating: NotRequired[int]  # the mean of those who play, in rated rooms


class LimitsMap(TypedDict):
    """What a client has to keep to."""

    frame: int  # bytes
    messages_per_s: int
    matches_per_s: int


ALWAYS: Final[Mapping[type[Event], tuple[str, ...]]] = {
    Created: ("commit",),
    Unseated: ("host",),
    Ended: ("seed",),
}
"""Fields that a log leaves out where they are null, and the wire does not (besides `hash`, in every kind)."""


def wire_type(kind: type[Event], *, hashed: bool = True) -> type[Struct]:
    """Return the type of the map that a client gets of a kind of event; of rooms with the board's hash."""
    always = ALWAYS.get(kind, ())
    own = [
        (
            field.name,
            PlayerMap if field.type is Player else field.type,
            NODEFAULT if field.name in always else field.default,
        )
        for field in fields(kind)
        if field.name not in ("at", "hash", *kind.SECRET)
    ]
    return event_type(kind, [*([("hash", int | None)] if hashed else []), *own])


def event_type(kind: type[Event], own: Iterable[tuple[str, Any] | tuple[str, Any, Any]]) -> type[Struct]:
    """Return the type of a kind of event's map: its place in the log, its time, and fields of its *own*."""
    config = kind.__struct_config__
    return defstruct(
        kind.__name__,
        [("seq", int), ("chain", int), ("at", int), *own],
        tag_field=config.tag_field,
        tag=config.tag,
        kw_only=True,
        frozen=True,
        omit_defaults=True,
        namespace={"__doc__": kind.__doc__},
    )


class Progress(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="progress"):
    """Another player's `matched`, `mistaken` or `added` in a mirror game: how far they have come by it."""

    seq: int
    chain: int
    at: int
    hash: None
    seat: SeatNumber
    left: int
    rows_closed: int
    score: int
    mistakes: int
    ends_at: Millis | None = None


EVENT_TYPES: Final[Mapping[str, type[Struct]]] = {
    **{str(kind.__struct_config__.tag): wire_type(kind) for kind in get_args(AnyEvent)},
    "progress": Progress,
}
"""For each `kind` of event the type of its map: what a client can rely on, and what schemas are made from."""
