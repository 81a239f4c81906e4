"""Every message there is, cut at every byte and with every byte changed, sent to a real server.

What must come of it is told by verdict.py. All bits of each byte with `--hypothesis-profile=full`.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import msgpack
import pytest
from tests.effort import full
from tests.hostile import verdict
from tests.hostile.ends import end_of
from tests.hostile.vitals import Vitals
from tests.live.client import CODECS
from tests.live.node import Node
from tests.live.wire import Wire, frame
from tests.protocol.frames import FROM_CLIENT

Message = dict[str, Any]

AT_ONCE: Final = 16
GROWTH: Final = 5_000_000  # bytes
MARK: Final = 4_000_000_000  # an id that no message here has


class Talker:
    """Somebody in a room, who comes back whenever a message ends the connection."""

    def __init__(self, url: str, codec: str) -> None:
        self._url, self._codec = url, codec
        self.binary = codec == CODECS[0]
        self.room, self.token = "", ""
        self._wire: Wire | None = None

    def write(self, message: Message) -> bytes:
        """Return a message's payload."""
        return (
            bytes(msgpack.packb(message)) if self.binary else json.dumps(message, ensure_ascii=False).encode()
        )

    def framed(self, payload: bytes) -> bytes:
        """Return a frame of the kind that belongs to the codec."""
        return frame(verdict.BINARY if self.binary else verdict.TEXT, payload)

    async def connect(self) -> Wire:
        """Connect, without a hello."""
        return await Wire.upgraded(self._url, Sec_WebSocket_Protocol=self._codec)

    async def come(self) -> Wire:
        """Connect, say hello and be in the room."""
        hello = {"t": "hello", "id": 1, **({"token": self.token} if self.token else {})}
        into = (
            {"t": "join", "room": self.room, "watch": True} if self.room else {"t": "create", "mode": "race"}
        )
        said = (self.framed(self.write(message)) for message in (hello, {**into, "id": 2}))
        wire = await Wire.upgraded(self._url, then=b"".join(said), Sec_WebSocket_Protocol=self._codec)
        self.token = (await self._answer(wire, 1))["token"]
        answer = await self._answer(wire, 2)
        if answer["t"] == "error":  # the last connection's `leave` was under way, and freed the seat just now
            answer = await self._ask(wire, {**into, "id": 3})
        self.room = answer["room"]
        return wire

    async def fate(self, payload: bytes) -> verdict.Code:
        """Send a payload and return the code that it closes the connection with; None if that lives on."""
        if self._wire is None:
            self._wire = await self.come()
        ping = self.framed(self.write({"t": "ping", "id": MARK}))
        await self._wire.send(self.framed(payload) + ping)
        while True:
            opcode, data = await self._wire.receive()
            if opcode == verdict.CLOSE:
                self.leave()
                return int.from_bytes(data[:2])
            if self._read(data).get("re") == MARK:
                return None

    def leave(self) -> None:
        """Let the connection go."""
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    def messages(self) -> Iterator[bytes]:
        """Yield a message of each type, as one in the room would send it; `leave` comes last."""
        known = {"room": self.room, "token": self.token}
        for recorded in sorted(FROM_CLIENT, key=lambda recorded: "leave" in recorded.types):
            message = json.loads(recorded.json)
            yield self.write({name: known.get(name, value) for name, value in message.items()})

    async def _ask(self, wire: Wire, message: Message) -> Message:
        await wire.send(self.framed(self.write(message)))
        return await self._answer(wire, message["id"])

    async def _answer(self, wire: Wire, to: int) -> Message:
        while True:
            _, data = await wire.receive()
            if (answer := self._read(data)).get("re") == to:
                return answer

    def _read(self, data: bytes) -> Message:
        read: Message = msgpack.unpackb(data) if self.binary else json.loads(data)
        return read


@pytest.fixture(params=CODECS)
async def talker(request: pytest.FixtureRequest, node: Node) -> AsyncIterator[Talker]:
    """Somebody in a room, and a server that is as well at the end as it was."""
    talker = Talker(node.url, request.param)
    (await talker.come()).close()
    vitals = Vitals(node, clients=0)
    yield talker
    talker.leave()
    await vitals.check(GROWTH)


async def all_at_once(ends: Iterator[tuple[bytes, set[verdict.Code]]], talker: Talker) -> list[object]:
    """Send each of *ends* on a connection of its own; return those that ended otherwise than they should."""
    wrong: list[object] = []

    async def one_after_the_other() -> None:
        for sent, expected in ends:
            wire = await talker.connect()
            await wire.send(sent)
            if None in expected:
                wire.half_close()
            code = await end_of(wire)
            if code not in expected:
                wrong.append((sent, code, expected))

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(one_after_the_other())
    return wrong


@pytest.mark.slow
async def test_a_message_that_is_cut_anywhere_closes(talker: Talker) -> None:
    closed: set[verdict.Code] = {1007}
    cuts = (whole[:length] for whole in talker.messages() for length in range(len(whole)))
    assert not await all_at_once(((talker.framed(cut), closed) for cut in cuts), talker)


@pytest.mark.slow
async def test_a_frame_that_is_cut_anywhere_is_waited_for(talker: Talker) -> None:
    frames = [talker.framed(message) for message in talker.messages()]
    nothing: set[verdict.Code] = {None}
    cuts = ((whole[:length], nothing) for whole in frames for length in range(1, len(whole)))
    assert not await all_at_once(cuts, talker)


@pytest.mark.slow
async def test_a_frame_whose_head_is_changed_anywhere_ends_as_the_standard_has_it(talker: Talker) -> None:
    frames = [talker.framed(message) for message in talker.messages()]
    changed = (change(whole, bit) for whole in frames for bit in range(8 * 8))
    ends = ((sent, verdict.codes(sent, binary=talker.binary)) for sent in changed)
    assert not await all_at_once(ends, talker)


@pytest.mark.slow
async def test_a_message_that_is_changed_anywhere_is_read_or_closes(talker: Talker) -> None:
    for whole in talker.messages():
        for payload in changes(whole):
            code = await talker.fate(payload)
            expected = verdict.fates(payload, binary=talker.binary)
            assert code in expected or (code == 4500 and None in expected and b"token" in payload), payload


def change(data: bytes, bit: int) -> bytes:
    """Return bytes with one bit changed."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def changes(data: bytes) -> Iterator[bytes]:
    """Yield bytes with each byte changed: two of its bits, one after the other, and all at once."""
    for place in range(len(data)):
        yield data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]
        for bit in range(8) if full() else (place % 8, (place + 3) % 8):
            yield change(data, 8 * place + bit)
