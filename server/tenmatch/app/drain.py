"""The end of a node, without loss: nobody new, moves in flight answered, everyone sent elsewhere."""

import asyncio
import logging
import random
from collections.abc import Callable
from typing import Final

from tenmatch.app.wiring import Node
from tenmatch.protocol import to_client
from tenmatch.protocol.limits import CloseCode

log = logging.getLogger(__name__)

IN_FLIGHT_S: Final = 2.0  # for appends under way
GOODBYE_S: Final = 2.5  # for the last closing handshakes


async def drain(node: Node, server: asyncio.Server, spread_s: float) -> None:
    """Send everyone away and return when they are gone, at the latest after spread_s + 5 s.

    Args:
        spread_s: Seconds over which connections are closed, so that not all come back at once.
    """
    node.handshake.draining = True
    server.close()
    sessions = list(node.desk.sessions)
    log.info("draining", extra={"node": node.name, "clients": len(sessions)})
    for session in sessions:
        session.send(to_client.Closing(in_ms=int(spread_s * 1000), reason="drain"))
    await _until(lambda: not node.tables.waiting, IN_FLIGHT_S)
    random.shuffle(sessions)
    for session in sessions:
        session.close(CloseCode.RESTART, "restart: reconnect at once")
        await asyncio.sleep(spread_s / len(sessions))
    await _until(lambda: not node.handshake.connections, GOODBYE_S)


async def _until(so: Callable[[], bool], seconds: float) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not so() and loop.time() < end:  # noqa: ASYNC110  # sockets close without a word to us
        await asyncio.sleep(0.02)
