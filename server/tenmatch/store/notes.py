"""Notes on their way to one shard: gathered, sent as one pipeline, never sent twice."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final

from tenmatch.store.link import StoreDown, first_error_raised, pack
from tenmatch.store.shard import Shard

log = logging.getLogger(__name__)

WAITING: Final = 1_000  # notes at most; more are dropped


def ignore(taken: bool) -> None:
    """Do nothing about what became of a note."""


class Notes:
    """Publishes at once what is given to it, without anybody waiting."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard
        self._waiting: deque[tuple[bytes, Callable[[bool], None]]] = deque()
        self._wake = asyncio.Event()
        self._failing = False
        self.dropped = 0  # notes that found no room or no server

    def publish(self, channel: str, message: bytes, told: Callable[[bool], None] = ignore) -> None:
        """Publish *message*; *told* is called once, by the event loop: whether the server took it."""
        if len(self._waiting) >= WAITING:
            self.dropped += 1
            asyncio.get_running_loop().call_soon(told, False)
            return
        self._waiting.append((pack("SPUBLISH", channel, message), told))
        self._wake.set()

    async def run(self) -> None:
        """Send what is to be sent, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            batch = list(self._waiting)
            self._waiting.clear()
            taken = await self._send([packed for packed, _ in batch])
            for _, told in batch:
                asyncio.get_running_loop().call_soon(told, taken)

    async def _send(self, batch: list[bytes]) -> bool:
        try:
            first_error_raised(await self._shard.exchange(batch))
        except StoreDown as error:
            self.dropped += len(batch)
            if not self._failing:
                log.warning("notes cannot be published", extra={"error": str(error)})
            self._failing = True
            return False
        self._failing = False
        return True
