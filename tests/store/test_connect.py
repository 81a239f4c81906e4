"""From a URL to answers, and what happens when none come."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing
from functools import partial

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from tests.servers import Server
from tests.store.fleet import until_so
from tests.store.proxy import Proxy

from tenmatch.store import pipelines
from tenmatch.store.connect import Address, ErrorReply, Store, StoreDown
from tenmatch.store.link import Link, Reply, Script, pack
from tenmatch.store.pipelines import WAITERS


@pytest.fixture
async def own_store(own_server: Server) -> AsyncIterator[Store]:
    """A store on a server of the test's own."""
    store = Store(Address(own_server.url), connections=4)
    yield store
    store.close()


async def test_commands_and_their_replies(store: Store) -> None:
    assert await store.call("SET", "key", b"\x00\xff") == b"OK"
    assert await store.pipeline([pack("GET", "key"), pack("STRLEN", "key"), pack("GET", "none")]) == [
        b"\x00\xff",
        2,
        None,
    ]


async def test_an_error_reply_says_that_nothing_was_done(store: Store) -> None:
    await store.call("SET", "key", "text")
    with pytest.raises(ErrorReply, match="wrong kind of value"):
        await store.call("LLEN", "key")
    with pytest.raises(ErrorReply):
        await store.pipeline([pack("LLEN", "key"), pack("SET", "other", 1)])
    assert await store.call("GET", "other") == b"1"


async def test_it_speaks_tcp_and_names_databases(shared_server: Server) -> None:
    async with Proxy(shared_server.socket) as proxy:
        store = Store(Address(f"{proxy.url}/3"))
        await store.call("SET", "key", "in 3")
        store.close()
    unix = Store(Address(f"{shared_server.url}?db=3"))
    assert await unix.call("GET", "key") == b"in 3"
    await unix.call("FLUSHDB")
    unix.close()


async def test_it_logs_in(store: Store, shared_server: Server) -> None:
    await store.call("ACL", "SETUSER", "ann", "on", ">p@ss/word", "~*", "+@all")
    try:
        ann = Store(Address(shared_server.url.replace("unix://", "unix://ann:p%40ss%2Fword@")))
        assert await ann.call("ACL", "WHOAMI") == b"ann"
        ann.close()
        wrong = Store(Address(shared_server.url.replace("unix://", "unix://ann:s3cret@")))
        with pytest.raises(StoreDown) as caught:
            await wrong.call("PING")
        assert "s3cret" not in str(caught.value)
    finally:
        await store.call("ACL", "DELUSER", "ann")


async def test_a_script_is_loaded_when_the_server_lacks_it(store: Store) -> None:
    script = Script("beat")
    for _ in range(2):
        [time] = await store.run(script, ["{k}a", "{k}b"], 3000, 1000)
        assert 0 <= store.clock.now() - time + store.clock.error + 1 < 60_000
        await store.call("SCRIPT", "FLUSH")


async def test_only_the_calls_that_lacked_the_script_are_made_again(store: Store) -> None:
    text = b"return {1, redis.call('INCR', KEYS[1])}"
    script = Script("beat")
    script.text = text
    script.load = pack("SCRIPT", "LOAD", text)
    script.sha = await store.call("SCRIPT", "LOAD", text)
    await store.call("SCRIPT", "FLUSH")
    calls = [script.call(["a"], []), pack("EVAL", text + b" -- another", 1, "b"), script.call(["a"], [])]
    assert await store.run_all(script, calls) == [[1, 1], [1, 1], [1, 2]]


async def test_a_frozen_server_is_given_up_and_nothing_is_done_twice(
    own_server: Server, own_store: Store
) -> None:
    await own_store.call("INCR", "count")
    with closing(Store(Address(own_server.url), timeout=0.2)) as hasty:
        await until_so(partial(answer_of, hasty), b"PONG")
        own_server.freeze()
        with pytest.raises(StoreDown, match="Timeout"):
            await hasty.call("INCR", "count")
        own_server.thaw()
        await until_so(partial(answer_of, hasty), b"PONG")
    assert await own_store.call("GET", "count") in (b"1", b"2")


async def answer_of(store: Store) -> bytes | None:
    """Return what a store answers to a ping, None where it gives up."""
    try:
        return bytes(await store.call("PING"))
    except StoreDown:
        return None


async def test_a_server_that_is_away_is_told_at_once(own_server: Server, own_store: Store) -> None:
    own_server.kill()
    with pytest.raises(StoreDown, match=str(own_server.socket)) as caught:
        await own_store.call("PING")
    assert isinstance(caught.value.__cause__, RedisConnectionError)  # not that no answer came in time
    own_server.start()
    assert await own_store.call("PING") == b"PONG"


