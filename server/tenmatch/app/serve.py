"""Runs the server: one node in this process, or several workers on one port over one store."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar

import uvloop
from rich.console import Console

from tenmatch import __version__
from tenmatch.app import reference, website
from tenmatch.app.admin.access import Access
from tenmatch.app.admin.answers import Admin
from tenmatch.app.drain import Server, drain
from tenmatch.app.logs import lines_counted
from tenmatch.app.registry import ROUND_S, Registry
from tenmatch.app.scraping import figures_of, figures_of_all
from tenmatch.app.settings import Settings
from tenmatch.app.wiring import Node, start
from tenmatch.gateway.onlooker import Onlooker
from tenmatch.gateway.rounds import every, guarded
from tenmatch.gateway.tls import BadCertificate, Certificate, SecureServer
from tenmatch.store import tethered
from tenmatch.store.checks import Finding, Severity, check
from tenmatch.store.connect import Address, Store, StoreDown
from tenmatch.store.durability import Durability
from tenmatch.store.embedded import Embedded

log = logging.getLogger(__name__)

T = TypeVar("T")

BACKLOG: Final = 4_096  # connections that wait to be accepted
STOP_S: Final = 15.0  # for a worker to end
RESTART_S: Final = 1.0  # before a worker that died is started again
YOUNG_OBJECTS: Final = 20_000  # before they are looked through: some hundreds of moves
READY_S: Final = 3.0  # for a node to be ready, before we say where it is all the same
FIRST_ANSWER_S: Final = 10.0  # for a store to be there when we start


class Unfit(Exception):
    """The server cannot start; says what is wrong and what to do."""


class Stopped(Exception):
    """We were told to end before we had begun."""


def serve(settings: Settings) -> None:
    """Run the server until SIGTERM or Ctrl-C.

    Raises:
        Unfit: The port is taken, the certificate is none, or the store cannot be reached or would lose games.
        EmbeddedError: The private store cannot be had.
        BadStoreUrl: The store's URL is none.
        WebsiteMissing: The package is not whole.
    """
    factory = uvloop.new_event_loop if settings.loop == "uvloop" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        with contextlib.suppress(Stopped):
            runner.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    certificate = _certificate(settings)
    if certificate is not None:
        loop.add_signal_handler(signal.SIGHUP, _reload, certificate)
    listener = listen(settings)
    with listener, _metrics_listener(settings) as metrics:
        async with _store_url(settings, stop) as url:
            if settings.workers == 1:
                await run_node(settings, url, listener, stop, certificate, metrics)
            else:
                await run_workers(settings, url, listener, stop, metrics)


def _certificate(settings: Settings) -> Certificate | None:
    """Read what TLS needs, if it is wanted. Raises Unfit."""
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    try:
        return Certificate(settings.tls_cert, settings.tls_key)
    except BadCertificate as error:
        raise Unfit(str(error)) from error


@contextlib.asynccontextmanager
async def _store_url(settings: Settings, stop: asyncio.Event) -> AsyncIterator[str]:
    """Yield where the store is: yours, or a private one that lives as long as we do."""
    if settings.redis is not None:
        yield settings.redis.get_secret_value()
        return
    always = settings.durability is Durability.FSYNC
    embedded = Embedded(settings.data, appendfsync="always" if always else "everysec")
    await unless(stop, embedded.start())
    watch = asyncio.create_task(embedded.run())
    try:
        yield embedded.url
    finally:
        watch.cancel()
        await asyncio.wait([watch])
        await embedded.stop()


async def unless(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T:
    """Do *work*, which may take long, unless we are told to end meanwhile.

    Raises:
        Stopped: We were; *work* was cancelled.
    """
    task, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([task, stopping], return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Stopped
        return await task
    finally:
        for ending in (task, stopping):
            ending.cancel()
        await asyncio.wait([task, stopping])


def listen(settings: Settings) -> socket.socket:
    """Return a socket bound to the address, not yet listening.

    Raises:
        Unfit: The address cannot be had.
    """
    shared = settings.workers > 1 or settings.reuse_port
    return _bound(settings.host, settings.port, "--port", shared=shared)


def _metrics_listener(settings: Settings) -> contextlib.AbstractContextManager[socket.socket | None]:
    """Return a socket for /metrics, where it has a port; to be closed by whoever enters it. Raises Unfit."""
    if settings.metrics_port is None or settings.metrics_socket is not None:
        return contextlib.nullcontext()
    return _bound(settings.metrics_host, settings.metrics_port, "TENMATCH_METRICS_PORT")


def _bound(host: str, port: int, setting: str, *, shared: bool = False) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise Unfit(
            f"cannot listen on {host}:{port}: {error.strerror}. Name another with {setting}"
        ) from error
    return listener


# -- one node


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
        _tracing(settings)() as onlooker,
    ):
        await unless(stop, _make_sure(store, settings))
        async with asyncio.TaskGroup() as group:
            node = await start(settings, store, group, site, onlooker)
            _calm_the_collector()
            async with figures_of(node, lines, group, metrics):
                with node.watchdog:
                    server = await _server(node, listener, group, certificate)
                    await _until_ready(node, stop)
                    registry = _register(node, listener, group, secure=certificate is not None)
                    node.orders.drain = stop.set
                    _announce(listener, secure=certificate is not None)
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
    registry = Registry(node, _url(listener, secure=secure))
    node.tasks.append(group.create_task(every("registry", ROUND_S, registry.say, at_once=True)))
    if (token := node.settings.admin_token) is not None:
        clock = node.store.clock
        access = Access(token.get_secret_value(), lambda: clock.now() / 1000, secure=secure)
        writes = node.settings.admin_writes
        admin = Admin(
            node, registry, access, writes=writes, spawn=lambda work: group.create_task(guarded(work))
        )
        node.pages.update(admin.pages())
    return registry


def _tracing(settings: Settings) -> Callable[[], contextlib.AbstractContextManager[Onlooker | None]]:
    """Return what begins to trace moves, if that is wanted. Raises Unfit."""
    if not settings.traces:
        return contextlib.nullcontext
    try:
        from tenmatch.app.traces import traces  # only now: an extra that is not there for everyone
    except ImportError as error:
        raise Unfit(f"traces need what is not installed ({error}): pip install 'tenmatch[traces]'") from error
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


def _reload(certificate: Certificate) -> None:
    try:
        certificate.reload()
    except BadCertificate as error:
        log.error("the certificate stays as it was", extra={"error": str(error)})
    else:
        log.info("the certificate was read again")


async def _make_sure(store: Store, settings: Settings) -> None:
    """Wait for the store to be there and look whether it is fit. Raises Unfit."""
    findings = await _first_answer(store, settings.durability)
    for finding in findings:
        log.warning("the store is not as it should be", extra={"finding": str(finding)})
    wrong = [str(finding) for finding in findings if finding.severity is Severity.STOP]
    if wrong and not settings.unfit_redis:
        raise Unfit("\n".join([*wrong, "To start all the same: TENMATCH_UNFIT_REDIS=true"]))


async def _first_answer(store: Store, durability: Durability) -> list[Finding]:
    time = asyncio.get_running_loop().time
    give_up, said = time() + FIRST_ANSWER_S, ""
    while True:
        try:
            return await check(store, durability)
        except StoreDown as error:
            if time() > give_up:
                raise Unfit(
                    f"no store answers at {store.address}: start one there, or leave out --redis for a "
                    f"private one. It said: {error}"
                ) from error
            if str(error) != said:  # once for each reason, not twice a second
                said = str(error)
                log.warning("waiting for the store", extra={"error": said})
            await asyncio.sleep(0.5)


def _announce(listener: socket.socket, *, secure: bool) -> None:
    """Say where to point a browser; the one line on standard output."""
    url = _url(listener, secure=secure)
    Console().print(f"tenmatch is at [bold]{url}[/bold]", highlight=False, soft_wrap=True)


def _url(listener: socket.socket, *, secure: bool) -> str:
    """Return where a server on a bound socket is reached from its own machine."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http{'s' * secure}://{shown}:{port}"


