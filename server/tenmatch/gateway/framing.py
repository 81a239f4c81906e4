"""A message as the one WebSocket frame that carries it to any client (RFC 6455, section 5.2).

Frames of a server are not masked and we agree on no extension, so nothing in a frame depends on the
connection: the same bytes go to everyone.
"""

from websockets.frames import Frame, Opcode

from tenmatch.protocol.codec import Codec, Sendable


def frame(codec: Codec, message: Sendable) -> bytes:
    """Return the frame that carries a message."""
    return Frame(Opcode.BINARY if codec.binary else Opcode.TEXT, codec.encode(message)).serialize(mask=False)
