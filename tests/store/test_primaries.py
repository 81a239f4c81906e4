"""Who is asked for the primaries, who is believed, and that connections follow."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.entries import ROOM, entry
from tests.store.fleet import Redis
from tests.store.listening import PATIENT, listening
from tests.store.tellers import PRIMARY, Said, Teller, name, sentinel, telling
from tests.store.waiting import until

from tenmatch.game.ids import RoomId
from tenmatch.store import primaries
from tenmatch.store.address import Address, Login, Server
from tenmatch.store.committer import Committer
from tenmatch.store.connect import ErrorReply, Store, StoreDown
from tenmatch.store.link import Link
from tenmatch.store.log import START, Appended, Outcome, read
from tenmatch.store.primaries import SLOTS, Primaries, source

ALL = [range(SLOTS)]


async def find(url: str) -> Primaries:
    asking = source(Address(url))
    try:
        return await asking.find()
    finally:
        asking.close()


def at(port: int) -> Server:
    return Server(("127.0.0.1", port), Login({}, None))


async def test_a_server_alone_serves_all() -> None:
    assert await find("redis://127.0.0.1:7000") == {at(7000): ALL}


# Sentinels


async def test_what_most_sentinels_name_is_the_primary() -> None:
    old, new = Teller(PRIMARY), Teller(PRIMARY)
    async with telling(old, new):
        tellers = [sentinel(named) for named in (old, new, new)]
        async with telling(*tellers) as hosts:
            for _ in range(10):  # whoever answers first
                assert await find(f"redis+sentinel://{hosts}/games") == {at(new.port): ALL}
            assert tellers[0].asked[0] == b"SENTINEL GET-MASTER-ADDR-BY-NAME"


async def test_sentinels_that_are_dead_silent_or_ignorant_are_done_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    primary, dead = Teller(PRIMARY), Teller({})
    async with telling(dead):
        pass
    async with telling(primary):
        knowing, silent, ignorant = sentinel(primary), Teller({}), sentinel(None)
        async with telling(knowing, silent, ignorant) as hosts:

            def link(server: Server, patience: float) -> Link:
                return Link(server, 0.1 if server.where[1] == silent.port else patience)

            monkeypatch.setattr(primaries, "Link", link)
            found = await find(f"redis+sentinel://{hosts},127.0.0.1:{dead.port}/games")
            assert found == {at(primary.port): ALL}


@pytest.mark.parametrize("said", [None, b"-NOAUTH Authentication required."])
async def test_a_service_that_no_sentinel_knows(said: Said) -> None:
    async with telling(Teller({b"SENTINEL GET-MASTER-ADDR-BY-NAME": said})) as hosts:
        with pytest.raises(StoreDown, match=r"no sentinel names .*/games; 127.*: (None|NOAUTH)"):
            await find(f"redis+sentinel://{hosts}/games")


@pytest.mark.parametrize(
    "role", [[b"slave", b"127.0.0.1", 1, b"connected", 0], b"-LOADING later", b"-NOPERM no"]
)
async def test_one_that_is_named_must_say_itself_that_it_is_a_primary(role: Said) -> None:
    named = Teller({b"ROLE": role})
    async with telling(named), telling(sentinel(named)) as hosts:
        with pytest.raises(
            StoreDown, match=f"{named.port}: the sentinels name it as the primary, but it says"
        ):
            await find(f"redis+sentinel://{hosts}/games")


# Clusters


def member(slots: Said, state: bytes = b"ok") -> Teller:
    return Teller({b"CLUSTER INFO": b"cluster_state:%s\r\n" % state, b"CLUSTER SLOTS": slots})


def serves(first: int, last: int, *nodes: tuple[bytes | None, int]) -> Said:
    told: list[Said] = [[host, port, b"id", []] for host, port in nodes]
    return [first, last, *told]


HOST = b"127.0.0.1"


async def test_a_member_tells_who_serves_what() -> None:
    told = [
        serves(0, 99, (HOST, 7000), (HOST, 7003)),
        serves(100, 16383, (HOST, 7001)),
    ]
    async with telling(member(told)) as hosts:
        found = await find(f"redis+cluster://{hosts}")
        assert found == {at(7000): [range(100)], at(7001): [range(100, 16384)]}


async def test_one_that_serves_here_and_there() -> None:
    told = [serves(0, 0, (HOST, 7000)), serves(1, 2, (HOST, 7001)), serves(3, 16383, (HOST, 7000))]
    async with telling(member(told)) as hosts:
        assert (await find(f"redis+cluster://{hosts}"))[at(7000)] == [range(1), range(3, 16384)]


async def test_a_member_without_a_host_is_where_the_teller_is() -> None:
    async with telling(member([serves(0, 16383, (None, 7000))])) as hosts:
        assert await find(f"redis+cluster://{hosts}") == {at(7000): ALL}


async def test_one_that_is_cut_off_is_believed_only_when_nobody_else_answers() -> None:
    stale, good = member([serves(0, 16383, (HOST, 1))], b"fail"), member([serves(0, 16383, (HOST, 2))])
    async with telling(stale) as alone:
        assert await find(f"redis+cluster://{alone}") == {at(1): ALL}
        async with telling(good) as other:
            for _ in range(10):
                assert await find(f"redis+cluster://{alone},{other}") == {at(2): ALL}


async def test_members_that_were_told_of_are_asked_when_those_named_are_gone() -> None:
    other = member([])
    async with telling(other):
        other.known[b"CLUSTER SLOTS"] = everything = [serves(0, 16383, (HOST, other.port))]
        asking = None
        async with telling(member(everything)) as named:
            asking = source(Address(f"redis+cluster://{named}"))
            await asking.find()
        assert await asking.find() == {at(other.port): ALL}
        asking.close()


@pytest.mark.parametrize("said", [[], b"-ERR This instance has cluster support disabled"])
async def test_a_server_that_is_in_no_cluster(said: Said) -> None:
    async with telling(member(said)) as hosts:
        with pytest.raises(StoreDown, match=r"no member .*; 127.0.0.1:\d+: (\[\]|ERR This instance)"):
            await find(f"redis+cluster://{hosts}")


# Connections follow


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Redis, Redis]]:
    """Two servers that know nothing of each other."""
    with Redis(tmp_path) as first, Redis(tmp_path) as second:
        yield first, second


async def run_id(store: Store) -> bytes:
    info: bytes = await store.call("INFO", "server")
    return info.partition(b"run_id:")[2][:40]


async def test_a_primary_that_was_replaced_but_lives_on_is_left(two: tuple[Redis, Redis]) -> None:
    """As when the sentinels cannot reach it any more, but we can: nothing breaks, and nobody tells us."""
    old, new = two
    teller = Teller({b"SENTINEL GET-MASTER-ADDR-BY-NAME": [b"127.0.0.1", str(old.port).encode()]})
    async with telling(teller) as hosts:
        store = Store(Address(f"redis+sentinel://{hosts}/games"))
        committer = Committer(store)
        committing = asyncio.create_task(committer.run())

        async def append(room: RoomId) -> Outcome:
            outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
            committer.append(
                room, START, [entry(1)], at=None, by_player=False, ttl=60, outcome=outcome.set_result
            )
            return await outcome

        async with listening(store) as (feed, ear):  # no probe and no silence tells
            await feed.join(ROOM)
            await append(RoomId("before"))
            before = await run_id(store)
            teller.known[b"SENTINEL GET-MASTER-ADDR-BY-NAME"] = [b"127.0.0.1", str(new.port).encode()]
            assert await ear.next() == ("doubt", ROOM)
            assert isinstance(await append(ROOM), Appended)
            assert await ear.next() == ("entries", ROOM, 1, (entry(1),))
            assert await run_id(store) != before
            assert (await read(store, RoomId("before"))).entries == ()
        committing.cancel()
        await asyncio.wait([committing])
        store.close()


async def test_without_a_look_around_it_would_not_be_left(two: tuple[Redis, Redis]) -> None:
    """The twin of the test above: nothing but the look around would notice."""
    old, new = two
    teller = Teller({b"SENTINEL GET-MASTER-ADDR-BY-NAME": [b"127.0.0.1", str(old.port).encode()]})
    async with telling(teller) as hosts:
        store = Store(Address(f"redis+sentinel://{hosts}/games"))
        async with listening(store, patience=replace(PATIENT, survey=600.0)) as (feed, _):
            await feed.join(ROOM)
            before = await run_id(store)
            teller.known[b"SENTINEL GET-MASTER-ADDR-BY-NAME"] = [b"127.0.0.1", str(new.port).encode()]
            await asyncio.sleep(4 * PATIENT.survey)  # that nothing happens is what is tested
            asked = store.clock.monotonic()
            await until(lambda: feed.silence < store.clock.monotonic() - asked)  # a probe came back
            assert feed.healthy
            assert feed.connections == 1
            assert await run_id(store) == before
        store.close()


async def test_a_primary_that_became_a_replica_is_left_at_its_first_refusal(two: tuple[Redis, Redis]) -> None:
    old, new = two
    teller = Teller({b"SENTINEL GET-MASTER-ADDR-BY-NAME": [b"127.0.0.1", str(old.port).encode()]})
    async with telling(teller) as hosts:
        store = Store(Address(f"redis+sentinel://{hosts}/games"))
        await store.call("SET", "key", "old")
        await old.ask("REPLICAOF", "127.0.0.1", str(new.port))
        teller.known[b"SENTINEL GET-MASTER-ADDR-BY-NAME"] = [b"127.0.0.1", str(new.port).encode()]
        with pytest.raises(ErrorReply, match="read only replica"):
            await store.call("SET", "key", "refused")
        assert await store.call("SET", "key", "new") == b"OK"
        assert await new.ask("GET", "key") == b"new"
        store.close()


async def test_a_store_whose_primary_nobody_names_is_down_and_says_why() -> None:
    nobody = sentinel(None)
    async with telling(nobody) as hosts:
        store = Store(Address(f"redis+sentinel://{hosts}/games"))
        with pytest.raises(StoreDown, match="no sentinel names a primary"):
            await store.call("GET", "key")
        primary = Teller({**PRIMARY, b"GET": b"value"})
        async with telling(primary):
            name(nobody, primary)
            assert await store.call("GET", "key") == b"value"
        store.close()


async def test_those_who_ask_at_once_share_the_answer() -> None:
    primary = Teller({**PRIMARY, b"GET": b"value"})
    async with telling(primary):
        teller = sentinel(primary)
        async with telling(teller) as hosts:
            store = Store(Address(f"redis+sentinel://{hosts}/games"))
            assert set(await asyncio.gather(*(store.call("GET", "key") for _ in range(16)))) == {b"value"}
            assert teller.asked == [b"SENTINEL GET-MASTER-ADDR-BY-NAME"]
            store.close()
