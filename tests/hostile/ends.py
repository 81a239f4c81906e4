"""How a connection ends."""

import asyncio
from asyncio import IncompleteReadError

from tests.hostile import verdict
from tests.live.wire import Wire


async def end_of(wire: Wire) -> verdict.Code:
    """Return the code with which the server closes, None where it only ends; it must end then."""
    try:
        while (received := await wire.receive())[0] != verdict.CLOSE:
            pass
    except IncompleteReadError:
        wire.close()
        return None
    wire.half_close()
    assert await wire.rest() == b""
    return int.from_bytes(received[1][:2])


async def end_amid(wire: Wire, flood: bytes) -> verdict.Code:
    """Send and send, and return the code with which the server closes meanwhile; the rest is not sent."""
    sending = asyncio.create_task(wire.send(flood))
    try:
        while (received := await wire.receive())[0] != verdict.CLOSE:
            pass
        return int.from_bytes(received[1][:2])
    finally:
        sending.cancel()
        await asyncio.wait([sending])
        wire.close()
