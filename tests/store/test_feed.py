"""The feed: what is heard, in which order, and how it comes back when server or network fail silently."""

import asyncio
import errno
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial

import pytest
from tests.servers import Server
from tests.store.entries import OTHER_ROOM, ROOM, entry, head_after
from tests.store.fleet import ask as asked
from tests.store.fleet import until_so
from tests.store.listening import PATIENT, QUICK, REAL, Ear, listening
from tests.store.proxy import Proxy
from tests.store.waiting import until

from tenmatch.game.ids import RoomId, Seq
from tenmatch.store import keys
from tenmatch.store import subscriber as subscriber_module
from tenmatch.store.connect import Address, Store, StoreDown
from tenmatch.store.feed import Feed
from tenmatch.store.link import TIMEOUT, Link, Reply
from tenmatch.store.log import APPEND, START, Appended, Head, append_call, outcome_of
from tenmatch.store.subscriber import Subscriber


async def append(
    store: Store, *chains: int, head: Head = START, heard: bool = False, room: RoomId = ROOM
) -> None:
    entries = [entry(chain) for chain in chains]
    call = append_call(room, head, entries, at=None, by_player=False, ttl=60, heard=heard)
    [reply] = await store.run_all(APPEND, [call])
    assert isinstance(outcome_of(reply), Appended)


@pytest.fixture
async def own_store(own_server: Server) -> AsyncIterator[Store]:
    store = Store(Address(own_server.url), timeout=0.3)
    yield store
    store.close()


async def channels(server: Server, pattern: str) -> Reply:
    """Return the channels that anybody listens to."""
    return await asked(server.url, "PUBSUB", "SHARDCHANNELS", pattern)


async def is_joined(feed: Feed, room: RoomId) -> bool:
    """Join a room, and tell whether that was in time."""
    try:
        await feed.join(room)
    except StoreDown:
        return False
    return True


# What is heard


async def test_entries_are_heard_as_they_were_appended(store: Store) -> None:
    async with listening(store) as (feed, ear):
        await feed.join(ROOM)
        await append(store, 1, 2)
        await append(store, 3, head=Head(Seq(2), 2))
        assert await ear.next() == ("entries", ROOM, 1, (entry(1), entry(2)))
        assert await ear.next() == ("entries", ROOM, 3, (entry(3),))


async def test_whatever_is_appended_after_join_returned_is_heard(store: Store) -> None:
    async with listening(store) as (feed, ear):
        for number in range(100):
            room = RoomId(f"room{number:06}")
            await feed.join(room)
            await append(store, 1, room=room)
            assert await ear.next() == ("entries", room, 1, (entry(1),))


async def test_many_messages_come_in_order(store: Store) -> None:
    async with listening(store) as (feed, ear):
        await feed.join(ROOM)
        log = [entry(number) for number in range(1, 1001)]
        calls = [
            append_call(
                ROOM, head_after(log[:number]), [log[number]], at=None, by_player=False, ttl=60, heard=False
            )
            for number in range(1000)
        ]
        await store.run_all(APPEND, calls)
        heard = [await ear.next() for _ in log]
        assert heard == [("entries", ROOM, number + 1, (log[number],)) for number in range(1000)]


async def test_an_append_that_only_its_writer_would_hear_is_not_published(store: Store) -> None:
    async with listening(store) as (feed, ear):
        await feed.join(ROOM)
        await append(store, 1, heard=True)
        await append(store, 2, head=Head(Seq(1), 1))
        assert await ear.next() == ("entries", ROOM, 2, (entry(2),))


async def test_an_append_is_published_when_others_listen_too(store: Store) -> None:
    async with listening(store) as (feed, ear), listening(store, "node-2") as (other, other_ear):
        await feed.join(ROOM)
        await other.join(ROOM)
        await append(store, 1, heard=True)
        assert await ear.next() == await other_ear.next() == ("entries", ROOM, 1, (entry(1),))


