"""URLs: what they name, what is wrong with others, and that no password shows."""

import re
from pathlib import Path

import pytest
from redis.asyncio.connection import SSLConnection
from tests.store.certificates import Authority

from tenmatch.store.address import Address, BadStoreUrl, Kind, Server


def options(server: Server) -> dict[str, object]:
    """Return how one logs in there, and no more."""
    return {name: value for name, value in server.login.options.items() if name != "connection_class"}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://example.org", "example.org:6379"),
        ("redis://", "localhost:6379"),
        ("redis://user:s3cret@example.org:7000/2", "example.org:7000"),
        ("redis://:s3cret@[::1]:7000", "[::1]:7000"),
        ("rediss://:s3cret@example.org", "example.org:6379"),
        ("unix:///run/redis.sock", "/run/redis.sock"),
        ("unix://user:s3cret@/run/a%20b.sock?db=1", "/run/a b.sock"),
        ("redis+sentinel://a,b:7000,c/main", "a:26379,b:7000,c:26379/main"),
        ("rediss+sentinel://user:s3cret@[::1],[::2]:7/main-1.x?db=3", "[::1]:26379,[::2]:7/main-1.x"),
        ("redis+cluster://user:s3cret@a,b:7000", "a:6379,b:7000"),
        ("rediss+cluster://a", "a:6379"),
    ],
)
def test_a_url_names_servers_and_its_password_is_not_shown(url: str, shown: str) -> None:
    address = Address(url)
    assert str(address) == shown
    assert "s3cret" not in repr(address)
    assert "s3cret" not in repr(address.at("a", 1))


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("http://example.org", "'http', which is not known"),
        ("rediss+http://example.org", "is not known"),
        ("example.org:6379", r"use one of redis://, rediss://, unix://, redis\+sentinel://"),
        ("", "use one of"),
        ("unix://", "names no socket"),
        ("redis://example.org:port", "is the port a number"),
        ("redis+cluster://a,b:port", "is the port a number"),
        ("redis://a,b:7000", r"several servers: use redis\+sentinel:// or redis\+cluster://"),
        ("redis://example.org?socket_timeout=9", "unknown options: socket_timeout"),
        ("redis://example.org?sentinel_password=x", "unknown options: sentinel_password"),
        ("redis://example.org?db=x", "not of the form"),
        ("redis+sentinel://a,b,c", "does not say what the sentinels call the primary"),
        ("redis+sentinel://a,b,c/", "does not say what the sentinels call the primary"),
        ("redis+sentinel://a,b,c/main/2", "does not say what the sentinels call the primary"),
        ("redis+sentinel://a,,c/main", "lacks a host"),
        ("redis+sentinel:///main", "lacks a host"),
        ("redis+cluster://", "lacks a host"),
        ("redis+cluster://a/1", "one database"),
        ("redis+cluster://a?db=1", "one database"),
        ("rediss://a?ssl_ca_certs=/none", "cannot be read"),
    ],
)
def test_a_url_that_names_none_is_refused_with_what_would(url: str, complaint: str) -> None:
    with pytest.raises(BadStoreUrl, match=complaint):
        Address(url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://user:s3/cret@example.org",
        "redis://user:s3#cret@example.org",
        "redis+sentinel://user:s3/cret@a,b/main",
        "redis+cluster://user:s3?cret@a,b",
    ],
)
def test_a_broken_url_does_not_give_its_password_away(url: str) -> None:
    with pytest.raises(BadStoreUrl) as caught:
        Address(url)
    assert not re.search("s3|cret", str(caught.value))


def test_who_is_named_and_who_is_found_later_log_in_alike() -> None:
    address = Address("redis+cluster://user:p%40ss@a,b")
    assert address.kind is Kind.CLUSTER
    for server in (*address.servers, address.at("c", 7000)):
        assert options(server) == {"username": "user", "password": "p@ss"}


def test_sentinels_have_a_login_of_their_own() -> None:
    url = "redis+sentinel://user:s3cret@a,b/main?db=2&sentinel_username=eve&sentinel_password=x%26y"
    address = Address(url)
    assert (address.kind, address.service) == (Kind.SENTINELS, "main")
    assert [options(server) for server in address.servers] == [{"username": "eve", "password": "x&y"}] * 2
    assert options(address.at("c", 1)) == {"username": "user", "password": "s3cret", "db": 2}


def test_to_sentinels_that_ask_for_nothing_no_password_is_sent() -> None:
    [sentinel] = Address("redis+sentinel://user:s3cret@a/main").servers
    assert options(sentinel) == {}


@pytest.mark.parametrize("url", ["rediss://a", "rediss+sentinel://a/main", "rediss+cluster://a"])
def test_tls_checks_everyones_certificate_and_name(url: str, tmp_path: Path) -> None:
    address = Address(f"{url}?ssl_ca_certs={Authority(tmp_path / 'authority').file}")
    contexts = set()
    for server in (*address.servers, address.at("c", 1)):
        connection = server.connection()
        assert isinstance(connection, SSLConnection)
        context = connection.ssl_context.get()
        assert context.check_hostname
        assert context.verify_mode.name == "CERT_REQUIRED"
        contexts.add(context)
    assert len(contexts) == 1  # certificates were read once
