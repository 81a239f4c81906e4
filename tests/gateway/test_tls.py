"""TLS on our own port: who gets through, with which certificate, and who is cut off on the way."""

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path

import pytest
from tests.certificates import Pair
from tests.gateway.conftest import Watch
from tests.gateway.sockets import PATIENCE_S, request
from tests.store.waiting import until
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tenmatch.gateway import connection, tls
from tenmatch.gateway.connection import Connection, Knocker, Receiver
from tenmatch.gateway.framing import frame
from tenmatch.gateway.handshake import Admission, Handshake
from tenmatch.gateway.http import say
from tenmatch.gateway.tls import BadCertificate, Certificate, SecureServer
from tenmatch.protocol.codec import Codec
from tenmatch.protocol.limits import CloseCode

BOTH_LOOPS = True
PAGE = "a page " * 10_000


class Echo:
    """Says what it hears, many times over, until it is told to end."""

    idle = True

    def __init__(self, connection: Connection, codec: Codec) -> None:
        self.connection = connection
        self.codec = codec

    def receive(self, payload: bytes) -> None:
        if b"end" in payload:
            self.connection.close(CloseCode.RESTART, "as you wish")
        else:
            self.connection.write(frame(self.codec, {"heard": payload.decode() * 100}))

    def drained(self) -> None: ...

    def lost(self) -> None: ...


class Secure:
    """A server with a certificate, and who knocked at it."""

    def __init__(self, pair: Pair, listener: socket.socket) -> None:
        self.pair = pair
        self.port: int = listener.getsockname()[1]
        self.certificate = Certificate(*pair)
        self.connections: list[Connection] = []
        self.handshake = Handshake(
            Admission(origins=(), sockets_per_address=4, sockets=0, handshakes=6),
            {"/": lambda _: say(HTTPStatus.OK, PAGE)},
            self._begin,
        )
        self.server = SecureServer(listener, self.certificate, self.handshake, self._connect)

    def _begin(self, connection: Connection, codec: Codec) -> Receiver:
        self.connections.append(connection)
        return Echo(connection, codec)

    def _connect(self, arrival: Knocker) -> Connection:
        return Connection(
            self.handshake, frame_bytes=4_096, high_water=16_384, most_unread=65_536, arrival=arrival
        )

    @property
    def knocking(self) -> int:
        return self.handshake.knocking

    def client(self, pair: Pair | None = None, host: str = "localhost") -> connect:
        """Return a client that trusts one certificate."""
        trusting = (pair or self.pair).trusting()
        return connect(f"wss://{host}:{self.port}/v1", ssl=trusting, proxy=None, compression=None)

    async def half(self) -> socket.socket:
        """Connect, and begin nothing."""
        sock = socket.socket()
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", self.port))
        return sock


@pytest.fixture
async def secure(tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Secure]:
    monkeypatch.setattr(tls, "HANDSHAKE_S", 60.0)  # where none is meant to be cut off
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with asyncio.TaskGroup() as group:
            secure = Secure(Pair.make(tmp_path, "first"), listener)
            secure.server.start(group, 100)
            yield secure
            secure.server.close()
        await until(lambda: not secure.handshake.connections and not secure.knocking)
        assert not secure.handshake._knocking_from
        assert not secure.handshake._from


async def heard(client: ClientConnection, text: str) -> None:
    """Send a text and hear of it."""
    await client.send(f'"{text}"')
    async with asyncio.timeout(PATIENCE_S):
        assert text in str(await client.recv())


async def cut_off(sock: socket.socket) -> None:
    """Return when the server has ended a connection."""
    async with asyncio.timeout(PATIENCE_S):
        with suppress(ConnectionResetError):
            assert await asyncio.get_running_loop().sock_recv(sock, 100) == b""


