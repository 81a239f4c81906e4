"""Who sees what becomes of it: players who remember what they were told, and an eye on the nodes' figures."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from installation import Installation, Node
from tenmatch.client import Client, ClientError, Matched, Mistaken, Phase, Refused, Room

PAIRS: Final = 3
PAUSE_S: Final = 0.2  # between two moves of a pair
AGAIN_S: Final = 0.5
LOOKS_S: Final = 0.1  # between two looks at the figures
GAUGES: Final = ("tenmatch_ready", "tenmatch_draining", "tenmatch_sockets")
COUNTED: Final = {
    "tenmatch_moves": "unavailable",
    "tenmatch_store_errors": "store errors",
    "tenmatch_feed_connections": "feed connections",
    "tenmatch_repairs": "repairs",
}
"""Counters that are watched, and what they are called here; of the moves only those that were unavailable."""

Move = tuple[str, int, int, int, int]
"""A match: its room, seat, number, and the ids of the two numbers."""


@dataclass
class Testimony:
    """What players saw since they were last asked."""

    acknowledged: list[Move] = field(default_factory=list)
    longest_s: float = 0.0  # from a move until the opponent had it
    broken: list[str] = field(default_factory=list)  # what the client could not make good by itself


class Pair:
    """Two players who play one game after the other, each move seen by both before the next."""

    def __init__(self, url: str) -> None:
        """Be ready to play."""
        self._url = url
        self.steps = 0  # moves that both have seen
        self._moved_at: float | None = None
        self._testimony = Testimony()

    async def play(self) -> None:
        """Play, until that is cancelled."""
        async with AsyncExitStack() as stack:
            players = [await stack.enter_async_context(Client(self._url)) for _ in range(2)]
            while True:
                try:
                    await self._game(*players)
                except ClientError as error:
                    if self._moved_at is not None:
                        self._testimony.broken.append(str(error))
                    self._moved_at = None
                    await asyncio.sleep(AGAIN_S)

    async def _game(self, host: Client, guest: Client) -> None:
        made = await host.create(private=True, countdown_ms=0)
        rooms = [made, await guest.join(made.id)]
        for room in rooms:
            await room.ready()
        for room in rooms:
            await room.until(
                lambda state: state.phase is not Phase.STARTING and state.phase is not Phase.OPEN
            )
        while made.state.phase is Phase.PLAYING:
            for mover, other in (rooms, reversed(rooms)):
                if mover.state.phase is not Phase.PLAYING:
                    break
                self._moved_at = time.monotonic()
                await self._move(mover)
                await _told(other, mover.state.seq)
                self._note(time.monotonic())
                self.steps += 1
                self._moved_at = None
                await asyncio.sleep(PAUSE_S)
        for room in rooms:
            await room.leave()

    async def _move(self, room: Room) -> None:
        pair = next(iter(room.state.pairs()), None)
        answer = await (room.match(*pair) if pair else room.call())
        match answer:
            case Matched(seat=seat, n=n, a=a, b=b):
                self._testimony.acknowledged.append((room.id, seat, n, a, b))
            case Mistaken() | Refused():  # nobody else moves: a right pair cannot be wrong
                self._testimony.broken.append(f"room {room.id}: {pair} was answered {answer}")

    def _note(self, now: float) -> None:
        if self._moved_at is not None:
            self._testimony.longest_s = max(self._testimony.longest_s, now - self._moved_at)

    def testify(self) -> Testimony:
        """Return what was seen since the last time, a move under way included."""
        self._note(time.monotonic())
        said, self._testimony = self._testimony, Testimony()
        return said


async def _told(room: Room, seq: int) -> None:
    await room.until(lambda state: state.seq >= seq)


async def missing(installation: Installation, moves: Sequence[Move]) -> list[Move]:
    """Return those acknowledged moves that do not stand in their room's log exactly once. Raises Trouble."""
    rooms = sorted({move[0] for move in moves})
    logs = await asyncio.gather(*map(installation.log_of, rooms))
    stored = Counter(
        (room, event["seat"], event["n"], event["a"], event["b"])
        for room, log in zip(rooms, logs, strict=True)
        for event in log
        if event["kind"] == "matched"
    )
    return [move for move in moves if stored[move] != 1]


class Eye:
    """Looks at the figures of all nodes, as Prometheus would, but more often."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        """Be ready to look at *nodes*, also at those that are added to them."""
        self._nodes = nodes
        self._last: dict[Node, Counter[str]] = {}
        self.ready = False  # all of them, at the last look
        self.sockets = 0  # on all of them, at the last look
        self.seen: Counter[str] = Counter()  # what moved since `forget`; looks at which something was so
        self.unready_s = 0.0  # seconds since `forget` in which not all were

    def forget(self) -> None:
        """Begin to count anew."""
        self.seen = Counter()
        self.unready_s = 0.0

    async def watch(self) -> None:
        """Look again and again, until that is cancelled."""
        before = time.monotonic()
        while True:
            await self.look()
            now = time.monotonic()
            self.unready_s += 0.0 if self.ready else now - before
            before = now
            await asyncio.sleep(LOOKS_S)

    async def look(self) -> bool:
        """Look once, and return whether all nodes are ready."""
        figures = await asyncio.gather(*(asyncio.to_thread(_figures, node) for node in self._nodes))
        self.ready = all(found is not None and found["ready"] for found in figures)
        self.sockets = sum(found["sockets"] for found in figures if found is not None)
        for node, found in zip(self._nodes, figures, strict=True):
            if found is None:
                self.seen["down"] += 1
                self._last.pop(node, None)  # who is started again counts from nothing
                continue
            last, self._last[node] = self._last.get(node, Counter()), found
            if not found["ready"] and not found["draining"]:
                self.seen["not ready"] += 1
            for name in COUNTED.values():
                self.seen[name] += max(0, found[name] - last[name])
        return self.ready


def _figures(node: Node) -> Counter[str] | None:
    """Return what a node says of itself; None where it says nothing."""
    try:
        with urlopen(f"http://127.0.0.1:{node.metrics_port}/metrics", timeout=1) as page:
            text = page.read().decode()
    except (URLError, OSError):
        return None
    found: Counter[str] = Counter()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name in GAUGES:
                found[sample.name.removeprefix("tenmatch_")] = int(sample.value)
            elif (name := COUNTED.get(family.name)) and sample.name.endswith("_total"):
                if name != "unavailable" or sample.labels["result"] == "unavailable":
                    found[name] += int(sample.value)
    return found
