"""Connections: bytes to messages and back, and every way in which a client can misbehave on the way."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Callable

import pytest
from tests.gateway.conftest import Watch
from tests.gateway.doors import OpenDoor
from tests.gateway.sockets import PATIENCE_S, Wire, request
from tests.gateway.wire import raw, text
from tests.store.waiting import until
from websockets.frames import Opcode
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from tenmatch.gateway import connection
from tenmatch.gateway.connection import CUT_S, SILENCE_S, Connection, Knocker, Receiver
from tenmatch.gateway.http import Later, without_body
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.limits import JSON, CloseCode, PeerError

BOTH_LOOPS = True

FRAME_BYTES = 4_096
HIGH_WATER = 16_384
MOST_UNREAD = 65_536


class Room:
    """Stands behind one connection and notes what it hears."""

    idle = True

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.heard: list[bytes] = []
        self.drains = 0
        self.is_lost = asyncio.Event()
        self.on_message: Callable[[bytes], None] = lambda message: None

    def receive(self, payload: bytes) -> None:
        self.heard.append(payload)
        self.on_message(payload)

    def drained(self) -> None:
        self.drains += 1

    def lost(self) -> None:
        self.is_lost.set()

    def say(self, data: bytes) -> None:
        """Write a server's text frame."""
        length = len(data)
        head = bytes([0x81, length]) if length < 126 else b"\x81\x7f" + struct.pack("!Q", length)
        self.connection.write(head + data)


class Hours:
    """A connection's loop, whose time passes only as the test lets it."""

    class Timer:
        """Something that is due at some time, unless it is cancelled."""

        def __init__(self, due: float, ring: Callable[[], None]) -> None:
            self.due = due
            self.ring = ring
            self.cancelled = False

        def cancel(self) -> None:
            self.cancelled = True

    def __init__(self) -> None:
        self.now = asyncio.get_running_loop().time()
        self._timers: list[Hours.Timer] = []

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, ring: Callable[[], None]) -> Timer:
        self._timers.append(self.Timer(self.now + seconds, ring))
        return self._timers[-1]

    def pass_by(self, seconds: float) -> None:
        """Let time pass, and ring what is due meanwhile."""
        until = self.now + seconds
        while due := [timer for timer in self._timers if timer.due <= until and not timer.cancelled]:
            first = min(due, key=lambda timer: timer.due)
            self._timers.remove(first)
            self.now = first.due
            first.ring()
        self.now = until


class Door(OpenDoor):
    """Lets everyone in on /v1, and shows a page elsewhere; on /late once it may be shown."""

    def __init__(self) -> None:
        self.rooms: list[Room] = []
        self.connections: list[Connection] = []
        self.gone_again = 0
        self.codes: list[CloseCode] = []
        self.page = b"a page"
        self.may_show = asyncio.Event()
        self.tasks: list[asyncio.Task[None]] = []
        self.hours: Hours | None = None  # by which connections go; None: by the loop's own

    def __call__(self) -> Connection:
        made = Connection(self, frame_bytes=FRAME_BYTES, high_water=HIGH_WATER, most_unread=MOST_UNREAD)
        if self.hours is not None:
            made._loop = self.hours  # type: ignore[assignment]  # all that it asks of its loop
        self.connections.append(made)
        return made

    def answer(self, request: Request, protocol: ServerProtocol, address: str) -> Response | Later:
        if request.path == "/v1":
            return protocol.accept(request)
        response = protocol.reject(200, "")
        response.body = self.page
        if request.path != "/late":
            return response

        async def fetch() -> Response:
            await self.may_show.wait()
            return response

        return Later(fetch, lambda work: self.tasks.append(asyncio.create_task(work)))

    def enter(self, connection: Connection, protocol: ServerProtocol) -> Receiver:
        connection.expect(CODECS[JSON])
        self.rooms.append(Room(connection))
        return self.rooms[-1]

    def closes(self, code: CloseCode) -> None:
        self.codes.append(code)

    def gone(self, knocker: Knocker) -> None:
        self.gone_again += 1

    async def start(self) -> None:
        self.server = await asyncio.get_running_loop().create_server(self, "127.0.0.1", 0)
        self.port: int = self.server.sockets[0].getsockname()[1]


