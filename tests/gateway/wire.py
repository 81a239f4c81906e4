"""Frames as a client writes and reads them."""

import json
from collections.abc import Iterator

from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side

Message = dict[str, object]


def text(message: object, *, fin: bool = True) -> bytes:
    """Return a client's text frame with a message in JSON."""
    return Frame(Opcode.TEXT, json.dumps(message).encode(), fin=fin).serialize(mask=True)


def raw(opcode: Opcode, data: bytes = b"", *, fin: bool = True) -> bytes:
    """Return a client's frame."""
    return Frame(opcode, data, fin=fin).serialize(mask=True)


def messages(written: bytes) -> Iterator[Message]:
    """Yield the messages in the server's text frames."""
    reader = Protocol(Side.CLIENT, max_size=None)
    reader.receive_data(written)
    for frame in reader.events_received():
        assert isinstance(frame, Frame)
        assert frame.opcode is Opcode.TEXT
        yield json.loads(bytes(frame.data))
