"""`tenmatch nodes`, `announce`, `drain`: nodes are seen, and do what they are told."""

import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

import pytest
from tests.app.operating.conftest import Tenmatch
from tests.gateway.meeting import Meet
from tests.gateway.nodes import Running, running
from tests.gateway.peer import Peer
from tests.store.fleet import until_so
from tests.store.waiting import until

from tenmatch import __version__
from tenmatch.app.registry import Registry, slowest
from tenmatch.store import keys
from tenmatch.store.histogram import SECONDS

NOBODY: Final = [keys.feed(keys.NODES).encode(), 0]  # listens


@pytest.fixture
async def other(node: Running, url: str) -> AsyncIterator[Running]:
    """Another node on the same store."""
    async with running(url) as other:
        yield other


async def registered(*nodes: Running) -> list[Registry]:
    """Let nodes say how they are, and hear what they are told."""
    registries = [Registry(running.node, f"http://127.0.0.1:{running.port}") for running in nodes]
    for one, registry in zip(nodes, registries, strict=True):
        await one.node.orders.listen()
        await until(partial(getattr, one.node, "ready"))
        await registry.say()
    return registries


async def test_nodes_are_listed_while_they_run(node: Running, other: Running, tenmatch: Tenmatch) -> None:
    assert "No node runs" in (await tenmatch("nodes")).stdout
    mine, others = await registered(node, other)
    node.node.counts.delivery.observe(0.003)
    await mine.say()
    lines = [json.loads(line) for line in (await tenmatch("nodes", "--json")).stdout.splitlines()]
    assert {line["node"] for line in lines} == {node.node.name, other.node.name}
    assert {(line["version"], line["ready"]) for line in lines} == {(__version__, True)}
    shown = (await tenmatch("nodes")).stdout
    for word in (node.node.name, f"http://127.0.0.1:{other.port}", "< 4 ms"):
        assert word in shown
    await others.go()
    assert [one.node for one in mine.nodes] == [lines[0]["node"], lines[1]["node"]]
    assert other.node.name not in (await tenmatch("nodes")).stdout


async def test_everyone_on_every_node_hears_an_announcement(
    node: Running, other: Running, meet: Meet, tenmatch: Tenmatch
) -> None:
    ann, bo, stranger = await meet(), await meet(other), await meet(hello=False)
    await registered(node, other)
    said = await tenmatch("announce", "  We restart at noon\u202e; ⏸ your games go on. ")
    assert (said.exit_code, said.stdout) == (0, "Said on 2 nodes.\n")
    for peer in (ann, bo):
        heard = await peer.find(lambda message: message["t"] == "announcement")
        assert heard["text"] == "We restart at noon; ⏸ your games go on."
        assert heard["at"] > 0
    assert _heard(stranger) == []
    assert (await tenmatch("announce", "Now.", "--json")).stdout == '{"nodes":2}\n'
    for text in ("\u202e", "x" * 501):
        assert (await tenmatch("announce", text)).exit_code == 1


def _heard(peer: Peer) -> list[object]:
    return [message["t"] for message in peer.heard]


async def test_that_not_all_have_heard_is_said(node: Running, other: Running, tenmatch: Tenmatch) -> None:
    await registered(node)
    await Registry(other.node, "nowhere").say()
    for one in (node, other):
        one.node.feed.leave(keys.NODES)
    await until_so(partial(node.store.call, "PUBSUB", "SHARDNUMSUB", keys.feed(keys.NODES)), NOBODY)
    result = await tenmatch("announce", "hello")
    assert result.exit_code == 1
    assert "of 2 nodes heard it" in result.stderr


async def test_one_node_is_drained(node: Running, other: Running, tenmatch: Tenmatch) -> None:
    drained: list[str] = []
    node.node.orders.drain = lambda: drained.append("node")
    other.node.orders.drain = lambda: drained.append("other")
    await registered(node, other)
    said = await tenmatch("drain", other.node.name, "--json")
    assert (said.exit_code, said.stdout) == (0, f'{{"node":"{other.node.name}"}}\n')
    await until(lambda: bool(drained))
    assert drained == ["other"]
    result = await tenmatch("drain", "elsewhere")
    assert result.exit_code == 1
    assert node.node.name in result.stderr


def test_how_slow_most_was() -> None:
    counts = [0] * (len(SECONDS) + 1)
    assert slowest(counts, 0.99) is None
    counts[2], counts[5] = 98, 2
    assert (slowest(counts, 0.5), slowest(counts, 0.99)) == (SECONDS[2], SECONDS[5])
    counts[-1] = 1000
    assert slowest(counts, 0.99) == float("inf")
