"""Both codecs: a client's frame to its message, and what the server says to a frame's payload.

Decoding is total: whatever the bytes, it ends in a message, in BadMessage (the connection lives) or in
PeerError (it ends). `msgspec` decodes straight into the message types, and encodes them and maps.
"""

import re
from collections.abc import Mapping
from typing import Final, Protocol, TypeVar

import msgspec
from msgspec import Raw

from tenmatch.protocol import limits
from tenmatch.protocol.from_client import TYPES, AnyFromClient, JoinedRoom, N, RequestId
from tenmatch.protocol.limits import BadMessage, CloseCode, ErrorCode, PeerError

T = TypeVar("T")

Sendable = Mapping[str, object] | msgspec.Struct
"""What can be encoded: a message of `to_client`, or the map that stands for one."""


class Codec(Protocol):
    """One way to write messages, named by its subprotocol."""

    @property
    def name(self) -> str:
        """The subprotocol."""

    @property
    def binary(self) -> bool:
        """Whether its frames are binary ones; else they are text."""

    def decode(self, frame: bytes) -> AnyFromClient:
        """Read a client's message.

        Raises:
            BadMessage: One whole value, but no message, or one of an unknown type.
            PeerError: (1007) Not exactly one value.
        """

    def encode(self, message: Sendable) -> bytes:
        """Write a message of the server's."""


class _MessagePack:
    """Binary frames, one MessagePack map each."""

    name = limits.MSGPACK
    binary = True

    def __init__(self) -> None:
        self._messages = msgspec.msgpack.Decoder[AnyFromClient](AnyFromClient)
        self._encode = msgspec.msgpack.Encoder().encode

    def decode(self, frame: bytes) -> AnyFromClient:
        try:
            return self._messages.decode(frame)
        except (msgspec.DecodeError, RecursionError) as error:
            raise _failure(error, frame, msgspec.msgpack.decode) from error

    def encode(self, message: Sendable) -> bytes:
        return self._encode(message)


class _Json:
    """Text frames, one JSON object each."""

    name = limits.JSON
    binary = False

    def __init__(self) -> None:
        self._messages = msgspec.json.Decoder[AnyFromClient](AnyFromClient)
        self._encode = msgspec.json.Encoder().encode

    def decode(self, frame: bytes) -> AnyFromClient:
        try:
            text = str(frame, "utf-8")  # all of it: also what the decoder would skip
            return self._messages.decode(text)
        except UnicodeDecodeError as error:
            raise PeerError(CloseCode.NOT_ONE_VALUE, "the frame is not UTF-8") from error
        except (msgspec.DecodeError, RecursionError) as error:
            raise _failure(error, frame, msgspec.json.decode) from error

    def encode(self, message: Sendable) -> bytes:
        return self._encode(message)


CODECS: Final[Mapping[str, Codec]] = {codec.name: codec for codec in (_MessagePack(), _Json())}
"""By subprotocol, the better one first."""


class _Decode(Protocol):
    def __call__(self, frame: bytes | Raw, /, *, type: type[T]) -> T: ...


class _Said(msgspec.Struct):
    """What a message says of itself, whatever else is wrong with it."""

    t: Raw = Raw()
    id: Raw = Raw()
    room: Raw = Raw()
    n: Raw = Raw()


_BLAMED: Final = re.compile(r" - at `(?:key` in `)?\$\.?(\w*)[^`]*`$|^Object [^`]*`(\w+)`")
"""Where msgspec, and `Join`, say which field does not fit: the path to it, or the one that is missing."""

_TEXT_LENGTH: Final = 200  # msgspec quotes what the client sent, which may be as long as a frame


def _failure(error: Exception, frame: bytes, decode: _Decode) -> BadMessage | PeerError:
    """Say why *frame* became no message, and whether it is one whole value at all.

    A decoder stops at the first thing that does not fit; only one that asks for nothing sees the whole frame.
    """
    if isinstance(error, msgspec.ValidationError):
        error = _flaw(frame, decode) or error
    if isinstance(error, RecursionError):
        return BadMessage(None, "nested too deeply")
    if isinstance(error, msgspec.ValidationError):
        return _bad_message(str(error), frame, decode)
    return PeerError(CloseCode.NOT_ONE_VALUE, f"not exactly one value: {error}")


def _flaw(frame: bytes, decode: _Decode) -> Exception | None:
    try:
        decode(frame, type=Raw)
    except (msgspec.DecodeError, RecursionError) as flaw:
        return flaw
    return None


def _bad_message(text: str, frame: bytes, decode: _Decode) -> BadMessage:
    said = _said(frame, decode, _Said) or _Said()
    blamed = _BLAMED.search(text)
    field = (blamed[1] or blamed[2]) if blamed else None
    named = _said(said.t, decode, str)
    unknown = field == "t" and named is not None and named not in TYPES
    return BadMessage(
        field or None,
        text[:_TEXT_LENGTH],
        code=ErrorCode.UNKNOWN_TYPE if unknown else ErrorCode.BAD_MESSAGE,
        type=named,
        re=_said(said.id, decode, RequestId),
        room=_said(said.room, decode, JoinedRoom),
        n=_said(said.n, decode, N),
    )


def _said(part: bytes | Raw, decode: _Decode, type: type[T]) -> T | None:
    try:
        return decode(part, type=type)
    except (msgspec.DecodeError, RecursionError):
        return None  # absent, or of no use
