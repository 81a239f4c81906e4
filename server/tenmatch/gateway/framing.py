"""A message as the one WebSocket frame that carries it to any client (RFC 6455, section 5.2).

Frames of a server are not masked and we agree on no extension, so nothing in a frame depends on the
connection: the same bytes go to everyone.
"""

from struct import Struct
from typing import Final

from websockets.frames import Opcode

from tenmatch.protocol.codec import CODECS, Codec, Sendable

_FINAL: Final = 0x80  # the first frame of its message, and the last
_BINARY: Final = _FINAL | Opcode.BINARY
_TEXT: Final = _FINAL | Opcode.TEXT
_SHORT: Final = Struct("!BB")
_MIDDLE: Final = Struct("!BBH")
_LONG: Final = Struct("!BBQ")


def frame(codec: Codec, message: Sendable) -> bytes:
    """Return the frame that carries a message."""
    payload = codec.encode(message)
    first = _BINARY if codec.binary else _TEXT
    length = len(payload)
    if length < 126:
        return _SHORT.pack(first, length) + payload
    if length < 65_536:
        return _MIDDLE.pack(first, 126, length) + payload
    return _LONG.pack(first, 127, length) + payload


def frames(message: Sendable) -> dict[str, bytes]:
    """Return the frames that carry a message in each codec, by the codec's name."""
    return {name: frame(codec, message) for name, codec in CODECS.items()}
