"""The end of a node, without loss: nobody new, moves in flight answered, everyone sent elsewhere."""

import asyncio
import logging
import random
from collections.abc import Callable
from typing import Final, Protocol

from tenmatch.app.node import Node
from tenmatch.gateway.connection import Connection
from tenmatch.protocol import to_client
from tenmatch.protocol.limits import CloseCode

log = logging.getLogger(__name__)

IN_FLIGHT_S: Final = 1.2  # for appends under way: after 1 s who waits is told that the store is unavailable
GOODBYE_S: Final = 2.1  # for the last closing handshakes, which the connections end after 2 s themselves
TICK_S: Final = 0.01
GOODBYE: Final = "restart: reconnect at once"


class Server(Protocol):
    """What accepts connections: `asyncio.Server`, or `tenmatch.gateway.tls.SecureServer`."""

    def close(self) -> None:
        """Accept no more."""


async def drain(node: Node, server: Server, spread_s: float) -> None:
    """Send everyone away and return when they are gone, at the latest after spread_s + 5 s.

    Args:
        spread_s: Seconds over which connections are closed, so that not all come back at once.
    """
    node.handshake.draining = True
    server.close()
    connections = node.handshake.connections
    log.info("draining", extra={"node": node.name, "clients": len(connections)})
    for session in tuple(node.desk.sessions):
        session.send(to_client.Closing(in_ms=int(spread_s * 1000), reason="drain"))
    await _until(lambda: not node.tables.waiting, IN_FLIGHT_S)
    await _close(list(connections), spread_s)
    await _until(lambda: not connections, GOODBYE_S)
    for connection in tuple(connections):
        connection.abort()
    await _until(lambda: not connections, TICK_S * 10)


async def _close(connections: list[Connection], spread_s: float) -> None:
    """Close all connections, spread over some time, those last that still wait for an answer."""
    random.shuffle(connections)
    loop = asyncio.get_running_loop()
    began, waiting = loop.time(), []
    for number, connection in enumerate(connections, 1):
        if connection.idle:
            connection.close(CloseCode.RESTART, GOODBYE)
        else:
            waiting.append(connection)
        ahead = began + spread_s * number / len(connections) - loop.time()
        if ahead > TICK_S:  # many have to go between two ticks
            await asyncio.sleep(ahead)
    await _until(lambda: all(connection.idle for connection in waiting), IN_FLIGHT_S)
    for connection in waiting:
        connection.close(CloseCode.RESTART, GOODBYE)


async def _until(so: Callable[[], bool], seconds: float) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not so() and loop.time() < end:  # noqa: ASYNC110  # sockets close without a word to us
        await asyncio.sleep(0.02)
