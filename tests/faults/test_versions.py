"""P4: nodes are replaced one after another while people play, by ones of another version, too.

Two versions run beside each other then: each must read what the other writes. What version 1 writes is kept
in tests/vectors: the logs in stored.json (tests/protocol/test_stored.py looks at those in both directions),
the rest in between_nodes.json.
"""

import asyncio
import contextlib
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
import redis
from tests.effort import amount
from tests.faults.deployment import LAUNCH, Deployment
from tests.faults.load import LOOK_S, Load, playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.promise import Promise
from tests.protocol.logs import LOGS
from tests.servers import Server
from tests.store.waiting import until

from tenmatch.game.ids import Millis, PlayerId, RoomId, SeatNumber
from tenmatch.gateway.identity import Identity, Person
from tenmatch.gateway.talk import CHAT_NOTE
from tenmatch.protocol import stored, to_client
from tenmatch.store import keys, outages, presence, published
from tenmatch.store.connect import Address, Store
from tenmatch.store.log import APPEND, START, append_call

KEPT: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "between_nodes.json").read_text()
)
ROOM: Final = RoomId("abcdefghjk")
ENTRIES: Final = tuple(LOGS[KEPT["entries"]["log"]].raws[: KEPT["entries"]["count"]])

RATE = amount(300.0, 500.0)
LEFT_ALONE_S = amount(0.1, 5.0)  # between one replacement and the next
PLAYED_ON_S = 0.5
BEHIND_S = 2.0  # at most, as where messages are lost

pytestmark = pytest.mark.promise("P4")


def message(name: str) -> bytes:
    """Return what version 1 publishes."""
    return bytes.fromhex(KEPT[name]["message"])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server("redis", tmp_path) as server:
        yield server


@pytest.fixture
async def store(server: Server) -> AsyncIterator[Store]:
    store = Store(Address(server.url))
    await store.set_clock()
    yield store
    store.close()


@pytest.fixture
def client(server: Server) -> Iterator["redis.Redis"]:
    with closing(redis.Redis(unix_socket_path=str(server.socket))) as client:
        yield client


class Channel:
    """Hears a room's channel as any node does, byte by byte."""

    def __init__(self, client: "redis.Redis") -> None:
        self._heard: Any = client.pubsub()  # type: ignore[no-untyped-call]  # the driver tells no type
        self._heard.ssubscribe(keys.feed(ROOM))
        assert self._heard.get_message(timeout=5)["type"] == "ssubscribe"

    def next(self) -> bytes:
        said = self._heard.get_message(timeout=5)
        assert said["type"] == "smessage"
        return bytes(said["data"])

    def close(self) -> None:
        self._heard.close()


@pytest.fixture
def channel(client: "redis.Redis") -> Iterator[Channel]:
    with closing(Channel(client)) as channel:
        yield channel


# -- what is published


def test_what_version_1_publishes_is_read() -> None:
    assert published.read(message("entries")) == (KEPT["entries"]["first"], ENTRIES)
    arrival = published.read(message("arrival"))
    assert isinstance(arrival, published.Note)
    kept = KEPT["arrival"]
    assert arrival.kind == published.ARRIVED
    assert presence.read_arrival(arrival.payload) == (kept["seat"], kept["number"], kept["node"])
    chat = published.read(message("chat"))
    assert isinstance(chat, published.Note)
    assert chat.kind == CHAT_NOTE
    assert msgspec.msgpack.decode(chat.payload, type=to_client.Chat) == to_client.Chat(**KEPT["chat"]["said"])


async def test_version_1_reads_what_is_published(store: Store, channel: Channel) -> None:
    call = append_call(ROOM, START, ENTRIES, at=None, by_player=False, ttl=60, heard=False)
    await store.run_all(APPEND, [call])
    assert channel.next() == message("entries")
    kept = KEPT["arrival"]
    await store.call("HSET", keys.here(ROOM), "n", kept["number"] - 1)
    here = presence.Presence(store, kept["node"])
    assert await here.arrive(ROOM, SeatNumber(kept["seat"])) == kept["number"]
    assert channel.next() == message("arrival")
    chat = to_client.Chat(**KEPT["chat"]["said"])
    assert published.note(CHAT_NOTE, msgspec.msgpack.encode(chat)) == message("chat")


def test_another_version_is_not_taken_for_this_one() -> None:
    """A message that cannot be read is a doubt: the log is compared. A log that cannot be is left alone."""
    for version in (b"\x00", b"\x02", b"\xff"):
        for name in ("entries", "arrival", "chat"):
            assert published.read(version + message(name)[1:]) is None
        with pytest.raises(stored.StoredError, match="version 1"):
            stored.unseal(version + ENTRIES[0][1:])


# -- what lies in the store


async def test_who_is_there_by_version_1_is_read(store: Store) -> None:
    now = str(store.clock.now())
    fields = [text.replace("MS", now) for pair in KEPT["here"].items() for text in pair]
    await store.call("HSET", keys.here(ROOM), *fields)
    [here] = await presence.Presence(store, "another").renew([presence.Held(ROOM, {})])
    assert here.online == {SeatNumber(0)}
    assert here.watching == 3
    assert await presence.Presence(store, "another").arrive(ROOM, SeatNumber(0)) == 8


