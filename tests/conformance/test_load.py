"""Order, however bytes fall into packets and however many come; and how many fragments a message may have."""

import asyncio
import random
from collections import deque
from collections.abc import Iterator

import pytest
from tests.conformance.echo import Server
from tests.gateway.sockets import Wire
from tests.live.wire import frame
from websockets.frames import Opcode

from tenmatch.gateway import connection

MESSAGES = 2_000
FRAME_BYTES = 4_096  # as the server's own


def fragments(opcode: int, message: bytes, parts: int) -> list[bytes]:
    """Return a message in so many frames."""
    step = -(-len(message) // parts)
    pieces = [message[start : start + step] for start in range(0, len(message), step)]
    last = len(pieces) - 1
    return [frame(opcode if not i else Opcode.CONT, piece, fin=i == last) for i, piece in enumerate(pieces)]


def talk(chance: random.Random) -> Iterator[tuple[bytes, Opcode, bytes]]:
    """Yield frames, each with what answers it: an opcode and payload, or (CONT, "") for nothing."""
    for number in range(MESSAGES):
        message = f"{number}:".encode() + b"." * chance.choice([0, 1, 116, 119, 300])
        opcode = chance.choice([Opcode.TEXT, Opcode.BINARY])
        *firsts, last = fragments(opcode, message, chance.choice([1, 1, 2, 3]))
        for place, first in enumerate(firsts):
            yield first, Opcode.CONT, b""
            note = f"{number}.{place}".encode()
            yield frame(Opcode.PING, note), Opcode.PONG, note
        yield last, opcode, message


async def converse(port: int, seed: int) -> None:
    """Say much in packets of all lengths, and read what comes back, which must be in its order."""
    chance = random.Random(seed)
    spoken = list(talk(chance))
    flow = b"".join(part for part, _, _ in spoken)
    expected = deque((opcode, data) for _, opcode, data in spoken if opcode is not Opcode.CONT)
    async with Wire(port, receive_buffer=8_192) as wire:
        await wire.upgrade()

        async def speak() -> None:
            start = 0
            while start < len(flow):
                end = start + chance.choice([1, 7, 100, 1_460, 30_000])
                await wire.send(flow[start:end])
                start = end

        speaking = asyncio.create_task(speak())
        pongs = deque(answer for answer in expected if answer[0] is Opcode.PONG)
        messages = deque(answer for answer in expected if answer[0] is not Opcode.PONG)
        while pongs or messages:
            answer = await wire.frame()
            said = (answer.opcode, bytes(answer.data))
            if answer.opcode is Opcode.PONG:
                assert said == pongs.popleft()
            else:
                assert said == messages.popleft()
                number = int(said[1].split(b":")[0])  # pongs come before what was said behind their pings
                assert not pongs or int(pongs[0][1].split(b".")[0]) > number
        await speaking


@pytest.mark.slow
async def test_answers_come_in_the_order_of_what_they_answer(echo: Server) -> None:
    async with asyncio.TaskGroup() as group:
        for seed in range(4):
            group.create_task(converse(echo.port, seed))


async def test_a_message_may_have_as_many_fragments_as_bytes() -> None:
    message = bytes(random.Random(2).choices(b"abc", k=FRAME_BYTES))
    async with Server(frame_bytes=FRAME_BYTES) as server, Wire(server.port) as wire:
        await wire.upgrade()
        await wire.send(b"".join(fragments(Opcode.TEXT, message, FRAME_BYTES)))
        assert (await wire.frame()).data == message


@pytest.mark.parametrize(("piece", "code"), [(b"x", 1009), (b"", 1008)], ids=["one byte", "empty"])
async def test_fragments_without_end_are_met_at_the_limit(
    piece: bytes, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 0.1)
    part = frame(Opcode.CONT, piece, fin=False)
    async with Server(frame_bytes=FRAME_BYTES) as server, Wire(server.port) as wire:
        await wire.upgrade(frame(Opcode.TEXT, piece, fin=False))
        speaking = asyncio.create_task(wire.send(part * 100_000))
        assert await wire.closed() == code
        speaking.cancel()
        await asyncio.wait([speaking])
