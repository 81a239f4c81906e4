"""Much of what is small: control frames, fragments and messages without end, against the usual limits."""

import asyncio
import time
import zlib
from collections.abc import Iterator, Mapping
from typing import Final

import pytest
from tests.effort import amount
from tests.hostile import verdict
from tests.hostile.ends import end_amid, end_of
from tests.hostile.vitals import Vitals
from tests.live.client import Client
from tests.live.conftest import Knock
from tests.live.node import Node
from tests.live.wire import Wire, frame, parse, upgrade

GROWTH: Final = 5_000_000  # bytes
SOON_S: Final = amount(5, 1)
LATE_S: Final = 0.5  # a machine that does other things, too, is no fault of the server's

Flood = tuple[bytes, bytes]  # what it begins with, and what is sent without end

FRAMES: Final[Mapping[str, tuple[Flood, verdict.Code]]] = {
    **{f"pings of {size}": ((b"", frame(9, bytes(size)) * 10_000), 1008) for size in (0, 1, 125)},
    **{f"pongs of {size}": ((b"", frame(10, bytes(size)) * 10_000), 1008) for size in (0, 1, 125)},
    "fragments of 1": ((frame(1, b"x", fin=False), frame(0, b"x", fin=False) * 100_000), 1009),
    "fragments of 0": ((frame(1, fin=False), frame(0, fin=False) * 100_000), 1008),
}
MESSAGES: Final = [b"1", b'{"t":"ping"}', b'{"t":"hello"}', b'{"t":"lobby","on":true}']


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server as people start it."""
    with Node(tmp_path_factory.mktemp("node")) as node:
        yield node


async def met(node: Node, floods: Mapping[str, Flood]) -> dict[str, verdict.Code]:
    """Send floods all at once, and return the codes that they are met with."""
    wires = [await Wire.upgraded(node.url, then=first) for first, _ in floods.values()]
    ends = (end_amid(wire, flood) for wire, (_, flood) in zip(wires, floods.values(), strict=True))
    return dict(zip(floods, await asyncio.gather(*ends), strict=True))


async def pings(client: Client, done: asyncio.Event) -> list[float]:
    """Ask for signs of life, about as often as allowed, until *done*; return the seconds each took."""
    took: list[float] = []
    while not done.is_set() or len(took) < 3:
        asked = time.perf_counter()
        assert (await client.ask("ping"))["t"] == "pong"
        took.append(time.perf_counter() - asked)
        await asyncio.sleep(0.06)
    return took


@pytest.mark.slow
async def test_frames_without_end_are_met_at_their_limit(node: Node, knock: Knock) -> None:
    bystander = await knock()
    await bystander.hello()
    floods = {name: flood for name, (flood, _) in FRAMES.items()}
    await met(node, floods)
    vitals = Vitals(node, clients=1)
    assert await met(node, floods) == {name: code for name, (_, code) in FRAMES.items()}
    assert (await bystander.ask("ping"))["t"] == "pong"
    await vitals.check(GROWTH)


@pytest.mark.slow
async def test_messages_without_end_close_soon_and_delay_nobody(node: Node, knock: Knock) -> None:
    client, done = await knock(), asyncio.Event()
    await client.hello()
    floods = {f"{text.decode()} {i}": (b"", frame(1, text) * 20_000) for text in MESSAGES for i in range(3)}
    await met(node, floods)
    vitals = Vitals(node, clients=1)
    others, began = asyncio.create_task(pings(client, done)), time.perf_counter()
    assert await met(node, floods) == dict.fromkeys(floods, 1008)
    took = time.perf_counter() - began
    done.set()
    waited = sorted(await others)
    assert took < SOON_S
    assert waited[len(waited) * 99 // 100] < LATE_S
    await vitals.check(GROWTH)


async def test_pongs_that_nobody_asked_for_are_not_answered(node: Node) -> None:
    wire = await Wire.upgraded(node.url, then=frame(10, b"?") * 4_000 + frame(1, b'{"t":"ping"}'))
    opcode, answer = await wire.receive()
    assert (opcode, b"hello_first" in answer) == (verdict.TEXT, True)
    wire.half_close()
    assert await end_of(wire) is None


async def test_nothing_is_unpacked(node: Node) -> None:
    wire = await Wire.open(node.url)
    await wire.send(upgrade(node.url, Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits"))
    answer = parse(await wire.head())
    assert (answer.status, "sec-websocket-extensions" in answer.headers) == (101, False)
    packed = zlib.compress(bytes(3_000_000), 9)[2:-4]
    await wire.send(frame(1, packed, rsv=4))
    assert await end_of(wire) == 1002
