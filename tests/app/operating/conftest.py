"""A node on a store of its own, and `tenmatch` commands on that store, as an operator gives them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.gateway.meeting import Meet
from tests.gateway.nodes import Running, running
from tests.gateway.peer import Peer, peer
from tests.servers import Server
from typer.testing import CliRunner, Result

from tenmatch.app.cli import app
from tenmatch.store.connect import Address, Store

Tenmatch = Callable[..., Coroutine[Any, Any, Result]]


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("valkey", tmp_path_factory.mktemp("valkey")) as server:
        yield server


@pytest.fixture
async def url(shared_server: Server) -> str:
    """Name an empty store."""
    store = Store(Address(shared_server.url))
    await store.call("FLUSHALL")
    store.close()
    return shared_server.url


@pytest.fixture
async def node(url: str) -> AsyncIterator[Running]:
    async with running(url) as node:
        yield node


@pytest.fixture
async def meet(node: Running) -> AsyncIterator[Meet]:
    """Return what connects peers, to the node or another."""
    async with AsyncExitStack() as peers:

        async def meet(at: Running | None = None, **fields: Any) -> Peer:
            return await peers.enter_async_context(peer((at or node).port, **fields))

        yield meet


@pytest.fixture
def tenmatch(url: str, monkeypatch: pytest.MonkeyPatch) -> Tenmatch:
    """Return what runs a command on the store, in another thread, as if it were another process."""
    monkeypatch.setenv("COLUMNS", "200")

    async def run(*words: object, stdin: str | None = None) -> Result:
        arguments = [*map(str, words), "--redis", url]
        return await asyncio.to_thread(CliRunner().invoke, app, arguments, input=stdin)

    return run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rooms.jsonl"
