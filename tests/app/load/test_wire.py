"""The lean client against the library's own server, and fed byte by byte."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response

from tenmatch.app.load.wire import Where, Wire
from tenmatch.client.errors import BadUrl


class Ear:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[bytes] = asyncio.Queue()
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.wire: Wire

    def opened(self, wire: Wire) -> None:
        self.wire = wire

    def heard(self, payload: bytes) -> None:
        self.messages.put_nowait(payload)

    def lost(self, why: str) -> None:
        self.ended.set_result(why)


async def echo(connection: ServerConnection) -> None:
    async for message in connection:
        if message == b"ping":
            await (await connection.ping())
        if message == b"close":
            await connection.close(4321, "enough")
            return
        await connection.send(message)


def refuse(connection: ServerConnection, request: Request) -> Response | None:
    return connection.respond(429, "too many from here\n") if request.path == "/full" else None


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serve(echo, "127.0.0.1", 0, compression=None, process_request=refuse) as server:
        yield server


@pytest.fixture
async def ear(server: Server) -> AsyncIterator[Ear]:
    ear = Ear()
    await place(server).connect("/v1", ear)
    yield ear
    ear.wire.cut()
    await ear.ended


def place(server: Server) -> Where:
    return Where(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")


@pytest.mark.parametrize("length", [0, 1, 125, 126, 65_535, 65_536, 200_000])
async def test_messages_of_any_length_come_back_as_they_were(ear: Ear, length: int) -> None:
    message = bytes(number % 251 for number in range(length))
    ear.wire.send(message)
    assert await ear.messages.get() == message


async def test_many_messages_at_once_come_in_order(ear: Ear) -> None:
    sent = [bytes([number]) * number for number in range(200)]
    for message in sent:
        ear.wire.send(message)
    assert [await ear.messages.get() for _ in sent] == sent


async def test_pings_are_answered(ear: Ear) -> None:
    ear.wire.send(b"ping")  # it waits for our pong before it says anything more
    assert await ear.messages.get() == b"ping"


async def test_a_close_is_told_with_its_code(ear: Ear) -> None:
    ear.wire.send(b"close")
    assert await ear.ended == "closed with 4321 enough"


async def test_a_cut_is_told(ear: Ear, server: Server) -> None:
    ear.wire.send(b"here")
    assert await ear.messages.get() == b"here"  # so that the server has let us in, too
    for connection in server.connections:
        connection.transport.abort()
    assert await ear.ended


async def test_a_refusal_is_told_with_what_was_said(server: Server) -> None:
    ear = Ear()
    await place(server).connect("/full", ear)
    said = await ear.ended
    assert said.startswith("HTTP/1.1 429")
    assert said.endswith("too many from here")


async def test_frames_may_come_in_any_pieces() -> None:
    ear = Ear()
    wire = Wire(Where("http://127.0.0.1:1"), "/v1", ear)
    wire._handshake = None  # as after it
    messages = [b"", b"short", bytes(300), bytes(70_000)]
    stream = b"".join(Frame(Opcode.BINARY, message).serialize(mask=False) for message in messages)
    for size in (1, 2, 3, 7, 1000, len(stream)):
        for start in range(0, len(stream), size):
            wire.data_received(stream[start : start + size])
        assert [ear.messages.get_nowait() for _ in messages] == messages


@pytest.mark.parametrize("url", ["", "127.0.0.1:8765", "ftp://127.0.0.1", "http://127.0.0.1:no"])
def test_what_is_no_address_is_said(url: str) -> None:
    with pytest.raises(BadUrl, match="no address of a server"):
        Where(url)
