"""A server, one driver for each language, and a meddler between the two."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import count

import pytest
from tests.client.meddler import Meddler
from tests.client.troupe import DRIVERS, Player, Troupe
from tests.live.node import Node

Meet = Callable[..., Awaitable[Player]]
_NAMES = count(1)


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server whose limits no game in a test can meet."""
    with Node(tmp_path_factory.mktemp("node"), messages_per_s=0, matches_per_s=0, rooms_per_player=0) as node:
        yield node


@pytest.fixture(scope="session")
def troupes() -> Iterator[dict[str, Troupe]]:
    """A driver for each language."""
    started = {language: Troupe(language) for language in DRIVERS}
    yield started
    for troupe in started.values():
        troupe.__exit__(None, None, None)


@pytest.fixture
async def between(node: Node) -> AsyncIterator[Meddler]:
    """Whom all clients of a test take for the server."""
    async with Meddler(node.url) as meddler:
        yield meddler


@pytest.fixture
async def meet_as(troupes: dict[str, Troupe], between: Meddler) -> AsyncIterator[Meet]:
    """Return what connects a client of a language, as somebody new."""
    met: list[Player] = []

    async def meet(language: str, **hello: str) -> Player:
        player = Player(troupes[language], f"{language} {next(_NAMES)}")
        await player.ask("connect", **{"url": between.url, **hello})
        met.append(player)
        return player

    yield meet
    between.honest()
    between.thaw()
    for player in met:
        await player.ask("close")


@pytest.fixture(params=list(DRIVERS))
def meet(meet_as: Meet, request: pytest.FixtureRequest) -> Meet:
    """Return what connects a client of the language that this test is about."""

    async def meet(**hello: str) -> Player:
        return await meet_as(request.param, **hello)

    return meet