# -- workers


async def run_workers(
    settings: Settings,
    url: str,
    listener: socket.socket,
    stop: asyncio.Event,
    metrics: socket.socket | None = None,
) -> None:
    """Keep as many workers running as asked for; each is a whole node, and all listen on one port.

    Args:
        metrics: A bound socket for /metrics, where this process answers for all of them.
    """
    port = listener.getsockname()[1]
    own = {"workers": 1, "redis": url, "port": port, "reuse_port": True}
    environment = settings.model_copy(update=own).environment()
    website.folder()  # what keeps every worker from starting is said here, once
    _tracing(settings)
    with contextlib.closing(Store(Address(url))) as store:
        await unless(stop, _make_sure(store, settings))
    ready = asyncio.Semaphore(0)
    workers: set[Process] = set()  # that serve
    secure = settings.tls_cert is not None
    if secure:
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, _hang_up, workers)

    def serves(worker: Process) -> None:
        workers.add(worker)
        if secure:
            _hang_up({worker})  # the certificate may have been replaced since it began
        ready.release()

    async with figures_of_all(settings.workers, metrics) as crew, asyncio.TaskGroup() as group:
        for number in range(settings.workers):
            own_environment = {**environment, **crew.environment(number)}
            died = partial(crew.died, number)
            group.create_task(_keep_running(own_environment, workers, serves, died, stop))
        with contextlib.suppress(Stopped):
            for _ in range(settings.workers):
                await unless(stop, ready.acquire())
            _announce(listener, secure=secure)


