"""TLS to Debian's Redis: whom we trust, who trusts us, and that nothing else is different."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.store.certificates import Authority
from tests.store.entries import ROOM
from tests.store.fleet import Cluster, Redis, Watched, free_ports, running, until_so
from tests.store.listening import QUICK, listening
from tests.store.patience import PATIENCE_S
from tests.store.test_hygiene import do_everything
from tests.store.waiting import until
from tests.store.writers import writing

from tenmatch.store.connect import Address, Store, StoreDown
from tenmatch.store.durability import Durability

ACL = ("--user", "ann", "on", ">p@ss/wörd", "~*", "&*", "+@all", "--user", "default", "off")
LOGIN = "ann:p%40ss%2Fw%C3%B6rd"


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls") / "authority")


class TlsRedis(Redis):
    """A Redis that speaks nothing but TLS."""

    def __init__(self, folder: Path, authority: Authority, *options: str, at: str = "IP:127.0.0.1") -> None:
        [self.tls_port] = free_ports(1)
        certificate, key = authority.vouch("server", at=at)
        super().__init__(
            folder,
            *("--port", "0", "--tls-port", str(self.tls_port), "--tls-auth-clients", "no"),
            *("--tls-cert-file", str(certificate), "--tls-key-file", str(key)),
            *("--tls-ca-cert-file", str(authority.file)),
            *options,
        )
        self.url = f"rediss://{LOGIN}@127.0.0.1:{self.tls_port}?ssl_ca_certs={authority.file}"


@pytest.fixture
def server(tmp_path: Path, authority: Authority) -> Iterator[TlsRedis]:
    with TlsRedis(tmp_path, authority, *ACL) as server:
        yield server


@pytest.fixture
async def store(server: TlsRedis) -> AsyncIterator[Store]:
    store = Store(Address(server.url))
    yield store
    store.close()


async def test_everything_works_over_tls(server: TlsRedis, store: Store) -> None:
    assert await store.call("ACL", "WHOAMI") == b"ann"
    await do_everything(store)
    async with listening(store) as (feed, ear), writing(server.url, Durability.FAST, rooms=5) as writers:
        room = next(iter(writers.logs))
        await feed.join(room)
        assert (await ear.next())[:2] == ("entries", room)


async def test_a_server_that_was_killed_or_frozen_comes_back(server: TlsRedis, store: Store) -> None:
    hasty = Store(Address(server.url), timeout=0.5)
    async with listening(hasty, patience=QUICK) as (feed, ear):
        await feed.join(ROOM)
        await store.call("PING")
        server.kill()
        server.start()
        assert await ear.next() == ("doubt", ROOM)
        assert await asyncio.gather(*(store.call("PING") for _ in range(20))) == [b"PONG"] * 20
        await until(lambda: feed.healthy)
        server.freeze()
        with pytest.raises(StoreDown, match="Timeout"):
            await hasty.call("PING")
        await until(lambda: not feed.hears(ROOM))
        server.thaw()
        assert await ear.next() == ("doubt", ROOM)
        assert await store.call("PING") == b"PONG"
    hasty.close()


async def refused(url: str, within: float = PATIENCE_S) -> str:
    """Return why a store cannot be had."""
    store = Store(Address(url), timeout=within)
    with pytest.raises(StoreDown) as caught:
        await store.call("PING")
    store.close()
    for _ in range(5):
        await asyncio.sleep(0)  # the loop sees to it that what failed is closed
    assert "p@ss" not in str(caught.value)
    assert "p%40ss" not in str(caught.value)
    return str(caught.value)


async def test_a_wrong_password_is_said(server: TlsRedis) -> None:
    assert "AuthenticationError" in await refused(server.url.replace("p%40ss", "pass"))


async def test_a_server_that_nobody_vouches_for_is_not_trusted(server: TlsRedis, tmp_path: Path) -> None:
    stranger = Authority(tmp_path / "stranger")
    for url in (
        server.url.partition("?")[0],  # the authorities that this machine trusts
        server.url.partition("?")[0] + f"?ssl_ca_certs={stranger.file}",
    ):
        assert "certificate verify failed" in await refused(url)


async def test_a_server_with_another_ones_certificate_is_not_trusted(
    tmp_path: Path, authority: Authority
) -> None:
    with TlsRedis(tmp_path, authority, *ACL, at="DNS:redis.example") as other:
        assert "certificate verify failed" in await refused(other.url)
        store = Store(Address(f"{other.url}&ssl_check_hostname=false"))
        assert await store.call("PING") == b"PONG"
        store.close()


async def test_a_server_that_wants_to_know_us_gets_our_certificate(
    tmp_path: Path, authority: Authority
) -> None:
    with TlsRedis(tmp_path, authority, *ACL, "--tls-auth-clients", "yes") as strict:
        await refused(strict.url)
        certificate, key = authority.vouch("client")
        store = Store(Address(f"{strict.url}&ssl_certfile={certificate}&ssl_keyfile={key}"))
        assert await store.call("PING") == b"PONG"
        store.close()


async def test_where_only_one_side_speaks_tls_nobody_waits_long(server: TlsRedis, tmp_path: Path) -> None:
    with Redis(tmp_path) as plain:
        assert "TimeoutError" in await refused(plain.url.replace("redis://", "rediss://"), 0.5)
        await refused(server.url.partition("?")[0].replace("rediss://", "redis://"), 0.5)


# Several servers, who speak nothing but TLS, among each other too


def speaking_tls(authority: Authority) -> list[str]:
    """Return the options of a server, or a sentinel, that has no other port."""
    certificate, key = authority.vouch("server")
    return [
        *("--port", "0", "--tls-port", "PORT", "--tls-replication", "yes"),
        *("--tls-cert-file", str(certificate), "--tls-key-file", str(key)),
        *("--tls-ca-cert-file", str(authority.file), "--tls-auth-clients", "no"),
    ]


def over_tls(url: str, authority: Authority) -> str:
    return f"{url.replace('redis', 'rediss', 1)}?ssl_ca_certs={authority.file}"


@pytest.mark.slow
async def test_sentinels_and_their_failover_over_tls(tmp_path: Path, authority: Authority) -> None:
    async with running(Watched(tmp_path, common=speaking_tls(authority))) as watched:
        url = over_tls(watched.url, authority)
        async with writing(url, Durability.REPLICATED) as writers:
            watched.primary.kill()
            await writers.go_on()
        assert writers.lost == 0


@pytest.mark.slow
async def test_a_cluster_and_its_failover_over_tls(tmp_path: Path, authority: Authority) -> None:
    options = [*speaking_tls(authority), "--tls-cluster", "yes"]
    async with running(Cluster(tmp_path, *options)) as cluster:
        url = over_tls(cluster.url, authority)
        store = Store(Address(url))
        await store.survey()
        assert len(store.shards) == 3
        await do_everything(store)
        async with writing(url, Durability.FAST, rooms=30) as writers:  # who is promoted has no replica
            cluster.members[0].kill()
            await writers.go_on()
        await until_so(partial(cluster.does_without, cluster.members[0]), True)
        await store.survey()
        assert cluster.members[0].port not in {
            shard.server.where[1] for shard in store.shards if shard.server
        }
        store.close()
