"""Moves as OpenTelemetry traces, from the frame over the append to its delivery; needs `tenmatch[otel]`.

A trace is of one append. Its id follows from the room and the number of the append's first event, and so does
that of its first span: every node that hears of the events adds its own delivery to the same trace, and
nothing has to be sent along. All nodes decide alike by that id which traces are kept. Where spans go, and how
many of them, is up to the variables that OpenTelemetry has for that (`OTEL_EXPORTER_OTLP_ENDPOINT`,
`OTEL_TRACES_SAMPLER`, …).

Spans are made afterwards, from moments that were noted on the way: no move waits for them.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from tenmatch import __version__
from tenmatch.game.ids import RoomId, Seq
from tenmatch.gateway.onlooker import Way
from tenmatch.protocol.stored import Entry


class _Ids(RandomIdGenerator):
    """Random ids, but for a trace's first span."""

    def __init__(self) -> None:
        self.first: tuple[int, int] | None = None  # ids of the trace and the span that are begun next

    def generate_trace_id(self) -> int:
        """Return a trace's id."""
        return super().generate_trace_id() if self.first is None else self.first[0]

    def generate_span_id(self) -> int:
        """Return a span's id."""
        first, self.first = self.first, None
        return super().generate_span_id() if first is None else first[1]


class Traces:
    """Makes spans of what it sees; a `tenmatch.gateway.onlooker.Onlooker`."""

    def __init__(self, provider: TracerProvider, ids: _Ids) -> None:
        """Make them with *provider*, whose ids *ids* draws."""
        self._sampler = provider.sampler
        self._tracer = provider.get_tracer("tenmatch", __version__)
        self._ids = ids

    def wrote(self, room: RoomId, entries: Sequence[Entry], way: Way) -> None:
        """Make the spans of an append of this node's."""
        began, ns = min(way.asked, default=way.judged), _wall()
        self._ids.first = _ids(room, entries[0].seq)
        root = self._tracer.start_span(
            "append", Context(), attributes=_attributes(room, entries), start_time=ns(began)
        )
        self._ids.first = None  # also where it is not kept, and drew no id for its span
        inside = set_span_in_context(root)
        for name, start, end in (
            ("judge", began, way.judged),
            ("store", way.judged, way.known),
            ("deliver", way.known, way.told),
        ):
            self._tracer.start_span(name, inside, start_time=ns(start)).end(ns(end))
        root.end(ns(way.told))

    def heard(self, room: RoomId, entries: Sequence[Entry], came: float, told: float) -> None:
        """Make the span of a delivery of what another node wrote."""
        ns, (trace_id, span_id) = _wall(), _ids(room, entries[0].seq)
        is_kept = self._sampler.should_sample(None, trace_id, "append").decision is Decision.RECORD_AND_SAMPLE
        flags = TraceFlags(TraceFlags.SAMPLED if is_kept else TraceFlags.DEFAULT)
        there = NonRecordingSpan(SpanContext(trace_id, span_id, is_remote=True, trace_flags=flags))
        span = self._tracer.start_span(
            "deliver",
            set_span_in_context(there),
            kind=trace.SpanKind.CONSUMER,
            attributes=_attributes(room, entries),
            start_time=ns(came),
        )
        span.end(ns(told))


@contextmanager
def traces(processor: SpanProcessor | None = None) -> Iterator[Traces]:
    """Trace until the block ends; then what is left is sent.

    Args:
        processor: Takes the spans; without, they are sent by OTLP over HTTP.
    """
    ids = _Ids()
    resource = Resource.create(
        {
            "service.name": os.environ.get("OTEL_SERVICE_NAME", "tenmatch"),
            "service.version": __version__,
            "service.instance.id": f"{socket.gethostname()}-{os.getpid()}",
        }
    )
    provider = TracerProvider(resource=resource, id_generator=ids, shutdown_on_exit=False)
    provider.add_span_processor(processor or BatchSpanProcessor(OTLPSpanExporter()))
    try:
        yield Traces(provider, ids)
    finally:
        provider.shutdown()


def _ids(room: RoomId, seq: Seq) -> tuple[int, int]:
    """Return the ids of the trace and the first span of the append that begins with this event."""
    digest = sha256(f"{room}/{seq}".encode()).digest()
    return int.from_bytes(digest[:16], "big"), int.from_bytes(digest[16:24], "big")


def _attributes(room: RoomId, entries: Sequence[Entry]) -> dict[str, str | int | list[str]]:
    return {
        "tenmatch.room": room,
        "tenmatch.seq": entries[0].seq,
        "tenmatch.events": [type(entry.event).__name__.lower() for entry in entries],
    }


def _wall() -> Callable[[float], int]:
    """Return what tells moments of the loop's clock, which is a monotonic one, in nanoseconds since 1970."""
    ahead = time.time_ns() - time.monotonic_ns()
    return lambda moment: ahead + int(moment * 1e9)
