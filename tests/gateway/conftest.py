"""A store for each test of the gateway, and a watch over what goes wrong where nobody looks."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import uvloop
from tests.gateway.meeting import Meet, meeting
from tests.gateway.nodes import Running, emptied, running
from tests.servers import Server


def pytest_asyncio_loop_factories(
    item: pytest.Function,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run the tests of modules that say BOTH_LOOPS on both that the server can be started with."""
    if getattr(item.module, "BOTH_LOOPS", False):
        return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
    return {"uvloop": uvloop.new_event_loop}


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