async def test_connections_lost_while_idle_cost_no_call(own_server: Server, own_store: Store) -> None:
    await asyncio.gather(*(own_store.call("PING") for _ in range(8)))
    own_server.kill()
    own_server.start()
    for _ in range(3):
        await asyncio.sleep(0)  # the loop is told that they were closed
    assert await asyncio.gather(*(own_store.call("PING") for _ in range(8))) == [b"PONG"] * 8


async def test_few_connections_serve_many_calls(own_server: Server, own_store: Store) -> None:
    answers = await asyncio.gather(*(own_store.call("ECHO", number) for number in range(200)))
    assert answers == [str(number).encode() for number in range(200)]
    clients = await own_store.call("CLIENT", "LIST")
    assert len(clients.splitlines()) <= 4


async def test_a_call_that_waits_too_long_for_a_connection_fails(
    own_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipelines, "WAIT", 0.1)
    patient = Store(Address(own_server.url), connections=1)
    await patient.call("PING")
    own_server.freeze()
    busy = asyncio.create_task(patient.call("PING"))
    for _ in range(3):
        await asyncio.sleep(0)  # that one has the connection
    with pytest.raises(StoreDown, match="all connections were busy"):
        await patient.call("PING")
    own_server.thaw()
    assert await busy == b"PONG"
    assert await patient.call("PING") == b"PONG"
    patient.close()


async def test_calls_of_one_turn_share_a_pipeline(own_server: Server) -> None:
    async with Proxy(own_server.socket) as proxy:
        store = Store(Address(proxy.url), connections=1)
        await store.call("PING")
        seen: list[bytes] = []

        def note(data: bytes) -> bytes:
            seen.append(data)
            return data

        proxy.answered = note
        await asyncio.gather(*(store.call("ECHO", number) for number in range(20)))
        assert len(seen) == 1
        store.close()


async def test_more_than_may_wait_is_refused_at_once(own_server: Server) -> None:
    store = Store(Address(own_server.url), connections=1)
    own_server.freeze()
    calls = [asyncio.create_task(store.call("ECHO", number)) for number in range(WAITERS + 1)]
    with pytest.raises(StoreDown, match="already wait"):
        await calls.pop()
    own_server.thaw()
    assert await asyncio.gather(*calls) == [str(number).encode() for number in range(WAITERS)]
    store.close()


async def test_cancelled_calls_never_mix_up_answers(own_server: Server, own_store: Store) -> None:
    for round_ in range(20):
        calls = [asyncio.create_task(own_store.call("ECHO", f"{round_}-{number}")) for number in range(20)]
        for _ in range(round_ % 5):
            await asyncio.sleep(0)
        for call in calls[::2]:
            call.cancel()
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert answers[1::2] == [f"{round_}-{number}".encode() for number in range(1, 20, 2)]
    clients = await own_store.call("CLIENT", "LIST")
    assert len(clients.splitlines()) <= 8  # 4, and those not closed yet


@pytest.mark.parametrize("read", [0, 1, 3])
async def test_a_bug_is_met_by_all_who_ask_and_never_mixes_up_answers(
    own_server: Server, monkeypatch: pytest.MonkeyPatch, read: int
) -> None:
    store = Store(Address(own_server.url), connections=1)
    await store.call("PING")
    reply, answers = Link.reply, iter(range(read))

    async def fail_after_some(link: Link) -> Reply:
        if next(answers, None) is None:
            raise ZeroDivisionError("a bug")
        return await reply(link)

    with monkeypatch.context() as broken:
        broken.setattr(Link, "reply", fail_after_some)
        async with asyncio.timeout(30):
            met = await asyncio.gather(
                *(store.call("ECHO", f"lost {number}") for number in range(4)), return_exceptions=True
            )
    assert [type(error) for error in met] == [ZeroDivisionError] * 4
    assert await store.call("ECHO", "mine") == b"mine"
    store.close()


async def test_the_stores_time_is_known_within_the_time_that_it_took_to_ask(store: Store) -> None:
    begun = store.clock.monotonic()
    await store.set_clock()
    assert store.clock.error <= (store.clock.monotonic() - begun) * 1000 / 2 + 1
    error, before = store.clock.error + 1, store.clock.now()
    seconds, micros = await store.call("TIME")
    time = int(seconds) * 1000 + int(micros) / 1000
    assert before - error <= time <= store.clock.now() + error
