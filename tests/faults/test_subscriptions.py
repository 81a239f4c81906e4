"""P13: rooms are joined and left while all connections that subscribe are killed again and again."""

import asyncio
import random
import re
import time
from functools import partial
from pathlib import Path

import pytest
from tests.effort import amount
from tests.faults.busy_room import BusyRoom, meeting
from tests.faults.deployment import Deployment
from tests.faults.promise import Promise
from tests.live.client import Client
from tests.store.fleet import Redis, until_so

from tenmatch.game.ids import RoomId
from tenmatch.store import keys

pytestmark = pytest.mark.slow

ROOMS = amount(30, 120)  # so many that no log is full before the end
ROOM = re.compile(rb"tm:\{\w{10}\}:feed")
WHOLE_S = 5.0  # for all subscriptions to be there again


async def kill_at_random(redis: Redis) -> None:
    """Kill all subscribers again and again, until cancelled."""
    while True:
        await redis.ask("CLIENT", "KILL", "TYPE", "pubsub")
        await asyncio.sleep(random.uniform(0.02, 0.4))


class Visits:
    """People who look into rooms, one after the other, and who makes events there."""

    def __init__(self, rooms: list[BusyRoom]) -> None:
        self.rooms = rooms
        self.made = self.put_off = 0  # joins; joins and events that were `unavailable`, when the store stalls
        self.longest = 0.0  # s that an answer took

    async def go_on(self, visitor: Client) -> None:
        """Enter rooms and leave them, until cancelled."""
        while True:
            busy = random.choice(self.rooms)
            began = time.monotonic()
            answer = await visitor.ask("join", room=busy.room, watch=True)
            self.longest = max(self.longest, time.monotonic() - began)
            if answer["t"] == "error":
                assert answer["code"] == "unavailable", answer
                self.put_off += 1
                continue
            self.made += 1
            if not await busy.try_to_toggle():
                self.put_off += 1
            await visitor.ok("leave", room=busy.room)


@pytest.mark.promise("P13")
async def test_subscribers_are_killed_while_rooms_are_joined_and_left(
    promise: Promise, tmp_path: Path
) -> None:
    with Deployment(tmp_path, nodes=2) as nodes:
        async with meeting() as meet:
            urls = nodes.addresses()
            visits = Visits([await BusyRoom.begin(await meet(urls[n % 2])) for n in range(ROOMS)])
            visitors = [await meet(urls[n % 2]) for n in range(20)]
            killing = asyncio.create_task(kill_at_random(nodes.redis))
            going = [asyncio.create_task(visits.go_on(visitor)) for visitor in visitors]
            await asyncio.wait(
                (killing, *going), timeout=amount(2.0, 60.0), return_when=asyncio.FIRST_COMPLETED
            )
            for task in (killing, *going):
                if task.done():
                    task.result()
            killing.cancel()
            for task in going:
                task.cancel()
            await asyncio.gather(killing, *going, return_exceptions=True)
            since = time.monotonic()
            wanted = {keys.feed(RoomId(busy.room)).encode() for busy in visits.rooms}
            await until_so(partial(subscribed, nodes.redis, wanted), (0, 0), within=2 * WHOLE_S)
            whole = time.monotonic() - since
            faults = [
                fault
                for client in (*visitors, *(busy.client for busy in visits.rooms))
                for fault in client.faults
            ]
    what = "killed while rooms are joined: "
    promise.at_least(what + "joins", visits.made, 50)
    promise.at_most(what + "an answer to a join takes", visits.longest, 2.0, "s")
    promise.at_most(what + "put off, of joins and events", visits.put_off / 2 / visits.made, 0.02)
    promise.equals(what + "events missed or told twice", faults, [])
    promise.at_most(what + "subscribed to all rooms, and to no others, after", whole, WHOLE_S, "s")


async def subscribed(redis: Redis, wanted: set[bytes]) -> tuple[int, int]:
    """Return to how many rooms nobody listens that are wanted, and to how many others somebody does."""
    channels = set(await redis.ask("PUBSUB", "SHARDCHANNELS"))
    others = [channel for channel in channels - wanted if ROOM.fullmatch(channel)]
    return len(wanted - channels), len(others)
