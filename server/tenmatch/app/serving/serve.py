"""`tenmatch serve`: what it listens on, its certificate and its store, and then whatever runs on these."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator

import uvloop

from tenmatch.app.serving.fitness import Stopped, Unfit, unless
from tenmatch.app.serving.process import run_node
from tenmatch.app.serving.sockets import listen, metrics_listener
from tenmatch.app.serving.workers import run_workers
from tenmatch.app.settings import Settings
from tenmatch.gateway.tls import BadCertificate, Certificate
from tenmatch.store.durability import Durability
from tenmatch.store.embedded import Embedded

log = logging.getLogger(__name__)


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
    with listener, metrics_listener(settings) as metrics:
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


def _reload(certificate: Certificate) -> None:
    try:
        certificate.reload()
    except BadCertificate as error:
        log.error("the certificate stays as it was", extra={"error": str(error)})
    else:
        log.info("the certificate was read again")


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
