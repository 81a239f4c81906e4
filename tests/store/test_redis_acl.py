"""deploy/redis-acl.conf: with it everything works, and nothing in it is more than that needs."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.servers import Kind, Server
from tests.store.entries import ROOM
from tests.store.fleet import Cluster, Redis, running
from tests.store.listening import listening
from tests.store.tellers import Said, Teller, telling
from tests.store.test_hygiene import do_everything
from tests.store.waiting import until
from tests.store.writers import writing

from tenmatch.game.ids import Millis, PlayerId, RoomCode, SeatNumber
from tenmatch.store import codes, due, lobby, players
from tenmatch.store.checks import check
from tenmatch.store.connect import Address, ErrorReply, Store
from tenmatch.store.durability import Durability
from tenmatch.store.link import Script
from tenmatch.store.log import APPEND, START, append_call, compare, read
from tenmatch.store.presence import Presence

CONF = Path(__file__).parents[2] / "deploy" / "redis-acl.conf"
ELSEWHERE = {
    "select",
    "role",
    "cluster|info",
    "cluster|slots",
}  # in other databases, by sentinels, in clusters


@pytest.fixture
async def server(kind: Kind, tmp_path: Path) -> AsyncIterator[Server]:
    with Server(kind, tmp_path, "--include", str(CONF)) as server:
        yield server


@pytest.fixture
async def admin(server: Server) -> AsyncIterator[Store]:
    store = Store(Address(server.url))
    yield store
    store.close()


@pytest.fixture
def url(server: Server) -> str:
    return server.url.replace("unix://", "unix://tenmatch:CHOOSE-A-PASSWORD@")


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    store = Store(Address(url))
    yield store
    store.close()


async def use_all(url: str, store: Store) -> None:
    """Do whatever a node does with its store."""
    assert await check(store) == []
    await do_everything(store)
    await store.call("PING")
    await lobby.newest(store)
    await lobby.drop(store, ROOM)
    await codes.renew_codes(store, [RoomCode("abc234")], 60)
    await codes.room_of(store, RoomCode("abc234"))
    await due.sweep(store, Millis(2))
    await due.unmark(store, [ROOM])
    await players.seated(store, PlayerId("mnpqrstuvwxy"))
    await Presence(store, "node-1").depart(ROOM, SeatNumber(0), 1)
    async with listening(store) as (feed, ear), writing(url, Durability.FAST, rooms=1) as writers:
        [room] = writers.logs
        await feed.join(room)
        assert (await ear.next())[0] == "entries"
        await read(store, room)
        await compare(store, [(room, START)])
        firm = append_call(room, START, (), at=None, by_player=False, ttl=60, heard=False, firm=True)
        await store.run_all(APPEND, [firm])
        await store.call("WAIT", 0, 0)
        feed.leave(room)
        await until(lambda: not feed.hears(room))
        await feed.join(ROOM)


async def used(admin: Store) -> set[str]:
    stats: bytes = await admin.call("INFO", "commandstats")
    return set(re.findall(r"^cmdstat_([\w|]+):", stats.decode(), re.MULTILINE))


async def test_everything_works_and_nothing_more_is_allowed(admin: Store, url: str, store: Store) -> None:
    allowed = set(re.findall(r"\+([\w|]+)", str(await admin.call("ACL", "GETUSER", "tenmatch"))))
    await admin.call("CONFIG", "RESETSTAT")
    await use_all(url, store)
    done = await used(admin) - {"auth", "config|resetstat"}
    assert allowed == done | ELSEWHERE


@pytest.mark.parametrize(
    "command",
    [
        ("FLUSHALL",),
        ("FLUSHDB",),
        ("KEYS", "*"),
        ("SCAN", "0"),
        ("CONFIG", "SET", "appendonly", "no"),
        ("CONFIG", "RESETSTAT"),
        ("SHUTDOWN",),
        ("REPLICAOF", "NO", "ONE"),
        ("ACL", "LIST"),
        ("CLIENT", "KILL", "TYPE", "normal"),
        ("EVAL", "return 1", "0"),
        ("SCRIPT", "FLUSH"),
        ("MONITOR",),
        ("DEL", "tm:secret"),
        ("GET", "other"),
        ("SET", "other", "1"),
        ("SPUBLISH", "other", "1"),
        ("SSUBSCRIBE", "other"),
        ("SUBSCRIBE", "tm:any"),
        ("CLUSTER", "RESET"),
    ],
    ids=" ".join,
)
async def test_what_it_does_not_need_it_may_not(store: Store, command: tuple[str, ...]) -> None:
    with pytest.raises(ErrorReply) as caught:
        await store.call(*command)
    assert caught.value.code == "NOPERM"


async def test_scripts_reach_no_other_keys(store: Store) -> None:
    with pytest.raises(ErrorReply) as caught:
        await store.run(Script("depart"), ["other"], 0, 1)
    assert caught.value.code == "NOPERM"


@pytest.mark.slow
async def test_it_is_enough_in_a_cluster(tmp_path: Path) -> None:
    async with running(Cluster(tmp_path, "--include", str(CONF), replicas=0)) as cluster:
        store = Store(Address(cluster.url.replace("://", "://tenmatch:CHOOSE-A-PASSWORD@")))
        await store.set_clock()
        await do_everything(store)
        store.close()


async def test_it_is_enough_with_sentinels(tmp_path: Path) -> None:
    with Redis(tmp_path, "--include", str(CONF)) as primary:
        named: Said = [b"127.0.0.1", str(primary.port).encode()]
        async with telling(Teller({b"SENTINEL GET-MASTER-ADDR-BY-NAME": named})) as hosts:
            store = Store(Address(f"redis+sentinel://tenmatch:CHOOSE-A-PASSWORD@{hosts}/games"))
            await do_everything(store)
            store.close()