async def certificate_at(secure: Secure, name: str | None) -> bytes:
    """Return the certificate that somebody who trusts anybody is shown; *name* is what is asked for."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection("127.0.0.1", secure.port, ssl=trusting, server_hostname=name)
    shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.transport.abort()
    assert isinstance(shown, bytes)
    return shown


async def test_messages_go_both_ways(secure: Secure) -> None:
    async with secure.client() as client:
        await asyncio.gather(*(client.send(f'"{number}"') for number in range(50)))
        for number in range(50):
            assert f'\\"{number}\\"' in str(await client.recv())
        await client.send("x" * 4_000)
        assert len(await client.recv()) > 400_000
        assert secure.connections[0].address == "127.0.0.1"
        assert not secure.knocking


async def test_a_close_arrives(secure: Secure) -> None:
    async with secure.client() as client:
        await client.send('"end"')
        with pytest.raises(ConnectionClosed):
            await client.recv()
        assert (client.close_code, client.close_reason) == (1012, "as you wish")


async def test_a_clients_close_is_answered(secure: Secure) -> None:
    async with secure.client() as client:
        await client.close(1000)
        assert client.close_code == 1000


async def test_pages_come_whole(secure: Secure) -> None:
    reader, writer = await asyncio.open_connection("localhost", secure.port, ssl=secure.pair.trusting())
    writer.write(request("/", {"Upgrade": None, "Connection": None}))
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(PAGE.encode() + b"\n")
    writer.close()


@pytest.mark.parametrize("name", ["localhost", "another.example", None])
async def test_a_new_certificate_is_shown_to_those_who_come_after_it(
    secure: Secure, tmp_path: Path, name: str | None
) -> None:
    async with secure.client() as before:
        await heard(before, "still")
        old = await certificate_at(secure, name or "127.0.0.1")
        newer = Pair.make(tmp_path, "second")
        secure.pair.replace(newer)
        assert await certificate_at(secure, name or "127.0.0.1") == old
        secure.certificate.reload()
        assert await certificate_at(secure, name or "127.0.0.1") != old
        async with secure.client(newer, "127.0.0.1" if name is None else "localhost") as after:
            await heard(after, "new")
        await heard(before, "there")


async def test_a_bad_certificate_replaces_nothing(secure: Secure, tmp_path: Path) -> None:
    old = await certificate_at(secure, "localhost")
    good = secure.pair.cert.read_bytes()
    for wrong in (b"", b"nonsense", Pair.make(tmp_path, "second").cert.read_bytes()):
        secure.pair.cert.write_bytes(wrong)
        with pytest.raises(BadCertificate, match=r"first\.pem"):
            secure.certificate.reload()
    secure.pair.key.unlink()
    with pytest.raises(BadCertificate):
        secure.certificate.reload()
    secure.pair.cert.write_bytes(good)
    assert await certificate_at(secure, "localhost") == old
    async with secure.client() as client:
        await heard(client, "as before")


def test_a_key_with_a_password_is_refused_and_none_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(BadCertificate):
        Certificate(*Pair.make(tmp_path, "locked", password="secret"))


@pytest.mark.parametrize(
    ("version", "spoken"),
    [
        (ssl.TLSVersion.TLSv1, False),
        (ssl.TLSVersion.TLSv1_1, False),
        (ssl.TLSVersion.TLSv1_2, True),
        (ssl.TLSVersion.TLSv1_3, True),
    ],
)
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
async def test_old_versions_are_not_spoken(secure: Secure, version: ssl.TLSVersion, spoken: bool) -> None:
    trusting = secure.pair.trusting()
    trusting.set_ciphers("ALL:@SECLEVEL=0")
    trusting.minimum_version = trusting.maximum_version = version
    if not spoken:
        with pytest.raises(OSError):  # noqa: PT011  # says it differently on each loop
            await asyncio.open_connection("localhost", secure.port, ssl=trusting)
        secure.certificate.context.minimum_version = version  # as it would be without our word
        secure.certificate.context.set_ciphers("ALL:@SECLEVEL=0")
    _, writer = await asyncio.open_connection("localhost", secure.port, ssl=trusting)
    assert writer.get_extra_info("ssl_object").version().replace(".", "_") in f"{version.name}_0"
    writer.transport.abort()


async def test_plain_requests_are_cut_off(secure: Secure) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", secure.port)
    writer.write(request())
    async with asyncio.timeout(PATIENCE_S):
        with suppress(ConnectionResetError):
            assert not (await reader.read()).startswith(b"HTTP")
    writer.close()
    await until(lambda: not secure.knocking)


async def test_slow_handshakes_are_cut_off(secure: Secure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tls, "HANDSHAKE_S", 0.1)
    slow = [await secure.half() for _ in range(3)]
    with suppress(ConnectionError):  # it may be too late for it
        half = b"\x16\x03\x01\x02\x00\x01"  # of a ClientHello
        await asyncio.get_running_loop().sock_sendall(slow[0], half)
    for sock in slow:
        await cut_off(sock)
        sock.close()
    await until(lambda: not secure.knocking)


async def test_a_request_has_to_follow(secure: Secure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HANDSHAKE_S", 0.1)
    reader, writer = await asyncio.open_connection("localhost", secure.port, ssl=secure.pair.trusting())
    async with asyncio.timeout(PATIENCE_S):
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
    writer.close()
    await until(lambda: not secure.knocking)


async def test_handshakes_under_way_count_for_their_address(secure: Secure) -> None:
    slow = [await secure.half() for _ in range(4)]
    await until(lambda: secure.knocking == 4)
    fifth = await secure.half()
    await cut_off(fifth)
    for sock in (*slow, fifth):
        sock.close()
    await until(lambda: not secure.knocking)
    async with secure.client() as client:
        await heard(client, "in")


async def test_the_oldest_of_too_many_is_cut_off(secure: Secure, monkeypatch: pytest.MonkeyPatch) -> None:
    three = Admission(origins=(), sockets_per_address=0, sockets=0, handshakes=3)
    monkeypatch.setattr(secure.handshake, "_admission", three)
    slow = [await secure.half() for _ in range(3)]
    await until(lambda: secure.knocking == 3)
    async with secure.client() as client:
        await heard(client, "in")
    await cut_off(slow[0])
    await until(lambda: secure.knocking == 2)
    for sock in slow:
        sock.close()
    await until(lambda: not secure.knocking)


async def test_a_bug_met_by_one_who_comes_costs_the_others_nothing(
    secure: Secure, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    watch.bugs_expected = True
    with monkeypatch.context() as broken, await secure.half() as sock:
        broken.setattr(Connection, "__init__", fail)
        await cut_off(sock)
    await until(lambda: not secure.knocking)
    async with secure.client() as client:
        await heard(client, "in")


async def test_clients_that_vanish_leave_nothing(secure: Secure) -> None:
    for number in range(40):
        sock = await secure.half()
        if number % 2:
            await asyncio.get_running_loop().sock_sendall(sock, b"\x16\x03\x01\x00\x05\x01\0\0\x01\0")
        if number % 3:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset
        sock.close()
    await until(lambda: not secure.knocking)
    async with secure.client() as client:
        await heard(client, "in")


async def test_a_server_that_closes_ends_what_is_not_secure_yet(secure: Secure) -> None:
    slow = await secure.half()
    async with secure.client() as client:
        secure.server.close()
        await until(lambda: not secure.knocking)
        await heard(client, "stays")
    await cut_off(slow)
    slow.close()


async def test_what_nobody_reads_is_bounded(secure: Secure) -> None:
    async with secure.client() as client:
        client.transport.pause_reading()
        written = secure.connections[0]
        while written.open:
            written.write(b"\x81\x7e\x40\x00" + b"x" * 16_384)
            await asyncio.sleep(0)
        assert written.slow
        client.transport.abort()
