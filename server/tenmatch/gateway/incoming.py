"""Frames as they come from a client: by the library's parser, and a short way past it for whole messages.

What clients send is nearly always one message in one frame, and that in one packet. The library's parser
takes whatever there is, in whatever pieces, by generators within generators; for such a frame that was a
twelfth of all that a move costs. Where it stands between two frames, and what came is just one that holds a
whole message, it could only hand that on, and is not asked. All else goes its way, and so does what follows,
until it stands between two frames again.
"""

from typing import Final

from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

try:
    from websockets.speedups import apply_mask
except ImportError:  # no wheel of the library for this machine
    from websockets.utils import apply_mask

_FINAL: Final = 0x80  # in the first byte: the message ends here; no bit of an extension is set
_MASKED: Final = 0x80  # in the second, beside the length
_HEAD: Final = 6  # bytes before the payload: those two and the mask
_SHORT: Final = 125  # bytes of payload; the length of a longer one stands elsewhere


class Incoming(ServerProtocol):
    """The library's side of one connection, which can tell when it does not matter."""

    _between = False  # the parser has nothing of a frame, nor fragments of a message

    def receive_data(self, data: bytes | bytearray) -> None:
        """Parse what came."""
        self._between = False
        super().receive_data(data)

    def recv_frame(self, frame: Frame) -> None:
        """Take a frame; where nothing is left of what came, the next one begins with what comes next."""
        super().recv_frame(frame)
        self._between = not self.reader.buffer and self.current_size is None

    def message(self, data: bytes, kind: Opcode) -> bytes | None:
        """Return the message that *data* is, if all of it is one of this kind, short, and in a single frame.

        Only for an open connection. Where it returns None, *data* is still to be parsed.
        """
        size = len(data) - _HEAD
        if self._between and 0 <= size <= _SHORT and data[0] == _FINAL | kind and data[1] == _MASKED | size:
            return apply_mask(data[_HEAD:], data[2:_HEAD])
        return None
