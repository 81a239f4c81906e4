"""Three primaries with a replica each, a cluster of Debian's Redis: routing, resharding, failover."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from tests.store.entries import head_after
from tests.store.fleet import Cluster, Redis, offset, role, running, until_so
from tests.store.listening import REAL, listening
from tests.store.test_hygiene import do_everything
from tests.store.test_sentinel import hear_all
from tests.store.waiting import until
from tests.store.writers import writing

from tenmatch.game.ids import RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Address, Store
from tenmatch.store.durability import Durability
from tenmatch.store.log import START, compare, read
from tenmatch.store.presence import Held, Presence

pytestmark = pytest.mark.slow

ROOMS = [RoomId(f"room{number:06}") for number in range(60)]  # enough to lie on all shards


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with running(Cluster(tmp_path, "--cluster-replica-validity-factor", "0")) as cluster:
        await cluster.take_for_dead(after_ms=60_000)  # nobody who only stands still
        yield cluster


@pytest.fixture
async def store(cluster: Cluster) -> AsyncIterator[Store]:
    store = Store(Address(cluster.url))
    await store.set_clock()
    yield store
    store.close()


async def test_everything_works_on_three_shards(cluster: Cluster, store: Store) -> None:
    assert len(store.shards) == 3
    assert len({store.shard_of(keys.log(room)) for room in ROOMS}) == 3
    await do_everything(store)
    presence = Presence(store, "node-1")
    here = await presence.renew([Held(room, {}, watching=number) for number, room in enumerate(ROOMS)])
    assert [said.watching for said in here] == list(range(len(ROOMS)))
    async with writing(cluster.url, Durability.REPLICATED, rooms=len(ROOMS)) as writers:
        await writers.go_on(5)
    stored = [(await read(store, room)).entries for room in ROOMS]
    assert await compare(store, list(zip(ROOMS, map(head_after, stored), strict=True))) == [None] * len(ROOMS)
    behind = await compare(store, [(room, START) for room in ROOMS])
    assert [each.missed for each in behind if each is not None] == stored


async def test_what_is_published_on_any_shard_is_heard(cluster: Cluster, store: Store) -> None:
    async with listening(store) as (feed, ear):
        await until(lambda: feed.healthy)
        assert (feed.connections, feed.notes_dropped) == (3, 0)
        for room in ROOMS:
            await feed.join(room)
            feed.publish(room, 9, room.encode())
        heard = {await ear.next() for _ in ROOMS}
        assert heard == {("note", room, 9, room.encode()) for room in ROOMS}


async def test_a_primary_is_killed_under_appends(cluster: Cluster, store: Store) -> None:
    """The other shards do not wait for the one that fails over; appends, calls and the feed follow."""
    await cluster.take_for_dead(after_ms=1000)
    async with (
        writing(cluster.url, Durability.FAST, rooms=len(ROOMS)) as writers,
        listening(store, "node-2", REAL) as (feed, ear),
    ):
        for room in writers.logs:
            await feed.join(room)
        primary, _, _, replica, *_ = cluster.members
        [shard] = [one for one in store.shards if one.server and one.server.where[1] == primary.port]
        there = [room for room in writers.logs if store.shard_of(keys.log(room)) is shard]
        written = {room: log.copy() for room, log in writers.logs.items()}
        await until_so(partial(has, replica, await offset(primary)), True)
        replica.freeze()  # so that it takes over when we want it to
        primary.kill()
        before = {room: len(writers.logs[room]) for room in there}
        await writers.go_on(rooms=writers.logs.keys() - there)
        assert all(len(writers.logs[room]) <= before[room] + 1 for room in there), "what was under way"
        replica.thaw()
        await writers.go_on()
        for room, log in written.items():  # `fast` may cost what the replica had not got yet, and no more
            assert writers.logs[room][: len(log)] == log
        await hear_all(ear, writers)
        await until(lambda: feed.healthy)
        await until_so(partial(cluster.does_without, primary), True)
        await do_everything(store)


async def has(replica: Redis, wanted: int) -> bool:
    """Tell whether a replica has what its primary had written up to there."""
    return await offset(replica) >= wanted


async def test_what_a_replica_confirmed_outlives_the_primary(cluster: Cluster) -> None:
    """With one replica a shard takes no appends after that, until it has one again."""
    await cluster.take_for_dead(after_ms=1000)
    async with writing(cluster.url, Durability.REPLICATED, rooms=len(ROOMS)) as writers:
        cluster.members[0].kill()
        await until_so(partial(role, cluster.members[3]), b"master")
        cluster.members[0].start()
        await writers.go_on()
        assert writers.lost == 0


async def test_slots_move_under_appends(cluster: Cluster, store: Store) -> None:
    async with (
        writing(cluster.url, Durability.FAST, rooms=len(ROOMS)) as writers,
        listening(store, "node-2", REAL) as (feed, ear),
    ):
        for room in writers.logs:
            await feed.join(room)
        before = {room: str(store.shard_of(keys.log(room))) for room in ROOMS}
        await cluster.reshard(1500)
        await writers.go_on()
        assert writers.lost == 0
        await hear_all(ear, writers)
        await until(lambda: feed.healthy)
        await until_so(cluster.serving, {member.port for member in cluster.members[:3]})
        after = {room: str(store.shard_of(keys.log(room))) for room in ROOMS}
        assert after != before
        await do_everything(store)
