"""Stands between clients and a node, hears all that they say; can change it, hold it back, cut it."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

Message = dict[str, Any]
Meddle = Callable[[int, Message], list[Message] | None]
"""What becomes of a message on its way to a client: others, none; None: it and the connection are cut off.

It is given the connection, counted from 0."""

PATIENCE_S: Final = 60.0
SUBPROTOCOLS: Final = [Subprotocol("tenmatch.v1.msgpack"), Subprotocol("tenmatch.v1.json")]


def _honest(connection: int, message: Message) -> list[Message]:
    return [message]


class Meddler:
    """An address of its own that leads to a node's; `url` is it, and stays when the node is another one."""

    def __init__(self, node: str) -> None:
        """Lead to the node at that URL."""
        self.node = node
        self.meddle: Meddle = _honest
        self.said: list[Message] = []  # by clients, on all connections
        self.connections = 0  # that clients made so far
        self._clients: set[ServerConnection] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self._news = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._server = await serve(
            self._between, "127.0.0.1", 0, subprotocols=SUBPROTOCOLS, compression=None, ping_interval=None
        )
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.thaw()
        self._server.close(close_connections=False)
        self.cut()
        await self._server.wait_closed()

    def honest(self) -> None:
        """Change nothing any more."""
        self.meddle = _honest

    def cut(self) -> None:
        """Break all connections off without a word."""
        for client in tuple(self._clients):
            client.transport.abort()

    async def close(self, code: int) -> None:
        """Close all connections, with a code of the server's."""
        for client in tuple(self._clients):
            await client.close(code)

    def freeze(self) -> None:
        """Pass nothing on to clients, while their connections stay open."""
        self._flows.clear()

    def thaw(self) -> None:
        """Pass on what was held up, and all that follows."""
        self._flows.set()

    def spoken(self, t: str) -> list[Message]:
        """Return what clients said of one type."""
        return [message for message in self.said if message["t"] == t]

    async def until(self, true: Callable[[], bool]) -> None:
        """Return when something about what was said has become true."""
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                self._news.clear()
                await self._news.wait()

    async def _between(self, client: ServerConnection) -> None:
        number, self.connections = self.connections, self.connections + 1
        self._clients.add(client)
        try:
            assert client.subprotocol is not None
            uri = self.node.replace("http", "ws", 1) + "/v1"
            async with connect(
                uri, subprotocols=[client.subprotocol], compression=None, ping_interval=None, proxy=None
            ) as node:
                away = asyncio.create_task(self._to_node(client, node))
                await self._to_client(number, node, client)
                away.cancel()
                if node.close_code in (None, 1005, 1006):
                    client.transport.abort()
                else:
                    await client.close(node.close_code)
        except (OSError, InvalidHandshake, ConnectionClosed):
            client.transport.abort()
        finally:
            self._clients.discard(client)

    async def _to_node(self, client: ServerConnection, node: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            async for frame in client:
                self.said.append(_read(frame))
                self._news.set()
                await node.send(frame)
        node.transport.abort()

    async def _to_client(self, number: int, node: ClientConnection, client: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            async for frame in node:
                await self._flows.wait()
                instead = self.meddle(number, _read(frame))
                self._news.set()
                if instead is None:
                    client.transport.abort()
                    return
                for message in instead:
                    await client.send(_write(message, binary=isinstance(frame, bytes)))


def _read(frame: bytes | str) -> Message:
    message = msgpack.unpackb(frame) if isinstance(frame, bytes) else json.loads(frame)
    assert isinstance(message, dict)
    return message


def _write(message: Message, *, binary: bool) -> bytes | str:
    packed: bytes | str = msgpack.packb(message) if binary else json.dumps(message)
    return packed
