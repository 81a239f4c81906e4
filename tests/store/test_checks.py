"""What is found wrong with a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.servers import Kind, Server

from tenmatch.store.checks import Finding, Severity, _version, check
from tenmatch.store.connect import Address, Store


@pytest.fixture
async def own_store(own_server: Server) -> AsyncIterator[Store]:
    store = Store(Address(own_server.url))
    yield store
    store.close()


def gist(findings: list[Finding]) -> list[tuple[Severity, str]]:
    return [(finding.severity, finding.wrong) for finding in findings]


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


async def test_a_cluster_is_told_that_it_cannot_be_used_yet(
    kind: Kind, tmp_path_factory: pytest.TempPathFactory
) -> None:
    server = Server(kind, tmp_path_factory.mktemp("cluster"), "--cluster-enabled", "yes")
    store = Store(Address(server.url))
    assert "cluster" in (await check(store))[0].wrong
    store.close()
    server.stop()


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
    assert [finding.severity for finding in _version(info)] == ([Severity.STOP] if stops else [])
