"""P39: nginx and haproxy in front change nothing: games, silence, reloads, nodes that end, addresses."""

import asyncio
import ssl
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest
from tests.certificates import Pair
from tests.effort import amount
from tests.faults.deployment import FREE, Deployment
from tests.faults.fronts import Front, Haproxy, Nginx, Wishes
from tests.faults.load import playing
from tests.faults.promise import Promise
from tests.live.client import CODECS, Client
from tests.live.conftest import knock, meet
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.live.wire import fetch, parse, upgrade
from tests.store.fleet import free_ports
from tests.store.waiting import until

__all__ = ["knock", "meet"]

FRONTS: Final = [Nginx, Haproxy]
BUFFERING: Final = [(Nginx, "proxy_buffering on;"), (Nginx, "proxy_buffering off;"), (Haproxy, "")]
PROXY: Final = "127.0.0.1"  # where it comes from
HASTE: Final = amount(15, 1)  # nodes and proxies lose patience so much faster
SILENT_S: Final = amount(4, 300)
ROOMS: Final = amount(10, 100)
BACK_S: Final = 10.0  # for everybody, as in P5
MOST: Final = 2  # sockets from one address

pytestmark = pytest.mark.slow


@pytest.fixture
def node() -> None:
    """Let nobody use the one of all tests."""


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """A certificate that clients trust."""
    pair = Pair.make(tmp_path, "shown")
    monkeypatch.setenv("SSL_CERT_FILE", str(pair.cert))
    return pair


@pytest.mark.promise("P39")
@pytest.mark.parametrize(("kind", "more"), BUFFERING, ids=["buffering", "not buffering", "haproxy"])
async def test_a_game_over_tls_through_a_proxy_is_a_game(
    deployment: Deployment, tmp_path: Path, pair: Pair, meet: Meet, kind: type[Front], more: str
) -> None:
    with kind(tmp_path, deployment.addresses()[:2], Wishes(more=more), pair) as front:
        await front.ready()
        options = {"size": 27, "seed": "006d" * 16}
        table = await Table.begin(lambda *codec: meet(*codec, url=front.url), "race", **options)
        assert len({client.node for client in (*table.players, *table.watchers)}) == 2
        await table.play_on()
        await table.prove(deployment.nodes[0], deployment.redis.url)


@pytest.mark.promise("P39")
@pytest.mark.parametrize("kind", FRONTS)
async def test_pages_are_passed_on_but_not_what_nodes_say_of_themselves(
    deployment: Deployment, tmp_path: Path, pair: Pair, kind: type[Front]
) -> None:
    pages = {"/": 200, "/v1/rooms": 200, "/v1": 426, "/nothing": 404, "/readyz": 404, "/healthz": 404}
    with kind(tmp_path, deployment.addresses()[:2], Wishes(tls=False), pair) as front:
        await front.ready()
        for path, status in pages.items():
            assert (await fetch(front.url, path, Connection="close")).status == status, path


async def test_browsers_get_pages_over_one_connection_and_sockets_over_their_own(
    deployment: Deployment, tmp_path: Path, pair: Pair
) -> None:
    with Nginx(tmp_path, deployment.addresses()[:2], Wishes(), pair) as front:
        await front.ready()
        assert await agreed(front, "h2", "http/1.1") == "h2"  # as browsers ask for pages
        assert await agreed(front, "http/1.1") == "http/1.1"  # and for WebSockets


async def agreed(front: Front, *protocols: str) -> str | None:
    """Return in what a front speaks with those who can speak so."""
    trusting = ssl.create_default_context()
    trusting.set_alpn_protocols(list(protocols))
    _, writer = await asyncio.open_connection("127.0.0.1", front.port, ssl=trusting)
    spoken: str | None = writer.get_extra_info("ssl_object").selected_alpn_protocol()
    writer.close()
    await writer.wait_closed()
    return spoken


async def silent(front: Front, seconds: float) -> int:
    """Let clients of both kinds be silent for a while, and count those who are connected then."""
    await front.ready()
    clients = [await Client.connect(front.url, codec) for codec in CODECS]
    for client in clients:
        await client.hello()
    await asyncio.sleep(seconds)  # to be silent is what is tested
    alive = 0
    for client in clients:
        if client.close_code is None:
            alive += (await client.ask("ping"))["t"] == "pong"
        await client.close()
    return alive


async def be_silent(
    deployment: Deployment, folder: Path, pair: Pair, idle_ms: int, seconds: float
) -> list[int]:
    """Do so through each proxy."""
    wishes = Wishes(tls=False, idle_ms=idle_ms)
    async with AsyncExitStack() as stack:
        nodes = deployment.addresses()[:2]
        fronts = [stack.enter_context(kind(folder, nodes, wishes, pair)) for kind in FRONTS]
        return await asyncio.gather(*(silent(front, seconds) for front in fronts))


