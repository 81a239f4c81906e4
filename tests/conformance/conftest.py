"""Everything here runs on both event loops that the server can be started with."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

import pytest
import uvloop
from tests.conformance.echo import Server

LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


def pytest_asyncio_loop_factories(
    item: pytest.Function,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Name the loops."""
    return LOOPS


@pytest.fixture
async def echo(caplog: pytest.LogCaptureFixture) -> AsyncIterator[Server]:
    """An echo server; at the end all its connections are gone, and none of them met a bug."""
    surprises: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: surprises.append(context))
    async with Server() as server:
        yield server
    assert not surprises
    assert not [record for record in caplog.get_records("call") if record.exc_info]
