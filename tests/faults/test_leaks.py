"""P36: people come and go by the ten thousands, and the node is as it was."""

import asyncio
import socket
import struct
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import pytest
import redis
from tests.faults.deployment import Deployment
from tests.faults.line import Line, Message
from tests.faults.promise import Promise
from tests.hostile.vitals import Vitals

AT_ONCE = 32
WARM_UP = 40_000  # until then memory grows here and there, and then no more
CYCLES = 20_000
TIMES = 2  # what leaks does so each time, what only finds its place does not
GROWTH_KB = 1.0  # in a thousand cycles
QUIET_S = 3.0  # longer than a closing handshake may take
RESET: Final = struct.pack("ii", 1, 0)

pytestmark = [pytest.mark.slow, pytest.mark.full]


async def cycle(url: str, number: int, room: str) -> None:
    """Connect, join, leave, and go: by a close, by an end of the connection, or by a reset."""
    answers: asyncio.Queue[Message] = asyncio.Queue()
    line = await Line.open(url, answers.put_nowait)
    line.send(t="hello", id=1)
    await _answer(answers, 1)
    line.send(t="join", id=2, room=room, watch=True)
    await _answer(answers, 2)
    if number % 2:
        line.send(t="leave", id=3, room=room)
        await _answer(answers, 3)
    match number % 3:
        case 0:
            line.close()
        case 1:
            line.transport.write_eof()
        case 2:
            own: socket.socket = line.transport.get_extra_info("socket")
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            line.transport.abort()
    async with asyncio.timeout(10):
        await line.closed


async def _answer(answers: asyncio.Queue[Message], number: int) -> Message:
    async with asyncio.timeout(10):
        while (message := await answers.get()).get("re") != number:
            pass
    return message


async def come_and_go(url: str, cycles: int, room: str) -> None:
    """Let so many come and go, some at a time."""
    numbers = iter(range(cycles))

    async def one_after_the_other() -> None:
        for number in numbers:
            await cycle(url, number, room)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(one_after_the_other())


async def room_at(url: str) -> tuple[Line, str]:
    """Make a room, and stay in it."""
    answers: asyncio.Queue[Message] = asyncio.Queue()
    line = await Line.open(url, answers.put_nowait)
    line.send(t="hello", id=1)
    await _answer(answers, 1)
    line.send(t="create", id=2, mode="race")
    return line, (await _answer(answers, 2))["room"]


def held(url: str) -> tuple[int, int]:
    """Return how many clients and channels Redis has."""
    with closing(redis.Redis.from_url(url)) as store:
        return len(store.client_list()), len(cast("Any", store.pubsub_shardchannels)())


class Left(NamedTuple):
    """What there is more of than before."""

    growth: float  # KB in a thousand cycles
    descriptors: int
    clients: int  # of Redis
    channels: int


async def left_by(deployment: Deployment, *, warm_up: int, cycles: int) -> Left:
    """Let people come and go, and look what they left."""
    node = deployment.nodes[0]
    host, room = await room_at(node.url)
    await come_and_go(node.url, warm_up, room)
    vitals, before = Vitals(node, clients=1), held(deployment.redis.url)
    had = await _quiet(vitals)
    sizes = [vitals.growth]
    for _ in range(TIMES):
        await come_and_go(node.url, cycles, room)
        sizes.append(vitals.growth)
    growth = min(later - earlier for earlier, later in pairwise(sizes))
    has = await _quiet(vitals)
    after = held(deployment.redis.url)
    host.abort()
    return Left(growth / cycles, has - had, after[0] - before[0], after[1] - before[1])


async def _quiet(vitals: Vitals) -> int:
    """Return how many descriptors it has when the last one who went is forgotten."""
    await asyncio.sleep(QUIET_S)
    return sum(vitals.descriptors())


@pytest.mark.promise("P36")
async def test_nothing_is_left_of_who_comes_and_goes(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, nodes=1) as deployment:
        left = await left_by(deployment, warm_up=WARM_UP, cycles=CYCLES)
    promise.at_most("memory, in a thousand who come and go", left.growth, GROWTH_KB, "KB")
    promise.equals("descriptors", left.descriptors, 0)
    promise.equals("connections to Redis", left.clients, 0)
    promise.equals("channels", left.channels, 0)


@pytest.mark.twin("P36")
async def test_sessions_that_are_kept_are_felt(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, nodes=1, without="sessions_kept") as deployment:
        left = await left_by(deployment, warm_up=2_000, cycles=2_000)
    promise.at_most("memory, in a thousand who come and go", left.growth, GROWTH_KB, "KB")
