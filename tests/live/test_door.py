"""The port as HTTP and as the way in (RFC 9112, RFC 6455 section 4.2): who gets in, and what others hear."""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.live.client import CODECS
from tests.live.conftest import Knock
from tests.live.node import Node
from tests.live.wire import PATIENCE_S, Wire, exchange, fetch, frame, parse, upgrade


@pytest.fixture(autouse=True)
async def others(knock: Knock) -> None:
    """Somebody else is there all the time, and goes on."""
    client = await knock()
    await client.hello()
    assert (await client.ask("ping"))["t"] == "pong"


# Pages


@pytest.mark.parametrize(
    "path",
    ["/", "/healthz", "/v1/rooms", "/v1/rooms?since=1", "/v1/docs", "/v1/asyncapi.json", "/v1/openapi.json"],
)
async def test_pages_are_there_for_get_and_head(node: Node, path: str) -> None:
    get, head = await fetch(node.url, path), await fetch(node.url, path, "HEAD")
    assert (get.status, head.status) == (200, 200)
    assert get.body
    assert head.body == b""
    assert head.headers["content-length"] == get.headers["content-length"] == str(len(get.body))


async def test_the_web_client_is_at_the_root(node: Node) -> None:
    page = await fetch(node.url, "/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert b"<html" in page.body.lower()
    again = await fetch(node.url, "/", If_None_Match=page.headers["etag"])
    assert (again.status, again.body) == (304, b"")


async def test_readiness_says_what_it_rests_on(node: Node) -> None:
    while (answer := await fetch(node.url, "/readyz")).status == 503:
        assert json.loads(answer.body)["ready"] is False  # it has only just started
    assert answer.status == 200
    parts = json.loads(answer.body)
    assert (parts["ready"], parts["store"], parts["feed"], parts["draining"]) == (True, True, True, False)


@pytest.mark.parametrize(
    "path", ["/nothing", "/v1/", "/v2", "/v1/records/2222222222", "/../etc/passwd", "//"]
)
async def test_what_is_not_there_is_not_found(node: Node, path: str) -> None:
    assert (await fetch(node.url, path)).status == 404


@pytest.mark.parametrize("path", ["/", "/v1", "/healthz", "/nothing"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "NONSENSE"])
async def test_other_methods_are_refused(node: Node, method: str, path: str) -> None:
    answer = await fetch(node.url, path, method, Content_Length="0")
    assert 400 <= answer.status < 500


async def test_bodies_are_refused(node: Node) -> None:
    request = f"GET / HTTP/1.1\r\nHost: {urlsplit(node.url).netloc}\r\nContent-Length: 5\r\n\r\nhello"
    assert 400 <= (await exchange(node.url, request.encode())).status < 500


@pytest.mark.parametrize(
    "request_",
    [
        b"hello\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
        b"\r\n\r\n",
    ],
    ids=["a word", "no path", "no such version", "tls", "nothing"],
)
async def test_what_is_no_request_is_answered_with_400(node: Node, request_: bytes) -> None:
    assert (await exchange(node.url, request_)).status == 400


async def test_an_endless_head_is_cut_off(node: Node) -> None:
    wire = await Wire.open(node.url)
    await wire.send(b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000)
    assert not (await wire.rest()).startswith(b"HTTP/1.1 200")


# The way in


async def test_the_address_of_the_socket_asks_for_an_upgrade(node: Node) -> None:
    answer = await fetch(node.url, "/v1")
    assert (answer.status, answer.headers["upgrade"]) == (426, "websocket")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec_WebSocket_Version": "8"}, 426),
        ({"Sec_WebSocket_Version": "14"}, 426),
        ({"Sec_WebSocket_Version": "thirteen"}, 426),
        ({"Sec_WebSocket_Version": None}, 400),
        ({"Sec_WebSocket_Key": None}, 400),
        ({"Sec_WebSocket_Key": "short"}, 400),
        ({"Sec_WebSocket_Key": "!" * 24}, 400),
        ({"Upgrade": None}, 426),
        ({"Upgrade": "h2c"}, 426),
        ({"Connection": None}, 426),
        ({"Sec_WebSocket_Protocol": "chat"}, 400),
        ({"Sec_WebSocket_Protocol": "tenmatch.v2.json, soap"}, 400),
        ({"Sec_WebSocket_Protocol": "tenmatch.v1.JSON"}, 400),
        ({"Sec_WebSocket_Protocol": ";"}, 400),
    ],
)
async def test_a_handshake_that_cannot_be_is_refused(
    node: Node, headers: dict[str, Any], status: int
) -> None:
    answer = await exchange(node.url, upgrade(node.url, **headers))
    assert answer.status == status
    if status == 426:
        assert answer.headers["upgrade"] == "websocket"
    if "Sec_WebSocket_Version" in headers:
        assert answer.headers.get("sec-websocket-version", "13") == "13"


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, None),
        (CODECS[0], CODECS[0]),
        (CODECS[1], CODECS[1]),
        (f"{CODECS[1]}, {CODECS[0]}", CODECS[1]),
        (f"chat, {CODECS[0]}", CODECS[0]),
    ],
)
async def test_the_subprotocol_is_the_first_offered_that_is_known(
    node: Node, offered: str | None, chosen: str | None
) -> None:
    wire = await Wire.open(node.url)
    await wire.send(upgrade(node.url, Sec_WebSocket_Protocol=offered))
    answer = parse(await wire.head())
    assert (answer.status, answer.headers.get("sec-websocket-protocol")) == (101, chosen)
    assert "sec-websocket-extensions" not in answer.headers
    wire.close()


