"""P5: a thousand clients who lose their node at once are back soon, and hardly burden anyone."""

import asyncio
import resource
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.effort import amount
from tests.faults.commands import counted
from tests.faults.deployment import Deployment
from tests.faults.line import Line, Message
from tests.faults.load import Load, playing
from tests.faults.oracle import INVARIANTS, Flaw, count
from tests.faults.promise import Promise
from tests.faults.watch import watching
from tests.gateway import nodes
from tests.servers import Server
from tests.store.waiting import until

from tenmatch.gateway import frames
from tenmatch.protocol import viewers

ROOMS = amount(30, 100)
WATCHERS = 8  # a room, beside its two players
BACK_S = 10.0
NEWCOMERS = 200

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def many_sockets() -> None:
    """Let this process, and the nodes it starts, have as many sockets as they may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Storm(NamedTuple):
    """How all came back."""

    clients: int
    seconds: float  # until the last one was
    commands: Counter[str]  # that Redis was given meanwhile
    lag: float  # seconds by which a node's event loop was late at worst
    flaws: list[Flaw]


async def storm(deployment: Deployment, rooms: int) -> Storm:
    """Let everyone come to one node, kill that, and let everyone come back to the others."""
    first, *others = [node.url for node in deployment.nodes]
    tried = [first]
    async with playing(lambda: tried, rooms=rooms, rate=200, watchers=WATCHERS) as load:
        await until(lambda: all(person.at_head for person in load.persons), 20)
        load.resting = True  # what is counted is what coming back takes
        async with AsyncExitStack() as stack:
            watches = [await stack.enter_async_context(watching(url)) for url in others]
            commands = await stack.enter_async_context(counted(deployment.redis.url))
            tried[:] = others
            began = time.monotonic()
            deployment.nodes[0].kill()
            await until(lambda: len(load.record.interruptions) == len(load.persons), 2 * BACK_S)
            seconds = time.monotonic() - began
            lag = max(watch.worst_lag(began) for watch in watches)
        return Storm(len(load.persons), seconds, commands, lag, await settled(load, deployment))


async def settled(load: Load, deployment: Deployment) -> list[Flaw]:
    """Play on for a moment, and return all that is wrong."""
    load.resting = False
    await asyncio.sleep(0.5)
    return await load.settle(deployment.redis.url)


@pytest.mark.promise("P5")
async def test_all_are_back_soon(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, sockets=0) as deployment:
        came = await storm(deployment, ROOMS)
    promise.at_least("clients who lost their node at once", came.clients, ROOMS * (WATCHERS + 2))
    promise.at_most("all of them back at the head", came.seconds, BACK_S, "s")
    promise.at_most("commands to Redis for each", came.commands.total() / came.clients, 3)
    promise.at_most("event loop late, at worst", came.lag * 1000, 100, "ms")
    promise.equals("flaws", count(came.flaws, *INVARIANTS), 0)


@pytest.mark.twin("P5")
async def test_reading_the_log_for_each_burdens_redis(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, without="read_for_each", sockets=0) as deployment:
        came = await storm(deployment, 10)
    promise.at_most("commands to Redis for each", came.commands.total() / came.clients, 3)


# -- those who hold nothing yet


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[nodes.Running]:
    """A node in this process."""
    with Server("redis", tmp_path) as server:
        async with nodes.running(server.url, sockets=0) as running:
            yield running


async def states_built(running: nodes.Running, monkeypatch: pytest.MonkeyPatch) -> int:
    """Let many come to watch one room at once; return how often its state was put together."""
    table = await nodes.playing(running, size=180)
    built: list[object] = []

    def state_map(*args: Any) -> object:
        built.append(args)
        return viewers.state_map(*args)

    monkeypatch.setattr(frames, "state_map", state_map)
    shown: list[Message] = []
    lines = [await _watcher(running.port, shown) for _ in range(NEWCOMERS)]
    try:
        for line in lines:
            line.send(t="join", room=table.room, watch=True)
        await until(lambda: len(shown) == NEWCOMERS)
    finally:
        for line in lines:
            line.abort()
    assert len({(message["seq"], message["chain"], str(message["state"])) for message in shown}) == 1
    return len(built)


async def _watcher(port: int, shown: list[Message]) -> Line:
    welcomed = asyncio.Event()

    def hear(message: Message) -> None:
        if message["t"] == "snapshot":
            shown.append(message)
        elif message["t"] == "welcome":
            welcomed.set()

    line = await Line.open(f"http://127.0.0.1:{port}", hear)
    line.send(t="hello")
    await welcomed.wait()
    return line


@pytest.mark.promise("P5")
async def test_a_state_is_put_together_once_for_all(
    running: nodes.Running, monkeypatch: pytest.MonkeyPatch, promise: Promise
) -> None:
    built = await states_built(running, monkeypatch)
    promise.at_most(f"states built for {NEWCOMERS} newcomers to a room", built, 1)


@pytest.mark.twin("P5")
async def test_else_it_is_put_together_for_each(
    running: nodes.Running, monkeypatch: pytest.MonkeyPatch, promise: Promise
) -> None:
    made = frames.Frames._state

    def anew(self: frames.Frames, *args: Any) -> Any:
        self._shown = None
        return made(self, *args)

    monkeypatch.setattr(frames.Frames, "_state", anew)
    built = await states_built(running, monkeypatch)
    promise.at_most(f"states built for {NEWCOMERS} newcomers to a room", built, 1)