async def test_notes_reach_all_nodes(store: Store) -> None:
    async with listening(store) as (feed, ear), listening(store, "node-2") as (other, other_ear):
        await feed.join(ROOM)
        await other.join(ROOM)
        taken: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        feed.publish(ROOM, 9, b"hello", taken.set_result)
        assert await ear.next() == await other_ear.next() == ("note", ROOM, 9, b"hello")
        assert await taken


async def test_a_room_that_was_left_is_silent_and_others_are_not(shared_server: Server, store: Store) -> None:
    async with listening(store) as (feed, ear):
        await feed.join(ROOM)
        await feed.join(OTHER_ROOM)
        feed.leave(ROOM)
        feed.publish(ROOM, 9, b"unheard")
        feed.publish(OTHER_ROOM, 9, b"heard")
        assert await ear.next() == ("note", OTHER_ROOM, 9, b"heard")
        assert not feed.hears(ROOM)
        await until_so(partial(channels, shared_server, "tm:{a*"), [])


@pytest.mark.parametrize("turns", range(6))
async def test_leaving_and_joining_in_quick_succession_ends_in_hearing(store: Store, turns: int) -> None:
    """Acknowledgements of older requests must not be taken for the last one's."""
    async with listening(store) as (feed, ear):
        for number in range(20):
            await feed.join(ROOM)
            await append(store, 1, room=ROOM)
            assert await ear.next() == ("entries", ROOM, 1, (entry(1),))
            await store.call("DEL", keys.log(ROOM))
            feed.leave(ROOM)
            for _ in range(turns):
                await asyncio.sleep(0)
            joining = asyncio.create_task(feed.join(ROOM))
            for _ in range(number % 4):
                await asyncio.sleep(0)
            feed.leave(ROOM)
            await asyncio.wait([joining])
            assert isinstance(joining.exception(), StoreDown | None)


@pytest.mark.parametrize("turns", range(1, 6))
async def test_a_room_left_before_it_was_acknowledged_is_unsubscribed(
    shared_server: Server, store: Store, turns: int
) -> None:
    async with listening(store) as (feed, _ear):
        await until(lambda: feed.healthy)
        joining = asyncio.create_task(feed.join(ROOM))
        for _ in range(turns):
            await asyncio.sleep(0)
        feed.leave(ROOM)
        await asyncio.wait([joining])
        assert isinstance(joining.exception(), StoreDown | None)
        await feed.join(OTHER_ROOM)
        await until_so(partial(channels, shared_server, "tm:{a*"), [])
        assert not feed.hears(ROOM)


async def test_joins_at_once_share_one_connection(store: Store) -> None:
    async with listening(store) as (feed, _ear):
        await asyncio.gather(*(feed.join(RoomId(f"room{number % 40:06}")) for number in range(120)))
        assert feed.connections == 1
        clients: bytes = await store.call("CLIENT", "LIST", "TYPE", "pubsub")
        assert len(clients.splitlines()) == 1
        assert len(await store.call("PUBSUB", "SHARDCHANNELS", "tm:{room*")) == 40


async def test_more_rooms_than_go_in_one_write(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriber_module, "SUBSCRIBED_AT_ONCE", 10)
    async with listening(store) as (feed, _):
        await asyncio.gather(*(feed.join(RoomId(f"room{number:06}")) for number in range(35)))
        assert feed.connections == 1


async def test_a_message_of_a_newer_version_is_a_doubt(store: Store) -> None:
    async with listening(store) as (feed, ear):
        await feed.join(ROOM)
        await store.call("SPUBLISH", keys.feed(ROOM), b"\x02whatever")
        assert await ear.next() == ("doubt", ROOM)


async def test_what_goes_wrong_in_one_room_does_not_end_the_feed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: faults.append(context["exception"])
    )

    def fail(room: RoomId) -> None:
        raise ZeroDivisionError

    async with listening(store) as (feed, ear):
        monkeypatch.setattr(ear, "on_doubt", fail)
        await feed.join(ROOM)
        await store.call("SPUBLISH", keys.feed(ROOM), b"\x02whatever")
        feed.publish(ROOM, 9, b"still here")
        assert await ear.next() == ("note", ROOM, 9, b"still here")
    assert [type(fault) for fault in faults] == [ZeroDivisionError]


# Health


