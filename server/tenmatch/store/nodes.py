"""The nodes that run, as each says of itself, and the channel on which all of them are told something.

What a node says, and is told, is opaque here.
"""

from typing import Final

from tenmatch.game.ids import Millis
from tenmatch.store import keys, published
from tenmatch.store.connect import Store
from tenmatch.store.link import Script

COUNTS: Final = Millis(10_000)
"""What a node says of itself counts for so long; it is to be said again every few seconds."""

_NODES: Final = Script("nodes")


async def say(store: Store, node: str, said: bytes) -> list[bytes]:
    """Say what a node is like, and hear what all say, this one included, by their names.

    Raises:
        StoreDown: It may have been said or not.
    """
    assert said, "nothing is what those say who go"
    return await _nodes(store, node, said)


async def go(store: Store, node: str) -> None:
    """Say that a node is gone.

    Raises:
        StoreDown: It may have been said or not; what was said before is forgotten anyway.
    """
    await _nodes(store, node, b"")


async def hear(store: Store) -> list[bytes]:
    """Hear what all nodes say, by their names.

    Raises:
        StoreDown: It could not be heard.
    """
    return await _nodes(store, "", b"")


async def _nodes(store: Store, node: str, said: bytes) -> list[bytes]:
    _, *all_said = await store.run(_NODES, [keys.NODES_SAID, keys.NODES_AT], COUNTS, node, said)
    return all_said


async def tell(store: Store, order: bytes) -> int:
    """Tell all nodes something, as a note of kind `published.ORDERED`; return how many heard it.

    Raises:
        StoreDown: They may have heard it or not.
    """
    note = published.note(published.ORDERED, order)
    return int(await store.call("SPUBLISH", keys.feed(keys.NODES), note))
