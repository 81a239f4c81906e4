"""What one machine holds, what a thousand nodes would, and which wall comes first.

    .venv/bin/python -m tests.bench.growth [RUNS]

What the store is asked again and again is measured here, on a private Valkey: its CPU and ours, call by call.
What moves and deliveries cost a node is measured by `make bench` (build/bench.json). The rest is arithmetic,
and a simulation of the one thing that arithmetic does not tell: how late a busy loop is.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import count
from math import ceil
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import uvloop
from rich.console import Console
from rich.table import Table
from tests.servers import Server
from tests.store.entries import entry

from tenmatch.game.ids import Millis, RoomId, SeatNumber, Seq
from tenmatch.protocol.limits import FEATURED_ROOMS, LISTED_ROOMS
from tenmatch.store import due, lobby
from tenmatch.store.connect import Address, Store
from tenmatch.store.log import APPEND, START, Head, append_call, compare
from tenmatch.store.presence import Held, Presence

BENCH: Final = Path("build/bench.json")
ROOMS: Final = 500  # each call is made for so many at once, as the rounds of a busy node do
TIMES: Final = 20
EVENT: Final = "x" * 110  # bytes of a `matched`, stored
LINE: Final = b"x" * 350  # of a room, listed


class Cost(NamedTuple):
    """What a call takes, in µs of a processor."""

    what: str
    store: float  # Valkey's
    node: float  # the caller's


@dataclass(frozen=True)
class Node:
    """What a node spends, as `make bench` measures it."""

    move: float = 129.0  # µs, two players, nobody watching
    delivery: float = 10.1  # µs, to each watcher
    resume: float = 917.0  # µs, connecting included
    watcher_kb: float = 12.6
    move_store: float = 20.4  # µs of Valkey's
    chosen: float = 2.0  # µs, a room, every second: is it one that the list shows?

    @classmethod
    def measured(cls) -> "Node":
        """Return what the last bench measured, and what earlier ones did where it was a short one."""
        if not BENCH.exists():
            return cls()
        rows = {row["name"]: row["ours"] for row in json.loads(BENCH.read_text())["rows"]}
        names = {
            "move": "move_broadcast",
            "delivery": "delivery_broadcast",
            "resume": "resume",
            "watcher_kb": "idle",
            "move_store": "store",
        }
        return cls(**{ours: rows[name] for ours, name in names.items() if rows.get(name)})


# What the store is asked


class Asked:
    """The calls of a node's rounds, each for many rooms."""

    def __init__(self, store: Store) -> None:
        """Have a room in the store for each."""
        self.store = store
        self.rooms = [RoomId(f"room{number:06}") for number in range(ROOMS)]
        self._presence = Presence(store, "node")
        self._numbers = count(1)
        self._at = START

    async def append(self) -> None:
        """A move in each room."""
        head, number = self._at, next(self._numbers)
        calls = [
            append_call(room, head, [entry(number, EVENT)], at=None, by_player=False, ttl=3600, heard=True)
            for room in self.rooms
        ]
        await self.store.run_all(APPEND, calls)
        self._at = Head(Seq(head.seq + 1), number)

    async def heads(self) -> None:
        """Whether each room's log ends where this node believes."""
        await compare(self.store, [(room, self._at) for room in self.rooms])

    async def here(self) -> None:
        """Who is in each room."""
        seats = {SeatNumber(0): 1, SeatNumber(1): 2}
        await self._presence.renew([Held(room, seats, 3) for room in self.rooms])

    async def listed(self) -> None:
        """Each room's line in the list."""
        line = LINE + str(next(self._numbers)).encode()
        await lobby.put(self.store, *(lobby.Listed(room, line, rank) for rank, room in enumerate(self.rooms)))

    async def due(self) -> None:
        """When somebody must look at each room."""
        await due.mark(self.store, dict.fromkeys(self.rooms, Millis(next(self._numbers))))


async def cost(asked: Asked, call: Callable[[], Awaitable[None]], runs: int) -> Cost:
    """Return what a call costs for one room; the median of some runs."""
    await call()
    found: list[tuple[float, float]] = []
    for _ in range(runs):
        before, mine = await _cpu(asked.store), time.process_time()
        for _ in range(TIMES):
            await call()
        ours = time.process_time() - mine
        found.append((await _cpu(asked.store) - before, ours))
    store, node = (median(column) / (TIMES * ROOMS) * 1e6 for column in zip(*found, strict=True))
    return Cost(call.__name__, store, node)


async def _cpu(store: Store) -> float:
    """Return the seconds of processor that the server has used."""
    said: bytes = await store.call("INFO", "cpu")
    fields = dict(line.split(":") for line in said.decode().splitlines() if ":" in line)
    return float(fields["used_cpu_sys"]) + float(fields["used_cpu_user"])


async def measure(runs: int) -> dict[str, Cost]:
    """Return what each of the calls costs."""
    with tempfile.TemporaryDirectory() as folder, Server("valkey", Path(folder)) as server:
        store = Store(Address(server.url))
        asked = Asked(store)
        calls = (asked.append, asked.heads, asked.here, asked.listed, asked.due)
        found = [await cost(asked, call, runs) for call in calls]
        store.close()
        return {one.what: one for one in found}


# What that comes to


