"""A server for each module, as a process of its own, and clients that meet there."""

from collections.abc import AsyncIterator, Iterator

import pytest
from tests.live.client import CODECS, Client
from tests.live.node import Node
from tests.live.table import Meet


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server whose limits no game in a test can meet."""
    node = Node(tmp_path_factory.mktemp("node"), messages_per_s=0, matches_per_s=0, rooms_per_player=0)
    yield node
    node.stop()


@pytest.fixture
async def meet(node: Node) -> AsyncIterator[Meet]:
    """Return what connects a client to the module's server and says hello.

    At the end of the test each one is closed, and nothing may have been wrong with what it was told.
    """
    clients: list[Client] = []

    async def meet(codec: str = CODECS[0], *, url: str = "", **hello: object) -> Client:
        client = await Client.connect(url or node.url, codec)
        clients.append(client)
        await client.hello(**hello)
        return client

    yield meet
    for client in clients:
        await client.close()