@pytest.fixture
async def door(watch: Watch) -> AsyncIterator[Door]:
    door = Door()
    await door.start()
    yield door
    door.server.close()
    await until(lambda: door.gone_again == len(door.connections))
    assert all(room.is_lost.is_set() for room in door.rooms)


@pytest.fixture
async def wire(door: Door) -> AsyncIterator[Wire]:
    """A connection that was let in."""
    async with Wire(door.port) as wire:
        assert (await wire.upgrade()).status_code == 101
        yield wire


@pytest.fixture
def room(door: Door, wire: Wire) -> Room:
    """What stands behind that connection."""
    return door.rooms[0]


async def test_messages_arrive_whole_and_in_order(wire: Wire, room: Room) -> None:
    await wire.send(text(1) + text(2))
    await until(lambda: room.heard == [b"1", b"2"])


async def test_a_message_may_come_with_the_handshake(door: Door) -> None:
    async with Wire(door.port) as wire:
        await wire.upgrade(text("early"))
        await until(lambda: door.rooms[0].heard == [b'"early"'])


async def test_bytes_may_come_one_at_a_time(door: Door) -> None:
    async with Wire(door.port) as wire:
        for byte in request() + text("slow"):
            await wire.send(bytes([byte]))
            await asyncio.sleep(0)
        await until(lambda: bool(door.rooms) and door.rooms[0].heard == [b'"slow"'])


async def test_fragments_become_one_message_with_pings_in_between(wire: Wire, room: Room) -> None:
    await wire.send(raw(Opcode.TEXT, b'"in ', fin=False) + raw(Opcode.PING, b"!") + raw(Opcode.CONT, b'two"'))
    await until(lambda: room.heard == [b'"in two"'])
    pong = await wire.frame()
    assert (pong.opcode, pong.data) == (Opcode.PONG, b"!")


async def test_what_is_written_arrives(wire: Wire, room: Room) -> None:
    room.say(b'"hello"')
    assert (await wire.frame()).data == b'"hello"'


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (raw(Opcode.BINARY, b"\x80"), 1003),
        (raw(Opcode.TEXT, b"x" * (FRAME_BYTES + 1)), 1009),
        (raw(Opcode.TEXT, b"x" * 4_000, fin=False) + raw(Opcode.CONT, b"x" * 97), 1009),
        (raw(Opcode.TEXT, b"x", fin=False) + raw(Opcode.CONT, b"x", fin=False) * FRAME_BYTES, 1009),
        (raw(Opcode.CONT, b"of nothing"), 1002),
        (raw(Opcode.TEXT, b"a", fin=False) + raw(Opcode.TEXT, b"b"), 1002),
        (b"\x81\x01x", 1002),  # not masked
        (b"\xc1\x80\x00\x00\x00\x00", 1002),  # a bit of an extension that was not agreed on
        (b"\x83\x80\x00\x00\x00\x00", 1002),  # an opcode that is none
        (b"\x09\x80\x00\x00\x00\x00", 1002),  # a ping in fragments
        (b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00", 1009),
        (b"\x88\x81\x00\x00\x00\x00\x00", 1002),  # half a close code
    ],
)
async def test_a_broken_frame_ends_the_connection_with_its_code(wire: Wire, sent: bytes, code: int) -> None:
    await wire.send(sent)
    assert await wire.closed() == code


async def test_a_message_of_the_greatest_length_is_taken(wire: Wire, room: Room) -> None:
    await wire.send(raw(Opcode.TEXT, b"x" * FRAME_BYTES))
    await until(lambda: len(room.heard) == 1)


async def test_a_receiver_may_end_the_connection(wire: Wire, room: Room) -> None:
    def fail(message: bytes) -> None:
        raise PeerError(CloseCode.NOT_ONE_VALUE, "no")

    room.on_message = fail
    await wire.send(text(1) + text(2))
    assert await wire.closed() == 1007
    assert room.heard == [b"1"], "what came after the end was taken"