class Rooms(NamedTuple):
    """What goes on, everywhere together."""

    rooms: int
    move_every_s: float  # in each room
    watchers: float  # in each room

    @property
    def moves(self) -> float:
        """A second."""
        return self.rooms / self.move_every_s


CHANGES_S: Final = 1.0  # at most as often a room's line and presence are written; at least every
RENEWED_S: Final = 5.0
HEADS_S: Final = 1.0
NODE_ROOMS: Final = 2_000  # on a node, of those that have many
LINES: Final = LISTED_ROOMS + FEATURED_ROOMS  # that a node writes into the list at most


class Cores(NamedTuple):
    """How many processors something takes, all of it."""

    nodes: float
    logs: float  # of the store: what lies with the rooms, over as many shards as there are
    listed: float  # of the store: the list of rooms, in one slot and so on one shard


def cores(on: Rooms, node: Node, costs: dict[str, Cost]) -> Cores:
    """Return what these rooms take, everyone connected for good."""
    written = on.rooms * max(1 / RENEWED_S, min(1 / CHANGES_S, 1 / on.move_every_s))
    looked = on.rooms / HEADS_S
    marked = on.rooms / RENEWED_S
    listed = written * min(1, ceil(on.rooms / NODE_ROOMS) * LINES / on.rooms)
    rounds = looked * costs["heads"].node + marked * costs["due"].node + looked * node.chosen
    rounds += written * costs["here"].node + listed * costs["listed"].node
    told = on.moves * on.watchers * node.delivery
    logs = on.moves * node.move_store + looked * costs["heads"].store
    logs += written * costs["here"].store + marked * costs["due"].store
    return Cores(
        (on.moves * node.move + told + rounds) / 1e6, logs / 1e6, listed * costs["listed"].store / 1e6
    )


GAME_MOVES: Final = 80  # with 180 numbers; most games are shorter
LOG_KB: Final = 11.0  # of such a game, as Valkey keeps it
LOG_KEPT_H: Final = 1.0  # after its end
RECORD_KB: Final = 2.0


class Memory(NamedTuple):
    """What the store has in memory, in GB."""

    logs: float
    records: float


def memory(on: Rooms, days: float) -> Memory:
    """Return what the store holds where rooms are played in day and night, records kept for *days*."""
    games_h = on.rooms * 3600 / (GAME_MOVES * on.move_every_s)
    logs = (on.rooms + games_h * LOG_KEPT_H) * LOG_KB
    return Memory(logs / 1e6, games_h * 24 * days * RECORD_KB / 1e6)


# How late a busy loop is


def lateness(busy: float, node: Node, watchers: float, chance: random.Random) -> tuple[float, float]:
    """Return the median and the 99th percentile of how long a move waits and is worked on, in ms.

    Moves come at random times to one loop, each takes what it costs and half as much again where a room is
    made for the next ones: Lindley's recursion, over a hundred thousand of them.

    Args:
        busy: The part of a processor that the moves take.
    """
    mean = node.move + watchers * node.delivery
    waits, waited = [], 0.0
    for work in _works(mean, chance, 100_000):
        waits.append(waited + work)
        waited = max(0.0, waited + work - chance.expovariate(busy / mean))
    waits.sort()
    return waits[len(waits) // 2] / 1000, waits[len(waits) * 99 // 100] / 1000


def _works(mean: float, chance: random.Random, many: int) -> Iterator[float]:
    """Yield what moves cost, in µs: mostly the same, and every eightieth ends a game and begins another."""
    usual = mean * 80 / 87.5
    for number in range(many):
        yield usual * chance.uniform(0.7, 1.3) * (8.5 if number % 80 == 0 else 1)


# To be looked at

SIZES: Final = (
    ("a club: 30 rooms, a move every 3 s", Rooms(30, 3, 3)),
    ("a site: 1,000 rooms", Rooms(1_000, 3, 3)),
    ("a big one: 20,000 rooms", Rooms(20_000, 3, 3)),
    ("a thousand nodes: 2,000,000 rooms", Rooms(2_000_000, 3, 3)),
    ("a final: one room, 20,000 watch", Rooms(1, 1, 20_000)),
)
RECORD_DAYS: Final = 30
BUSY: Final = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


def main() -> None:
    """Measure, reckon and simulate."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    console, node = Console(), Node.measured()
    costs = uvloop.run(measure(runs))
    table = Table("asked of the store, for one room", "Valkey, µs", "node, µs", title="Rounds")
    for one in costs.values():
        table.add_row(one.what, f"{one.store:.2f}", f"{one.node:.2f}")
    console.print(table)

    table = Table("what goes on", "nodes' cores", "logs' cores", "list's cores", "logs, GB", "records, GB")
    table.title = f"Growth, records kept for {RECORD_DAYS} days"
    for what, on in SIZES:
        figures = (*cores(on, node, costs), *memory(on, RECORD_DAYS))
        table.add_row(what, *(f"{figure:.3g}" for figure in figures))
    console.print(table)

    chance = random.Random(10)
    table = Table("loop busy with moves", "median, ms", "p99, ms", "p99 with 30 watchers", title="Lateness")
    for busy in BUSY:
        alone, watched = (lateness(busy, node, watchers, chance) for watchers in (0, 30))
        table.add_row(f"{busy:.0%}", f"{alone[0]:.2f}", f"{alone[1]:.1f}", f"{watched[1]:.1f}")
    console.print(table)


if __name__ == "__main__":
    main()
