"""P16: fifty who never read cost the others no time, and the server little memory."""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

import pytest
from tests.effort import amount
from tests.faults.deployment import FREE, Launched
from tests.faults.line import Line, Message
from tests.faults.load import percentile
from tests.faults.promise import Promise
from tests.hostile.vitals import Vitals
from tests.live.conftest import wires
from tests.live.node import Node
from tests.live.wire import Wire, frame
from tests.store.waiting import until

__all__ = ["wires"]

SLOW: Final = 50
ROUNDS: Final = range(*amount((4, 60), (120, 240)))  # as many; more where the machine is busy
ROUND_S: Final = amount(0.2, 0.25)
RATE: Final = 200  # events a second
FILL: Final = 3_600  # events: more than all buffers on the way should hold
TOGETHER: Final = 50  # of them are made at once
LONG: Final = 4_500  # events, then another room: there is an end to each
WAITING: Final = 65_536 + 32_768  # bytes that wait for a watcher: events, and answers to its own requests
BOUND: Final = 262_144  # bytes that a client may cost
JITTER_MS: Final = 1.0  # by so much two rounds differ where nobody is slow
PATIENCE_S: Final = 10.0
LIMITS: Final[dict[str, Any]] = dict(FREE)

pytestmark = pytest.mark.slow


class Talker:
    """Somebody in rooms over a lean line, who notes when each event came."""

    def __init__(self) -> None:
        self.heard: dict[str, dict[int, float]] = defaultdict(dict)  # by room and seq
        self.line: Line
        self._ids = 0
        self._answers: dict[int, asyncio.Future[Message]] = {}

    async def come(self, url: str) -> None:
        """Connect and say hello."""
        self.line = await Line.open(url, self._hear)
        await self.ask("hello")

    async def ask(self, t: str, **fields: object) -> Message:
        """Send a request and return its answer."""
        self._ids += 1
        answer = self._answers[self._ids] = asyncio.get_running_loop().create_future()
        self.line.send(t=t, id=self._ids, **fields)
        return await asyncio.wait_for(answer, PATIENCE_S)

    def _hear(self, message: Message) -> None:
        if message["t"] == "event":
            self.heard[message["room"]][message["seq"]] = time.perf_counter()
        elif message.get("re") in self._answers:
            self._answers.pop(message["re"]).set_result(message)


@asynccontextmanager
async def company(url: str) -> AsyncIterator[list[Talker]]:
    """Let a host, a guest and a watcher come."""
    talkers = [Talker() for _ in range(3)]
    try:
        for talker in talkers:
            await talker.come(url)
        yield talkers
    finally:
        for talker in talkers:
            talker.line.abort()


class Room:
    """An open room in which the host changes its mind: an event each time."""

    def __init__(self, name: str, host: Talker, others: list[Talker], seq: int) -> None:
        self.name, self.seq = name, seq
        self._host, self._others = host, others

    @classmethod
    async def make(cls, host: Talker, guest: Talker, watcher: Talker) -> Self:
        """Let the three meet."""
        room = (await host.ask("create", mode="race"))["room"]
        seq = (await guest.ask("join", room=room))["seq"]
        await watcher.ask("join", room=room, watch=True)
        return cls(room, host, [guest, watcher], seq)

    async def go_on(self, events: int, pause_s: float) -> list[list[float]]:
        """Cause so many events, and return how many ms it took each of the others to have each of them."""
        first, sent, due = self.seq + 1, [], time.perf_counter()
        for number in range(events):
            sent.append(time.perf_counter())
            self._host.line.send(t="ready", room=self.name, ready=(first + number) % 2 == 0)
            due += pause_s
            if (ahead := due - time.perf_counter()) > 0:
                await asyncio.sleep(ahead)
        self.seq += events
        heard = [other.heard[self.name] for other in self._others]
        for one in heard:
            await until(partial(one.__contains__, self.seq), PATIENCE_S)
        return [[(one[first + at] - when) * 1000 for at, when in enumerate(sent)] for one in heard]