async def test_a_bug_ends_the_connection_and_is_logged(
    wire: Wire, room: Room, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    watch.bugs_expected = True
    room.on_message = lambda message: [][0]
    await wire.send(text(1))
    assert await wire.closed() == 1011
    assert "a message could not be handled" in caplog.text


async def test_messages_right_before_the_clients_own_close_are_taken(wire: Wire, room: Room) -> None:
    await wire.send(text("last words") + raw(Opcode.CLOSE, b"\x03\xe8"))
    assert await wire.closed() == 1000
    assert room.heard == [b'"last words"']


@pytest.mark.parametrize(
    "part",
    [raw(Opcode.PING), raw(Opcode.PONG), raw(Opcode.CONT, fin=False)],
    ids=["ping", "pong", "fragment"],
)
async def test_frames_that_are_no_messages_are_not_free(
    wire: Wire, part: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 0.1)
    await wire.send(raw(Opcode.TEXT, fin=False) + part * (FRAME_BYTES + 1_000))
    assert await wire.closed() == 1008


async def test_a_client_that_goes_on_after_our_close_is_cut_off(
    wire: Wire, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 0.2)
    room.connection.close(CloseCode.RESTART, "bye")
    async with asyncio.timeout(PATIENCE_S):
        with contextlib.suppress(ConnectionError):
            while not room.is_lost.is_set():
                await wire.send(text("and another thing"))
                await asyncio.sleep(0.005)
        await room.is_lost.wait()
    assert room.heard == []


async def test_a_client_that_stays_silent_after_our_close_is_cut_off(
    wire: Wire, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 0.05)
    room.connection.close(CloseCode.RESTART, "bye")
    async with asyncio.timeout(PATIENCE_S):
        await room.is_lost.wait()


async def test_a_close_is_answered_and_ends_both_ways(wire: Wire, room: Room) -> None:
    room.connection.close(CloseCode.RESTART, "bye")
    assert await wire.closed() == 1012
    await wire.send(raw(Opcode.CLOSE, b"\x03\xf4"))
    assert await wire.end() == b""
    wire.socket.close()
    async with asyncio.timeout(PATIENCE_S):
        await room.is_lost.wait()


async def test_what_is_gone_can_be_written_to_and_closed(wire: Wire, room: Room) -> None:
    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.socket.close()  # a reset
    await room.is_lost.wait()
    room.say(b"1")
    room.connection.close(CloseCode.RESTART, "bye")
    room.connection.abort()


async def test_a_half_closed_client_that_reads_nothing_is_cut_off(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 0.05)
    async with Wire(door.port, receive_buffer=4_096) as wire:
        await wire.upgrade()
        room = door.rooms[0]
        while not room.connection.slow:
            room.say(b"x" * 10_000)
        wire.socket.shutdown(socket.SHUT_WR)
        async with asyncio.timeout(PATIENCE_S):
            await room.is_lost.wait()


async def test_silence_is_met_with_a_ping_and_then_the_end(door: Door) -> None:
    hours = door.hours = Hours()
    async with Wire(door.port) as wire:
        await wire.upgrade()
        hours.pass_by(SILENCE_S - 0.1)
        door.rooms[0].say(b'"well?"')
        assert (await wire.frame()).opcode is Opcode.TEXT, "a ping came too early"
        hours.pass_by(0.2)
        assert (await wire.frame()).opcode is Opcode.PING
        hours.pass_by(CUT_S - SILENCE_S - 0.2)
        assert door.rooms[0].connection.open
        hours.pass_by(0.2)
        assert await wire.closed() is None


async def test_whoever_answers_pings_stays(door: Door) -> None:
    hours = door.hours = Hours()
    async with Wire(door.port) as wire:
        await wire.upgrade()
        stays, began = door.connections[0], hours.now
        for _ in range(3):
            hours.pass_by(SILENCE_S + 0.1)
            assert (await wire.frame()).opcode is Opcode.PING
            await wire.send(raw(Opcode.PONG))
            await until(lambda: stays._heard == hours.now)
        assert hours.now - began > CUT_S
        assert stays.open


async def test_a_request_that_does_not_come_in_time_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, door: Door
) -> None:
    monkeypatch.setattr(connection, "HANDSHAKE_S", 0.05)
    async with Wire(door.port) as wire:
        await wire.send(request()[:-2])
        assert await wire.end() == b""


async def test_a_head_without_end_is_cut_off(door: Door) -> None:
    async with Wire(door.port) as wire:
        await wire.send(b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000)
        assert await wire.end() == b""


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"\x16\x03\x01\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"GET /" + b"x" * 9_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
    ],
)
async def test_what_is_no_request_is_told_so(door: Door, head: bytes, status: int) -> None:
    async with Wire(door.port) as wire:
        await wire.send(head)
        answer = await wire.end()
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())


