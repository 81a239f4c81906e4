"""P12: clients that are gone without a word are dropped, and are no ghosts on the seats of their players."""

import asyncio
import math
import time
from functools import partial
from pathlib import Path

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment, apart
from tests.faults.distant import Way
from tests.faults.network import Host, Network
from tests.faults.promise import Promise
from tests.live.client import Client
from tests.live.node import Node
from tests.live.table import QUICK
from tests.store.fleet import Redis

pytestmark = pytest.mark.slow

ESTABLISHED = "01"  # as the kernel lists connections
DROPPED_S = 32.0  # pinged after 15 s, cut at 30 s
QUICK_DROPPED_S = 4.0  # pinged after 1 s, cut at 2 s
RETURNED_S = 2.0


def connections(node: Node, host: Host) -> int:
    """Count the node's connections to a host, as the node's kernel has them."""
    table = Path(f"/proc/{node.process.pid}/net/tcp").read_text()
    address = "".join(f"{int(part):02X}" for part in reversed(host.address.split(".")))
    lines = [line.split() for line in table.splitlines()[1:]]
    return sum(line[2].startswith(address + ":") and line[3] == ESTABLISHED for line in lines)


async def dropped(node: Node, host: Host, since: float, within: float) -> float:
    """Return how many seconds after *since* the node had let go of the host; infinity for never."""
    while connections(node, host):
        if time.monotonic() - since > within:
            return math.inf
        await asyncio.sleep(0.05)
    return time.monotonic() - since


async def half_open(promise: Promise, folder: Path, limit: float, without: str) -> None:
    with Network() as network, Redis(folder, at=(host := network.host())) as redis:
        start = partial(Deployment, folder, nodes=1, without=without, store=redis, places=[host])
        async with apart(start) as deployment:
            node = deployment.nodes[0]
            gone, elsewhere = network.host(), network.host()
            async with Way(gone, node) as way, Way(elsewhere, node) as other_way:
                players = [await Client.connect(way.url) for _ in range(3)]
                for player in players:
                    await player.hello()
                room = (await players[0].ask("create", mode="race", options=QUICK))["room"]
                await players[1].ask("join", room=room)
                await players[2].ask("join", room=room, watch=True)
                assert connections(node, gone) == 3
                network.cut(gone)
                cut = time.monotonic()
                back = await Client.connect(other_way.url)
                await back.hello(token=players[1].token)
                answer = await back.ask("join", room=room)
                returned = time.monotonic() - cut
                after = await dropped(node, gone, cut, limit + 1)
                await back.ok("ready", room=room, ready=True)  # the seat is its own still
                refused = [message for message in back.inbox if message["t"] in ("error", "detached")]
                for client in (*players, back):
                    await client.drop()
    promise.equals("the seat of who came back", answer.get("seat"), 1)
    promise.at_most("back on the seat after", returned, RETURNED_S, "s")
    promise.equals("errors to who came back", refused, [])
    promise.at_most("all three dropped after", after, limit, "s")


@pytest.mark.promise("P12")
@pytest.mark.parametrize(
    ("limit", "without"),
    amount([(QUICK_DROPPED_S, "as_impatient_as_fifteen")], [(DROPPED_S, "")]),
    ids=amount(["in a hurry"], ["as it is"]),
)
async def test_who_is_gone_without_a_word_is_dropped(
    promise: Promise, tmp_path: Path, limit: float, without: str
) -> None:
    await half_open(promise, tmp_path, limit, without)


@pytest.mark.full
@pytest.mark.twin("P12")
async def test_who_is_gone_and_nobody_looks(promise: Promise, tmp_path: Path) -> None:
    await half_open(promise, tmp_path, DROPPED_S, "never_misses_clients")