@pytest.mark.promise("P39")
async def test_who_is_silent_stays_connected(tmp_path: Path, pair: Pair, promise: Promise) -> None:
    without = "" if HASTE == 1 else "as_impatient_as_fifteen"
    with Deployment(tmp_path, nodes=2, without=without) as deployment:
        alive = await be_silent(deployment, tmp_path, pair, 40_000 // HASTE, SILENT_S)
    for kind, count in zip(FRONTS, alive, strict=True):
        promise.equals(f"of 2 clients of {kind.tool}, left after {HASTE * SILENT_S} s of silence", count, 2)


@pytest.mark.twin("P39")
async def test_who_is_never_pinged_is_cut_off_by_the_proxy(
    deployment: Deployment, tmp_path: Path, pair: Pair, promise: Promise
) -> None:
    """The proxy's patience is shorter than that of nodes."""
    alive = await be_silent(deployment, tmp_path, pair, 1_000, 2)
    for kind, count in zip(FRONTS, alive, strict=True):
        promise.equals(f"of 2 clients of {kind.tool}, left after silence", count, 2)


@pytest.mark.promise("P39")
@pytest.mark.parametrize("kind", [Nginx, pytest.param(Haproxy, marks=pytest.mark.full)])
async def test_a_proxy_that_is_reloaded_and_a_node_that_ends_cost_nobody_a_move(
    tmp_path: Path, pair: Pair, promise: Promise, kind: type[Front]
) -> None:
    with (
        Deployment(tmp_path, nodes=2) as deployment,
        kind(tmp_path, deployment.addresses(), Wishes(tls=False, old_s=1), pair) as front,
    ):
        await front.ready()
        async with playing(lambda: [front.url], rooms=ROOMS, rate=100) as load:
            cut_off = load.record.interruptions
            front.reload()
            await until(lambda: len(cut_off) >= 3 * ROOMS, BACK_S)
            reloaded = len(cut_off)
            deployment.nodes[0].terminate()
            deployment.nodes[0].wait()
            await until(lambda: len(cut_off) > reloaded, BACK_S)
            flaws = await load.settle(deployment.redis.url)
        await deployment.replace(0)
    back = load.interruptions()
    promise.at_least(f"clients cut off by a reload of {kind.tool}", reloaded, 3 * ROOMS)
    promise.at_least("and by a node that ended", len(back) - reloaded, ROOMS // 2)
    promise.at_most("back at the head, the last one", back[-1], BACK_S, "s")
    promise.equals("flaws", len(flaws), 0)
    assert not load.record.faults


@pytest.mark.promise("P39")
async def test_a_node_that_is_back_gets_its_share_of_clients_at_once(
    deployment: Deployment, tmp_path: Path, pair: Pair, promise: Promise
) -> None:
    """Sockets stay for hours: nginx must not wait for one to end before it trusts the node again."""
    [port] = free_ports(1)
    nodes = [f"http://127.0.0.1:{port}", deployment.nodes[0].url]
    with Nginx(tmp_path, nodes, Wishes(tls=False), pair) as front:
        await front.ready()
        async with AsyncExitStack() as stack:
            others = {await let_in(front, stack) for _ in range(2)}
            flags = ("--redis", deployment.redis.url, "--port", str(port))
            back = await asyncio.to_thread(Node, tmp_path, *flags, **FREE)
            stack.callback(back.kill)
            came = [await let_in(front, stack) for _ in range(8)]
    assert len(others) == 1
    promise.at_least("of 8 clients on a node that is back", sum(name not in others for name in came), 4)


async def let_in(front: Front, stack: AsyncExitStack) -> str:
    """Connect, stay, and return the name of the node."""
    client = await Client.connect(front.url)
    stack.push_async_callback(client.close)
    await client.hello()
    return client.node


async def knock_on(front: Front, stack: AsyncExitStack, address: str, forwarded: str | None = None) -> int:
    """Connect from an address, stay, and return the status of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", front.port, local_addr=(address, 0))
    stack.callback(writer.close)
    writer.write(upgrade(front.url, X_Forwarded_For=forwarded))
    return parse(await reader.readuntil(b"\r\n\r\n")).status


async def count_those_let_in(front: Front, promise: Promise) -> None:
    """Come from several addresses, as often as one may and oftener, and say that one comes from others."""
    await front.ready()
    async with AsyncExitStack() as stack:
        homes = [f"127.0.{1 + FRONTS.index(type(front))}.{number}" for number in (2, 3, 4)]
        within = [await knock_on(front, stack, home) for home in homes * MOST]
        lies = [None, "10.9.9.9", "127.0.0.9, 10.9.9.8", PROXY]
        beyond = [await knock_on(front, stack, homes[0], lie) for lie in lies]
    promise.equals(f"let in by {front.tool}, within the limit of their own", within.count(101), len(within))
    promise.equals(f"let in by {front.tool}, beyond it", beyond.count(101), 0)


@pytest.mark.promise("P39")
async def test_each_client_of_a_trusted_proxy_has_a_limit_of_its_own(
    tmp_path: Path, pair: Pair, promise: Promise
) -> None:
    with Deployment(tmp_path, nodes=1, sockets_per_address=MOST, trusted_proxies=PROXY) as deployment:
        for kind in FRONTS:
            with kind(tmp_path, deployment.addresses() * 2, Wishes(tls=False), pair) as front:
                await count_those_let_in(front, promise)


@pytest.mark.twin("P39")
async def test_all_clients_of_a_proxy_that_is_not_trusted_share_one(
    tmp_path: Path, pair: Pair, promise: Promise
) -> None:
    with (
        Deployment(tmp_path, nodes=1, sockets_per_address=MOST) as deployment,
        Nginx(tmp_path, deployment.addresses() * 2, Wishes(tls=False), pair) as front,
    ):
        await count_those_let_in(front, promise)