async def test_it_is_healthy_once_its_own_probe_came_back(store: Store) -> None:
    async with listening(store) as (feed, _):
        assert not feed.healthy
        await until(lambda: feed.healthy)
        await feed.join(ROOM)
        assert feed.healthy


async def test_it_asks_itself_as_soon_as_it_listens(store: Store) -> None:
    async with listening(store, patience=replace(PATIENT, probe=60.0)) as (feed, _):
        await until(lambda: feed.healthy)


async def test_joining_without_a_server_fails_and_is_forgotten(own_server: Server, own_store: Store) -> None:
    async with listening(own_store, patience=replace(PATIENT, acknowledgement=0.5)) as (feed, _):
        own_server.kill()
        with pytest.raises(StoreDown, match=ROOM):
            await feed.join(ROOM)
        own_server.start()
        await until(lambda: feed.healthy)
        assert not feed.hears(ROOM)
        assert await channels(own_server, "tm:{a*") == []
        await until_so(partial(is_joined, feed, ROOM), True)


async def test_notes_to_a_server_that_is_away_are_dropped_and_said_so(
    own_server: Server, own_store: Store
) -> None:
    async with listening(own_store) as (feed, _):
        await feed.join(ROOM)
        own_server.kill()
        taken: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        feed.publish(ROOM, 9, b"lost", taken.set_result)
        assert not await taken
        assert feed.notes_dropped >= 1


async def test_notes_that_wait_are_bounded(store: Store) -> None:
    feed = Feed(store, "node-1", Ear())  # nothing is sent: it does not run
    told: list[bool] = []
    for _ in range(1005):
        feed.publish(ROOM, 9, b"", told.append)
    await asyncio.sleep(0)
    assert told == [False] * 5


# What fails


async def test_a_connection_that_was_killed_is_made_again_and_every_room_is_in_doubt(store: Store) -> None:
    async with listening(store) as (feed, ear):
        await feed.join(ROOM)
        await feed.join(OTHER_ROOM)
        await store.call("CLIENT", "KILL", "TYPE", "pubsub")
        doubts = {await ear.next(), await ear.next()}
        assert doubts == {("doubt", ROOM), ("doubt", OTHER_ROOM)}
        assert feed.connections == 2
        await append(store, 1)
        assert await ear.next() == ("entries", ROOM, 1, (entry(1),))


async def test_it_survives_being_killed_again_and_again(store: Store) -> None:
    async with listening(store) as (feed, ear):
        await feed.join(ROOM)
        for _ in range(10):
            await store.call("CLIENT", "KILL", "TYPE", "pubsub")
            assert await ear.next() == ("doubt", ROOM)
        await until(lambda: feed.healthy)


async def test_a_restarted_server_is_subscribed_to_again(own_server: Server, own_store: Store) -> None:
    async with listening(own_store) as (feed, ear):
        await feed.join(ROOM)
        own_server.kill()
        await until(lambda: not feed.hears(ROOM))
        own_server.start()
        assert await ear.next() == ("doubt", ROOM)
        await until(lambda: feed.healthy)


async def test_a_frozen_server_is_given_up(own_server: Server, own_store: Store) -> None:
    async with listening(own_store, patience=QUICK) as (feed, ear):
        await feed.join(ROOM)
        await until(lambda: feed.healthy)
        own_server.freeze()
        await until(lambda: not feed.hears(ROOM))
        await until(lambda: not feed.healthy)
        own_server.thaw()
        assert await ear.next() == ("doubt", ROOM)
        await until(lambda: feed.healthy)


async def test_a_way_that_swallows_everything_is_given_up(shared_server: Server, store: Store) -> None:
    """The connections stay open and no byte passes, as behind a firewall that has forgotten them."""
    async with Proxy(shared_server.socket) as proxy:
        far = Store(Address(proxy.url), timeout=0.3)
        async with listening(far, patience=QUICK) as (feed, ear):
            await feed.join(ROOM)
            proxy.freeze()
            await append(store, 1)
            await until(lambda: not feed.hears(ROOM))
            proxy.cut()
            proxy.thaw()
            assert await ear.next() == ("doubt", ROOM)
        far.close()


