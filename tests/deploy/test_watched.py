"""A real Prometheus that scrapes a real server under `tenmatch load`, while things go wrong in it."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from tests.deploy.queries import CONFIG, alerts, panels
from tests.live.client import Client
from tests.live.figures import address
from tests.live.node import Node
from tests.live.wire import Wire, upgrade
from tests.servers import TETHER
from tests.store.fleet import Redis, free_ports
from tests.store.waiting import until
from websockets.exceptions import ConnectionClosed

pytestmark = [pytest.mark.full, pytest.mark.slow]

STILL: Final = {
    "up", "tenmatch_worker_up", "tenmatch_ready", "tenmatch_store_fresh", "tenmatch_draining",
    "process_max_fds",
}  # fmt: skip
"""What stays as it is while all nodes serve: that these fall is for the alerts' tests."""
ELSEWHERE: Final = {"tenmatch_feed_gaps_total", "tenmatch_skipped_total", "tenmatch_coalesced_total"}
"""What moves where single messages are lost (faults/test_lost_messages.py), and where a watcher is slow
or has caught up (gateway/test_fanout.py)."""


class Prometheus:
    """A Prometheus, configured as deploy/ has it but for where nodes are and how often it asks them."""

    def __init__(self, folder: Path, *targets: str) -> None:
        folder.mkdir()
        [port] = free_ports(1)
        listed = ", ".join(f'"{target}"' for target in targets)
        text = CONFIG.read_text().replace('"127.0.0.1:9464"', listed).replace("15s", "1s")
        (folder / "prometheus.yml").write_text(text)
        (folder / "alerts.yml").write_bytes((CONFIG.parent / "alerts.yml").read_bytes())
        self.url = f"http://127.0.0.1:{port}"
        command = [
            *TETHER,
            shutil.which("prometheus") or "prometheus: make tools",
            f"--config.file={folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(command, stderr=log)

    def ask(self, path: str, **parameters: str) -> Any:
        """Return what it answers."""
        with urlopen(f"{self.url}/api/v1/{path}?{urlencode(parameters)}", timeout=10) as answer:
            told = json.load(answer)
        assert told["status"] == "success", told
        return told["data"]

    def up(self) -> int:
        """Return how many servers it scrapes."""
        try:
            return sum(target["health"] == "up" for target in self.ask("targets")["activeTargets"])
        except OSError:
            return 0

    def result(self, expr: str) -> list[Any]:
        """Return what a query comes to now."""
        result: list[Any] = self.ask("query", query=expr)["result"]
        return result

    def moved(self, name: str, since: str) -> bool:
        """Tell whether a metric was not the same all the time."""
        changes = f"max(max_over_time({name}[{since}]) - min_over_time({name}[{since}]))"
        return any(float(result["value"][1]) > 0 for result in self.result(changes))

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(60)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[tuple[Redis, list[Node], Prometheus]]:
    """Two servers of two workers each over one Redis, and who watches them."""
    with Redis(tmp_path) as redis:
        nodes = []
        try:
            for number in range(2):
                (tmp_path / f"node-{number}").mkdir()
                settings: dict[str, object] = {
                    "workers": 2,
                    "metrics_port": 0,
                    "rooms_per_player": 0,
                    "sockets_per_address": 40,
                    "messages_per_s": 20,
                    "messages_burst": 210,
                    "watcher_bytes": 4096,
                }
                nodes.append(Node(tmp_path / f"node-{number}", "--redis", redis.url, **settings))
            prometheus = Prometheus(tmp_path / "prometheus", *map(address, nodes))
            try:
                yield redis, nodes, prometheus
            finally:
                prometheus.stop()
        finally:
            for node in nodes:
                node.kill()


async def trouble(redis: Redis, nodes: list[Node]) -> None:
    """Let go wrong whatever the dashboard has a curve for."""
    for _ in range(3):
        await redis.ask("CLIENT", "KILL", "TYPE", "pubsub")
        await asyncio.sleep(1)
    redis.freeze()
    await asyncio.sleep(2)
    redis.thaw()
    await asyncio.sleep(2)
    os.kill(nodes[0].workers()[0], signal.SIGKILL)
    flood = [await Client.connect(nodes[1].url) for _ in range(2)]
    for client in flood:
        await client.hello()
        with contextlib.suppress(ConnectionClosed):  # as it does for who sends so much
            for _ in range(700):
                await client.say("ping")
        await client.close()
    crowd = [await Wire.open(nodes[1].url) for _ in range(90)]  # more than one address may have
    for wire in crowd:
        await wire.send(upgrade(nodes[1].url))


async def load(*urls: str, seconds: float) -> None:
    """Play on servers, as `tenmatch load` does, and for once do not mind what it thinks of them."""
    command = (sys.executable, "-m", "tenmatch", "load")
    asked = ("--rooms", "6", "--watchers", "2", "--rate", "60", "--seconds", str(seconds), "--json")
    loads = [
        await asyncio.create_subprocess_exec(
            *command, url, *asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for url in urls
    ]
    await asyncio.gather(*(load.wait() for load in loads))


async def test_every_query_answers_and_every_metric_moves(
    scene: tuple[Redis, list[Node], Prometheus],
) -> None:
    redis, nodes, prometheus = scene
    await until(lambda: prometheus.up() == 2, 60, 0.1)
    began = time.time()
    loading = asyncio.create_task(load(*(node.url for node in nodes), seconds=30))
    await asyncio.sleep(6)
    await trouble(redis, nodes)
    silent = panels()

    def all_answer() -> bool:
        silent[:] = [query for query in silent if not prometheus.result(query.expr)]
        return not silent

    try:
        await until(all_answer, 20, 0.5)  # while it is played
    except TimeoutError:
        raise AssertionError(f"queries without an answer: {silent}") from None
    for query in alerts():
        prometheus.result(query.expr)  # mostly nothing, but no error
    await loading
    since = f"{int(time.time() - began) + 5}s"
    asked_for = {name for query in [*panels(), *alerts()] for name in query.names} - STILL - ELSEWHERE
    still = {name for name in asked_for if not prometheus.moved(name, since)}
    assert not still, "metrics that did not move"
