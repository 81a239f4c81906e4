"""RFC 6455, section 5.1: a client masks every frame, a server none."""

import random

import pytest
from tests.conformance.echo import Server
from tests.gateway.sockets import Wire
from tests.live.wire import frame
from websockets.frames import Opcode

LENGTHS = [0, 125, 126, 65_535, 65_536]
GOOD = frame(Opcode.TEXT, b"good")
BEGUN = frame(Opcode.TEXT, b"beg", fin=False)
EVERY_KIND = [
    (Opcode.TEXT, b"", 125),
    (Opcode.BINARY, b"", 125),
    (Opcode.TEXT, b"", 126),
    (Opcode.BINARY, b"", 65_536),
    (Opcode.CONT, BEGUN, 1),
    (Opcode.PING, b"", 0),
    (Opcode.PING, BEGUN, 125),
    (Opcode.PONG, b"", 0),
    (Opcode.CLOSE, b"", 0),
]


@pytest.mark.parametrize("good", [0, 1])
@pytest.mark.parametrize(("opcode", "before", "length"), EVERY_KIND)
async def test_a_frame_without_a_mask_ends_the_connection(
    echo: Server, opcode: Opcode, before: bytes, length: int, good: int
) -> None:
    async with Wire(echo.port) as wire:
        await wire.upgrade()
        for _ in range(good):
            await wire.send(GOOD)
            assert (await wire.frame()).data == b"good"
        await wire.send(before + frame(opcode, b"x" * length, masked=False) + GOOD)
        answer = await wire.frame()
        assert (answer.opcode, bytes(answer.data)[:2]) == (Opcode.CLOSE, (1002).to_bytes(2)), (
            "or it was taken"
        )


@pytest.mark.parametrize("opcode", [Opcode.TEXT, Opcode.BINARY])
@pytest.mark.parametrize("length", LENGTHS)
async def test_frames_of_the_server_have_no_mask(echo: Server, opcode: Opcode, length: int) -> None:
    ping, message = frame(Opcode.PING, b"?"), frame(opcode, b"x" * length)
    async with Wire(echo.port) as wire:
        await wire.upgrade()
        await wire.send(ping + message + frame(Opcode.CLOSE, (1000).to_bytes(2)))
        close = await wire.end()
    async with Wire(echo.port) as wire:
        await wire.upgrade()
        await wire.send(ping + message)
        said = b""
        while len(said) < 3 + length:
            said += await wire.receive()
    assert said.startswith(frame(Opcode.PONG, b"?", masked=False) + frame(opcode, b"", masked=False)[:1])
    assert not said[4] & 0x80
    assert said.endswith(b"x" * length)
    assert close == frame(Opcode.PONG, b"?", masked=False) + frame(8, (1000).to_bytes(2), masked=False)


async def test_any_mask_will_do(echo: Server) -> None:
    chance = random.Random(1)
    keys = [bytes(4), b"\xff" * 4, b"\x00\x00\x00\x01", *(chance.randbytes(4) for _ in range(200))]
    async with Wire(echo.port) as wire:
        await wire.upgrade()
        for length, key in enumerate(keys):
            text = bytes(chance.choices(b"abc", k=length))
            head = frame(Opcode.TEXT, b"", claim=length)[: (2 if length < 126 else 4)]
            await wire.send(head + key + bytes(byte ^ key[i % 4] for i, byte in enumerate(text)))
            assert (await wire.frame()).data == text
