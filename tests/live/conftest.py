"""A server as a process of its own, and clients that meet there. A module that needs another overrides it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
from tests.live.client import CODECS, Client
from tests.live.node import Node
from tests.live.table import Meet
from tests.live.wire import Wire

Knock = Callable[..., Awaitable[Client]]


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server whose limits no game in a test can meet."""
    with Node(tmp_path_factory.mktemp("node"), messages_per_s=0, matches_per_s=0, rooms_per_player=0) as node:
        yield node


@pytest.fixture
async def knock(node: Node) -> AsyncIterator[Knock]:
    """Return what connects a client to the server, without a hello.

    At the end of the test each one is closed, and nothing may have been wrong with what it was told.
    """
    clients: list[Client] = []

    async def knock(codec: str = CODECS[0], *, url: str = "") -> Client:
        clients.append(await Client.connect(url or node.url, codec))
        return clients[-1]

    yield knock
    for client in clients:
        await client.close()
    assert not [fault for client in clients for fault in client.faults]


@pytest.fixture
def meet(knock: Knock) -> Meet:
    """Return what connects a client that says hello."""

    async def meet(codec: str = CODECS[0], *, url: str = "", **hello: object) -> Client:
        client = await knock(codec, url=url)
        await client.hello(**hello)
        return client

    return meet


@pytest.fixture(autouse=True)
async def wires() -> AsyncIterator[None]:
    """Close what a test left open."""
    yield
    for wire in tuple(Wire.left):
        wire.close()
