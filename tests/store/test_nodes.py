"""The nodes that run: said, heard, forgotten; and what all of them are told."""

import pytest
from tests.store.listening import listening
from tests.store.waiting import until

from tenmatch.game.ids import Millis
from tenmatch.store import keys, nodes
from tenmatch.store.connect import Store
from tenmatch.store.published import ORDERED


@pytest.fixture(autouse=True)
def _long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what was said count for so long that nobody is forgotten while the machine stands still."""
    monkeypatch.setattr(nodes, "COUNTS", Millis(600_000))


async def test_what_nodes_say_is_heard_until_they_go(store: Store) -> None:
    assert await nodes.say(store, "b", b"one") == [b"one"]
    assert await nodes.say(store, "a", b"two") == [b"two", b"one"]
    await nodes.say(store, "b", b"three")
    assert await nodes.hear(store) == [b"two", b"three"]
    await nodes.go(store, "a")
    assert await nodes.hear(store) == [b"three"]


async def test_who_says_nothing_any_more_is_forgotten(store: Store) -> None:
    await nodes.say(store, "lost", b"one")
    await store.call("ZINCRBY", keys.NODES_AT, -nodes.COUNTS, "lost")
    assert await nodes.hear(store) == []
    assert await store.call("HLEN", keys.NODES_SAID) == 1
    assert await nodes.say(store, "here", b"two") == [b"two"]
    assert await store.call("HKEYS", keys.NODES_SAID) == [b"here"]
    assert await store.call("ZCARD", keys.NODES_AT) == 1


async def test_all_that_listen_are_told(store: Store) -> None:
    assert await nodes.tell(store, b"order") == 0
    async with listening(store) as (feed, ear):
        await feed.join(keys.NODES)
        await until(lambda: feed.hears(keys.NODES))
        assert await nodes.tell(store, b"order") == 1
        assert await ear.next() == ("note", keys.NODES, ORDERED, b"order")