def _hang_up(workers: set[Process]) -> None:
    """Let workers read the certificate again."""
    for worker in workers:
        with contextlib.suppress(ProcessLookupError):
            worker.send_signal(signal.SIGHUP)


async def _keep_running(
    environment: dict[str, str],
    workers: set[Process],
    serves: Callable[[Process], None],
    died: Callable[[], None],
    stop: asyncio.Event,
) -> None:
    """Run a worker, and another one when it dies, until *stop* is set.

    Args:
        workers: Those that serve.
        serves: Hears when it does.
        died: Called when it has.
    """
    while not stop.is_set():
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", tethered.__file__, str(os.getpid())),  # it goes when we go
            *(sys.executable, "-m", "tenmatch", "serve"),
            env={**os.environ, **environment},
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us; workers are told when it is their time
        )
        assert worker.stdout is not None
        said = asyncio.ensure_future(worker.stdout.readline())  # its address: it serves
        said.add_done_callback(partial(_heard, worker, serves))
        ended = asyncio.ensure_future(worker.wait())
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait([ended, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        workers.discard(worker)
        if not ended.done():
            await _end(worker, ended)
            return
        if worker.returncode == 0:  # asked to by an operator
            log.info("a worker has ended, another takes its place", extra={"pid": worker.pid})
        else:
            died()
            log.error("a worker died", extra={"pid": worker.pid, "status": worker.returncode})
        await asyncio.sleep(RESTART_S)


def _heard(worker: Process, serves: Callable[[Process], None], said: "asyncio.Future[bytes]") -> None:
    if said.result():
        serves(worker)


async def _end(worker: Process, ended: "asyncio.Future[int]") -> None:
    with contextlib.suppress(ProcessLookupError):  # it ended by itself just now
        worker.terminate()
    try:
        async with asyncio.timeout(STOP_S):
            await ended
    except TimeoutError:
        log.warning("a worker did not end in time", extra={"pid": worker.pid})
        worker.kill()
        await worker.wait()
