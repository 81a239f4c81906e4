"""A node on a store of its own, and `tenmatch` commands on that store, as an operator gives them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.gateway.meeting import Meet, meeting
from tests.gateway.nodes import Running, emptied, running
from tests.servers import Server
from tests.store.patience import be_patient
from typer.testing import CliRunner, Result

from tenmatch.app.cli import app
from tenmatch.game.ids import Millis
from tenmatch.store import nodes

Tenmatch = Callable[..., Coroutine[Any, Any, Result]]


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take no slow answer of the store for none: `tenmatch` says so and ends, where a node tries on."""
    be_patient(monkeypatch)
    monkeypatch.setattr(nodes, "COUNTS", Millis(600_000))


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("valkey", tmp_path_factory.mktemp("valkey")) as server:
        yield server


@pytest.fixture
async def url(shared_server: Server) -> str:
    """Name an empty store."""
    return await emptied(shared_server)


@pytest.fixture
async def node(url: str) -> AsyncIterator[Running]:
    async with running(url) as node:
        yield node


@pytest.fixture
async def meet(node: Running) -> AsyncIterator[Meet]:
    """Return what connects peers, to the node or another."""
    async with meeting(node) as meet:
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
