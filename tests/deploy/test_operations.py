"""deploy/operations.md: its commands do what it says, and no alert is without help."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from redis import Redis as Client
from tests.deploy.files import DEPLOY
from tests.deploy.queries import alerts
from tests.live.client import Client as Peer
from tests.live.node import Node
from tests.live.table import Table
from tests.servers import Server
from tests.store.fleet import Redis
from tests.store.waiting import until

MANUAL: Final = (DEPLOY / "operations.md").read_text()
LONG: Final[dict[str, Any]] = {"size": 27, "adds": 5, "seed": "006d" * 16}
BASE: Final = "appendonly.aof.1.base.rdb"


def commands(about: str) -> str:
    """Return the one block of commands in which something stands."""
    [block] = [block for block in re.findall(r"```sh\n(.*?)```", MANUAL, re.DOTALL) if about in block]
    return str(block)


async def run(script: str, folder: Path) -> None:
    """Run commands of the manual in a folder."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = ("sh", "-euc", script)
    environment = os.environ | {"PATH": path}
    ran = await asyncio.to_thread(
        subprocess.run, command, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr


async def begin(node: Node) -> Table:
    """Begin a game and play some of it; everyone has left before anything is done to the store."""

    async def meet(codec: str = "tenmatch.v1.json", *, url: str = "", **hello: object) -> Peer:
        client = await Peer.connect(url or node.url, codec)
        await client.hello(**hello)
        return client

    table = await Table.begin(meet, "race", **LONG)
    for seat in table.seats:
        await table.match(seat)
    return table


async def go_on(table: Table, node: Node, kept: list[bytes], store: str | None = None) -> None:
    """Fail unless the game goes on from what its players hold, and is proven in the end."""
    for group in (table.players, table.watchers):
        for place, client in enumerate(group):
            back = group[place] = await client.again(node.url)
            answer = await back.resume(table.room, watch=client.rooms[table.room].seat is None)
            assert answer["t"] == "resumed", (
                answer
            )  # from their seq and chain on; a snapshot would be another log
            assert {event["kind"] for event in answer["events"]} <= {"shifted"}
            if table.teller is client:
                table.teller = back
    assert node.entries(table.room, store)[: len(kept)] == kept
    await table.sync()
    await table.play_on()
    await table.prove(node, store)
    for client in [*table.players, *table.watchers]:
        await client.close()
        assert not client.faults


@contextmanager
def served(folder: Path, *flags: str, **settings: object) -> Iterator[Node]:
    """Run a node in a folder of its own."""
    folder.mkdir(exist_ok=True)
    with Node(folder, *flags, matches_per_s=0, messages_per_s=0, **settings) as node:
        yield node


async def restore(folder: Path, into: Path) -> None:
    """Put the snapshot where a server that is started in a folder reads it."""
    await run(commands(BASE).replace("DIR=/var/lib/redis", f"DIR={into}"), folder)


async def import_(folder: Path, url: str) -> None:
    """Put the exported rooms into a store."""
    await run(re.sub(r"redis://\S+", url, commands("tenmatch export --all").splitlines()[1]), folder)


@pytest.mark.slow
async def test_games_go_on_from_a_snapshot_and_from_an_export(tmp_path: Path) -> None:
    new = tmp_path / "new"
    at_once = ("--repl-diskless-sync-delay", "0")  # as redis.conf has it
    with Server("redis", tmp_path, *at_once) as old, served(tmp_path / "node", "--redis", old.url) as node:
        first = await begin(node)
        snapshot = commands("-h 10.0.0.5").replace("-h 10.0.0.5", f"-s {old.socket}")
        await run(re.sub(r"REDISCLI_AUTH=\S+ |--user \S+ ", "", snapshot), tmp_path)
        later = await begin(node)  # is in the export alone
        export = commands("tenmatch export --all").splitlines()[0]
        await run(export.replace("--data /var/lib/tenmatch", f"--redis {old.url}"), tmp_path)
        kept = {table: node.entries(table.room, old.url) for table in (first, later)}
        node.kill()
    await restore(tmp_path, new)
    with Server("redis", new) as store, served(tmp_path / "node", "--redis", store.url) as node:
        await import_(tmp_path, store.url)
        for table in (first, later):
            await go_on(table, node, kept[table], store.url)


@pytest.mark.full
@pytest.mark.slow
async def test_games_go_on_from_a_private_store(tmp_path: Path) -> None:
    data = tmp_path / "new" / "data"
    with served(tmp_path / "old") as node, Server("redis", tmp_path) as other:
        first, second = await begin(node), await begin(node)
        kept = {table: node.entries(table.room) for table in (first, second)}
        here = {"/var/lib/tenmatch": str(node.data), "-h 10.0.0.6": f"-s {other.socket}"}
        export = commands("tenmatch export --all").splitlines()[0]
        for script in (commands("valkey.sock --rdb"), commands("SET tm:secret"), export):
            for place, mine in here.items():
                script = script.replace(place, mine)
            await run(script, tmp_path)
        node.kill()
        await import_(tmp_path, other.url)
        with served(tmp_path / "elsewhere", "--redis", other.url) as node:
            await go_on(second, node, kept[second], other.url)
    await restore(tmp_path, data)
    with served(tmp_path / "new") as node:
        await go_on(first, node, kept[first])


@pytest.mark.slow
async def test_games_go_on_where_a_replica_was_promoted_by_hand(tmp_path: Path) -> None:
    with Redis(tmp_path) as primary:
        of_it = ("--replicaof", primary.where, "--min-replicas-to-write", "1")
        with Redis(tmp_path, *of_it) as replica:
            with Client.from_url(primary.local) as asked:
                await until(lambda: _firm(asked), 60)
            with served(tmp_path / "node", "--redis", primary.url, durability="replicated") as node:
                table = await begin(node)
                kept = node.entries(table.room, primary.url)
                primary.kill()
                await run(
                    commands("REPLICAOF NO ONE").replace("-h REPLICA", f"-s {replica.socket}"), tmp_path
                )
                node.kill()
            with served(tmp_path / "node", "--redis", replica.url) as node:
                await go_on(table, node, kept, replica.url)


def _firm(primary: Client) -> bool:
    """Tell whether a replica has what is written."""
    primary.set("tm:firm", 1)
    return bool(primary.wait(1, 20))


def test_each_alert_has_what_to_do_and_nothing_else_has() -> None:
    told = re.findall(r"^### (Tenmatch\w+)$", MANUAL, re.MULTILINE)
    assert sorted(told) == sorted(query.title for query in alerts())


def test_what_it_links_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)", MANUAL):
        assert (DEPLOY / target).exists(), target
    headings = re.findall(r"^#+ (.+)$", MANUAL, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", MANUAL)) <= anchors
