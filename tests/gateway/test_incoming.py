"""The short way past the library's parser: nobody can tell from outside whether it was taken."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gateway.doors import OpenDoor
from tests.gateway.sockets import request
from websockets.frames import Opcode
from websockets.server import ServerProtocol

from tenmatch.gateway.connection import Connection
from tenmatch.gateway.incoming import Incoming
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.limits import JSON, CloseCode, PeerError

FRAME_BYTES = 300
BAD = b"bad"  # a message that ends its connection
MASK = b"\x01\x80\x00\xff"

Told = tuple[str, object]


class Other(asyncio.Transport):
    """The other end: it notes what it is told, and in which order with what the receiver hears."""

    def __init__(self, told: list[Told]) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self._told = told

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._told.append(("sent", bytes(data)))

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self._told.append(("sent", "its end"))

    def abort(self) -> None:
        self._told.append(("sent", "a reset"))

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def is_reading(self) -> bool:
        return True


class Ear(OpenDoor):
    """Lets everybody in, and hears what they say."""

    idle = True

    def __init__(self, told: list[Told]) -> None:
        self._told = told

    def enter(self, connection: Connection, protocol: ServerProtocol) -> "Ear":
        connection.expect(CODECS[JSON])
        return self

    def closes(self, code: CloseCode) -> None:
        self._told.append(("closed by us", code))

    def receive(self, payload: bytes) -> None:
        self._told.append(("heard", payload))
        if payload == BAD:
            raise PeerError(CloseCode.NOT_ONE_VALUE, "bad")

    def drained(self) -> None:
        pass

    def lost(self) -> None:
        pass


async def heard(packets: Sequence[bytes]) -> list[Told]:
    """Return what comes of packets that arrive one after the other, on a connection that was let in."""
    told: list[Told] = []
    connection = Connection(Ear(told), frame_bytes=FRAME_BYTES, high_water=1, most_unread=1)
    connection.connection_made(Other(told))
    connection.data_received(request())
    del told[:]  # the answer to the handshake, with a date in it
    for packet in packets:
        connection.data_received(packet)
    connection.eof_received()
    connection.connection_lost(None)
    return told


def outcome(packets: Sequence[bytes], *, short: bool) -> list[Told]:
    """Return the same with the short way, or without."""
    with pytest.MonkeyPatch.context() as patch:
        if not short:
            patch.setattr(Incoming, "message", lambda protocol, data, kind: None)
        return asyncio.run(heard(packets))


def frame(first: int, payload: bytes, *, masked: bool = True) -> bytes:
    """Return a frame with this first byte, right or wrong, and the shortest form of its length."""
    length, bit = len(payload), 0x80 * masked
    head = bytes([first, bit | length]) if length < 126 else bytes([first, bit | 126]) + length.to_bytes(2)
    if not masked:
        return head + payload
    return head + MASK + bytes(byte ^ MASK[at % 4] for at, byte in enumerate(payload))


TEXT, BINARY = 0x80 | Opcode.TEXT, 0x80 | Opcode.BINARY
PAYLOADS = st.binary(max_size=12) | st.sampled_from([BAD, b"x" * 125, b"x" * 126, b"x" * (FRAME_BYTES + 1)])
MESSAGES = st.builds(frame, st.just(TEXT), PAYLOADS)
FRAMES = st.one_of(
    MESSAGES,
    st.builds(frame, st.sampled_from([Opcode.TEXT, Opcode.CONT, 0x80 | Opcode.CONT]), PAYLOADS),  # fragments
    st.builds(frame, st.sampled_from([0x80 | Opcode.PING, 0x80 | Opcode.PONG]), PAYLOADS),
    st.builds(
        frame, st.just(0x80 | Opcode.CLOSE), st.sampled_from([b"", b"\x03\xe8", b"\x03\xe8bye", b"\x00"])
    ),
    st.builds(frame, st.integers(0, 255), PAYLOADS, masked=st.booleans()),
    st.binary(max_size=8),  # anything
)


@st.composite
def streams(draw: st.DrawFn) -> list[bytes]:
    """Draw frames, most of them as they should be, in packets that begin and end anywhere."""
    frames = draw(st.lists(MESSAGES | FRAMES, max_size=8))
    if draw(st.booleans()):
        return frames  # each in a packet of its own, as they mostly come
    stream = b"".join(frames)
    cuts = draw(st.lists(st.integers(0, len(stream)), max_size=8))
    return [stream[start:end] for start, end in pairwise([0, *sorted(cuts), len(stream)])]


@given(streams())
def test_whatever_comes_in_whatever_packets_the_short_way_changes_nothing(packets: list[bytes]) -> None:
    assert outcome(packets, short=True) == outcome(packets, short=False)


SAID = frame(TEXT, b"said")


@pytest.mark.parametrize(
    "packets",
    [
        [SAID[:2], SAID[2:]],  # the parser has a head, and nothing in its buffer
        [SAID[:6], SAID, SAID[6:]],
        [SAID, frame(Opcode.TEXT, b"in "), SAID],  # another message is not over
        [SAID, frame(Opcode.TEXT, b"in "), frame(0x80 | Opcode.PING, b""), SAID],
        [SAID + SAID[:3], SAID],
        [SAID, frame(0x80 | Opcode.CLOSE, b""), SAID],
        [SAID, frame(TEXT, BAD), SAID],
        [SAID, frame(BINARY, b"said")],
        [SAID, frame(TEXT, b"said", masked=False)],
        [SAID, frame(TEXT, b"x" * 126)],
        [SAID, frame(TEXT | 0x40, b"said")],
        [SAID, b"", SAID, b"\x81", SAID],
    ],
)
def test_where_the_parser_may_have_begun_with_something_it_goes_on(packets: list[bytes]) -> None:
    assert outcome(packets, short=True) == outcome(packets, short=False)


def test_whole_messages_go_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []
    parse = Incoming.receive_data

    def note(protocol: Incoming, data: bytes) -> None:
        parsed.append(data)
        parse(protocol, data)

    monkeypatch.setattr(Incoming, "receive_data", note)
    longest, half = frame(TEXT, b"x" * 125), frame(Opcode.TEXT, b"")
    rest = frame(0x80 | Opcode.CONT, b"")
    told = asyncio.run(heard([SAID, SAID, longest, half, rest, SAID, frame(TEXT, b"")]))
    assert parsed[1:] == [SAID, half, rest], "besides the request"
    said = [payload for what, payload in told if what == "heard"]
    assert said == [b"said", b"said", b"x" * 125, b"", b"said", b""]
    assert all(type(payload) is bytes for payload in cast("list[bytes]", said))
