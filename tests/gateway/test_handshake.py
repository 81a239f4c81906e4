"""Who may come in, and what everybody else is told."""

import asyncio
import email.utils
from collections.abc import AsyncIterator
from http import HTTPStatus

import pytest
from tests.gateway.conftest import Watch
from tests.gateway.sockets import UPGRADE, Headers, Wire, request
from tests.store.waiting import until
from websockets import datastructures
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from tenmatch.gateway.connection import Connection, Receiver
from tenmatch.gateway.handshake import Admission, Handshake
from tenmatch.gateway.http import Page, say, tell
from tenmatch.protocol.codec import CODECS, Codec
from tenmatch.protocol.limits import JSON, MSGPACK

OURS = "tenmatch.example"


class Nobody:
    """Stands behind a connection and does nothing."""

    idle = True

    def receive(self, payload: bytes) -> None: ...

    def drained(self) -> None: ...

    def lost(self) -> None: ...


def door(*, pages: dict[str, Page] | None = None, sockets: int = 0, per_address: int = 0) -> Handshake:
    def begin(connection: Connection, codec: Codec) -> Receiver:
        return Nobody()

    origins = ("https://play.example", "http://localhost:8080")
    admission = Admission(origins=origins, sockets_per_address=per_address, sockets=sockets)
    return Handshake(admission, pages or {}, begin)


def knock(
    handshake: Handshake,
    headers: Headers | list[tuple[str, str]] | None = None,
    *,
    path: str = "/v1",
    method: str = "GET",
    version: str = "HTTP/1.1",
) -> Response:
    """Ask for the upgrade; headers are added, replaced or (None) left out, or given as they are."""
    if isinstance(headers, list):
        listed = headers
    else:
        listed = [(k, v) for k, v in {**UPGRADE, **(headers or {})}.items() if v is not None]
    asked = Request(path, datastructures.Headers(listed), method, version)
    answer = handshake.answer(asked, ServerProtocol(), "192.0.2.1")
    assert isinstance(answer, Response)
    return answer


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (None, True),
        (f"https://{OURS}", True),
        (f"http://{OURS}", True),
        ("https://play.example", True),
        ("http://localhost:8080", True),
        ("http://play.example", False),
        ("https://play.example:8443", False),
        ("https://play.example.evil.example", False),
        ("https://evilplay.example", False),
        ("https://play.example/", False),
        ("https://PLAY.example", False),
        (f"https://{OURS}:8765", False),
        (f"https://{OURS}.evil.example", False),
        (f"ws://{OURS}", False),
        ("http://localhost", False),
        ("null", False),
        ("", False),
    ],
)
def test_only_our_own_pages_and_those_on_the_list_may_connect(origin: str | None, allowed: bool) -> None:
    assert knock(door(), {"Origin": origin}).status_code == (101 if allowed else 403)


def test_the_servers_own_port_is_part_of_its_origin() -> None:
    host = f"{OURS}:8765"
    assert knock(door(), {"Host": host, "Origin": f"http://{host}"}).status_code == 101
    assert knock(door(), {"Host": host, "Origin": f"http://{OURS}"}).status_code == 403


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (MSGPACK, MSGPACK),
        (JSON, JSON),
        (f"{JSON}, {MSGPACK}", JSON),
        (f"soap, {MSGPACK}", MSGPACK),
    ],
)
def test_the_first_subprotocol_that_we_speak_is_chosen(offered: str, chosen: str) -> None:
    response = knock(door(), {"Sec-WebSocket-Protocol": offered})
    assert (response.status_code, response.headers["Sec-WebSocket-Protocol"]) == (101, chosen)


def test_who_offers_none_is_given_none_and_gets_json() -> None:
    protocol = ServerProtocol()
    asked = Request("/v1", datastructures.Headers(list(UPGRADE.items())))
    response = door().answer(asked, protocol, "192.0.2.1")
    assert isinstance(response, Response)
    assert response.status_code == 101
    assert "Sec-WebSocket-Protocol" not in response.headers
    assert protocol.subprotocol == JSON


@pytest.mark.parametrize("offered", ["soap", "tenmatch.v2.json", "", ",", "a b", "tenmatch.v1.json;x"])
def test_who_offers_only_others_is_refused(offered: str) -> None:
    assert knock(door(), {"Sec-WebSocket-Protocol": offered}).status_code == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-WebSocket-Version": "8"}, 426),
        ({"Sec-WebSocket-Version": None}, 400),
        ({"Sec-WebSocket-Key": None}, 400),
        ({"Sec-WebSocket-Key": "short"}, 400),
        ({"Upgrade": "h2c"}, 426),
        ({"Upgrade": None}, 426),
        ({"Connection": "keep-alive"}, 426),
        ({"Connection": ",;"}, 400),
        ({"Upgrade": None, "Connection": None}, 426),
        ({"Host": None}, 400),
        ({"Connection": "keep-alive, upgrade"}, 101),  # as Firefox says it
    ],
)
def test_half_an_upgrade_is_none(headers: Headers, status: int) -> None:
    assert knock(door(), headers).status_code == status


@pytest.mark.parametrize("name", ["Host", "Origin", "Sec-WebSocket-Version", "Sec-WebSocket-Key"])
def test_what_may_stand_once_stands_once(name: str) -> None:
    lines = [*UPGRADE.items(), ("Origin", f"https://{OURS}")]
    assert knock(door(), lines).status_code == 101
    twice = [*lines, *((key, value) for key, value in lines if key == name)]
    assert knock(door(), twice).status_code == 400


