"""Who cannot reach a server is told in words why."""

from pathlib import Path

import pytest
from tests.certificates import Pair
from tests.live.node import Node

from tenmatch.client import BadUrl, Client, Unreachable
from tenmatch.client.address import base_of


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://127.0.0.1:8765", "ws://127.0.0.1:8765"),
        ("https://play.example/", "wss://play.example"),
        ("wss://play.example/v1", "wss://play.example"),
    ],
)
def test_an_address_is_taken_as_people_write_it(url: str, base: str) -> None:
    assert base_of(url) == base


@pytest.mark.parametrize("url", ["", "play.example", "ftp://play.example", "http://[bad"])
def test_what_is_no_address_is_said_to_be_none(url: str) -> None:
    with pytest.raises(BadUrl, match="no address of a server, as"):
        Client(url)


@pytest.mark.parametrize(
    ("url", "why"),
    [("http://127.0.0.1:9", "nobody listens there"), ("http://no.such.host.invalid", "no host of that name")],
)
async def test_nobody_there(url: str, why: str) -> None:
    with pytest.raises(Unreachable, match=why):
        await Client(url, proxy=None).connect()


async def test_tls_that_is_none_or_not_trusted(node: Node, tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="it cuts the connection"):
        await Client(node.url.replace("http", "https"), proxy=None).connect()
    pair = Pair.make(tmp_path, "shown")
    flags = ("--tls-cert", str(pair.cert), "--tls-key", str(pair.key))
    with Node(tmp_path, *flags) as secure:
        with pytest.raises(Unreachable, match="certificate is not trusted"):
            await Client(secure.url, proxy=None).connect()
        async with Client(secure.url, tls=pair.trusting(), proxy=None) as client:
            assert client.player is not None


async def test_a_server_that_has_no_room_says_so(tmp_path: Path) -> None:
    with Node(tmp_path, sockets_per_address=1) as full:
        async with Client(full.url, proxy=None):
            with pytest.raises(Unreachable, match="does not let us in: 429"):
                await Client(full.url, proxy=None).connect()
