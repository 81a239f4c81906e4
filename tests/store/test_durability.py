"""What is told only when a replica, or the disk, has it; and what happens while none has."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from tests.servers import Kind
from tests.store.entries import OTHER_ROOM, ROOM, entry
from tests.store.fleet import Redis, replicas_of, until_so
from tests.store.patience import PATIENCE_S
from tests.store.proxy import Proxy
from tests.store.waiting import until

from tenmatch.game.ids import RoomId, Seq
from tenmatch.store import keys
from tenmatch.store.committer import Committer
from tenmatch.store.connect import Address, Store
from tenmatch.store.durability import Durability, confirm, is_confirmed
from tenmatch.store.link import Link
from tenmatch.store.log import APPEND, START, Appended, Behind, Head, Outcome, append_call, read

pytestmark = pytest.mark.slow

FIRST = Head(Seq(1), 1)


@pytest.fixture
async def pair(kind: Kind, tmp_path: Path) -> AsyncIterator[tuple[Redis, Redis]]:
    """A primary and a replica that has caught up."""
    with Redis(tmp_path, kind=kind) as primary:
        with Redis(tmp_path, "--replicaof", f"127.0.0.1 {primary.port}", kind=kind) as replica:
            await until_so(partial(replicas_of, primary), 1)
            yield primary, replica


@pytest.fixture
def alone(kind: Kind, tmp_path: Path) -> Iterator[Redis]:
    with Redis(tmp_path, kind=kind) as server:
        yield server


class Node:
    """A store, and a committer that gives up on a confirmation after 0.1 s."""

    def __init__(self, url: str, durability: Durability) -> None:
        self.store = Store(Address(url))
        self.hasty = Store(Address(url), timeout=0.2)
        self.committer = Committer(self.hasty, durability=durability)

    def ask(
        self, entries: Sequence[bytes], head: Head = START, room: RoomId = ROOM
    ) -> "asyncio.Future[Outcome]":
        """Append, and return a future that fails when it is told twice."""
        outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self.committer.append(
            room, head, entries, at=None, by_player=False, ttl=60, outcome=outcome.set_result
        )
        return outcome

    async def stored(self, room: RoomId = ROOM) -> list[bytes]:
        return list((await read(self.store, room)).entries)


@asynccontextmanager
async def node(url: str, durability: Durability = Durability.REPLICATED) -> AsyncIterator[Node]:
    node = Node(url, durability)
    running = asyncio.create_task(node.committer.run())
    try:
        yield node
        assert not running.done()
    finally:
        running.cancel()
        await asyncio.wait([running])
        node.store.close()
        node.hasty.close()


# Replicated


async def test_what_is_told_is_on_the_replica(pair: tuple[Redis, Redis]) -> None:
    primary, replica = pair
    async with node(primary.url) as here:
        there = Store(Address(replica.url))
        for number in range(1, 100):
            head = Head(Seq(number - 1), number - 1)
            assert isinstance(await here.ask([entry(number)], head), Appended)
            assert len((await read(there, ROOM)).entries) == number
        there.close()


async def test_while_no_replica_has_it_nothing_is_told_and_nothing_new_is_made(
    pair: tuple[Redis, Redis],
) -> None:
    primary, replica = pair
    async with node(primary.url) as here:
        await here.ask([entry(1)])
        replica.freeze()
        held = here.ask([entry(2)], FIRST)
        await until(lambda: here.committer.down)
        new = here.ask([entry(1)], room=OTHER_ROOM)
        tries = here.committer.pipelines
        await until(lambda: here.committer.pipelines > tries + 2)
        assert not held.done()
        assert not new.done()
        await until_so(here.stored, [entry(1), entry(2)])  # others may see it, and so may a failover
        assert await here.stored(OTHER_ROOM) == []
        replica.thaw()
        assert isinstance(await held, Appended)
        assert isinstance(await new, Appended)
        assert not here.committer.down
        assert await here.stored() == [entry(1), entry(2)]


async def test_a_fast_one_tells_all_the_same(pair: tuple[Redis, Redis]) -> None:
    """The twin of the test above."""
    primary, replica = pair
    async with node(primary.url, Durability.FAST) as here:
        replica.freeze()
        assert isinstance(await here.ask([entry(1)]), Appended)


@pytest.mark.parametrize(
    ("entries", "head", "told"),
    [
        ([], FIRST, Appended),  # a refusal, which rests on the log as it is
        ([], START, Behind),
        ([entry(1)], START, Appended),  # the same again: it had been made
        ([entry(2)], START, Behind),
        ([], Head(Seq(9), 9), Behind),
    ],
    ids=["at the end", "behind", "again", "too late", "beyond"],
)
async def test_what_rests_on_others_events_waits_for_those(
    pair: tuple[Redis, Redis], entries: list[bytes], head: Head, told: type[Outcome]
) -> None:
    primary, replica = pair
    async with node(primary.url, Durability.FAST) as there, node(primary.url) as here:
        await here.ask([], room=OTHER_ROOM)
        replica.freeze()
        await there.ask([entry(1)])
        tries = here.committer.pipelines
        answer = here.ask(entries, head)
        await until(lambda: here.committer.pipelines > tries + 3)
        assert not answer.done()
        replica.thaw()
        assert isinstance(await answer, told)
        assert await here.stored() == [entry(1)]


async def test_without_a_write_of_its_own_a_connection_waits_for_nothing(pair: tuple[Redis, Redis]) -> None:
    """Why an append that adds nothing writes what is there: Valkey's WAIT covers one's own writes only."""
    primary, replica = pair
    link = Link(Address(primary.url).servers[0], PATIENCE_S)
    replica.freeze()
    async with node(primary.url, Durability.FAST) as there:
        await there.ask([entry(1)])
    said = {}
    for firm in (False, True):
        refusal = append_call(ROOM, FIRST, [], at=None, by_player=False, ttl=60, heard=False, firm=firm)
        commands = [refusal, *confirm(Durability.REPLICATED, 0.1)]
        [[_, even], *said[firm]] = await link.exchange(commands, greeting=[APPEND.load])
        assert even == 0
    link.abort()
    assert not is_confirmed(said[True])
    assert is_confirmed(said[False]) == (primary.kind == "valkey")


async def test_a_refusal_leaves_the_expiry_as_it_is(pair: tuple[Redis, Redis]) -> None:
    async with node(pair[0].url) as here:
        await here.ask([entry(1)])
        before = await here.store.call("PEXPIRETIME", keys.log(ROOM))
        await here.ask([], FIRST)
        assert await here.store.call("PEXPIRETIME", keys.log(ROOM)) == before


async def test_a_confirmation_that_was_cut_off_is_asked_for_again(pair: tuple[Redis, Redis]) -> None:
    """On a new connection nothing would be waited for: everything is sent again with it."""
    primary, replica = pair
    async with Proxy(primary.socket) as proxy, node(proxy.url) as here:
        await here.ask([entry(1)])
        replica.freeze()
        tries = here.committer.pipelines
        held = here.ask([entry(2)], FIRST)
        for number in range(5):
            await until(partial(more_pipelines, here.committer, tries + number))
            proxy.cut()
            assert not held.done()
        replica.thaw()
        assert isinstance(await held, Appended)
        assert await here.stored() == [entry(1), entry(2)]


def more_pipelines(committer: Committer, than: int) -> bool:
    return committer.pipelines > than


async def test_without_replicas_nothing_is_ever_told(alone: Redis) -> None:
    async with node(alone.url) as here:
        held = here.ask([entry(1)])
        await until(lambda: here.committer.pipelines > 5)
        assert here.committer.down
        assert not held.done()


# Fsync


async def test_what_is_told_is_on_the_disk(kind: Kind, tmp_path: Path) -> None:
    with Redis(tmp_path, "--appendfsync", "always", kind=kind) as server:
        async with node(server.url, Durability.FSYNC) as here:
            outcome = here.ask([entry(1)])
            if kind == "valkey":
                assert isinstance(await outcome, Appended)
            else:  # Debian's has no WAITAOF
                await until(lambda: here.committer.pipelines > 5)
                assert here.committer.down
                assert not outcome.done()


@pytest.mark.parametrize("kind", ["valkey"], indirect=True)
async def test_while_the_disk_has_it_not_nothing_is_told(alone: Redis) -> None:
    async with node(alone.url, Durability.FSYNC) as here:
        await here.store.call("CONFIG", "SET", "appendfsync", "no")
        held = here.ask([entry(1)])
        await until(lambda: here.committer.pipelines > 4)
        assert not held.done()
        await here.store.call("CONFIG", "SET", "appendfsync", "always")
        assert isinstance(await held, Appended)
        assert await here.stored() == [entry(1)]


@pytest.mark.parametrize(
    ("said", "confirmed"),
    [
        ([], True),
        ([0], False),
        ([1], True),
        ([2], True),
        ([[0, 0]], False),
        ([[1, 0]], True),
        ([None], False),
    ],
)
def test_confirmations(said: list[object], confirmed: bool) -> None:
    assert is_confirmed(said) is confirmed