def test_the_version_that_is_spoken_is_named() -> None:
    assert knock(door(), {"Sec-WebSocket-Version": "8"}).headers["Sec-WebSocket-Version"] == "13"


@pytest.mark.parametrize(
    ("method", "version", "status"), [("POST", "HTTP/1.1", 405), ("GET", "HTTP/1.0", 505)]
)
def test_an_upgrade_is_a_get_of_http_1_1(method: str, version: str, status: int) -> None:
    assert knock(door(), method=method, version=version).status_code == status


PAGES: dict[str, Page] = {
    "/": lambda request: say(HTTPStatus.OK, "the index"),
    "/data": lambda request: tell(HTTPStatus.OK, {"a": 1}, {"X-Extra": "b"}),
    "/kept/*": lambda request: say(HTTPStatus.OK, f"here is {request.path}"),
}


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/", "GET", 200),
        ("/?query", "GET", 200),
        ("/data", "HEAD", 200),
        ("/v1", "GET", 426),
        ("/v1", "HEAD", 426),
        ("/v1", "POST", 405),
        ("/", "POST", 405),
        ("/", "OPTIONS", 405),
        ("/nowhere", "GET", 404),
        ("/data/", "GET", 404),
        ("//data", "GET", 404),
        ("/../data", "GET", 404),
        ("/%64ata", "GET", 404),
        ("/nowhere", "HEAD", 404),
        ("*", "GET", 404),
        ("/v1/x", "GET", 404),
        ("/kept/this", "GET", 200),
        ("/kept/that?query", "HEAD", 200),
        ("/kept/", "GET", 200),  # which the page may not know
        ("/kept", "GET", 404),
        ("/kept/in/folders", "GET", 404),
        ("/kept/this", "POST", 405),
    ],
)
def test_plain_requests_are_answered_by_path(path: str, method: str, status: int) -> None:
    response = knock(door(pages=PAGES), [("Host", OURS)], path=path, method=method)
    assert response.status_code == status
    assert response.headers["Connection"] == "close"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert email.utils.parsedate_to_datetime(response.headers["Date"])
    if method == "HEAD":
        assert response.body == b""
        assert int(response.headers["Content-Length"]) > 0
    else:
        assert len(response.body) == int(response.headers["Content-Length"])


def test_what_a_method_may_be_is_said() -> None:
    assert knock(door(pages=PAGES), path="/", method="PUT").headers["Allow"] == "GET, HEAD"


def test_a_page_has_its_type_and_what_else_it_names() -> None:
    response = knock(door(pages=PAGES), [("Host", OURS)], path="/data")
    assert response.headers["Content-Type"] == "application/json"
    assert (response.headers["X-Extra"], response.body) == ("b", b'{"a":1}')


def test_a_request_of_http_1_0_needs_no_host() -> None:
    assert knock(door(pages=PAGES), [], path="/", version="HTTP/1.0").status_code == 200


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_upgrade_elsewhere_is_a_plain_request(method: str) -> None:
    assert knock(door(pages=PAGES), path="/data", method=method).status_code == 200


def test_a_server_that_drains_lets_nobody_in() -> None:
    handshake = door(pages=PAGES)
    handshake.draining = True
    response = knock(handshake)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "2")
    assert knock(handshake, [("Host", OURS)], path="/").status_code == 200


# With sockets


@pytest.fixture
async def ports(watch: Watch) -> AsyncIterator[dict[str, tuple[int, Handshake]]]:
    """Doors that let in two at most, from all or from each address."""
    servers, doors = [], {}
    for name, handshake in {"all": door(sockets=2), "each": door(per_address=2)}.items():

        def connect(handshake: Handshake = handshake) -> Connection:
            return Connection(handshake, frame_bytes=4_096, high_water=16_384, most_unread=65_536)

        server = await asyncio.get_running_loop().create_server(connect, "127.0.0.1", 0)
        servers.append(server)
        doors[name] = (server.sockets[0].getsockname()[1], handshake)
    yield doors
    for server in servers:
        server.close()
    await until(lambda: not any(handshake.connections for _, handshake in doors.values()))


@pytest.mark.parametrize(("which", "status"), [("all", 503), ("each", 429)])
async def test_no_more_come_in_than_may_and_who_leaves_makes_room(
    ports: dict[str, tuple[int, Handshake]], which: str, status: int
) -> None:
    port, handshake = ports[which]
    async with Wire(port) as first, Wire(port) as second:
        assert (await first.upgrade()).status_code == 101
        assert (await second.upgrade()).status_code == 101
        async with Wire(port) as third:
            assert (await third.upgrade()).status_code == status
    await until(lambda: not handshake.connections)
    assert not handshake._from
    async with Wire(port) as fourth:
        assert (await fourth.upgrade()).status_code == 101


async def test_who_was_not_let_in_is_not_counted(ports: dict[str, tuple[int, Handshake]]) -> None:
    port, handshake = ports["each"]
    for _ in range(3):
        async with Wire(port) as wire:
            await wire.send(request(headers={"Origin": "null"}))
            assert (await wire.end()).startswith(b"HTTP/1.1 403 ")
    assert not handshake.connections
    async with Wire(port) as wire:
        assert (await wire.upgrade()).status_code == 101


async def test_each_codec_gets_its_kind_of_frame(ports: dict[str, tuple[int, Handshake]]) -> None:
    port, _ = ports["all"]
    for name, codec in CODECS.items():
        async with Wire(port) as wire:
            await wire.upgrade(headers={"Sec-WebSocket-Protocol": name})
            await wire.send(b"\x82\x80\0\0\0\0" if not codec.binary else b"\x81\x80\0\0\0\0")
            assert await wire.closed() == 1003
