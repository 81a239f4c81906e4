"""Each test of the store runs on the embedded Valkey and on Debian's Redis."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.servers import KINDS, Kind, Server
from tests.store.patience import be_patient

from tenmatch.store.connect import Address, Store


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take no slow answer for none, however busy the machine is: who is to give up is told when."""
    be_patient(monkeypatch)


@pytest.fixture(scope="session", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    kind: Kind = request.param
    return kind


@pytest.fixture(scope="session")
def shared_server(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(kind, tmp_path_factory.mktemp(kind)) as server:
        yield server


@pytest.fixture
def own_server(kind: Kind, tmp_path: Path) -> Iterator[Server]:
    """A server that the test may freeze and kill."""
    with Server(kind, tmp_path) as server:
        yield server


@pytest.fixture
async def store(shared_server: Server) -> AsyncIterator[Store]:
    """An empty store that knows no scripts yet."""
    store = Store(Address(shared_server.url))
    await store.call("FLUSHALL")
    await store.call("SCRIPT", "FLUSH")
    yield store
    store.close()
