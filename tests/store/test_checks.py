"""What is found wrong with a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import time

import pytest
from tests.servers import Kind, Server
from tests.store.tellers import Said, Teller, telling

from tenmatch.store.address import Kind as StoreKind
from tenmatch.store.checks import _EXAMINERS, Finding, Seen, Severity, check
from tenmatch.store.connect import Address, Store
from tenmatch.store.durability import Durability


@pytest.fixture
async def own_store(own_server: Server) -> AsyncIterator[Store]:
    store = Store(Address(own_server.url))
    yield store
    store.close()


def gist(findings: list[Finding]) -> list[tuple[Severity, str]]:
    return [(finding.severity, finding.wrong) for finding in findings]


def examined(
    info: dict[str, str],
    config: dict[str, str] | None = None,
    durability: Durability = Durability.FAST,
    kind: StoreKind = StoreKind.STANDALONE,
) -> list[Finding]:
    """Return what is wrong with a server that is fit but for what is told of it here."""
    fit = {"role": "master", "aof_enabled": "1", "maxmemory_policy": "noeviction"}
    seen = Seen(fit | info, config or {}, kind, durability)
    return [finding for examine in _EXAMINERS for finding in examine(seen)]


async def test_a_fit_server(own_store: Store) -> None:
    assert await check(own_store) == []


async def test_an_evicting_one(own_store: Store) -> None:
    await own_store.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    [finding] = await check(own_store)
    assert finding.severity is Severity.STOP
    assert "allkeys-lru" in str(finding)
    assert "Set maxmemory-policy noeviction" in str(finding)


async def test_one_without_an_append_only_file(own_store: Store) -> None:
    await own_store.call("CONFIG", "SET", "appendonly", "no")
    [finding] = await check(own_store)
    assert finding.severity is Severity.STOP
    assert "appendonly yes" in finding.remedy


async def test_one_that_never_syncs(own_store: Store) -> None:
    await own_store.call("CONFIG", "SET", "appendfsync", "no")
    [finding] = await check(own_store)
    assert finding.severity is Severity.WARN
    assert "appendfsync" in finding.wrong


async def test_a_replica(own_store: Store) -> None:
    await own_store.call("REPLICAOF", "127.0.0.1", "1")
    [finding] = await check(own_store)
    assert finding.severity is Severity.STOP
    assert "slave" in finding.wrong


async def test_the_worst_comes_first(own_store: Store) -> None:
    await own_store.call("CONFIG", "SET", "appendfsync", "no")
    await own_store.call("CONFIG", "SET", "maxmemory-policy", "volatile-ttl")
    assert [finding.severity for finding in await check(own_store)] == [Severity.STOP, Severity.WARN]


@asynccontextmanager
async def restricted(store: Store, *forbidden: str) -> AsyncIterator[Store]:
    await store.call(
        "ACL", "SETUSER", "app", "on", "nopass", "~*", "+@all", *(f"-{name}" for name in forbidden)
    )
    limited = Store(Address(store.address.url.replace("unix://", "unix://app:any@")))
    yield limited
    limited.close()


async def test_one_that_forbids_config_is_judged_by_the_rest(own_store: Store) -> None:
    async with restricted(own_store, "config") as limited:
        [finding] = await check(limited)
        assert finding.severity is Severity.WARN
        assert "does not let us use CONFIG" in finding.wrong
        await own_store.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        assert [finding.severity for finding in await check(limited)] == [Severity.STOP, Severity.WARN]


async def test_one_that_forbids_info_is_warned_of(own_store: Store) -> None:
    async with restricted(own_store, "info", "config") as limited:
        [finding] = await check(limited)
        assert finding.severity is Severity.WARN
        assert "does not let us use INFO" in finding.wrong


async def test_a_member_of_a_cluster_alone_is_not_enough(
    kind: Kind, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Server(kind, tmp_path_factory.mktemp("cluster"), "--cluster-enabled", "yes") as server:
        store = Store(Address(server.url))
        [finding] = await check(store)
        assert finding.severity is Severity.STOP
        assert "redis+cluster://" in finding.remedy
        store.close()


@pytest.mark.parametrize(
    ("info", "stops"),
    [
        ({"redis_version": "6.2.14"}, True),
        ({"redis_version": "7.0.0"}, False),
        ({"redis_version": "8.4.0"}, False),
        ({"redis_version": "7.2.4", "valkey_version": "7.2.5"}, False),
        ({"redis_version": "7.2.4", "valkey_version": "9.1.2"}, False),
        ({"redis_version": "10.0.1"}, False),
        ({"redis_version": "255.255.255"}, False),
        ({}, True),
    ],
)
def test_versions(info: dict[str, str], stops: bool) -> None:
    found = examined(info)
    assert [finding.severity for finding in found] == ([Severity.STOP] if stops else [])


@pytest.mark.parametrize(
    ("info", "config", "durability", "expected"),
    [
        ({}, {}, Durability.FAST, []),
        (
            {"connected_slaves": "0"},
            {"min-replicas-to-write": "1"},
            Durability.FAST,
            [(Severity.STOP, "1 rep")],
        ),
        ({"connected_slaves": "2"}, {"min-replicas-to-write": "1"}, Durability.FAST, []),
        (
            {"connected_slaves": "2"},
            {"min-replicas-to-write": "0"},
            Durability.FAST,
            [(Severity.WARN, "cut off")],
        ),
        ({"connected_slaves": "2"}, {}, Durability.FAST, []),  # not seen is not said
        ({}, {}, Durability.REPLICATED, [(Severity.STOP, "no replica")]),
        ({"connected_slaves": "1"}, {}, Durability.REPLICATED, [(Severity.WARN, "one replica")]),
        ({"connected_slaves": "2"}, {"min-replicas-to-write": "0"}, Durability.REPLICATED, []),
        (
            {"redis_version": "7.0.15"},
            {},
            Durability.FSYNC,
            [(Severity.STOP, "redis 7.0.15 and cannot tell")],
        ),
        ({"redis_version": "7.2.0"}, {"appendfsync": "always"}, Durability.FSYNC, []),
        ({"redis_version": "7.2.4", "valkey_version": "7.2.5"}, {}, Durability.FSYNC, []),
        ({}, {"appendfsync": "everysec"}, Durability.FSYNC, [(Severity.STOP, "appendfsync is everysec")]),
        ({}, {"appendfsync": "everysec"}, Durability.FAST, []),
        ({}, {"appendfsync": "no"}, Durability.FAST, [(Severity.WARN, "appendfsync is no")]),
    ],
)
def test_what_is_wanted_of_a_server_must_be_there(
    info: dict[str, str], config: dict[str, str], durability: Durability, expected: list[tuple[Severity, str]]
) -> None:
    found = examined({"redis_version": "8.0.0", **info}, config, durability)
    assert [finding.severity for finding in found] == [severity for severity, _ in expected]
    assert all(said in finding.wrong for finding, (_, said) in zip(found, expected, strict=True))


@pytest.mark.parametrize(
    ("enabled", "coverage", "kind", "expected"),
    [
        ("1", "no", StoreKind.CLUSTER, []),
        ("1", "yes", StoreKind.CLUSTER, [Severity.WARN]),
        ("1", "no", StoreKind.STANDALONE, [Severity.STOP]),
        ("0", "yes", StoreKind.STANDALONE, []),
        ("0", "yes", StoreKind.SENTINELS, []),
    ],
)
def test_clusters(enabled: str, coverage: str, kind: StoreKind, expected: list[Severity]) -> None:
    info = {"redis_version": "8.0.0", "cluster_enabled": enabled}
    found = examined(info, {"cluster-require-full-coverage": coverage}, kind=kind)
    assert [finding.severity for finding in found] == expected


async def test_every_shard_is_looked_at_and_clocks_are_compared() -> None:
    fit = "redis_version:8.0.0\r\nrole:master\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n"
    now = int(time())
    right = Teller({b"PING": b"PONG", b"CONFIG": [], b"INFO": fit.encode(), b"TIME": [b"%d" % now, b"0"]})
    wrong = Teller(
        {**right.known, b"INFO": fit.replace("noe", "e").encode(), b"TIME": [b"%d" % now, b"200000"]}
    )
    async with telling(right, wrong) as hosts:
        slots: Said = [
            [8192 * number, 8192 * number + 8191, [b"127.0.0.1", teller.port]]
            for number, teller in enumerate((right, wrong))
        ]
        for teller in (right, wrong):
            teller.known |= {b"CLUSTER SLOTS": slots, b"CLUSTER INFO": b"cluster_state:ok"}
        store = Store(Address(f"redis+cluster://{hosts}"))
        store.clock.monotonic = lambda: 0.0  # as long as we ask, as their clocks stand still, too
        evicting, apart = await check(store)
        assert str(evicting).startswith(f"127.0.0.1:{wrong.port}: the store's maxmemory-policy is eviction")
        assert " 200 ms apart" in apart.wrong
        store.close()
