"""A store for each test of the gateway, and a watch over what goes wrong where nobody looks."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import uvloop
from msgspec.structs import replace
from tests.gateway.meeting import Meet, meeting
from tests.gateway.nodes import Running, emptied, running
from tests.servers import Server

from tenmatch.game import create, settle
from tenmatch.game.clock import Due
from tenmatch.game.ids import RoomId
from tenmatch.game.room import Phase, Room
from tenmatch.gateway import appending, keyset, pulse, table
from tenmatch.gateway.rounds import Rounds
from tenmatch.store import outages, pipelines
from tenmatch.store.connect import CONNECTIONS, Store

LONG_S = 60.0
Late = Callable[[Running, str], None]


def pytest_asyncio_loop_factories(
    item: pytest.Function,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run the tests of modules that say BOTH_LOOPS on both that the server can be started with."""
    if getattr(item.module, "BOTH_LOOPS", False):
        return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture(autouse=True)
def patience(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let nobody be told that the store is away because this machine stood still for a second or two.

    What is told, and how soon, is seen where a test freezes a store of its own.
    """
    if "own_server" in request.fixturenames:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        for module, name in (
            (appending, "ANSWER_S"),
            (keyset, "FETCH_S"),
            (keyset, "WAIT_S"),
            (pipelines, "WAIT"),
            (pulse, "FRESH_S"),
            (table, "PATIENCE_S"),
        ):
            patch.setattr(module, name, LONG_S)
        patch.setattr(outages, "COUNTS", LONG_S * 1000)
        patch.setattr(Store.__init__, "__kwdefaults__", {"connections": CONNECTIONS, "timeout": LONG_S})
        yield


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("valkey", tmp_path_factory.mktemp("valkey")) as server:
        yield server


@pytest.fixture
async def url(shared_server: Server) -> str:
    """Name an empty store."""
    return await emptied(shared_server)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that the test may freeze and kill."""
    with Server("valkey", tmp_path) as server:
        yield server


@dataclass
class Watch:
    """What the event loop and the logs had to complain of."""

    surprises: list[dict[str, object]] = field(default_factory=list)
    bugs_expected: bool = False


@pytest.fixture
async def watch(caplog: pytest.LogCaptureFixture) -> AsyncIterator[Watch]:
    """Fail a test that leaves a task behind, raises in a callback, or logs a traceback it did not ask for."""
    watch = Watch()
    before = asyncio.all_tasks()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: watch.surprises.append(context))
    yield watch
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert not left
    assert not watch.surprises
    tracebacks = [record.getMessage() for record in caplog.get_records("call") if record.exc_info]
    assert bool(tracebacks) is watch.bugs_expected, tracebacks


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes make no rounds: what is done in one, the test does when it is time (`nodes.rounds`)."""
    monkeypatch.setattr(Rounds, "all", lambda _: [])


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> Late:
    """Let rooms wait for their players, however slow these are, until the test says that it is too late."""
    due: set[str] = set()
    look = settle._next

    def next_of(room: Room, computers: bool = True) -> Due | None:
        waits = room.phase is Phase.OPEN and room.join_by is not None and room.salt not in due
        return None if waits else look(room, computers)

    def pass_by(at: Running, room: str) -> None:
        table = at.node.tables.loaded[RoomId(room)]
        due.add(table.state.salt)
        table.state = replace(table.state)  # of which is not known yet when anything is due
        table.advance()

    monkeypatch.setattr(create, "JOIN_MS", 0)
    monkeypatch.setattr(settle, "_next", next_of)
    return pass_by


@pytest.fixture
async def node(url: str, watch: Watch) -> AsyncIterator[Running]:
    async with running(url) as node:
        yield node


@pytest.fixture
async def other(node: Running, url: str) -> AsyncIterator[Running]:
    """Another node on the same store."""
    async with running(url) as other:
        yield other


@pytest.fixture
async def meet(node: Running) -> AsyncIterator[Meet]:
    """Return what connects peers, to the node or another."""
    async with meeting(node) as meet:
        yield meet
