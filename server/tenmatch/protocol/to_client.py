"""What the server says: the message types.

server/protocol.md, "Server to client". `t` is the tag. A field with a default is optional: it is left
out when it has that value. A field without one is always there, null if need be.
"""

from msgspec import Struct

from tenmatch.game.events import Level
from tenmatch.game.ids import Millis, MoveNumber, RoomCode, RoomId, SeatNumber, TournamentId
from tenmatch.protocol.limits import BadMessage, ErrorCode
from tenmatch.protocol.maps import EventMap, LimitsMap, PersonMap, RoomLine, StateMap
from tenmatch.protocol.tournaments import TournamentMap
from tenmatch.rules.board import NumberId


class ToClient(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="t", tag=str.lower):
    """A message of the server."""


class Welcome(ToClient, frozen=True, kw_only=True):
    """Who the client is now, and where it sits."""

    re: int | None
    player: PersonMap
    token: str  # to be used next; older ones stay good
    seated: list[RoomId]  # rooms in which the player has a seat in a game not over
    node: str
    version: str
    time: Millis
    limits: LimitsMap
    chat: bool = True  # false: nobody talks on this server


class Snapshot(ToClient, frozen=True, kw_only=True):
    """A room as it is: replace everything."""

    re: int | None  # null also where nobody asked
    room: RoomId
    code: RoomCode
    seq: int
    chain: int
    seat: SeatNumber | None  # null: a watcher
    state: StateMap
    reset: bool = False  # what the client held is not in this room's log


class Resumed(ToClient, frozen=True, kw_only=True):
    """Every event after the one that the client holds."""

    re: int | None
    room: RoomId
    seq: int
    seat: SeatNumber | None
    events: list[EventMap]


class Refused(ToClient, frozen=True, kw_only=True):
    """A move was not made. It is not logged and costs nothing."""

    room: RoomId
    n: MoveNumber
    seq: int  # of the board on which it was judged
    code: str
    blockers: tuple[NumberId, ...] = ()  # optional too: left out when there are none
    locked_until: Millis | None = None


class Presence(ToClient, frozen=True, kw_only=True):
    """Who is there."""

    room: RoomId
    online: list[bool | None]  # by seat; null: empty
    watching: int


class Chat(ToClient, frozen=True, kw_only=True):
    """Somebody said something."""

    room: RoomId
    player: PersonMap
    text: str  # of a phrase, too: for who does not know it
    phrase: str | None = None  # its key, where it is one that everyone reads in their language
    at: Millis


class Rooms(ToClient, frozen=True, kw_only=True):
    """The list of rooms, or how it changed."""

    re: int | None = None
    rooms: list[RoomLine] | None = None
    changed: list[RoomLine] | None = None
    gone: list[RoomId] | None = None
    featured: list[RoomId] | None = None  # those most worth watching; absent: none, or as before


class Paired(ToClient, frozen=True, kw_only=True):
    """There is an opponent: join this room, now."""

    room: RoomId
    code: RoomCode


class Queued(ToClient, frozen=True, kw_only=True):
    """Whether the player waits for a quick match; told where that is not what they asked for last."""

    mode: str
    rated: bool
    on: bool
    bot: Level | None = None  # a computer player of this level would play at once


class Tournament(ToClient, frozen=True, kw_only=True):
    """A tournament as it is: replace everything."""

    re: int | None  # null also where nobody asked
    tournament: TournamentId
    seq: int
    chain: int
    state: TournamentMap
    reset: bool = False  # what the client held is not in this tournament's log


class TournamentResumed(ToClient, frozen=True, kw_only=True, tag="tournament_resumed"):
    """Every event after the one that the client holds."""

    re: int | None
    tournament: TournamentId
    seq: int
    events: list[EventMap]


class Ok(ToClient, frozen=True, kw_only=True):
    """A request was carried out, or there was nothing to do."""

    re: int


class Pong(ToClient, frozen=True, kw_only=True):
    """A sign of life."""

    re: int | None = None
    time: Millis


class Detached(ToClient, frozen=True, kw_only=True):
    """This connection is no longer in the room."""

    room: RoomId
    reason: str  # `taken_over` `kicked` `closed`


class Announcement(ToClient, frozen=True, kw_only=True):
    """Those who run the server have something to say to everyone."""

    text: str
    at: Millis


class Closing(ToClient, frozen=True, kw_only=True):
    """This connection will be closed: reconnect, to any node."""

    in_ms: int
    reason: str  # `drain`


class Error(ToClient, frozen=True, kw_only=True):
    """A request was not carried out; the connection lives."""

    re: int | None = None
    room: str | None = None
    n: int | None = None
    code: ErrorCode
    text: str
    field: str | None = None


AnyToClient = (
    Welcome
    | Snapshot
    | Resumed
    | Refused
    | Presence
    | Chat
    | Rooms
    | Paired
    | Queued
    | Tournament
    | TournamentResumed
    | Ok
    | Pong
    | Detached
    | Announcement
    | Closing
    | Error
)
"""Every message but `event`, which is a map whose fields depend on its kind."""


def event(room: RoomId, fields: EventMap) -> EventMap:
    """Make the message that tells an event to those in *room*.

    The `rematch` that names a new room has that as its `room`; the one it happened in is `from` then.
    """
    if "room" in fields:
        return {"t": "event", "from": room, **fields}
    return {"t": "event", "room": room, **fields}


def tournament_event(tournament: TournamentId, fields: EventMap) -> EventMap:
    """Make the message that tells an event to those who watch *tournament*."""
    return {"t": "tournament_event", "tournament": tournament, **fields}


def error(bad: BadMessage) -> Error:
    """Make the answer to what was no message."""
    return Error(re=bad.re, room=bad.room, n=bad.n, code=bad.code, text=bad.text, field=bad.field)
