"""A node in figures, as Prometheus has them (https://prometheus.io/docs/practices/naming/).

Nothing is counted here: this reads, when asked, what the parts of a node know of themselves.
"""

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any, Final

from prometheus_client import ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector, CollectorRegistry

from tenmatch import __version__
from tenmatch.app.logs import Lines
from tenmatch.app.node import Node
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase
from tenmatch.protocol.limits import CloseCode
from tenmatch.store.histogram import Histogram

Labels = Mapping[Any, float]
"""Values by what their labels say: a tuple of text for each."""
REFUSED: Final = (400, 403, 426, 429, 503)  # HTTP statuses
REPAIRS: Final = ("missed", "restored", "reloaded")
LIMITED: Final = ("message", "match", "join", "socket")


class Figures(Collector):
    """All of a node, at the moment of asking."""

    def __init__(self, node: Node, lines: Lines) -> None:
        """Read from *node*, and the number of lines that were logged from *lines*."""
        self._node = node
        self._lines = lines
        registry = CollectorRegistry()
        self._process = ProcessCollector(registry=registry)

    def collect(self) -> Iterator[Metric]:
        """Yield each metric with its values."""
        yield InfoMetricFamily(
            "tenmatch", "what runs here", {"version": __version__, "node": self._node.name}
        )
        yield from self._people()
        yield from self._rooms()
        yield from self._moves()
        yield from self._telling()
        yield from self._appends()
        yield from self._feed()
        yield from self._health()
        yield from self._process.collect()

    def _people(self) -> Iterator[Metric]:
        door = self._node.handshake
        yield _gauge("sockets", "connections that were let in", len(door.connections))
        yield _gauge("handshakes", "connections that are not let in yet", door.knocking)
        yield _counter("sockets_entered", "connections that were let in so far", door.entered)
        refused = {**dict.fromkeys(REFUSED, 0), **door.turned_away}
        yield _counters("sockets_refused", "who wanted to come in and was not let", ["status"], _by(refused))
        closed = {
            **dict.fromkeys(map(int, CloseCode), 0),
            **{int(code): n for code, n in door.closed.items()},
        }
        yield _counters("sockets_closed", "connections that this side closed", ["code"], _by(closed))
        limited = {**dict.fromkeys(LIMITED, 0), **self._node.counts.limited}
        yield _counters("credits_refused", "what was refused for want of credits", ["what"], _by(limited))

    def _rooms(self) -> Iterator[Metric]:
        rooms: Tally[tuple[str, ...]] = Tally({(mode, phase): 0 for mode in Mode for phase in Phase})
        members: Tally[tuple[str, ...]] = Tally({("player",): 0, ("watcher",): 0})
        for table in self._node.tables.loaded.values():
            rooms[table.state.mode, table.state.phase] += 1
            members["player",] += len(table.audience.players)
            members["watcher",] += table.shown_to(None).audience.watching
        yield _gauges("rooms", "rooms that are loaded here", ["mode", "phase"], rooms)
        yield _gauges("members", "who is in these rooms over this node", ["as"], members)

    def _moves(self) -> Iterator[Metric]:
        counts = self._node.counts
        results: dict[tuple[str, ...], float] = {
            **{("made", kind.__name__.lower()): n for kind, n in counts.made.items()},
            **{("refused", code): n for code, n in counts.not_made.items()},
            ("repeated", ""): counts.repeated,
            ("unavailable", ""): counts.unavailable,
        }
        yield _counters("moves", "moves by what became of them", ["result", "kind"], results)
        yield _histogram(
            "delivery_seconds",
            "from a command's frame to its events' being sent to everyone in the room here",
            counts.delivery,
        )

    def _telling(self) -> Iterator[Metric]:
        counts = self._node.counts
        events = {("here",): counts.events, ("elsewhere",): counts.foreign_events}
        yield _counters("events", "events in rooms loaded here, by where they were made", ["made"], events)
        told = {("player",): counts.told_players, ("watcher",): counts.told_watchers}
        yield _counters("deliveries", "who was told of them, by what they are", ["to"], told)
        yield _counter("skipped", "events left out as a watcher reads too slowly", counts.skipped)
        yield _counter("coalesced", "snapshots in place of what was left out", counts.coalesced)

    def _appends(self) -> Iterator[Metric]:
        committer, store = self._node.committer, self._node.store
        yield _histogram(
            "append_seconds",
            "from an append's being asked for to its outcome's being known",
            committer.seconds,
        )
        yield _histogram("commit_size", "appends in one pipeline", committer.sizes)
        yield _gauge("appends_open", "appends whose outcome is not known", committer.open)
        yield _counter("append_retries", "appends that were sent again", committer.retries)
        yield _counter("append_races", "appends that came second to another node's", self._node.counts.races)
        errors = {
            ("append", "failed"): committer.failures,
            ("append", "refused"): committer.refusals,
            ("call", "failed"): store.failures,
            ("call", "refused"): store.refusals,
            ("note", "dropped"): self._node.feed.notes_dropped,
        }
        yield _counters("store_errors", "what the store did not do", ["use", "how"], errors)

    def _feed(self) -> Iterator[Metric]:
        feed, counts = self._node.feed, self._node.counts
        yield _gauge("feed_age_seconds", "since a probe of ours came back over the store", feed.silence)
        yield _counter("feed_messages", "messages that came over the store", feed.messages)
        yield _counter(
            "feed_connections",
            "connections to hear them; each after the first was lost before",
            feed.connections,
        )
        yield _counter("feed_gaps", "times that something was missing before what came", counts.gaps)
        repairs = {**dict.fromkeys(REPAIRS, 0), **counts.repairs}
        yield _counters("repairs", "times that a log was brought in line", ["how"], _by(repairs))

    def _health(self) -> Iterator[Metric]:
        node = self._node
        yield _gauge("ready", "1 where clients may be sent here", node.ready)
        yield _gauge("draining", "1 where it sends its clients away", node.handshake.draining)
        yield _gauge("store_fresh", "1 where the store answered within the last seconds", node.pulse.fresh)
        yield _histogram(
            "loop_lag_seconds", "how late the event loop was, asked four times a second", node.watchdog.lags
        )
        yield _gauge(
            "loop_lag_max_seconds", "how late it was at worst in the last ten seconds", node.watchdog.lag
        )
        yield _counters("log_lines", "lines that were logged", ["level"], _by(self._lines.counted))


def _by(values: Mapping[str, float] | Mapping[int, float]) -> Labels:
    return {(str(name),): value for name, value in values.items()}


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"tenmatch_{name}", text, value=float(value))


def _gauges(name: str, text: str, labels: Iterable[str], values: Labels) -> Metric:
    return _with(GaugeMetricFamily(f"tenmatch_{name}", text, labels=list(labels)), values)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"tenmatch_{name}", text, value=value)


def _counters(name: str, text: str, labels: Iterable[str], values: Labels) -> Metric:
    return _with(CounterMetricFamily(f"tenmatch_{name}", text, labels=list(labels)), values)


def _with(family: GaugeMetricFamily | CounterMetricFamily, values: Labels) -> Metric:
    for told, value in values.items():
        family.add_metric(told, value)
    return family


def _histogram(name: str, text: str, values: Histogram) -> Metric:
    bounds = [*map(str, values.bounds), "+Inf"]
    buckets = list(zip(bounds, map(float, accumulate(values.counts)), strict=True))
    return HistogramMetricFamily(f"tenmatch_{name}", text, buckets=buckets, sum_value=values.total)
