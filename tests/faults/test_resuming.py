"""P31: whatever a client says that it holds, it is told rightly what it lacks, wherever it was cut off."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tests.effort import amount
from tests.faults.busy_room import BusyRoom, meeting
from tests.faults.deployment import Deployment
from tests.faults.line import Line
from tests.faults.oracle import examine_room
from tests.faults.person import Person, Record
from tests.faults.promise import Promise
from tests.live.client import CODECS, Message
from tests.live.proof import read
from tests.store.waiting import until

pytestmark = pytest.mark.slow

TAIL: Final = 500  # events that `resumed` brings at most
LENGTH: Final = TAIL + 30  # of the log
BURST: Final = amount(3, 12)  # events
AT_ONCE: Final = 150  # connections that are cut, each after another byte
BACK_S: Final = 10.0  # for them to be there again, all at once


class Case(NamedTuple):
    """What a client says that it holds, and what must come of it."""

    held: dict[str, Any]
    answer: str  # resumed, snapshot, reset, or the field that is wrong


def cases(chains: list[int]) -> Iterator[Case]:
    """Yield every pairing of a place and a chain; *chains* are those of the log, 0 before it."""
    head = len(chains) - 1
    for after in (0, 1, head - TAIL - 1, head - TAIL, head - 1, head):
        near = "resumed" if head - after <= TAIL else "snapshot"
        yield Case({"after": after, "chain": chains[after]}, near)
        yield Case({"after": after, "chain": chains[after] ^ 1}, "reset")
        yield Case({"after": after, "chain": chains[after - 1] if after else chains[1]}, "reset")
    for after in (head + 1, head + TAIL, 2**53):
        for chain in (chains[head], 0, 2**32 - 1):
            yield Case({"after": after, "chain": chain}, "reset")
    wrong: Any
    for wrong in (-1, 2**63, 2**64 - 1, "1", 1.5, True, [1], {}):
        yield Case({"after": wrong, "chain": 0}, "after")
        yield Case({"after": head, "chain": wrong}, "chain")
    yield Case({"after": head}, "chain")
    yield Case({"chain": chains[head]}, "after")


def came_of(answer: Message) -> str:
    """Return what a client was told, as a case has it."""
    if answer["t"] == "error":
        return str(answer["field"]) if answer["code"] == "bad_message" else str(answer["code"])
    return "reset" if answer.get("reset") else str(answer["t"])


def is_right(case: Case, answer: Message, chains: list[int]) -> bool:
    """Tell whether an answer is what it must be, event by event."""
    if came_of(answer) != case.answer:
        return False
    if case.answer == "resumed":
        told = [(event["seq"], event["chain"]) for event in answer["events"]]
        return told == list(enumerate(chains))[case.held["after"] + 1 :]
    return answer["t"] == "error" or (answer["seq"], answer["chain"]) == (len(chains) - 1, chains[-1])


async def resume_with_anything(promise: Promise, folder: Path, without: str = "") -> None:
    wrong: list[tuple[Case, str]] = []
    asked = 0
    with Deployment(folder, nodes=2, without=without) as deployment:
        async with meeting() as meet:
            here, there = deployment.addresses()
            busy = await BusyRoom.begin(await meet(here))
            while busy.seq < LENGTH:
                await busy.burst(25)
            entries = deployment.nodes[0].entries(busy.room, deployment.redis.local)
            chains = [0, *(chain for chain, *_ in map(read, entries))]
            for url in (here, there):
                for codec in CODECS:
                    for case in cases(chains):
                        client = await meet(url, codec)
                        answer = await client.ask("join", room=busy.room, watch=True, **case.held)
                        asked += 1
                        if not is_right(case, answer, chains):
                            wrong.append((case, came_of(answer)))
                        await client.drop()
    promise.at_least("places and chains that clients named", asked, 150)
    promise.equals("wrong answers", len(wrong), 0)


@pytest.mark.promise("P31")
async def test_whatever_a_client_holds_it_is_told_rightly_what_it_lacks(
    promise: Promise, tmp_path: Path
) -> None:
    await resume_with_anything(promise, tmp_path)


@pytest.mark.full
@pytest.mark.twin("P31")
async def test_with_its_number_alone_a_wrong_chain_is_not_noticed(promise: Promise, tmp_path: Path) -> None:
    await resume_with_anything(promise, tmp_path, "resumed_whatever_the_chain")


# Cut at every byte


@dataclass
class Room:
    """A room that is there already, for persons who watch."""

    room: str

    def made(self, room: str) -> None:
        """Nobody makes it."""

    def create(self) -> Message:
        """Nobody asks for it."""
        raise AssertionError


@asynccontextmanager
async def watching(busy: BusyRoom, urls: list[str], many: int, record: Record) -> AsyncIterator[list[Person]]:
    """Let so many people watch, who come back when they are cut off."""
    persons = [Person(f"watcher {n}", Room(busy.room), None, lambda: urls, record) for n in range(many)]
    lives = [asyncio.create_task(person.live()) for person in persons]
    try:
        await until(lambda: all(person.at_head for person in persons), BACK_S)
        yield persons
        assert not any(life.done() for life in lives)
    finally:
        for life in lives:
            life.cancel()
        await asyncio.gather(*lives, return_exceptions=True)


def cut_after(line: Line, many: int) -> None:
    """Let a client take so many bytes more, then break its connection off."""
    take, left = line.data_received, many

    def taken(data: bytes) -> None:
        nonlocal left
        part, left = data[:left], max(0, left - len(data))
        take(part)
        if not left:
            line.abort()

    line.data_received = taken  # type: ignore[method-assign]  # this one only
    if not many:
        line.abort()


def line_of(person: Person) -> Line:
    """Return somebody's connection."""
    assert person.line is not None
    return person.line


