"""What each node says of itself, for those who run it: where it is, who is on it, what it has done so far."""

import contextlib
from collections.abc import Iterable
from typing import Final

import msgspec

from tenmatch import __version__
from tenmatch.app.node import Node
from tenmatch.game.ids import Millis
from tenmatch.store import nodes
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.histogram import SECONDS

ROUND_S: Final = 2.0
"""How often a node says how it is."""


class Vitals(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A node, as it says. What is counted is counted since it began."""

    node: str
    version: str
    address: str  # where it listens
    since: Millis
    at: Millis  # when it said so
    sockets: int  # connections that were let in, at the moment
    rooms: int  # loaded
    ready: bool
    draining: bool
    lag_ms: int  # how late its event loop was at worst, in the last ten seconds
    moves: int  # made
    refused: int  # moves that were not
    unavailable: int  # moves of which it could not be said in time what became of them
    events: int  # that it wrote
    told: int  # to whom it told any event, all together
    store_errors: int
    append: tuple[int, ...]  # appends by the seconds they took: below each of SECONDS, and above all
    delivery: tuple[int, ...]  # commands by the seconds until their events were sent, likewise


_encode: Final = msgspec.msgpack.Encoder().encode
_decoder: Final = msgspec.msgpack.Decoder(Vitals)


class Registry:
    """Speaks for one node, and knows what the others said when it last did."""

    def __init__(self, node: Node, address: str) -> None:
        """Speak for *node*, which listens at *address* from now on."""
        self.nodes: list[Vitals] = []
        self._node = node
        self._address = address
        self._since = node.store.clock.now()

    async def say(self) -> None:
        """Say how the node is, and hear of the others.

        Raises:
            StoreDown: It may have been said or not.
        """
        node = self._node
        self.nodes = read(await nodes.say(node.store, node.name, _encode(self._vitals())))

    async def go(self) -> None:
        """Say that the node is gone, if that can be said."""
        with contextlib.suppress(StoreDown):
            await nodes.go(self._node.store, self._node.name)

    def _vitals(self) -> Vitals:
        node, counts = self._node, self._node.counts
        return Vitals(
            node=node.name,
            version=__version__,
            address=self._address,
            since=self._since,
            at=node.store.clock.now(),
            sockets=len(node.handshake.connections),
            rooms=len(node.tables.loaded),
            ready=node.ready,
            draining=node.handshake.draining,
            lag_ms=round(node.watchdog.lag * 1000),
            moves=counts.made.total(),
            refused=counts.not_made.total(),
            unavailable=counts.unavailable,
            events=counts.events,
            told=counts.told_players + counts.told_watchers,
            store_errors=node.committer.failures + node.store.failures,
            append=tuple(node.committer.seconds.counts),
            delivery=tuple(counts.delivery.counts),
        )


async def all_nodes(store: Store) -> list[Vitals]:
    """Return the nodes that run, by their names.

    Raises:
        StoreDown: It could not be heard.
    """
    return read(await nodes.hear(store))


def read(said: Iterable[bytes]) -> list[Vitals]:
    """Read what nodes said; of one of a later version that says otherwise nothing is known."""
    found = []
    for one in said:
        with contextlib.suppress(msgspec.MsgspecError):
            found.append(_decoder.decode(one))
    return found


def slowest(counts: Iterable[int], share: float) -> float | None:
    """Return below how many seconds this share of them stayed; inf: above all bounds; None: of nothing."""
    counts = list(counts)
    wanted, below = share * sum(counts), 0
    for bound, count in zip((*SECONDS, float("inf")), counts, strict=True):
        below += count
        if count and below >= wanted:
            return bound
    return None
