"""What a server says of itself to Prometheus: that it is there, that it is true, and who may ask."""

import os
import signal
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.live.client import Client
from tests.live.figures import Figures, address, scrape
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.store.waiting import until

LONG = {"size": 27, "adds": 5, "seed": "006d" * 16}
FREE = dict.fromkeys(("matches_per_s", "rooms_per_player", "sockets_per_address"), 0)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server that lets each connection say forty things at once, and counts."""
    limits = {**FREE, "messages_per_s": 1, "messages_burst": 40}
    with Node(tmp_path_factory.mktemp("figures"), metrics_port=0, **limits) as node:
        yield node


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server of two workers."""
    folder = tmp_path_factory.mktemp("two")
    with Node(folder, metrics_port=0, workers=2, messages_per_s=0, **FREE) as node:
        yield node


async def test_what_is_counted_is_what_happened(node: Node, meet: Meet) -> None:
    before = scrape(node)
    table = await Table.begin(meet, "race", **LONG)
    for seat in (0, 1, 0):
        assert (await table.match(seat))["kind"] == "matched"
    assert (await table.match(1, table.wrong_pair("values", 1)))["kind"] == "mistaken"
    assert (await table.match(1))["code"] == "locked"
    now = scrape(node)

    def grew(name: str, **labels: str) -> float:
        return now.sum(name, **labels) - (before.sum(name, **labels) if name in before.names() else 0)

    assert now.sum("tenmatch_sockets") == 3
    assert now.sum("tenmatch_rooms", mode="race", phase="playing") == 1
    assert now.sum("tenmatch_members", **{"as": "player"}) == 2
    assert now.sum("tenmatch_members", **{"as": "watcher"}) == 1
    assert now.sum("tenmatch_moves_total", result="made", kind="matched") == 3
    assert now.sum("tenmatch_moves_total", result="made", kind="mistaken") == 1
    assert now.sum("tenmatch_moves_total", result="refused", kind="locked") == 1
    assert grew("tenmatch_sockets_entered_total") == 3
    assert grew("tenmatch_events_total", made="here") + 2 == table.seq  # those of the room's making aside
    assert grew("tenmatch_append_seconds_count") >= 5
    assert grew("tenmatch_commit_size_sum") == grew("tenmatch_append_seconds_count")
    assert grew("tenmatch_delivery_seconds_count") >= 4
    assert now.sum("tenmatch_delivery_seconds_bucket", le="+Inf") == now.sum(
        "tenmatch_delivery_seconds_count"
    )
    assert (
        grew("tenmatch_deliveries_total", to="player") > grew("tenmatch_deliveries_total", to="watcher") > 4
    )
    assert now.sum("tenmatch_feed_age_seconds") < 10
    assert now.sum("tenmatch_ready") == 1
    assert {sample.labels["worker"] for sample in now.samples} == {"0"}


async def test_what_is_refused_for_want_of_credits_is_counted(node: Node, meet: Meet) -> None:
    client = await meet()
    before = scrape(node).sum("tenmatch_credits_refused_total", what="message")
    for _ in range(60):
        await client.say("ping")
    await client.told("error", code="rate_limited")
    await until(lambda: scrape(node).sum("tenmatch_credits_refused_total", what="message") - before >= 18)


def test_it_is_not_on_the_port_of_the_game(node: Node) -> None:
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"{node.url}/metrics", timeout=10)
    assert address(node).startswith("127.0.0.1:")


def test_it_is_nowhere_unless_it_is_asked_for(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Node(tmp_path_factory.mktemp("silent")) as node:
        assert "figures for Prometheus" not in node.log()


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/openmetrics-text; version=1.0.0, text/plain; q=0.5", "application/openmetrics-text"),
        ("text/plain", "text/plain"),
    ],
)
def test_it_speaks_both_forms(node: Node, accept: str, kind: str) -> None:
    with urlopen(
        Request(f"http://{address(node)}/metrics", headers={"Accept": accept}), timeout=10
    ) as answer:
        assert answer.headers["Content-Type"].startswith(kind)
        assert answer.read().endswith(b"# EOF\n") is (kind != "text/plain")


def test_nothing_else_is_there(node: Node) -> None:
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"http://{address(node)}/v1", timeout=10)
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    with pytest.raises(HTTPError, match="404"):
        urlopen(Request(f"http://{address(node)}/v1", headers=upgrade), timeout=10)


def by_worker(figures: Figures, name: str) -> dict[str, float]:
    workers = sorted({sample.labels["worker"] for sample in figures.samples if sample.name == name})
    return {worker: figures.sum(name, worker=worker) for worker in workers}


@pytest.mark.slow
async def test_of_two_workers_each_counts_its_own_and_one_answers_for_both(two: Node, knock: Meet) -> None:
    clients: list[Client] = []
    while len({client.node for client in clients}) < 2 or len(clients) < 6:
        clients.append(await knock(url=two.url))
        await clients[-1].hello()
    sockets = by_worker(scrape(two), "tenmatch_sockets")
    assert sorted(sockets) == ["0", "1"]
    first = [client.node for client in clients].count(clients[0].node)
    assert sorted(sockets.values()) == sorted([first, len(clients) - first])
    text = scrape(two).text
    types = [line for line in text.splitlines() if line.startswith("# TYPE ")]
    assert len(types) == len(set(types)), "a metric is one, of however many workers it tells"


@pytest.mark.slow
async def test_a_worker_that_died_is_missing_and_then_counts_anew(two: Node) -> None:
    assert by_worker(scrape(two), "tenmatch_worker_up") == {"0": 1, "1": 1}
    started = by_worker(scrape(two), "process_start_time_seconds")
    os.kill(two.workers()[0], signal.SIGKILL)
    await until(lambda: scrape(two).sum("tenmatch_worker_deaths_total") == 1, 15)
    await until(lambda: scrape(two).sum("tenmatch_worker_up") == 2, 15)
    again = by_worker(scrape(two), "process_start_time_seconds")
    assert sum(started[worker] != again[worker] for worker in "01") == 1
