"""The limits of the wire, the codes of closes and errors, and the two ways in which a peer can be wrong.

server/protocol.md, "Limits" and "Close codes".
"""

from enum import IntEnum, StrEnum
from typing import Final

MSGPACK: Final = "tenmatch.v1.msgpack"
"""Subprotocol: binary frames, one MessagePack map each."""
JSON: Final = "tenmatch.v1.json"
"""Subprotocol: text frames, one JSON object each."""

FRAME_BYTES: Final = 4096
"""A longer frame from a client is not read: 1009."""
HELLO_S: Final = 5
"""Seconds a client has for its `hello`."""
RESUMED_EVENTS: Final = 500
"""Events that a `resumed` carries at most; a client further behind gets a snapshot."""
LISTED_ROOMS: Final = 100
"""Rooms that a list shows at most."""
FEATURED_ROOMS: Final = 6
"""Games that a list points to, at most."""
STARTS_IN_S: Final = 7 * 86_400
"""Seconds before it starts in which a tournament can be announced."""
INVITED: Final = 128
"""Players on a tournament's list."""

NAME_LENGTH: Final = 24  # characters, as all lengths of text here
TEXT_LENGTH: Final = 200
TITLE_LENGTH: Final = 40  # of what a tournament is called
KEY_LENGTH: Final = 64
AGENT_LENGTH: Final = 400
TOKEN_LENGTH: Final = 2048
MAX_SEAT: Final = 9

MAX_REQUEST_ID: Final = 2**32 - 1
MAX_MOVE_NUMBER: Final = 2**31 - 1
MAX_CHAIN: Final = 2**32 - 1
MAX_EXACT: Final = 2**53
"""The largest number where no other limit applies: up to here every language's numbers are exact."""


class CloseCode(IntEnum):
    """Why a connection closed. 4000-4499 mean "come back", 4500-4999 "do not"."""

    NORMAL = 1000
    GOING_AWAY = 1001
    BROKEN_FRAME = 1002
    WRONG_KIND = 1003  # text where the subprotocol is binary, or the other way round
    NOT_ONE_VALUE = 1007  # not exactly one MessagePack or JSON value
    TOO_MANY_MESSAGES = 1008
    TOO_LARGE = 1009
    OUR_BUG = 1011
    RESTART = 1012  # restart or drain: reconnect at once
    TOO_SLOW = 1013  # the client reads too slowly, or the server is full
    NO_HELLO = 4000
    BAD_TOKEN = 4500  # forged, expired or not for us
    TAKEN_OVER = 4501  # a newer connection of the same player took its last seat


class ErrorCode(StrEnum):
    """Why a request was not carried out; the connection lives."""

    BAD_MESSAGE = "bad_message"
    UNKNOWN_TYPE = "unknown_type"
    HELLO_FIRST = "hello_first"
    NO_SUCH_ROOM = "no_such_room"
    NO_SUCH_TOURNAMENT = "no_such_tournament"
    ROOM_FULL = "room_full"
    GAME_STARTED = "game_started"
    NOT_HOST = "not_host"
    NOT_ALLOWED = "not_allowed"
    TOO_FEW_PLAYERS = "too_few_players"
    BAD_OPTIONS = "bad_options"
    TOO_MANY_ROOMS = "too_many_rooms"
    TOO_FAST = "too_fast"  # matches
    RATE_LIMITED = "rate_limited"  # messages
    UNAVAILABLE = "unavailable"  # the store cannot be reached, or too much waits for it


class PeerError(Exception):
    """The peer broke the protocol in a way that ends its connection."""

    def __init__(self, code: CloseCode, reason: str) -> None:
        super().__init__(f"{code.value}: {reason}")
        self.code = code
        self.reason = reason


class BadMessage(Exception):
    """A message does not fit its type, or has no type we know; the connection lives.

    `type`, `re`, `room` and `n` are what the message said of itself where that could be read, so that its
    sender can tell which of its messages is meant.
    """

    def __init__(
        self,
        field: str | None,
        text: str,
        *,
        code: ErrorCode = ErrorCode.BAD_MESSAGE,
        type: str | None = None,
        re: int | None = None,
        room: str | None = None,
        n: int | None = None,
    ) -> None:
        super().__init__(text)
        self.field = field  # None where no single one is to blame
        self.text = text
        self.code = code
        self.type = type
        self.re = re
        self.room = room
        self.n = n