async def bytes_of_burst(busy: BusyRoom, urls: list[str]) -> int:
    """Return how many bytes a burst is for who watches."""
    sizes: list[int] = []
    async with watching(busy, urls, 1, Record()) as [person]:
        line = line_of(person)
        take = line.data_received

        def taken(data: bytes) -> None:
            sizes.append(len(data))
            take(data)

        line.data_received = taken  # type: ignore[method-assign]  # this one only
        await busy.burst(BURST)
        await until(lambda: person.view is not None and person.view.seq == busy.seq)
    return sum(sizes)


async def cut_each(busy: BusyRoom, urls: list[str], places: Sequence[int], record: Record) -> float:
    """Cut a watcher off after each of so many bytes of a burst; return after how long all were back."""
    async with watching(busy, urls, len(places), record) as persons:
        for person, place in zip(persons, places, strict=True):
            cut_after(line_of(person), place)
        await busy.burst(BURST)
        while any(person.connections == 1 and person.at_head for person in persons):
            await busy.toggle()  # nobody's place may lie beyond the end
        began = time.monotonic()
        await until(lambda: all(p.at_head and p.view and p.view.seq == busy.seq for p in persons), BACK_S)
        return time.monotonic() - began


@pytest.mark.promise("P31")
async def test_a_burst_of_events_is_cut_at_every_byte(promise: Promise, tmp_path: Path) -> None:
    record = Record()
    with Deployment(tmp_path, nodes=2) as deployment:
        async with meeting() as meet:
            urls = deployment.addresses()
            busy = await BusyRoom.begin(await meet(urls[0]))
            size = await bytes_of_burst(busy, urls)
            groups = [range(size)[first : first + AT_ONCE] for first in range(0, size, AT_ONCE)]
            back = [await cut_each(busy, urls, places, record) for places in groups]
            entries = deployment.nodes[0].entries(busy.room, deployment.redis.local)
    seen = record.history.room(busy.room)
    promise.at_least("bytes of a burst, cut after each", size, BURST * 80)
    promise.equals("clients that came back", len(record.interruptions), size)
    promise.equals("what they hold and is not so (I8)", len(list(examine_room(seen, entries))), 0)
    promise.equals(
        "events told twice, or after a gap", sum(view.doubles + view.gaps for view in seen.views), 0
    )
    promise.at_most("all at the head again after", max(back), BACK_S, "s")
    promise.equals("what no client should be told", len(record.faults), 0)
