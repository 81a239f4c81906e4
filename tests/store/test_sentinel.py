"""A primary, two replicas and three sentinels, all Debian's Redis: what becomes of a failover."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from tests.store.fleet import Watched, role, running, until_so
from tests.store.listening import REAL, Ear, listening
from tests.store.waiting import until
from tests.store.writers import Writers, writing

from tenmatch.game.ids import RoomId
from tenmatch.store.connect import Address, Store, StoreDown
from tenmatch.store.durability import Durability

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _patience() -> None:
    """Be as patient as nodes are: what hangs is to be given up."""


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    async with running(Watched(tmp_path)) as watched:
        yield watched


@pytest.fixture
async def other(watched: Watched) -> AsyncIterator[Store]:
    """Another node's store."""
    store = Store(Address(watched.url))
    yield store
    store.close()


async def hear_all(ear: Ear, writers: Writers) -> None:
    """Return when in every room something was heard that is not written yet."""
    waited_for = {room: len(log) + 1 for room, log in writers.logs.items()}
    while waited_for:
        match await ear.next(within=60):
            case ("entries", str(name), int(seq), _):
                room = RoomId(name)
                if seq >= waited_for.get(room, seq + 1):
                    del waited_for[room]


async def is_set(store: Store) -> bool:
    """Tell whether a store takes a command."""
    try:
        return bool(await store.call("SET", "key", "value") == b"OK")
    except StoreDown:
        return False


async def test_the_primary_is_killed_under_appends(watched: Watched, other: Store) -> None:
    """Nothing acknowledged is lost, and appends, calls and the feed follow to the new primary."""
    async with (
        writing(watched.url, Durability.REPLICATED) as writers,
        listening(other, "node-2", REAL) as (feed, ear),
    ):
        for room in writers.logs:
            await feed.join(room)
        watched.primary.kill()
        await writers.go_on()
        await hear_all(ear, writers)
        assert writers.lost == 0
        await until_so(partial(is_set, other), True)
        await until(lambda: feed.healthy)
    assert [str(shard) for shard in other.shards] != [f"127.0.0.1:{watched.primary.port}"]


async def test_the_primary_hangs_and_comes_back_as_a_replica(watched: Watched, other: Store) -> None:
    async with (
        writing(watched.url, Durability.REPLICATED) as writers,
        listening(other, "node-2", REAL) as (feed, ear),
    ):
        for room in writers.logs:
            await feed.join(room)
        watched.primary.freeze()
        await writers.go_on()
        watched.primary.thaw()
        await until_so(partial(role, watched.primary), b"slave")
        await writers.go_on()
        await hear_all(ear, writers)
        assert writers.lost == 0
        await until(lambda: feed.healthy)


async def test_a_primary_that_is_shut_down_has_told_its_replicas_all(watched: Watched, other: Store) -> None:
    """How to move the primary on purpose; even what only the primary confirmed is not lost then."""
    async with (
        writing(watched.url, Durability.FAST) as writers,
        listening(other, "node-2", REAL) as (feed, ear),
    ):
        for room in writers.logs:
            await feed.join(room)
        await asyncio.to_thread(watched.primary.shut_down)
        await writers.go_on()
        await hear_all(ear, writers)
        assert writers.lost == 0
