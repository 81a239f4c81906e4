"""Frames: byte for byte what the library would write."""

import pytest
from websockets.frames import Frame, Opcode

from tenmatch.gateway.framing import frame
from tenmatch.protocol.codec import CODECS


@pytest.mark.parametrize("length", [0, 90, 110, 125, 126, 127, 4_096, 65_535, 65_536, 70_000])
@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
def test_a_frame_is_what_the_library_would_write(codec: object, length: int) -> None:
    chosen = next(one for one in CODECS.values() if one is codec)
    message = {"t": "chat", "text": "x" * length}
    opcode = Opcode.BINARY if chosen.binary else Opcode.TEXT
    assert frame(chosen, message) == Frame(opcode, chosen.encode(message)).serialize(mask=False)
