"""`tenmatch nodes`, `announce` and `drain`: the nodes that run, and what they are told."""

from collections.abc import Mapping
from typing import Annotated

import typer

from tenmatch.app.operating.command import (
    DataOption,
    Failed,
    JsonOption,
    RedisOption,
    carried_out,
    completed,
)
from tenmatch.app.operating.printing import echo, moment, screen, table
from tenmatch.app.registry import Vitals, all_nodes, slowest
from tenmatch.app.settings import Settings
from tenmatch.app.storage import opened
from tenmatch.gateway import orders
from tenmatch.gateway.orders import Announce, Drain, Order
from tenmatch.gateway.readable import clean
from tenmatch.store.connect import Store
from tenmatch.store.nodes import tell


def nodes(redis: RedisOption = None, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the nodes that run: who is on them, and what they have done since they began."""
    found = carried_out(gather, redis, data)
    if as_json:
        for one in found:
            echo(one)
    else:
        _show(found)


async def gather(settings: Settings) -> list[Vitals]:
    """Return the nodes that run. Raises Unreachable."""
    async with opened(settings) as store:
        return await all_nodes(store)


def announce(
    text: Annotated[str, typer.Argument(help="What to say, in the language of those who play.")],
    redis: RedisOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say something to everyone who is connected to any node."""
    heard = carried_out(lambda settings: _announce(settings, text), redis, data)
    _tell({"nodes": heard}, f"Said on {heard} node{'' if heard == 1 else 's'}.", as_json=as_json)


async def _announce(settings: Settings, text: str) -> int:
    async with opened(settings) as store:
        return await announce_on(store, text)


async def announce_on(store: Store, text: str) -> int:
    """Say something to everyone, and return on how many nodes.

    Raises:
        Failed: It cannot be said, or not all nodes heard it.
        StoreDown: They may have heard it or not.
    """
    if not clean(text):
        raise Failed("there is nothing to say in that")
    if len(text) > orders.LONGEST:
        raise Failed(f"that is {len(text)} characters long; {orders.LONGEST} can be said at once")
    return await _order(store, Announce(text, store.clock.now()))


def _names(ctx: typer.Context, incomplete: str) -> list[str]:
    async def look(store: Store) -> list[str]:
        return [one.node for one in await all_nodes(store)]

    return completed(ctx, incomplete, look)


def drain(
    node: Annotated[str, typer.Argument(help="The node's name.", show_default=False, autocompletion=_names)],
    redis: RedisOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Send the clients of a node to others, without loss, and end it as SIGTERM does.

    With --workers another worker takes its place.
    """
    carried_out(lambda settings: _drain(settings, node), redis, data)
    _tell({"node": node}, f"{node} drains; `tenmatch nodes` tells when it is gone.", as_json=as_json)


async def _drain(settings: Settings, node: str) -> None:
    async with opened(settings) as store:
        await drain_on(store, node)


async def drain_on(store: Store, node: str) -> None:
    """Tell a node to send its clients elsewhere and end.

    Raises:
        Failed: No such node runs, or not all nodes heard it.
        StoreDown: It may have heard it or not.
    """
    names = [one.node for one in await all_nodes(store)]
    if node not in names:
        raise Failed(f"no node {node!r} runs; there are: {', '.join(names) or 'none'}")
    await _order(store, Drain(node))


async def _order(store: Store, order: Order) -> int:
    """Tell all nodes, and return how many heard it.

    Raises:
        Failed: Not all of them did.
        StoreDown: They may have heard it or not.
    """
    running = len(await all_nodes(store))
    heard = await tell(store, orders.encode(order))
    if heard < running:
        raise Failed(f"{heard} of {running} nodes heard it; the others may be about to begin or to end")
    return heard


def _tell(done: Mapping[str, object], in_words: str, *, as_json: bool) -> None:
    if as_json:
        echo(done)
    else:
        typer.echo(in_words)


def _show(found: list[Vitals]) -> None:
    where = "at\nversion\nsince, UTC"
    figures = ("sockets\nrooms", "moves\nevents\ntold", "append, 99 %\ndelivery, 99 %\nloop late")
    shown = table(("node", where, *figures), map(_row, found), folded=where)
    screen().print(shown if found else "No node runs.")


def _row(one: Vitals) -> tuple[str, ...]:
    state = "draining" if one.draining else "" if one.ready else "not ready"
    return (
        f"{one.node}\n{state}",
        f"{one.address}\n{one.version}\n{moment(one.since)}",
        f"{one.sockets}\n{one.rooms}",
        f"{one.moves}\n{one.events}\n{one.told}",
        f"{_below(slowest(one.append, 0.99))}\n{_below(slowest(one.delivery, 0.99))}\n{one.lag_ms} ms",
    )


def _below(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return "over 5 s" if seconds == float("inf") else f"< {seconds * 1000:.0f} ms"
