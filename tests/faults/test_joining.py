"""P15: whoever joins while moves are made gets every event after what it was shown, once and in order."""

import asyncio
import math
import random
import time
from pathlib import Path

import pytest
from tests.effort import amount
from tests.faults.busy_room import BusyRoom, Meet, meeting
from tests.faults.deployment import Deployment
from tests.faults.promise import Promise
from tests.live.client import Client
from tests.live.proof import read

pytestmark = pytest.mark.slow

RATE = 200.0  # events a second in one room
JOINERS = 20
STAY_S = 0.02  # for which a joiner stays at most: some events
EVENTS = 30  # made while a room is loaded
AT_ONCE = 10  # rooms that are loaded
LEVEL_S = 2.0


async def come_and_go(client: Client, room: str, joins: int) -> None:
    """Join and leave again and again, every second time with what one holds."""
    for number in range(joins):
        if number % 2:
            await client.resume(room, watch=True)
        else:
            await client.ask("join", room=room, watch=True)
        await asyncio.sleep(random.uniform(0, STAY_S))
        await client.ok("leave", room=room)


async def join_in_a_hurry(promise: Promise, folder: Path, joins: int, without: str = "") -> None:
    """Let many join one room, through the node at which events are made and through another one."""
    with Deployment(folder, nodes=2, without=without) as deployment:
        urls = deployment.addresses()
        async with meeting() as meet:
            busy = await BusyRoom.begin(await meet(urls[0]))
            making = asyncio.create_task(busy.toggle_at(RATE))
            joiners = [await meet(urls[number % 2]) for number in range(JOINERS)]
            began, before = time.monotonic(), busy.events
            await asyncio.gather(*(come_and_go(joiner, busy.room, joins // JOINERS) for joiner in joiners))
            rate = (busy.events - before) / (time.monotonic() - began)
            assert not making.done(), making
            making.cancel()
            await asyncio.gather(making, return_exceptions=True)
            log = [
                chain
                for chain, *_ in map(read, deployment.nodes[0].entries(busy.room, deployment.redis.local))
            ]
    promise.at_least("events a second", rate, RATE / 8)  # as this machine lets us
    promise.equals("joins", joins // JOINERS * JOINERS, joins)
    promise.equals("events missed or told twice", sum(len(joiner.faults) for joiner in joiners), 0)
    promise.equals(
        "events that are not in the log", sum(astray(joiner, busy.room, log) for joiner in joiners), 0
    )


def astray(joiner: Client, room: str, log: list[int]) -> int:
    """Count the events that a client was told otherwise than they are in the log."""
    events = [message for message in joiner.inbox if message["t"] == "event" and message["room"] == room]
    return sum(event["chain"] != log[event["seq"] - 1] for event in events)


async def join_a_room_that_has_to_be_loaded(meet: Meet, urls: list[str]) -> tuple[float, list[str]]:
    """Let a node load a room while another makes events there; return how late the joiner was at the head."""
    busy = await BusyRoom.begin(await meet(urls[0]))
    joiner = await meet(urls[1])

    async def make() -> None:
        for _ in range(EVENTS):
            await busy.toggle()

    making = asyncio.create_task(make())
    await asyncio.sleep(random.uniform(0, 0.02))
    await joiner.ask("join", room=busy.room, watch=True)
    await making
    made = time.monotonic()
    try:
        await joiner.until(lambda: joiner.rooms[busy.room].seq >= busy.seq, within=LEVEL_S + 1)
    except TimeoutError:
        return math.inf, joiner.faults
    return time.monotonic() - made, joiner.faults


async def load_in_a_hurry(promise: Promise, folder: Path, rooms: int, without: str = "") -> None:
    with Deployment(folder, nodes=2, without=without) as deployment:
        late, faults = [], []
        for _ in range(rooms // AT_ONCE):
            async with meeting() as meet:
                joins = [
                    join_a_room_that_has_to_be_loaded(meet, deployment.addresses()) for _ in range(AT_ONCE)
                ]
                for seconds, wrong in await asyncio.gather(*joins):
                    late.append(seconds)
                    faults += wrong
    promise.equals("rooms loaded while events were made in them", len(late), rooms)
    promise.at_most("rooms loaded: at the head after the last event", max(late), LEVEL_S, "s")
    promise.equals("rooms loaded: events missed or told twice", len(faults), 0)


@pytest.mark.promise("P15")
async def test_who_joins_while_events_are_made_misses_none(promise: Promise, tmp_path: Path) -> None:
    await join_in_a_hurry(promise, tmp_path, amount(400, 2000))


@pytest.mark.full
@pytest.mark.twin("P15")
async def test_who_is_shown_a_room_before_being_told_misses_events(promise: Promise, tmp_path: Path) -> None:
    await join_in_a_hurry(promise, tmp_path, 200, "shown_before_it_is_told")


@pytest.mark.promise("P15")
async def test_a_node_that_loads_a_room_while_events_are_made_misses_none(
    promise: Promise, tmp_path: Path
) -> None:
    await load_in_a_hurry(promise, tmp_path, amount(50, 500))


@pytest.mark.full
@pytest.mark.twin("P15")
async def test_a_node_that_reads_a_room_before_it_listens_misses_events(
    promise: Promise, tmp_path: Path
) -> None:
    await load_in_a_hurry(promise, tmp_path, 10, "read_before_it_listens")
