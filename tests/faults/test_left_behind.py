"""P35: nodes that die leave nothing in Redis but what is documented, and that expires."""

import contextlib
import json
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import pytest
import redis
from tests.effort import full
from tests.faults.deployment import Deployment
from tests.faults.load import Load, playing
from tests.faults.promise import Promise
from tests.live.node import Node
from tests.live.wire import fetch
from tests.store.test_keys import documented
from tests.store.waiting import until

from tenmatch.store import keys
from tenmatch.store.presence import COUNTS

SOONER: Final = "" if full() else "ten_times_as_forgetful"
"""In every run presence counts for a tenth of the time; at length nodes are as they are."""

TTL_S: Final = COUNTS / 1000
KILLS = 20 if full() else 3
ROOMS = 10
LASTING = ("tm:{due:", keys.ALIVE, "tm:{lobby}:", "tm:{nodes}:", "tm:{tournaments}:", keys.SECRET)

pytestmark = pytest.mark.slow


class Left(NamedTuple):
    """What lies in Redis that should not."""

    undocumented: list[str]  # keys
    lasting: list[str]  # keys that never expire, and should
    presence: list[
        str
    ]  # entries of nodes that are dead, in rooms that are played in; others go with their logs
    channels: list[str]  # to which a dead node listens
    apart: list[str]  # who is there in rooms that have no log


async def name_of(node: Node) -> str:
    """Return what a node calls itself, in this life."""
    return str(json.loads((await fetch(node.url, "/readyz")).body)["node"])


def entries(store: "redis.Redis", node: str, played: Iterable[str]) -> list[str]:
    """List what says that somebody is in one of these rooms through a node."""
    everyone = [(room, cast("Any", store.hgetall)(f"tm:{{{room}}}:here").items()) for room in played]
    return [f"{room}: {entry}" for room, here in everyone for entry in here if node in str(entry)]


def well_known(there: Sequence[str]) -> bool:
    """Tell whether much lies there of a node: who comes back takes their seat's entry, but no watcher's."""
    return len(there) > ROOMS // 2 and any("b'w:" in entry for entry in there)


def left(store: "redis.Redis", dead: Iterable[str], played: Iterable[str]) -> Left:
    """Look at everything there is; *played* are the rooms that all who had been there have come back to."""
    found = [key.decode() for key in store.scan_iter("*", 1_000)]
    shapes = documented()
    rooms = {key[:-5] for key in found if key.endswith(":here")}
    logs = {key[:-4] for key in found if key.endswith(":log")}
    channels = [channel.decode() for channel in cast("Any", store.pubsub_shardchannels)()]
    return Left(
        [key for key in found if not any(shape.match(key) for shape in shapes)],
        [key for key in found if store.ttl(key) == -1 and not key.startswith(LASTING)],
        [entry for node in dead for entry in entries(store, node, played)],
        [channel for channel in channels if any(node in channel for node in dead)],
        sorted(rooms - logs),
    )


async def kill_and_look(deployment: Deployment, load: Load, kills: int, ttl_s: float) -> Left:
    """Kill nodes while people play; return what is left of them after twice the time that presence counts."""
    dead: list[str] = []
    with closing(redis.Redis.from_url(deployment.redis.url)) as store:
        for kill in range(kills):
            number = kill % len(deployment.nodes)
            dead.append(await name_of(deployment.nodes[number]))
            await until(lambda: well_known(entries(store, dead[-1], played_in(load))), 20, every=0.1)
            deployment.nodes[number].kill()
            await deployment.replace(number)
        await until(lambda: all(person.at_head for person in load.persons), 20)
        load.resting = True  # in these rooms
        await until(lambda: all(person.room == person.place.room for person in load.persons), 20)
        with contextlib.suppress(TimeoutError):
            await until(lambda: not any(left(store, dead, played_in(load))), 2 * ttl_s, every=0.1)
        return left(store, dead, played_in(load))


def played_in(load: Load) -> list[str]:
    """List the rooms in which people play now."""
    return [party.room for party in load.parties if party.room]


def take_down(promise: Promise, found: Left) -> None:
    """Hold what was found against what is promised."""
    promise.equals("undocumented keys", len(found.undocumented), 0)
    promise.equals("keys that should expire, and do not", len(found.lasting), 0)
    promise.equals("entries of dead nodes after twice the TTL", len(found.presence), 0)
    promise.equals("subscriptions of dead nodes", len(found.channels), 0)
    promise.equals("presence without a log", len(found.apart), 0)


@pytest.mark.promise("P35")
async def test_dead_nodes_leave_nothing_behind(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, nodes=2, without=SOONER) as deployment:
        async with playing(deployment.addresses, rooms=ROOMS, rate=50) as load:
            found = await kill_and_look(deployment, load, KILLS, TTL_S if full() else TTL_S / 10)
    promise.at_least("nodes killed", KILLS, 3)
    take_down(promise, found)


@pytest.mark.full
@pytest.mark.twin("P35")
async def test_presence_that_counts_for_ever_stays(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, nodes=2, without="ten_times_as_forgetful,never_absent") as deployment:
        async with playing(deployment.addresses, rooms=ROOMS, rate=50) as load:
            # No longer: in rooms that rest games end by time, and then others are played in.
            found = await kill_and_look(deployment, load, 1, TTL_S / 10)
    promise.equals("entries of dead nodes after twice the TTL", len(found.presence), 0)