async def test_compression_is_not_agreed_to(node: Node) -> None:
    wire = await Wire.open(node.url)
    await wire.send(upgrade(node.url, Sec_WebSocket_Extensions="permessage-deflate"))
    assert "sec-websocket-extensions" not in parse(await wire.head()).headers
    wire.close()


def origins(url: str) -> dict[str, str]:
    """Return origins that are not the server's own, though some look like it."""
    host, port = urlsplit(url).netloc.split(":")
    return {
        "foreign": "https://evil.example",
        "null": "null",
        "other port": f"http://{host}:{int(port) + 1}",
        "no port": f"http://{host}",
        "other scheme": f"ws://{host}:{port}",
        "prefix": f"http://evil{host}:{port}",
        "suffix": f"http://{host}:{port}.evil.example",
        "path": f"http://{host}:{port}/",
        "upper case": f"HTTP://{host}:{port}",
        "user": f"http://me@{host}:{port}",
        "empty": "",
    }


@pytest.mark.parametrize("which", origins("http://h:1"))
async def test_pages_of_others_may_not_connect(node: Node, which: str) -> None:
    answer = await exchange(node.url, upgrade(node.url, Origin=origins(node.url)[which]))
    assert answer.status == 403


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_our_own_pages_may(node: Node, scheme: str) -> None:
    wire = await Wire.upgraded(node.url, Origin=f"{scheme}://{urlsplit(node.url).netloc}")
    wire.close()


async def test_two_origins_are_none(node: Node) -> None:
    own = f"http://{urlsplit(node.url).netloc}"
    request = upgrade(node.url, Origin=own).replace(b"\r\n\r\n", f"\r\nOrigin: {own}\r\n\r\n".encode())
    assert (await exchange(node.url, request)).status in (400, 403)


@pytest.mark.parametrize("header", ["Host", "Sec-WebSocket-Key", "Sec-WebSocket-Version"])
async def test_what_must_be_there_once_may_not_be_there_twice(node: Node, header: str) -> None:
    request = upgrade(node.url)
    line = next(line for line in request.split(b"\r\n") if line.startswith(header.encode()))
    twice = request.replace(b"\r\n\r\n", b"\r\n" + line + b"\r\n\r\n")
    assert (await exchange(node.url, twice)).status == 400


async def test_a_frame_may_come_in_the_same_packet_as_the_handshake(node: Node) -> None:
    hello = frame(1, b'{"t":"hello","id":1}')
    wire = await Wire.upgraded(node.url, then=hello)
    opcode, payload = await wire.receive()
    assert opcode == 1
    assert json.loads(payload)["t"] == "welcome"
    wire.close()


async def test_a_request_may_come_byte_by_byte(node: Node) -> None:
    wire = await Wire.open(node.url)
    for byte in upgrade(node.url):
        await wire.send(bytes([byte]))
    assert parse(await wire.head()).status == 101
    wire.close()


async def let_in(url: str) -> Wire:
    """Be let in as soon as the server has noticed that somebody left."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            wire = await Wire.open(url)
            await wire.send(upgrade(url))
            if (status := parse(await wire.head()).status) == 101:
                return wire
            assert status == 429
            wire.close()


@pytest.mark.slow
async def test_sockets_from_one_address_are_limited(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Node(tmp_path_factory.mktemp("few"), sockets_per_address=3) as node:
        inside = [await Wire.upgraded(node.url) for _ in range(3)]
        assert (await exchange(node.url, upgrade(node.url))).status == 429
        assert (await fetch(node.url, "/healthz")).status == 200
        await inside[0].send(frame(8, (1000).to_bytes(2)))
        assert (await inside[0].rest())[:1] == b"\x88"
        inside[0] = await let_in(node.url)
        for wire in inside:
            wire.close()


@pytest.mark.slow
async def test_a_full_server_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Node(tmp_path_factory.mktemp("full"), sockets=2, sockets_per_address=0) as node:
        inside = [await Wire.upgraded(node.url) for _ in range(2)]
        assert (await exchange(node.url, upgrade(node.url))).status == 503
        for wire in inside:
            wire.close()


@pytest.mark.slow
async def test_listed_origins_may_connect(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Node(tmp_path_factory.mktemp("listed"), "--origins", "https://play.example") as node:
        (await Wire.upgraded(node.url, Origin="https://play.example")).close()
        for origin in (
            "http://play.example",
            "https://play.example:444",
            "https://play.example.evil.example",
        ):
            assert (await exchange(node.url, upgrade(node.url, Origin=origin))).status == 403
