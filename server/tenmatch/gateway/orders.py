"""What an operator tells nodes, all at once: something to be announced, or that one of them is to go."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Final, Protocol, TypeAlias

import msgspec

from tenmatch.game.ids import Millis
from tenmatch.gateway.fanout import SLICE
from tenmatch.gateway.framing import frames
from tenmatch.gateway.identity import Person
from tenmatch.gateway.readable import clean
from tenmatch.gateway.reader import Reader
from tenmatch.protocol import to_client
from tenmatch.store import keys
from tenmatch.store.feed import Feed

log = logging.getLogger(__name__)

LONGEST: Final = 500
"""Characters of an announcement."""


class Announce(msgspec.Struct, frozen=True, tag="announce"):
    """Say something to everyone who is connected."""

    text: str
    at: Millis


class Drain(msgspec.Struct, frozen=True, tag="drain"):
    """Send the clients of one node elsewhere, and end it."""

    node: str


Order: TypeAlias = Announce | Drain
encode: Final = msgspec.msgpack.Encoder().encode
_decoder: Final = msgspec.msgpack.Decoder[Order](Order)


class Client(Reader, Protocol):
    """Who is told."""

    @property
    def person(self) -> Person | None:
        """Who it is, once they have said hello."""


class Orders:
    """Hears what nodes are told, and does what is for this one."""

    def __init__(self, feed: Feed, node: str, clients: Collection[Client]) -> None:
        """Speak for *node*, whose *clients* are those at any moment."""
        self.drain: Callable[[], None] = lambda: None
        """Called when this node is to go."""
        self._feed = feed
        self._node = node
        self._clients = clients

    async def listen(self) -> None:
        """See to it that orders are heard from here on; once they are, the feed sees to it.

        Raises:
            StoreDown: They are not yet.
        """
        if not self._feed.hears(keys.NODES):
            await self._feed.join(keys.NODES)

    def take(self, payload: bytes) -> None:
        """Take an order. Raises msgspec.MsgspecError: it is none."""
        match _decoder.decode(payload):
            case Announce(text, at):
                self._announce(clean(text)[:LONGEST], at)
            case Drain(node) if node == self._node:
                log.info("asked to drain", extra={"node": node})
                self.drain()
            case Drain():
                pass

    def _announce(self, text: str, at: Millis) -> None:
        if text:
            log.info("announced", extra={"text": text, "clients": len(self._clients)})
            self._tell(deque(self._clients), frames(to_client.Announcement(text=text, at=at)))

    def _tell(self, clients: deque[Client], told: Mapping[str, bytes]) -> None:
        """Tell some now, and the others when the loop has breathed."""
        for _ in range(min(SLICE, len(clients))):
            client = clients.popleft()
            if client in self._clients and client.person is not None and not client.slow:
                client.write(told[client.codec.name])
        if clients:
            asyncio.get_running_loop().call_soon(self._tell, clients, told)
