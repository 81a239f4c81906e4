"""Appends by way of the committer: group commit, races, and outcomes that were open."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial

import pytest
from tests.servers import Server
from tests.store.entries import OTHER_ROOM, ROOM, entry, head_after
from tests.store.fleet import until_so
from tests.store.proxy import Proxy
from tests.store.waiting import until

from tenmatch.game.ids import Millis, RoomId, Seq
from tenmatch.store import keys
from tenmatch.store.committer import Committer, TooMuchWaits
from tenmatch.store.connect import Address, Store
from tenmatch.store.lane import PIPELINE
from tenmatch.store.log import START, Appended, Behind, Head, Outcome, Untimely, read


@asynccontextmanager
async def running(store: Store, most: int = 20_000) -> AsyncIterator[Committer]:
    committer = Committer(store, most=most)
    task = asyncio.create_task(committer.run())
    yield committer
    task.cancel()
    await asyncio.wait([task])


@asynccontextmanager
async def hasty(url: str) -> AsyncIterator[tuple[Store, Committer]]:
    """A committer that gives up on a pipeline after 0.2 s, and a store that does not."""
    with closing(Store(Address(url))) as store, closing(Store(Address(url), timeout=0.2)) as quick:
        async with running(quick) as committer:
            yield store, committer


@pytest.fixture
async def committer(store: Store) -> AsyncIterator[Committer]:
    async with running(store) as committer:
        yield committer


def ask(
    committer: Committer,
    entries: Sequence[bytes],
    *,
    room: RoomId = ROOM,
    head: Head = START,
    at: Millis | None = None,
    by_player: bool = False,
) -> "asyncio.Future[Outcome]":
    """Append, and return a future that fails when it is told twice."""
    outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
    committer.append(room, head, entries, at=at, by_player=by_player, ttl=60, outcome=outcome.set_result)
    return outcome


async def stored(store: Store, room: RoomId = ROOM) -> list[bytes]:
    return list((await read(store, room)).entries)


async def until_stored(store: Store) -> None:
    await until_so(partial(stored, store), [entry(1)])


async def test_an_append_is_told_and_stored(store: Store, committer: Committer) -> None:
    assert isinstance(await ask(committer, [entry(1), entry(2)]), Appended)
    assert await stored(store) == [entry(1), entry(2)]
    assert committer.open == 0
    await committer.settled()


async def test_one_that_lost_hears_what_it_missed(committer: Committer) -> None:
    await ask(committer, [entry(1)])
    outcome = await ask(committer, [entry(2)])
    assert isinstance(outcome, Behind)
    assert (outcome.end, outcome.missed, outcome.forked) == (Head(Seq(1), 1), (entry(1),), False)


async def test_nothing_appended_compares(committer: Committer) -> None:
    await ask(committer, [entry(1)])
    assert isinstance(await ask(committer, [], head=Head(Seq(1), 1)), Appended)
    assert isinstance(await ask(committer, []), Behind)


async def test_an_untimely_one_is_told(store: Store, committer: Committer) -> None:
    assert isinstance(await ask(committer, [entry(1)], at=Millis(1), by_player=True), Untimely)


async def test_its_answers_keep_the_clock(store: Store, committer: Committer) -> None:
    assert not store.clock.known
    outcome = await ask(committer, [entry(1)])
    assert 0 <= store.clock.now() - outcome.time + store.clock.error + 1 < 60_000


async def calls_of(store: Store, command: str) -> int:
    """Return how often the server has run *command*."""
    stats: bytes = await store.call("INFO", "commandstats")
    for line in stats.decode().splitlines():
        if line.startswith(f"cmdstat_{command}:"):
            return int(line.partition("calls=")[2].partition(",")[0])
    return 0


async def test_appends_of_one_turn_share_a_pipeline(store: Store, committer: Committer) -> None:
    await ask(committer, [], room=RoomId("first"))
    before = await calls_of(store, "evalsha")
    outcomes = [ask(committer, [entry(1)], room=RoomId(f"room{number:06}")) for number in range(100)]
    assert all(isinstance(outcome, Appended) for outcome in await asyncio.gather(*outcomes))
    assert committer.pipelines == 2
    assert await calls_of(store, "evalsha") - before == 100


async def test_what_gathers_while_a_pipeline_is_under_way_shares_the_next(own_server: Server) -> None:
    store = Store(Address(own_server.url))
    async with running(store) as committer:
        await ask(committer, [], room=RoomId("first"))
        own_server.freeze()
        outcomes = [ask(committer, [entry(1)])]
        for number in range(50):
            await asyncio.sleep(0)
            outcomes.append(ask(committer, [entry(1)], room=RoomId(f"room{number:06}")))
        own_server.thaw()
        await asyncio.gather(*outcomes)
        assert committer.pipelines == 3


async def test_a_pipeline_is_bounded(committer: Committer) -> None:
    outcomes = [ask(committer, [entry(1)], room=RoomId(f"room{number:06}")) for number in range(PIPELINE + 1)]
    await asyncio.gather(*outcomes)
    assert committer.pipelines == 2


async def test_what_may_wait_is_bounded(store: Store) -> None:
    async with running(store, most=2) as committer:
        outcomes = [ask(committer, [entry(1)]), ask(committer, [entry(1)], room=OTHER_ROOM)]
        with pytest.raises(TooMuchWaits):
            ask(committer, [entry(1)])
        await asyncio.gather(*outcomes)
        assert isinstance(await ask(committer, [entry(9)]), Behind)


async def test_what_goes_wrong_in_one_room_does_not_touch_the_others(committer: Committer) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: faults.append(context["exception"])
    )

    def fail(outcome: Outcome) -> None:
        raise ZeroDivisionError

    committer.append(ROOM, START, [entry(1)], at=None, by_player=False, ttl=60, outcome=fail)
    assert isinstance(await ask(committer, [entry(1)], room=OTHER_ROOM), Appended)
    assert [type(fault) for fault in faults] == [ZeroDivisionError]


async def test_two_writers_race_and_none_of_their_entries_is_lost(store: Store) -> None:
    """Each writer appends on what it knows, learns what it missed, and tries again."""

    async def write(committer: Committer, name: int) -> list[bytes]:
        held: list[bytes] = []
        for number in range(100):
            mine = entry(name * 1000 + number)
            while True:
                outcome = await ask(committer, [mine], head=head_after(held))
                if isinstance(outcome, Appended):
                    held.append(mine)
                    break
                assert isinstance(outcome, Behind)
                held += outcome.missed
        return held

    async with running(store) as one, running(store) as two:
        logs = await asyncio.gather(write(one, 1), write(two, 2))
    log = await stored(store)
    assert len(log) == 200
    for name, held in zip((1, 2), logs, strict=True):
        assert held == log[: len(held)]
        own = [entry(name * 1000 + number) for number in range(100)]
        assert [mine for mine in log if mine in own] == own


async def test_a_flushed_script_is_loaded_again(store: Store, committer: Committer) -> None:
    await ask(committer, [entry(1)])
    await store.call("SCRIPT", "FLUSH")
    outcome = ask(committer, [entry(2)], head=Head(Seq(1), 1))
    await until(lambda: committer.retries == 1)
    assert not committer.down
    assert isinstance(await outcome, Appended)
    assert await stored(store) == [entry(1), entry(2)]


# Outcomes that were open


async def test_an_answer_lost_on_its_way_becomes_known(shared_server: Server, store: Store) -> None:
    """The append was carried out and its answer cut off: that is Appended, and it is there once."""
    async with (
        Proxy(shared_server.socket) as proxy,
        running(far := Store(Address(proxy.url))) as committer,
    ):
        await ask(committer, [], room=RoomId("first"))
        answers: list[bytes] = []

        def cut_once(answer: bytes) -> bytes | None:
            answers.append(answer)
            return None if len(answers) == 1 else answer

        proxy.answered = cut_once
        assert isinstance(await ask(committer, [entry(1), entry(2)]), Appended)
        assert committer.retries == 1
    far.close()
    assert await stored(store) == [entry(1), entry(2)]


async def test_an_answer_swallowed_becomes_known(shared_server: Server, store: Store) -> None:
    async with Proxy(shared_server.socket) as proxy, hasty(proxy.url) as (_, committer):
        await ask(committer, [], room=RoomId("first"))
        proxy.answered = lambda answer: b""
        outcome = ask(committer, [entry(1)])
        await until_stored(store)
        await until(lambda: committer.down)
        assert not outcome.done()
        proxy.answered = lambda answer: answer
        assert isinstance(await outcome, Appended)
        assert not committer.down
    assert await stored(store) == [entry(1)]


async def test_one_taken_while_others_went_on_is_recognised(shared_server: Server, store: Store) -> None:
    """Its answer was lost, and by the next try the log has grown beyond it."""
    async with (
        Proxy(shared_server.socket) as proxy,
        hasty(proxy.url) as (_, committer),
        running(store) as other,
    ):
        await ask(committer, [], room=RoomId("first"))
        proxy.answered = lambda answer: b""
        outcome = ask(committer, [entry(1)])
        await until_stored(store)
        await ask(other, [entry(2)], head=Head(Seq(1), 1))
        proxy.answered = lambda answer: answer
        assert isinstance(await outcome, Appended)
    assert await stored(store) == [entry(1), entry(2)]


async def test_one_that_lost_while_it_was_open_hears_so(shared_server: Server, store: Store) -> None:
    """It never reached the server, and another came first."""
    async with (
        Proxy(shared_server.socket) as proxy,
        hasty(proxy.url) as (_, committer),
        running(store) as other,
    ):
        await ask(committer, [], room=RoomId("first"))
        proxy.freeze()
        outcome = ask(committer, [entry(1)])
        await until(lambda: committer.down)
        proxy.cut()
        await ask(other, [entry(2)])
        proxy.thaw()
        told = await outcome
        assert isinstance(told, Behind)
        assert told.missed == (entry(2),)
    assert await stored(store) == [entry(2)]


async def test_the_same_written_by_another_node_counts(store: Store) -> None:
    """What is due by itself has the same bytes on every node: whoever wrote it, it is written."""
    async with running(store) as one, running(store) as two:
        assert [type(await ask(committer, [entry(1)])) for committer in (one, two)] == [Appended, Appended]
    assert await stored(store) == [entry(1)]


async def test_a_frozen_server_takes_each_append_once(own_server: Server) -> None:
    async with hasty(own_server.url) as (store, committer):
        await ask(committer, [], room=RoomId("first"))
        own_server.freeze()
        outcomes = [ask(committer, [entry(1)], room=RoomId(f"room{number}")) for number in range(10)]
        await until(lambda: committer.retries >= 20)
        assert committer.down
        assert committer.open == 10
        own_server.thaw()
        assert {type(outcome) for outcome in await asyncio.gather(*outcomes)} == {Appended}
        for number in range(10):
            assert await stored(store, RoomId(f"room{number}")) == [entry(1)]


async def test_a_server_that_restarts_has_what_was_told(own_server: Server) -> None:
    async with hasty(own_server.url) as (store, committer):
        assert isinstance(await ask(committer, [entry(1)]), Appended)
        own_server.kill()
        outcome = ask(committer, [entry(2)], head=Head(Seq(1), 1))
        await until(lambda: committer.down)
        own_server.start()
        assert isinstance(await outcome, Appended)
        assert await stored(store) == [entry(1), entry(2)]


@pytest.mark.parametrize(
    ("break_it", "mend_it"),
    [
        (("CONFIG", "SET", "maxmemory", "1"), ("CONFIG", "SET", "maxmemory", "0")),
        (("REPLICAOF", "127.0.0.1", "1"), ("REPLICAOF", "NO", "ONE")),
        (("CONFIG", "SET", "min-replicas-to-write", "1"), ("CONFIG", "SET", "min-replicas-to-write", "0")),
    ],
    ids=["out of memory", "a replica", "too few replicas"],
)
async def test_one_that_is_refused_is_tried_until_it_is_taken(
    own_server: Server, break_it: Sequence[str], mend_it: Sequence[str]
) -> None:
    async with hasty(own_server.url) as (store, committer):
        await store.call(*break_it)
        outcome = ask(committer, [entry(1)])
        await until(lambda: committer.retries >= 2)
        assert committer.down
        assert not outcome.done()
        await store.call(*mend_it)
        assert isinstance(await outcome, Appended)
        assert not committer.down
        assert await stored(store) == [entry(1)]


async def test_a_room_that_is_stuck_holds_up_no_other(store: Store, committer: Committer) -> None:
    await store.call("SET", keys.log(ROOM), "not a list")
    stuck = ask(committer, [entry(1)])
    await until(lambda: committer.retries > 1)
    assert not committer.down
    for number in range(20):
        assert isinstance(await ask(committer, [entry(1)], room=RoomId(f"room{number}")), Appended)
    assert not committer.down
    await store.call("DEL", keys.log(ROOM))
    assert isinstance(await stuck, Appended)


async def test_tries_grow_rare(store: Store, committer: Committer) -> None:
    await store.call("SET", keys.log(ROOM), "not a list")
    begun = asyncio.get_running_loop().time()
    stuck = ask(committer, [entry(1)])
    await until(lambda: committer.retries >= 4)
    assert asyncio.get_running_loop().time() - begun > 0.1
    await store.call("DEL", keys.log(ROOM))
    assert isinstance(await stuck, Appended)