async def test_a_server_that_answers_but_delivers_nothing_is_found_out(
    shared_server: Server, store: Store
) -> None:
    async with Proxy(shared_server.socket) as proxy:
        far = Store(Address(proxy.url))
        async with listening(far, patience=QUICK) as (feed, _ear):
            await feed.join(ROOM)
            await until(lambda: feed.healthy)
            message = rb"\*3\r\n\$8\r\nsmessage\r\n\$\d+\r\n[^\r]*\r\n\$\d+\r\n[^\r]*\r\n"
            proxy.answered = lambda answer: re.sub(message, b"", answer)
            await until(lambda: not feed.healthy)
            connections = feed.connections
            await until(lambda: feed.connections > connections)
            proxy.answered = lambda answer: answer
            await until(lambda: feed.healthy)
        far.close()


async def test_a_subscription_that_is_not_acknowledged_is_found_out(
    shared_server: Server, store: Store
) -> None:
    acknowledgement = (
        rb"\*3\r\n\$10\r\nssubscribe\r\n\$\d+\r\n" + re.escape(keys.feed(ROOM).encode()) + rb"\r\n:\d+\r\n"
    )
    async with Proxy(shared_server.socket) as proxy:
        far = Store(Address(proxy.url))
        async with listening(far, patience=replace(QUICK, acknowledgement=0.5)) as (feed, ear):
            await until_so(partial(is_joined, feed, ROOM), True)
            proxy.answered = lambda answer: re.sub(acknowledgement, b"", answer)
            connections = feed.connections
            proxy.cut()
            await until(lambda: feed.connections > connections)
            await until(lambda: not feed.healthy)
            connections = feed.connections
            await until(lambda: feed.connections > connections)
            proxy.answered = lambda answer: answer
            assert await ear.next() == ("doubt", ROOM)
            await until(lambda: feed.healthy)
        far.close()


async def test_a_connection_that_times_out_in_the_kernel_does_not_freeze_the_loop(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver can take ETIMEDOUT for a time-out of its own: then it returns at once, for ever."""
    held: list[Link] = []
    hold = Subscriber._hold

    async def remember(subscriber: Subscriber, link: Link) -> None:
        held.append(link)
        await hold(subscriber, link)

    monkeypatch.setattr(Subscriber, "_hold", remember)
    async with listening(store) as (feed, ear):
        await feed.join(ROOM)
        assert held[0]._streams is not None
        reader, _ = held[0]._streams
        reader.set_exception(OSError(errno.ETIMEDOUT, "Connection timed out"))
        assert await ear.next() == ("doubt", ROOM)
        assert len(held) == 2


async def test_the_driver_does_freeze_the_loop_when_asked_that_way(store: Store) -> None:
    """Why the driver may connect, and no more: here it comes back a thousand times, and nobody else runs."""
    server = await store.shards[0].locate()
    connection = server.connection()
    await connection.connect()  # type: ignore[no-untyped-call]  # the driver tells no type
    assert connection._reader is not None
    connection._reader.set_exception(OSError(errno.ETIMEDOUT, "Connection timed out"))
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(others())
    for _ in range(1000):
        assert await connection.read_response(timeout=1) is None
    assert turns == 0
    task.cancel()
    await connection.disconnect(nowait=True)


@pytest.mark.slow
async def test_with_its_real_patience_a_silent_stop_is_noticed_in_time(own_server: Server) -> None:
    store = Store(Address(own_server.url), timeout=TIMEOUT)
    async with listening(store, patience=REAL) as (feed, ear):
        await feed.join(ROOM)
        await until(lambda: feed.healthy)
        own_server.freeze()
        begun = asyncio.get_running_loop().time()
        await until(lambda: not feed.hears(ROOM))
        assert feed._at(store.shards[0])._heard_at <= asyncio.get_running_loop().time() - REAL.dead
        assert asyncio.get_running_loop().time() - begun < 5  # in real time, as this is what it is about
        await until(lambda: not feed.healthy)
        own_server.thaw()
        assert await ear.next() == ("doubt", ROOM)
        await until(lambda: feed.healthy)
    store.close()