async def test_a_page_is_read_to_its_end_however_slowly(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 0.05)
    door.page = b"x" * 3_000_000
    async with Wire(door.port, receive_buffer=4_096) as wire:
        await wire.send(request("/page"))
        first = await wire.receive()
        await asyncio.sleep(0.1)  # longer than a WebSocket's close may take
        assert len(first + await wire.end()) > len(door.page)


async def filled(room: Room) -> None:
    """Say as much as the kernel takes of what nobody reads, and more than that."""
    stuck = 0  # for so many turns of the loop
    while stuck < 10:
        stuck = stuck + 1 if room.connection.slow else 0
        if not stuck:
            room.say(b"x" * 10_000)
        await asyncio.sleep(0)


async def test_a_slow_reader_is_noted_and_hears_when_it_caught_up(door: Door) -> None:
    async with Wire(door.port, receive_buffer=4_096) as wire:
        await wire.upgrade()
        room = door.rooms[0]
        await filled(room)
        drains = room.drains
        while room.drains == drains:
            await wire.receive()
        assert not room.connection.slow


async def test_who_reads_nothing_cannot_fill_our_memory(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 60.0)  # in which all of it can be read
    async with Wire(door.port, receive_buffer=4_096) as wire:
        await wire.upgrade()
        room = door.rooms[0]
        while room.connection.open:
            room.say(b"x" * 10_000)
        transport = room.connection._transport
        assert transport.get_write_buffer_size() < MOST_UNREAD + 20_000
        assert await wire.closed() == 1013, "what had been sent, and why it ends, was lost"


async def test_pongs_that_nobody_reads_do_not_pile_up(door: Door) -> None:
    async with Wire(door.port, receive_buffer=4_096) as wire:
        await wire.upgrade()
        room = door.rooms[0]
        await filled(room)
        before = room.connection._transport.get_write_buffer_size()
        await wire.send(raw(Opcode.PING, b"x" * 125) * 500 + text("done"))
        await until(lambda: bool(room.heard))
        assert room.connection._transport.get_write_buffer_size() <= before


# Plain answers that take a moment


LATE = b"GET /late HTTP/1.1\r\nHost: tenmatch.example\r\n\r\n"


async def asked(door: Door, wire: Wire, request: bytes = LATE) -> None:
    """Ask for what is not there yet."""
    await wire.send(request)
    await until(lambda: bool(door.tasks))


@pytest.mark.parametrize("more", [b"", LATE, text("early"), b"\r\n" * 100_000])
async def test_an_answer_may_take_a_moment_and_what_comes_with_the_request_gets_none(
    door: Door, more: bytes
) -> None:
    async with Wire(door.port) as wire:
        await asked(door, wire, LATE + more)
        door.may_show.set()
        answer = await wire.end()
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b"\r\n\r\na page")
    assert answer.count(b"HTTP/1.1") == 1


async def test_who_has_said_all_is_answered_all_the_same(door: Door) -> None:
    async with Wire(door.port) as wire:
        await asked(door, wire)
        wire.socket.shutdown(socket.SHUT_WR)
        door.may_show.set()
        assert (await wire.end()).endswith(b"a page")


async def test_whoever_has_gone_needs_no_answer(door: Door) -> None:
    async with Wire(door.port) as wire:
        await asked(door, wire)
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    door.connections[0].abort()
    await until(lambda: door.gone_again == 1)
    door.may_show.set()
    await door.tasks[0]


async def test_an_answer_that_never_comes_ends_the_connection(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "ANSWER_S", 0.05)
    async with Wire(door.port) as wire:
        await asked(door, wire)
        assert await wire.end() == b""
    door.may_show.set()
    await door.tasks[0]


async def test_an_answer_without_its_body_has_its_head(door: Door) -> None:
    door.may_show.set()
    shown: list[Response] = []
    late = door.answer(Request("/late", {}), ServerProtocol(), "")  # type: ignore[arg-type]  # no headers are read
    answer = without_body(late)
    assert isinstance(answer, Later)
    answer.reply_to(shown.append)
    await door.tasks[0]
    assert [(response.status_code, response.body) for response in shown] == [(200, b"")]
