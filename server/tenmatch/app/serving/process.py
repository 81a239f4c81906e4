"""One node in this process, from its start to its drain."""

import asyncio
import contextlib
import gc
import logging
import socket
from collections.abc import Callable
from typing import Final

from tenmatch import __version__
from tenmatch.app import reference, website
from tenmatch.app.admin.access import Access
from tenmatch.app.admin.answers import Admin
from tenmatch.app.drain import Server, drain
from tenmatch.app.logs import lines_counted
from tenmatch.app.node import Node
from tenmatch.app.registry import ROUND_S, Registry
from tenmatch.app.scraping import figures_of
from tenmatch.app.serving.fitness import Unfit, make_sure, unless
from tenmatch.app.serving.sockets import announce, url_of
from tenmatch.app.settings import Settings
from tenmatch.app.wiring import start
from tenmatch.gateway.onlooker import Onlooker
from tenmatch.gateway.rounds import every
from tenmatch.gateway.tasks import spawner
from tenmatch.gateway.tls import Certificate, SecureServer
from tenmatch.store.connect import Address, Store

log = logging.getLogger(__name__)

BACKLOG: Final = 4_096  # connections that wait to be accepted
YOUNG_OBJECTS: Final = 20_000  # before they are looked through: some hundreds of moves
READY_S: Final = 3.0  # for a node to be ready, before we say where it is all the same


async def run_node(
    settings: Settings,
    url: str,
    listener: socket.socket,
    stop: asyncio.Event,
    certificate: Certificate | None = None,
    metrics: socket.socket | None = None,
) -> None:
    """Serve on a bound socket until *stop* is set, then send everyone away.

    Args:
        metrics: A bound socket for /metrics.

    Raises:
        Unfit: The store would lose games, or what traces need is not installed.
    """
    files = website.pages(website.folder(), admin=settings.admin_token is not None)
    site = {**files, **reference.pages()}
    with (
        contextlib.closing(Store(Address(url))) as store,
        lines_counted() as lines,
        tracing(settings)() as onlooker,
    ):
        await unless(stop, make_sure(store, settings))
        async with asyncio.TaskGroup() as group:
            node = await start(settings, store, group, site, onlooker)
            _calm_the_collector()
            async with figures_of(node, lines, group, metrics):
                with node.watchdog:
                    server = await _server(node, listener, group, certificate)
                    await _until_ready(node, stop)
                    registry = _register(node, listener, group, secure=certificate is not None)
                    node.orders.drain = stop.set
                    announce(listener, secure=certificate is not None)
                    log.info(
                        "serving",
                        extra={"node": node.name, "store": str(store.address), "version": __version__},
                    )
                    await stop.wait()
                    await drain(node, server, settings.drain_s)
                    log.info("drained", extra={"node": node.name})
                    node.stop()
                    await registry.go()


def _register(node: Node, listener: socket.socket, group: asyncio.TaskGroup, *, secure: bool) -> Registry:
    """Let those who run the server know of a node, for as long as its tasks run."""
    registry = Registry(node, url_of(listener, secure=secure))
    node.tasks.append(group.create_task(every("registry", ROUND_S, registry.say, at_once=True)))
    if (token := node.settings.admin_token) is not None:
        clock = node.store.clock
        access = Access(token.get_secret_value(), lambda: clock.now() / 1000, secure=secure)
        writes = node.settings.admin_writes
        admin = Admin(node, registry, access, writes=writes, spawn=spawner(group))
        node.pages.update(admin.pages())
    return registry


def tracing(settings: Settings) -> Callable[[], contextlib.AbstractContextManager[Onlooker | None]]:
    """Return what begins to trace moves, if that is wanted. Raises Unfit."""
    if not settings.traces:
        return contextlib.nullcontext
    try:
        from tenmatch.app.traces import traces  # only now: an extra that is not there for everyone
    except ImportError as error:
        raise Unfit(f"traces need what is not installed ({error}): pip install 'tenmatch[otel]'") from error
    return traces


def _calm_the_collector() -> None:
    """Look for garbage in cycles more seldom: what a room holds has none, and is looked through each time."""
    gc.collect()
    gc.freeze()  # modules and the like stay for good
    gc.set_threshold(YOUNG_OBJECTS, 20, 50)


async def _until_ready(node: Node, stop: asyncio.Event) -> None:
    """Wait for the feed to hear itself, so that whoever reads the address finds a ready server there."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(READY_S):
            while not (node.ready or stop.is_set()):  # noqa: ASYNC110  # nothing announces the one
                await asyncio.sleep(0.01)


async def _server(
    node: Node, listener: socket.socket, group: asyncio.TaskGroup, certificate: Certificate | None
) -> Server:
    """Accept connections for a node; with a certificate, secure ones only."""
    if certificate is None:
        loop = asyncio.get_running_loop()
        return await loop.create_server(node.connection, sock=listener, backlog=BACKLOG)
    server = SecureServer(listener, certificate, node.handshake, node.connection)
    server.start(group, BACKLOG)
    return server
