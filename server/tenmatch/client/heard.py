"""What the server says, read: frames of both codecs to messages, the maps of events to what happened.

What a newer server may add is borne: unknown messages are passed over, unknown keys ignored, and an event of
an unknown kind is an `Unknown`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from tenmatch.client.errors import NotOurs
from tenmatch.game.events import AnyEvent
from tenmatch.game.ids import Millis, RoomId, Seq, TournamentId
from tenmatch.game.room import RULES
from tenmatch.protocol import limits
from tenmatch.protocol.from_client import FromClient
from tenmatch.protocol.maps import EventMap, Progress
from tenmatch.protocol.to_client import (
    Announcement,
    Chat,
    Closing,
    Detached,
    Ok,
    Paired,
    Pong,
    Presence,
    Queued,
    Refused,
    Resumed,
    Rooms,
    Snapshot,
    ToClient,
    Tournament,
    TournamentResumed,
    Welcome,
)

T = TypeVar("T")


class Unknown(Struct, frozen=True):
    """An event of a kind that this version does not know."""

    kind: str
    fields: Mapping[str, Any]


Happened: TypeAlias = AnyEvent | Progress | Unknown
"""What an event says. Of a `Created`, `Mistaken` or `Called` that is not told before the end, or never, is
empty here: `seed`, `salt`, `seen`."""


class Told(Struct, frozen=True):
    """An event as the server tells it."""

    seq: Seq  # the place in the room's log, from 1
    chain: int  # covers the whole log up to here
    at: Millis
    hash: int | None  # of the board after it
    event: Happened


class Event(Struct, frozen=True):
    """An event of a room, told as it happens."""

    room: RoomId
    told: Told


class TournamentEvent(Struct, frozen=True):
    """An event of a tournament, told as it happens: the map of it."""

    tournament: TournamentId
    fields: EventMap


class Failure(ToClient, frozen=True, kw_only=True, tag="error"):
    """An `error`, whose code may be one that this version does not know."""

    re: int | None = None
    room: str | None = None
    n: int | None = None
    code: str
    text: str
    field: str | None = None


_Message: TypeAlias = (
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
    | Failure
)
Heard: TypeAlias = _Message | Event | TournamentEvent
"""Every message that a client understands."""
TournamentHeard: TypeAlias = Tournament | TournamentResumed | TournamentEvent
"""Those about a tournament."""

_UNTOLD: Final[Mapping[str, Mapping[str, object]]] = {
    "created": {"salt": "", "rules": RULES},
    "mistaken": {"seen": 0},
    "called": {"seen": 0},
}
"""What is stored of events and not told: something has to stand there."""


class _Convert(Protocol):
    def __call__(self, obj: object, type: Any, /) -> Any: ...


_convert: Final[_Convert] = msgspec.convert
_ENVELOPE: Final = frozenset({"t", "from", "seq", "chain", "hash"})


def told(fields: EventMap) -> Told:
    """Read the map of an event. Raises NotOurs."""
    try:
        head = msgspec.convert(fields, _Head)
    except msgspec.ValidationError as error:
        raise NotOurs(f"an event without its place in the log: {error}") from error
    return Told(head.seq, head.chain, head.at, head.hash, _happened(head.kind, fields))


class _Head(Struct):
    seq: Seq
    chain: int
    at: Millis
    kind: str
    hash: int | None = None


def _happened(kind: str, fields: EventMap) -> Happened:
    try:
        if kind == "progress":
            return msgspec.convert(fields, Progress)
        known = {**_UNTOLD.get(kind, {}), **fields}
        if "t" in fields and "from" not in fields:
            del known["room"]  # where it happened; the room that a rematch names is another
        return _convert(known, AnyEvent)  # type: ignore[no-any-return]  # of a union none is told
    except msgspec.ValidationError:
        return Unknown(kind, {name: value for name, value in fields.items() if name not in _ENVELOPE})


class Codec(Struct, frozen=True):
    """One way to write and read messages, named by its subprotocol."""

    name: str
    encode: Callable[[FromClient], bytes | str]
    decode: Callable[[bytes | str], Any]

    def read(self, frame: bytes | str) -> Heard | None:
        """Return what a frame says; None for a message that this version does not know.

        Raises:
            NotOurs: It is no message at all.
        """
        try:
            message = self.decode(frame)
            if not isinstance(message, dict):
                raise NotOurs("a frame that is no map")
            if message.get("t") == "event":
                return Event(message.get("from") or message["room"], told(message))
            if message.get("t") == "tournament_event":
                return TournamentEvent(message["tournament"], message)
            return _convert(message, _Message) if message.get("t") in _TYPES else None
        except (msgspec.DecodeError, KeyError) as error:
            raise NotOurs(f"not a message of this protocol: {error}") from error


_TYPES: Final = frozenset(str(kind.__struct_config__.tag) for kind in _Message.__args__)


def _said(message: FromClient) -> dict[str, Any]:
    """Return what is to be sent: without what is absent."""
    fields: dict[str, Any] = msgspec.to_builtins(message)
    return {name: value for name, value in fields.items() if value is not None}


def _json(message: FromClient) -> str:
    return msgspec.json.encode(_said(message)).decode()


def _pack(message: FromClient) -> bytes:
    return msgspec.msgpack.encode(_said(message))


def _unpack(frame: bytes | str) -> Any:
    if isinstance(frame, str):
        raise NotOurs("a text frame where binary ones were agreed on")
    return msgspec.msgpack.decode(frame)


CODECS: Final[Mapping[str, Codec]] = {
    "msgpack": Codec(limits.MSGPACK, _pack, _unpack),
    "json": Codec(limits.JSON, _json, msgspec.json.decode),
}
"""By the name that one asks for."""
