"""`/metrics`, on a port of its own: what a node counts is for those who run it, not for whoever plays on it.

With several workers the process that started them answers for all: it asks each of them, over a socket in a
folder that is only its own, and says of every figure which worker's it is (`worker`, from 0). A worker that
was started again counts anew under its number, as Prometheus expects of counters.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from tenmatch.app.logs import Lines
from tenmatch.app.metrics import Figures
from tenmatch.app.node import Node
from tenmatch.gateway.connection import Connection, Knocker, Receiver
from tenmatch.gateway.http import Later, respond, route, without_body
from tenmatch.gateway.tasks import Spawn, spawner
from tenmatch.protocol.limits import CloseCode

log = logging.getLogger(__name__)

WORKER_S: Final = 2.0  # for a worker to answer; Prometheus itself waits for ten
REQUEST: Final = b"GET /metrics HTTP/1.1\r\nHost: worker\r\n\r\n"
BYTES: Final = 65_536  # for the one who asks to read


class Window:
    """Answers who asks for figures; nobody comes in here."""

    def __init__(self, collect: Callable[[], Awaitable[Iterable[Metric]]], spawn: Spawn) -> None:
        """Answer with what *collect* brings."""
        self._collect = collect
        self._spawn = spawn
        self._pages = {"/metrics": self._figures}

    def connection(self) -> Connection:
        """Return what takes the next connection."""
        return Connection(self, frame_bytes=1, high_water=BYTES, most_unread=BYTES)

    def _figures(self, request: Request) -> Later:
        async def fetch() -> Response:
            encode, content_type = choose_encoder(",".join(request.headers.get_all("Accept")))
            return respond(HTTPStatus.OK, encode(Collected(await self._collect())), content_type)

        return Later(fetch, self._spawn)

    # -- tenmatch.gateway.connection.Door

    def knock(self, knocker: Knocker, address: str) -> bool:
        """Let everyone ask: this port is not for everyone."""
        return True

    def client(self, knocker: Knocker, request: Request, peer: str) -> str:
        """Return the address that a request comes from."""
        return peer

    def answer(self, request: Request, protocol: ServerProtocol, address: str) -> Response | Later:
        """Return what to answer to a request."""
        answer = route(self._pages, request)
        return without_body(answer) if request.method == "HEAD" else answer

    def enter(self, connection: Connection, protocol: ServerProtocol) -> Receiver:
        """Let nobody in."""
        raise AssertionError("no answer here lets anyone in")

    def closes(self, code: CloseCode) -> None:
        """Take no notice."""

    def gone(self, knocker: Knocker) -> None:
        """Take no notice."""


class Collected(Collector):
    """Metrics that are there already."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        """Return them."""
        return self._metrics


class Crew:
    """Workers, as far as their figures go."""

    def __init__(self, folder: Path | None, workers: int) -> None:
        """Have *workers* answer in *folder*, if they are asked at all."""
        self._folder = folder
        self._workers = range(workers)
        self._deaths = [0] * workers

    def environment(self, number: int) -> dict[str, str]:
        """Return what tells a worker where to answer."""
        return {} if self._folder is None else {"TENMATCH_METRICS_SOCKET": str(self._path(number))}

    def died(self, number: int) -> None:
        """Count the death of a worker."""
        self._deaths[number] += 1

    def _path(self, number: int) -> Path:
        assert self._folder is not None
        return self._folder / f"worker-{number}"

    async def collect(self) -> list[Metric]:
        """Ask all workers at once; those who do not answer are missing, and `tenmatch_worker_up` says so."""
        texts = await asyncio.gather(*(_ask(self._path(number)) for number in self._workers))
        up = GaugeMetricFamily("tenmatch_worker_up", "1 where a worker answers", labels=["worker"])
        deaths = CounterMetricFamily("tenmatch_worker_deaths", "workers that died", labels=["worker"])
        for number, text in enumerate(texts):
            up.add_metric([str(number)], text is not None)
            deaths.add_metric([str(number)], self._deaths[number])
        return [up, deaths, *merged([text or "" for text in texts])]


def merged(texts: Sequence[str]) -> list[Metric]:
    """Return one metric of a name for all workers that have it, whose number each sample bears."""
    families: dict[str, Metric] = {}
    for number, text in enumerate(texts):
        for family in text_string_to_metric_families(text):
            whole = families.setdefault(
                family.name, Metric(family.name, family.documentation, family.type, family.unit)
            )
            for sample in family.samples:
                labels = {**sample.labels, "worker": str(number)}
                whole.samples.append(sample._replace(labels=labels))
    return list(families.values())


async def _ask(path: Path) -> str | None:
    """Return a worker's figures; None where it does not give them."""
    try:
        async with asyncio.timeout(WORKER_S):
            reader, writer = await asyncio.open_unix_connection(path)
            with contextlib.closing(writer):
                writer.write(REQUEST)
                answer = await reader.read(-1)
    except (OSError, TimeoutError) as error:
        log.warning("a worker does not give its figures", extra={"worker": path.name, "error": str(error)})
        return None
    head, _, body = answer.partition(b"\r\n\r\n")
    return body.decode() if head.startswith(b"HTTP/1.1 200 ") else None


@asynccontextmanager
async def answering(window: Window, where: socket.socket | Path) -> AsyncIterator[None]:
    """Answer on a bound socket, or a Unix socket of that path, until the block ends."""
    loop = asyncio.get_running_loop()
    if isinstance(where, Path):
        server = await loop.create_unix_server(window.connection, str(where))  # in place of a dead one's
    else:
        server = await loop.create_server(window.connection, sock=where)
        host, port = server.sockets[0].getsockname()[:2]
        log.info("figures for Prometheus", extra={"host": host, "port": port, "path": "/metrics"})
    try:
        yield
    finally:
        server.close()


@asynccontextmanager
async def figures_of(
    node: Node, lines: Lines, group: asyncio.TaskGroup, port: socket.socket | None
) -> AsyncIterator[None]:
    """Answer for a node: on its Unix socket as it is, or on a port of its own; or nowhere."""
    where = node.settings.metrics_socket or port
    if where is None:
        yield
        return
    figures = Figures(node, lines)

    async def collect() -> Iterable[Metric]:
        return figures.collect() if isinstance(where, Path) else numbered(figures.collect())

    async with answering(Window(collect, spawner(group)), where):
        yield


@asynccontextmanager
async def figures_of_all(workers: int, port: socket.socket | None) -> AsyncIterator[Crew]:
    """Answer for all workers, on a port of this process; or nowhere."""
    if port is None:
        yield Crew(None, workers)
        return
    with TemporaryDirectory(prefix="tenmatch-") as folder:
        crew = Crew(Path(folder), workers)
        async with asyncio.TaskGroup() as group:
            async with answering(Window(crew.collect, spawner(group)), port):
                yield crew


def numbered(families: Iterable[Metric]) -> Iterator[Metric]:
    """Yield a lone worker's metrics as those of number 0, so that a query means the same however many run."""
    for family in families:
        family.samples = [
            sample._replace(labels={**sample.labels, "worker": "0"}) for sample in family.samples
        ]
        yield family
