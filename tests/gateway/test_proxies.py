"""Whose address counts behind proxies: the client's, if those say it whom we trust."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gateway.conftest import Watch
from tests.gateway.nodes import Running, running
from tests.gateway.sockets import Wire
from tests.store.waiting import until
from websockets.datastructures import Headers

from tenmatch.app.settings import BadSettings, read_settings
from tenmatch.gateway.addresses import LOCAL, Proxies, canonical, site

PEER = "10.0.0.1"
TRUSTED = ("10.0.0.0/8", "2001:db8:1::/48", "192.0.2.7")


def client(*lines: str, peer: str = PEER, header: str = "X-Forwarded-For") -> str:
    """Return whose request it is, by what the trusted proxies say."""
    return Proxies(TRUSTED, header).client(peer, Headers([(header, line) for line in lines]))


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        ([], PEER),
        ([""], PEER),
        (["203.0.113.9"], "203.0.113.9"),
        ([" 203.0.113.9 "], "203.0.113.9"),
        (["1.1.1.1, 203.0.113.9"], "203.0.113.9"),  # what the client wrote itself stands on the left
        (["1.1.1.1", "203.0.113.9"], "203.0.113.9"),
        (["1.1.1.1, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),
        (["203.0.113.9", "10.1.2.3", "192.0.2.7"], "203.0.113.9"),
        (["1.1.1.1, 10.9.9.9, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),  # trusted words of a stranger
        (["10.1.2.3, 10.4.5.6"], "10.1.2.3"),  # a client inside
        (["203.0.113.9, 192.0.2.8"], "192.0.2.8"),
        (["203.0.113.9:50001"], "203.0.113.9"),
        (["2001:db8:2::1"], "2001:db8:2::1"),
        (["2001:DB8:2:0:0:0:0:1"], "2001:db8:2::1"),
        (["[2001:db8:2::1]:443"], "2001:db8:2::1"),
        (["203.0.113.9, 2001:db8:1::5"], "203.0.113.9"),
        (["::ffff:203.0.113.9"], "203.0.113.9"),
        (["203.0.113.9, ::ffff:10.1.2.3"], "203.0.113.9"),
        (["unknown"], PEER),
        (["203.0.113.9, unknown"], PEER),
        (["203.0.113.9, unknown, 10.1.2.3"], "10.1.2.3"),
        (["203.0.113.9,"], PEER),
        (["203.0.113.9, 10.1.2.3,, "], PEER),
        (["203.0.113.256"], PEER),
        (["203.0.113.009"], PEER),
        (["'203.0.113.9'"], PEER),
        (["0x7f.1"], PEER),
        (["2130706433"], PEER),
        (["1.1.1.1, " + ", ".join(["10.1.1.1"] * 50)], "10.1.1.1"),
    ],
)
def test_the_last_hop_that_is_not_ours_counts(lines: list[str], address: str) -> None:
    assert client(*lines) == address


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        (["for=203.0.113.9"], "203.0.113.9"),
        (["for=203.0.113.9;proto=https;by=10.0.0.1"], "203.0.113.9"),
        (["proto=https; For=203.0.113.9"], "203.0.113.9"),
        (['for="203.0.113.9:50001"'], "203.0.113.9"),
        (['for="[2001:db8:2::1]:443"'], "2001:db8:2::1"),
        (["for=1.1.1.1, for=203.0.113.9;proto=http, for=10.1.2.3"], "203.0.113.9"),
        (["for=1.1.1.1", "for=203.0.113.9"], "203.0.113.9"),
        (["for=_hidden"], PEER),
        (["for=203.0.113.9, for=unknown"], PEER),
        (["for=203.0.113.9, by=10.1.2.3"], PEER),
        (["for=1.1.1.1;for=203.0.113.9"], PEER),
        (["203.0.113.9"], PEER),
        (['for="1.1.1.1, for=203.0.113.9'], "203.0.113.9"),  # a quote that a client left open
    ],
)
def test_forwarded_is_read_where_it_is_what_the_proxies_write(lines: list[str], address: str) -> None:
    assert client(*lines, header="Forwarded") == address


def test_only_one_header_is_read() -> None:
    both = Headers([("X-Forwarded-For", "203.0.113.9"), ("Forwarded", "for=1.1.1.1")])
    assert Proxies(TRUSTED).client(PEER, both) == "203.0.113.9"
    assert Proxies(TRUSTED, "forwarded").client(PEER, both) == "1.1.1.1"


@pytest.mark.parametrize("peer", ["203.0.113.5", "192.0.2.8", "2001:db8:2::1", "11.0.0.1", LOCAL])
@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_nobody_else_is_believed(peer: str, header: str) -> None:
    assert client("1.1.1.1", "for=1.1.1.1", peer=peer, header=header) == peer


@pytest.mark.parametrize("peer", ["10.0.0.1", "127.0.0.1", "::1"])
def test_without_proxies_no_header_is_believed(peer: str) -> None:
    assert Proxies().client(peer, Headers([("X-Forwarded-For", "1.1.1.1")])) == peer


@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=80), max_size=4))
def test_whatever_is_written_there_an_address_comes_of_it(lines: list[str]) -> None:
    for header in ("X-Forwarded-For", "Forwarded"):
        assert client(*lines, header=header) == canonical((client(*lines, header=header), 1))


@pytest.mark.parametrize(
    ("peername", "address"),
    [
        (("192.0.2.1", 5), "192.0.2.1"),
        (("::1", 5, 0, 0), "::1"),
        (("2001:0DB8::0001", 5, 0, 0), "2001:db8::1"),
        (("::ffff:192.0.2.1", 5, 0, 0), "192.0.2.1"),
        (("fe80::1%eth0", 5, 0, 2), "fe80::1"),
        ("", LOCAL),
        (None, LOCAL),
    ],
)
def test_an_address_is_written_in_one_way(peername: object, address: str) -> None:
    assert canonical(peername) == address


def test_of_ipv6_a_whole_network_is_one_customer() -> None:
    assert site("2001:db8:1:2:3:4:5:6") == site("2001:db8:1:2::1") != site("2001:db8:1:3::1")
    assert site("192.0.2.1") == "192.0.2.1"
    assert site(LOCAL) == LOCAL


@pytest.mark.parametrize("wrong", ["10.0.0.1/8", "proxy.example", "10.0.0.0/33", "10.0.0.0/8;10.1.0.0/16"])
def test_a_proxy_that_is_none_stops_the_start(wrong: str) -> None:
    assert read_settings(trusted_proxies="10.0.0.0/8, ::1 ,").trusted_proxies == ("10.0.0.0/8", "::1")
    with pytest.raises(BadSettings, match="TENMATCH_TRUSTED_PROXIES"):
        read_settings(trusted_proxies=f"192.0.2.1,{wrong}")


# On a node, whose tests all come from 127.0.0.1


@asynccontextmanager
async def behind(url: str, proxies: str, **settings: object) -> AsyncIterator[Running]:
    async with running(url, trusted_proxies=tuple(proxies.split()), **settings) as node:
        yield node


async def status(wire: Wire, address: str) -> int:
    return (await wire.upgrade(headers={"X-Forwarded-For": address})).status_code


async def test_each_client_behind_a_proxy_has_its_own_limit(url: str, watch: Watch) -> None:
    async with behind(url, "127.0.0.1", sockets_per_address=2) as node, AsyncExitStack() as wires:

        async def knock(address: str) -> int:
            return await status(await wires.enter_async_context(Wire(node.port)), address)

        assert [await knock("203.0.113.1") for _ in range(3)] == [101, 101, 429]
        assert [await knock(f"9.9.9.9, 203.0.113.{n}") for n in (2, 2, 2)] == [101, 101, 429]
        assert [await knock(f"2001:db8::{n}") for n in (1, 2, 3)] == [101, 101, 429]
        addresses = {connection.address for connection in node.node.handshake.connections}
        assert addresses == {"203.0.113.1", "203.0.113.2", "2001:db8::1", "2001:db8::2"}


@pytest.mark.parametrize("proxies", ["", "10.0.0.0/8"])
async def test_strangers_cannot_say_that_they_are_many(url: str, watch: Watch, proxies: str) -> None:
    async with behind(url, proxies, sockets_per_address=2) as node, AsyncExitStack() as wires:
        knocks = [await wires.enter_async_context(Wire(node.port)) for _ in range(2)]
        assert [await status(wire, f"203.0.113.{n}") for n, wire in enumerate(knocks)] == [101, 101]
        third = await wires.enter_async_context(Wire(node.port))
        assert await status(third, "203.0.113.9") == 429
        assert {connection.address for connection in node.node.handshake.connections} == {"127.0.0.1"}


async def test_a_proxy_may_knock_for_many_at_once(url: str, watch: Watch) -> None:
    async with behind(url, "127.0.0.1", sockets_per_address=2) as node, AsyncExitStack() as wires:
        knocks = [await wires.enter_async_context(Wire(node.port)) for _ in range(20)]
        await until(lambda: node.node.handshake.knocking == 20)
        statuses = await asyncio.gather(*(status(wire, f"203.0.113.{n}") for n, wire in enumerate(knocks)))
        assert set(statuses) == {101}
    async with running(url, sockets_per_address=2) as node, AsyncExitStack() as wires:
        knocks = [await wires.enter_async_context(Wire(node.port)) for _ in range(3)]
        assert await knocks[2].end() == b""  # a stranger may not
