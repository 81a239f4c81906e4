"""Who cannot reach a server is told in words why."""

import socket
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


async def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unreachable, match="nobody listens there"):
        await Client("http://127.0.0.1:9", proxy=None).connect()

    def unknown(*asked: object, **how: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)  # whoever knows names may be far away, or slow
    with pytest.raises(Unreachable, match="no host of that name"):
        await Client("http://no.such.host.invalid", proxy=None).connect()


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
