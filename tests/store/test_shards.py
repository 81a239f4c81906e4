"""Which command goes where: keys, slots, shards, and what happens when they move."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from redis.crc import key_slot
from tests.store.tellers import Said, Teller, telling

from tenmatch.store.connect import Address, ErrorReply, Store, StoreDown
from tenmatch.store.link import Script, key_of, pack
from tenmatch.store.primaries import SLOTS

LOW, HIGH = "b", "foo"  # slots 3300 and 12182
HALF = SLOTS // 2


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (("GET", "tm:{room}:log"), b"tm:{room}:log"),
        (("SET", "key", b"\r\n{other}\r\n", "EX", 60), b"key"),
        (("SET", "tm:{ann}:made:\r\n{x}", "room"), b"tm:{ann}:made:"),  # cut off behind the part that counts
        (("PING",), b""),
        (("SPUBLISH", "channel", b""), b"channel"),
    ],
)
def test_the_key_of_a_command(command: tuple[str | bytes | int, ...], key: bytes) -> None:
    assert key_of(pack(*command)) == key


def test_the_key_of_a_script_is_the_first_that_it_names() -> None:
    assert key_of(Script("beat").call(["tm:{alive}", "tm:{alive}:outages"], [3000, 1000])) == b"tm:{alive}"


def serve(tellers: list[Teller], ranges: list[tuple[int, int, Teller]]) -> None:
    """Let all tell who serves what."""
    slots: Said = [[first, last, [b"127.0.0.1", teller.port]] for first, last, teller in ranges]
    for teller in tellers:
        teller.known |= {b"CLUSTER SLOTS": slots, b"CLUSTER INFO": b"cluster_state:ok"}


@asynccontextmanager
async def two_shards() -> AsyncIterator[tuple[Store, Teller, Teller]]:
    """A store of two members, of which one has the lower half of all slots and the other one the upper."""
    low, high = Teller({b"GET": b"low"}), Teller({b"GET": b"high"})
    async with telling(low, high) as hosts:
        serve([low, high], [(0, HALF - 1, low), (HALF, SLOTS - 1, high)])
        store = Store(Address(f"redis+cluster://{hosts}"))
        await store.survey()
        yield store, low, high
        store.close()


async def test_the_slots_in_these_tests() -> None:
    assert (key_slot(LOW.encode()), key_slot(HIGH.encode())) == (3300, 12182)


async def test_each_command_goes_where_its_key_lies_and_answers_come_in_order() -> None:
    async with two_shards() as (store, _, high):
        assert await store.call("GET", LOW) == b"low"
        assert b"GET" not in high.asked
        commands = [pack("GET", key) for key in (HIGH, LOW, LOW, HIGH)]
        assert await store.pipeline(commands) == [b"high", b"low", b"low", b"high"]
        assert await store.pipeline([]) == []


async def test_one_that_was_sent_away_is_made_once_more_where_the_key_is_now() -> None:
    async with two_shards() as (store, low, high):
        await store.pipeline([pack("GET", LOW), pack("GET", HIGH)])
        low.known[b"GET"] = f"-MOVED 3300 127.0.0.1:{high.port}".encode()
        serve([low, high], [(0, 2999, low), (3000, SLOTS - 1, high)])
        assert await store.pipeline([pack("GET", LOW), pack("GET", HIGH)]) == [b"high", b"high"]
        assert low.asked.count(b"GET") == 2
        assert high.asked.count(b"GET") == 3


async def test_one_that_is_sent_away_again_is_given_up() -> None:
    """As while a slot is under way: it was not carried out, whoever asked asks again."""
    async with two_shards() as (store, low, _):
        low.known[b"GET"] = f"-ASK 3300 127.0.0.1:{low.port}".encode()
        with pytest.raises(ErrorReply):
            await store.call("GET", LOW)
        assert low.asked.count(b"GET") == 2


async def test_a_shard_that_is_silent_does_not_keep_the_others_from_doing_theirs() -> None:
    async with two_shards() as (store, low, high):
        del low.known[b"GET"]
        store.shard_of(LOW).timeout = 0.1  # only there
        with pytest.raises(StoreDown, match=str(low.port)):
            await store.pipeline([pack("GET", LOW), pack("GET", HIGH)])
        assert high.asked.count(b"GET") == 1
        assert await store.call("GET", HIGH) == b"high"


async def test_a_shard_is_the_same_when_another_server_has_its_slots() -> None:
    async with two_shards() as (store, low, high):
        new = Teller({b"GET": b"new"})
        async with telling(new):
            before, changes = store.shards, []
            store.followers.add(lambda: changes.append(store.shards))
            serve([low, high], [(0, HALF - 1, new), (HALF, SLOTS - 1, high)])
            await store.survey()
            assert store.shards == before
            assert changes == []
            assert str(store.shard_of(LOW)) == f"127.0.0.1:{new.port}"
            assert await store.call("GET", LOW) == b"new"


async def test_one_that_is_no_longer_needed_leads_to_whoever_has_its_slots() -> None:
    async with two_shards() as (store, low, high):
        old, changes = store.shard_of(HIGH), []
        link = old.link()
        assert await link.exchange([pack("GET", HIGH)]) == [b"high"]
        store.followers.add(lambda: changes.append(len(store.shards)))
        serve([low, high], [(0, SLOTS - 1, low)])
        await store.survey()
        assert changes == [1]
        assert store.shard_of(HIGH) is store.shard_of(LOW) is not old
        assert await link.exchange([pack("GET", HIGH)]) == [b"low"]
        link.abort()


async def test_a_server_alone_is_a_cluster_of_one() -> None:
    alone = Teller({b"GET": b"alone"})
    async with telling(alone) as host:
        store = Store(Address(f"redis://{host}"))
        assert await store.pipeline([pack("GET", key) for key in (LOW, HIGH)]) == [b"alone", b"alone"]
        assert len(store.shards) == 1
        store.close()