class Slow:
    """A watcher who never reads, on a line that holds little, but gives signs of life."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    @classmethod
    async def come(cls, url: str) -> Self:
        """Connect and say hello."""
        return cls(await Wire.upgraded(url, then=frame(1, b'{"t":"hello"}'), narrow=True))

    async def live(self) -> None:
        """Give a sign of life, to which there is no answer."""
        await self._wire.send(frame(10))

    async def watch(self, room: Room) -> None:
        """Ask for a room."""
        message = {"t": "join", "room": room.name, "watch": True}
        await self._wire.send(frame(1, json.dumps(message).encode()))

    def underway(self) -> int:
        """Return how many bytes the two kernels hold, sent and not read."""
        port = f":{self._wire.port:04X}"
        sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
        unsent = [int(ends[4].split(":")[0], 16) for ends in sockets if ends[2].endswith(port)]
        unread = [int(ends[4].split(":")[1], 16) for ends in sockets if ends[1].endswith(port)]
        return sum(unsent) + sum(unread)

    async def wake_up(self, room: Room) -> tuple[int, set[str]]:
        """Read up to the room's head; return how many bytes came before that, and what led across gaps.

        There may be several, as the kernels take more at times; and events after the last of them.
        """
        read, known, across = 0, None, set[str]()
        while True:
            _, payload = await self._wire.receive()
            message: Message = json.loads(payload)
            if message["t"] in ("event", "snapshot") and message["room"] == room.name:
                if known is not None and message["seq"] != known + 1:
                    across.add(message["t"])
                known = message["seq"]
                if known >= room.seq:
                    return read, across
            read += len(payload) + 4  # the head of a frame


class Measures:
    """What is measured by turns in a room that the slow watch and in one that they don't."""

    def __init__(self, node: Node, talkers: list[Talker], slow: list[Slow]) -> None:
        self._node, self._talkers, self._slow = node, talkers, slow
        self._rooms: dict[bool, Room] = {}
        self.p99s: dict[bool, list[list[float]]] = {True: [], False: []}  # ms, of a player and a watcher
        self.memory = {True: 0, False: 0}  # bytes

    async def fill(self) -> Room:
        """Let the slow fall behind in one room, which is returned, and let as much happen in another."""
        for watched in (False, True):
            for _ in range(0, FILL, TOGETHER):
                await self._go_on(TOGETHER, 0, watched)
        return self._rooms[True]

    async def round(self, watched: bool) -> None:
        """Let some time go by."""
        for slow in self._slow:
            await slow.live()
        waits = await self._go_on(int(ROUND_S * RATE), 1 / RATE, watched)
        self.p99s[watched].append([percentile(sorted(each), 0.99) for each in waits])

    def best(self) -> Iterator[tuple[float, float]]:
        """Yield the p99 beside the slow and what that may be, for a player and a watcher.

        The best round of each kind counts: in others something else kept the machine busy.
        """
        for place in (0, 1):
            alone, beside = (min(p99[place] for p99 in self.p99s[watched]) for watched in (False, True))
            yield beside, max(1.1 * alone, alone + JITTER_MS)

    async def _go_on(self, events: int, pause_s: float, watched: bool) -> list[list[float]]:
        room = self._rooms.get(watched)
        if room is None or room.seq > LONG:
            room = self._rooms[watched] = await Room.make(*self._talkers)
            for slow in self._slow if watched else ():
                await slow.watch(room)
        before = Vitals(self._node, clients=0)
        waits = await room.go_on(events, pause_s)
        self.memory[watched] += before.growth
        return waits


async def measure(folder: Path, promise: Promise, many: int, without: str = "") -> None:
    """Take down what so many slow watchers cost."""
    with Launched(folder, without=without, **LIMITS) as node:
        async with company(node.url) as talkers:
            slow = [await Slow.come(node.url) for _ in range(many)]
            measures = Measures(node, talkers, slow)
            filled = await measures.fill()
            for number in range(ROUNDS.stop):
                await measures.round(number % 2 == 0)
                await measures.round(number % 2 == 1)
                if number >= ROUNDS.start and all(beside <= most for beside, most in measures.best()):
                    break
            held = slow[0].underway()
            read, across = await slow[0].wake_up(filled)
    for who, (beside, most) in zip(("player", "watcher"), measures.best(), strict=True):
        promise.at_most(f"a {who}'s p99 beside them", beside, most, "ms")
    more = measures.memory[True] - measures.memory[False]
    promise.at_most("memory for all of them", more / 1e6, 1.1 * many * BOUND / 1e6, "MB")
    promise.at_most("what waited in the server for one", (read - held) / 1e3, WAITING / 1e3, "kB")
    promise.equals("what leads one across what was left out", " ".join(sorted(across)), "snapshot")


@pytest.mark.promise("P16")
async def test_fifty_who_never_read_cost_nobody_anything(tmp_path: Path, promise: Promise) -> None:
    await measure(tmp_path, promise, SLOW)


@pytest.mark.full
@pytest.mark.twin("P16")
async def test_where_nobody_counts_as_slow_everything_waits(tmp_path: Path, promise: Promise) -> None:
    await measure(tmp_path, promise, 5, without="never_slow")
