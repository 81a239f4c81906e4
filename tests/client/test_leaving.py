"""A Python client that gives up or closes, however far its connection has come, leaves nothing behind."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from tests.store.waiting import until
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from tenmatch.client import Client
from tenmatch.client.link import BY_US, Ending, Status
from tenmatch.game.ids import Millis, PlayerId
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.limits import JSON, CloseCode
from tenmatch.protocol.maps import LimitsMap, PersonMap
from tenmatch.protocol.to_client import Welcome

WELCOME = Welcome(
    re=None,
    player=PersonMap(id=PlayerId("a" * 16), name="Ann"),
    token="t",
    seated=[],
    node="test",
    version="0",
    time=Millis(0),
    limits=LimitsMap(frame=4096, messages_per_s=0, matches_per_s=0),
)


class Far:
    """The far end of a connection."""

    url = ""

    def __init__(self) -> None:
        self.reached = asyncio.Event()  # as far as it lets anyone come
        self.gone = asyncio.Event()  # who came


Server = Callable[[Far], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def mute(far: Far) -> AsyncIterator[None]:
    """Accept, and answer no request."""

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        far.reached.set()
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await reader.readexactly(1)
        far.gone.set()
        writer.close()

    async with await asyncio.start_server(hang, "127.0.0.1", 0) as server:
        far.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield


def letting_in(greet: Callable[[ServerConnection], Awaitable[None]]) -> Server:
    """Return a server that lets in whoever comes, and greets them."""

    @asynccontextmanager
    async def speak(far: Far) -> AsyncIterator[None]:
        async def handle(socket: ServerConnection) -> None:
            await socket.recv()
            await greet(socket)
            far.reached.set()
            await socket.wait_closed()
            far.gone.set()

        async with serve(handle, "127.0.0.1", 0, subprotocols=[Subprotocol(JSON)]) as server:
            far.url = f"http://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
            yield

    return speak


async def ignore(socket: ServerConnection) -> None:
    """Do not answer a hello."""


async def welcome(socket: ServerConnection) -> None:
    """Be glad that somebody came."""
    await socket.send(CODECS[JSON].encode(WELCOME).decode())


async def send_away(socket: ServerConnection) -> None:
    """Ask somebody to come back in a minute."""
    await welcome(socket)
    await socket.close(CloseCode.TOO_MANY_MESSAGES)


def listening(far: Far) -> tuple[Client, list[tuple[Status, Ending | None]]]:
    """Return a client, and what it says of its connection."""
    said: list[tuple[Status, Ending | None]] = []
    client = Client(
        far.url, codec="json", proxy=None, on_status=lambda status, ending: said.append((status, ending))
    )
    return client, said


@pytest.mark.parametrize("server", [mute, letting_in(ignore)], ids=["no answer", "no welcome"])
async def test_who_waits_no_longer_for_a_connection_gets_none_later(server: Server) -> None:
    far, before = Far(), asyncio.all_tasks()
    async with server(far):
        client, said = listening(far)
        connecting = asyncio.create_task(client.connect())
        await far.reached.wait()
        connecting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await connecting
        await far.gone.wait()
        assert (client.status, said[-1]) == (Status.CLOSED, (Status.CLOSED, BY_US))
    await until(lambda: asyncio.all_tasks() <= before)


@pytest.mark.parametrize("greet", [welcome, send_away], ids=["connected", "to come back"])
async def test_a_client_that_closes_is_closed(greet: Callable[[ServerConnection], Awaitable[None]]) -> None:
    far, before = Far(), asyncio.all_tasks()
    async with letting_in(greet)(far):
        client, said = listening(far)
        await client.connect()
        if greet is send_away:
            await until(lambda: client.retry_in is not None)
        await client.close()
        assert (client.status, client.retry_in) == (Status.CLOSED, None)
        assert [status for status, _ in said].count(Status.CLOSED) == 1
        await far.gone.wait()
    await until(lambda: asyncio.all_tasks() <= before)
