"""Several workers on one port: processes of which each is a node, over one store."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import Callable
from functools import partial
from typing import Final

from tenmatch.app import website
from tenmatch.app.scraping import figures_of_all
from tenmatch.app.serving.fitness import Stopped, make_sure, unless
from tenmatch.app.serving.process import tracing
from tenmatch.app.serving.sockets import announce
from tenmatch.app.settings import Settings
from tenmatch.store import tethered
from tenmatch.store.connect import Address, Store

log = logging.getLogger(__name__)

STOP_S: Final = 15.0  # for a worker to end
RESTART_S: Final = 1.0  # before a worker that died is started again


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
    tracing(settings)
    with contextlib.closing(Store(Address(url))) as store:
        await unless(stop, make_sure(store, settings))
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
            announce(listener, secure=secure)


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
        try:
            worker = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", tethered.__file__, str(os.getpid())),  # it goes when we go
                *(sys.executable, "-m", "tenmatch", "serve"),
                env={**os.environ, **environment},
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for us; workers are told when it is their time
            )
        except OSError as error:  # as where memory or processes have run short: the others go on
            log.error("a worker cannot be started", extra={"error": str(error)})
            await asyncio.sleep(RESTART_S)
            continue
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