async def test_version_1_reads_who_is_there(store: Store) -> None:
    here = presence.Presence(store, "k3tz9qwe")
    for seat in (0, 1):
        held = {SeatNumber(seat): await here.arrive(ROOM, SeatNumber(seat))}
    await here.depart(ROOM, SeatNumber(1), held[SeatNumber(1)])
    await here.renew([presence.Held(ROOM, {}, watching=3)])
    fields: list[bytes] = await store.call("HGETALL", keys.here(ROOM))
    written = dict(zip(fields[::2], fields[1::2], strict=True))
    assert {key.decode() for key in written} == set(KEPT["here"])
    for name, value in KEPT["here"].items():
        shape = re.sub(r"^\d+", r"\\d+", value).replace("MS", r"\d{13}")
        assert re.fullmatch(shape, written[name.encode()].decode())


async def test_outages_are_the_same_for_both(store: Store) -> None:
    [member], [start, end] = KEPT["outages"]["members"], KEPT["outages"]["gap"]
    now = store.clock.now()
    await store.call("ZADD", keys.OUTAGES, now, member)
    assert (await outages.beat(store)).gaps == (outages.Gap(Millis(start), Millis(end)),)
    await store.call("DEL", keys.OUTAGES)
    await store.call("SET", keys.ALIVE, now - 10_000)
    [gap] = (await outages.beat(store)).gaps
    assert await store.call("ZRANGE", keys.OUTAGES, 0, -1) == [f"{gap.start}-{gap.end}".encode()]


def test_tokens_are_the_same_for_both() -> None:
    kept = KEPT["token"]
    identity = Identity(bytes.fromhex(kept["secret"]))
    person = Person(PlayerId(kept["id"]), kept["name"])
    assert identity.read(kept["text"], Millis(kept["signed"] + 1_000)) == person
    assert identity.sign(person, kept["signed"]) == kept["text"]


# -- one node after another


async def replace(deployment: Deployment, number: int, version: str) -> None:
    """Replace a node by one of a version: a function in launch.py, or "" for this one."""
    node = deployment.nodes[number]
    node.terminate()
    assert await asyncio.to_thread(node.wait) == 0
    node.program = (sys.executable, str(LAUNCH), version) if version else type(node).program
    await deployment.replace(number)
    await asyncio.sleep(LEFT_ALONE_S)


def errors(load: Load) -> int:
    """Count the errors that players were told."""
    return load.answers("unavailable") + len(load.record.faults)


async def seconds_behind(load: Load, redis_url: str) -> float:
    """Return for how long, at most, somebody was behind once nobody moved any more."""
    load.resting = True
    began = time.monotonic()
    with closing(redis.Redis.from_url(redis_url)) as client, contextlib.suppress(TimeoutError):
        await until(lambda: not load.stragglers(client), 1.25 * BEHIND_S, LOOK_S)
    return time.monotonic() - began


async def gather_at(load: Load, url: str) -> None:
    """Let one of each room's players, and its watcher, go to a node, and play on."""
    for party in load.parties:
        for person in party.persons[1:]:
            person.go_to(url)
    await until(lambda: len(load.on(url)) >= 2 * len(load.parties), 20)
    await asyncio.sleep(PLAYED_ON_S)


@pytest.mark.slow
async def test_nodes_are_replaced_and_nobody_notices(tmp_path: Path, promise: Promise) -> None:
    """From the first replacement on nodes of two versions run beside each other."""
    with Deployment(tmp_path, drain_s=amount(0.5, 4)) as deployment:
        async with playing(deployment.addresses, rooms=amount(30, 100), rate=RATE) as load:
            told = [0]
            for number, version in enumerate(("of_another_version", "of_another_version", "")):
                await replace(deployment, number, version)
                told.append(errors(load) - sum(told))
            moved, unanswered = len(load.record.interruptions), len(load.record.unanswered)
            await gather_at(load, deployment.nodes[2].url)
            behind = await seconds_behind(load, deployment.redis.url)
            flaws = await load.settle(deployment.redis.url)
    promise.at_least("clients that had to go elsewhere", moved, len(load.persons))
    promise.equals("acknowledged moves lost", count(flaws, "I1"), 0)
    promise.equals("other flaws", count(flaws, *INVARIANTS) - count(flaws, "I1"), 0)
    promise.equals("moves made, but not answered", unanswered, 0)
    # A machine that is too busy makes the store seem away for a moment; a node that goes, each time.
    promise.equals("errors told to players with each node that goes", min(told[1:]), 0)
    promise.at_most("behind nodes of another version", behind, BEHIND_S, "s")


@pytest.mark.slow
@pytest.mark.full
@pytest.mark.twin("P4")
async def test_a_node_that_drops_what_it_cannot_read_stays_behind(tmp_path: Path, promise: Promise) -> None:
    with Deployment(tmp_path, nodes=2, without="never_in_doubt", drain_s=0) as deployment:
        async with playing(deployment.addresses, rooms=10, rate=100) as load:
            await replace(deployment, 0, "of_another_version")
            await gather_at(load, deployment.nodes[0].url)
            behind = await seconds_behind(load, deployment.redis.url)
    promise.at_most("behind nodes of another version", behind, BEHIND_S, "s")
