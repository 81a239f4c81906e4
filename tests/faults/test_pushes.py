"""What is published goes astray as it is told to, and nothing else does."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.faults.pushes import Every, Pushes, Replies, Swapped, swallowed, twice
from tests.servers import Server
from tests.store.waiting import until

from tenmatch.store.address import Address
from tenmatch.store.link import Link, Reply, pack

REPLIES = (
    b"+OK\r\n",
    b"-ERR no\r\n",
    b":12\r\n",
    b"$-1\r\n",
    b"$0\r\n\r\n",
    b"$4\r\na\r\nb\r\n",
    b"*-1\r\n",
    b"*0\r\n",
    b"*3\r\n$8\r\nsmessage\r\n$1\r\nc\r\n$3\r\n*1\r\r\n",
    b"*2\r\n*2\r\n:1\r\n$-1\r\n*1\r\n+a\r\n",
)


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1000])
def test_replies_are_whole_however_they_come(piece: int) -> None:
    replies, sent = Replies(), b"".join(REPLIES)
    pieces = [sent[start : start + piece] for start in range(0, len(sent), piece)]
    assert [reply for some in pieces for reply in replies.of(some)] == list(REPLIES)


@pytest.fixture
async def way(tmp_path: Path) -> AsyncIterator[Pushes]:
    with Server("redis", tmp_path) as server:
        async with Pushes(server.socket) as way:
            yield way


class Listener:
    """A connection that subscribes, and another one that publishes."""

    def __init__(self, url: str) -> None:
        [self._server] = Address(url).servers
        self.line = Link(self._server)

    async def subscribe(self) -> None:
        await self.line.open()
        await self.line.send([pack("SSUBSCRIBE", "channel")])
        assert await self.line.reply() == [b"ssubscribe", b"channel", 1]

    async def publish(self, *messages: bytes) -> None:
        other = Link(self._server)
        assert await other.exchange([pack("SPUBLISH", "channel", message) for message in messages]) == [
            1 for _ in messages
        ]
        other.abort()

    async def heard(self, many: int) -> list[bytes]:
        return [(await self.line.reply())[2] for _ in range(many)]

    async def ping(self) -> Reply:
        await self.line.send([pack("PING")])
        return await self.line.reply()


@pytest.fixture
async def listener(way: Pushes) -> AsyncIterator[Listener]:
    listener = Listener(way.url)
    await listener.subscribe()
    yield listener
    listener.line.abort()


async def test_as_they_are(way: Pushes, listener: Listener) -> None:
    await listener.publish(b"a", b"b")
    assert await listener.heard(2) == [b"a", b"b"]
    assert way.published == 2


async def test_swallowed(way: Pushes, listener: Listener) -> None:
    way.bend = swallowed
    await listener.publish(b"a", b"b")
    assert await listener.ping() == [b"pong", b""]
    assert way.published == 2


async def test_some_swallowed(way: Pushes, listener: Listener) -> None:
    way.bend = every = Every(3, swallowed)
    await listener.publish(b"a", b"b", b"c", b"d", b"e", b"f", b"g")
    assert await listener.heard(5) == [b"a", b"b", b"d", b"e", b"g"]
    assert every.bent == 2


async def test_twice(way: Pushes, listener: Listener) -> None:
    way.bend = twice
    await listener.publish(b"a", b"b")
    assert await listener.heard(4) == [b"a", b"a", b"b", b"b"]


async def test_swapped(way: Pushes, listener: Listener) -> None:
    way.bend = swapped = Swapped()
    await listener.publish(b"a", b"b", b"c", b"d", b"e")
    assert await listener.heard(4) == [b"b", b"a", b"d", b"c"]
    await until(lambda: list(swapped.held) == [b"channel"])


async def test_what_is_not_read_piles_up_and_only_for_who_subscribes(way: Pushes, listener: Listener) -> None:
    way.stop_reading()
    await listener.publish(*[bytes(1_000_000)] * 20)
    other = Link(listener._server)
    [said] = await other.exchange([pack("CLIENT", "LIST", "TYPE", "pubsub")])
    other.abort()
    waiting = dict(word.split(b"=", 1) for word in said.split())[b"omem"]
    assert int(waiting) > 10_000_000
    way.read_on()
    assert await listener.heard(20) == [bytes(1_000_000)] * 20
