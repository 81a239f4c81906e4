"""Traces: of a move from its frame to its delivery on each node, as OpenTelemetry's own exporter has them."""

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.gateway.conftest import Watch, patience, shared_server, url, watch
from tests.gateway.nodes import Question, Running, claim, playing, running
from tests.store.waiting import until

from tenmatch.app.serving.fitness import Unfit
from tenmatch.app.serving.process import tracing
from tenmatch.app.settings import read_settings
from tenmatch.app.traces import traces
from tenmatch.gateway.asked import Done

__all__ = ["patience", "shared_server", "url", "watch"]


class Traced:
    """A node, and the spans that it made."""

    def __init__(self, running: Running, spans: InMemorySpanExporter) -> None:
        self.running = running
        self._spans = spans

    def spans(self, room: str, seq: int) -> dict[str, ReadableSpan]:
        """Return the spans of the trace of an append."""
        every = self._spans.get_finished_spans()
        wanted = {"tenmatch.room": room, "tenmatch.seq": seq}
        ids = {
            span.context.trace_id for span in every if wanted.items() <= dict(span.attributes or {}).items()
        }
        return {span.name: span for span in every if span.context.trace_id in ids}

    @property
    def silent(self) -> bool:
        return not self._spans.get_finished_spans()


@pytest.fixture
async def nodes(url: str, watch: Watch) -> AsyncIterator[list[Traced]]:
    """Two nodes over one store, both traced."""
    async with AsyncExitStack() as stack:
        made = []
        for _ in range(2):
            spans = InMemorySpanExporter()
            onlooker = stack.enter_context(traces(SimpleSpanProcessor(spans)))
            made.append(Traced(await stack.enter_async_context(running(url, onlooker)), spans))
        yield made


async def move(one: Traced, other: Traced) -> tuple[str, int]:
    """Make a move on one node, wait until the other has it, and return where that is in the log."""
    table = await playing(one.running)
    there = await other.running.node.tables.open(table.room)
    await until(lambda: other.running.node.feed.hears(table.room))
    await until(lambda: there.state.seq == table.state.seq)
    assert isinstance(await Question(table, claim(table, 0, 1)).answer(), Done)
    await until(lambda: there.state.seq == table.state.seq)
    return table.room, table.state.seq


async def test_a_move_is_one_trace_on_all_nodes(nodes: list[Traced]) -> None:
    one, other = nodes
    room, seq = await move(one, other)
    here, there = one.spans(room, seq), other.spans(room, seq)
    assert here.keys() == {"append", "judge", "store", "deliver"}
    root = here["append"]
    assert root.parent is None
    assert (root.attributes or {})["tenmatch.events"] == ("matched",)
    times = [here[name] for name in ("judge", "store", "deliver")]
    assert all(span.parent is not None and span.parent.span_id == root.context.span_id for span in times)
    edges = [moment or 0 for moment in (root.start_time, *(span.end_time for span in times), root.end_time)]
    assert edges == sorted(edges), "from the frame over the append to its delivery"
    if there:  # else a round found it before the feed brought it
        assert there.keys() == {"deliver"}
        heard = there["deliver"]
        assert heard.context.trace_id == root.context.trace_id
        assert heard.parent is not None
        assert heard.parent.span_id == root.context.span_id


async def test_what_is_not_sampled_is_so_on_all_nodes(
    url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    async with AsyncExitStack() as stack:
        nodes = []
        for _ in range(2):
            spans = InMemorySpanExporter()
            onlooker = stack.enter_context(traces(SimpleSpanProcessor(spans)))
            nodes.append(Traced(await stack.enter_async_context(running(url, onlooker)), spans))
        await move(*nodes)
        assert all(node.silent for node in nodes)


def test_whoever_lacks_the_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tenmatch.app.traces", None)
    with pytest.raises(Unfit, match=r"pip install 'tenmatch\[otel\]'"):
        tracing(read_settings(traces=True))


def test_nobody_looks_on_unless_that_is_wanted() -> None:
    with tracing(read_settings())() as onlooker:
        assert onlooker is None
