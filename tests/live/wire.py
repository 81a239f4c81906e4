"""Bytes on the server's port, for what no well-behaved client sends: HTTP as it is, and frames by hand."""

import asyncio
import os
import socket
from base64 import b64encode
from typing import ClassVar, NamedTuple, Self
from urllib.parse import urlsplit

PATIENCE_S = 10.0


class Answer(NamedTuple):
    """An HTTP answer, read to the end of the connection."""

    status: int
    headers: dict[str, str]  # by lower-case name
    body: bytes


async def fetch(url: str, path: str, method: str = "GET", **headers: str) -> Answer:
    """Ask for a page; the server closes the connection after its answer."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {urlsplit(url).netloc}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return await exchange(url, "\r\n".join([*lines, "", ""]).encode())


async def exchange(url: str, request: bytes) -> Answer:
    """Send bytes and read an answer to its end."""
    wire = await Wire.open(url)
    await wire.send(request)
    return parse(await wire.rest())


def parse(answer: bytes) -> Answer:
    """Read an HTTP answer. Raises ValueError for what is none."""
    if not answer.startswith(b"HTTP/"):
        raise ValueError(f"this is no answer: {answer[:80]!r}")
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return Answer(int(status.split(" ")[1]), {name.lower(): text for name, text in headers.items()}, body)


def upgrade(url: str, path: str = "/v1", method: str = "GET", **headers: str | None) -> bytes:
    """Return a request for a WebSocket; headers replace the usual ones, None leaves one out."""
    usual: dict[str, str | None] = {
        "Host": urlsplit(url).netloc,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": b64encode(os.urandom(16)).decode(),
        "Sec-WebSocket-Version": "13",
    }
    usual |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name}: {value}" for name, value in usual.items() if value is not None]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode()


def frame(
    opcode: int, payload: bytes = b"", *, fin: bool = True, rsv: int = 0, masked: bool = True, claim: int = -1
) -> bytes:
    """Return a frame of a client; *claim* is a length to announce in place of the real one."""
    length = len(payload) if claim < 0 else claim
    head = bytes([fin << 7 | rsv << 4 | opcode])
    bit = 0x80 if masked else 0
    if length < 126:
        head += bytes([bit | length])
    elif length < 1 << 16:
        head += bytes([bit | 126]) + length.to_bytes(2)
    else:
        head += bytes([bit | 127]) + length.to_bytes(8)
    if not masked:
        return head + payload
    mask = os.urandom(4)
    return head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))


class Wire:
    """One TCP connection."""

    left: ClassVar[set["Wire"]] = set()  # those still open: a test that fails closes none of its own

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Use an open connection; make one with `Wire.open` or `Wire.upgraded`."""
        self._reader, self._writer = reader, writer
        self.left.add(self)

    @classmethod
    async def open(cls, url: str, *, narrow: bool = False) -> Self:
        """Connect; on a narrow line both kernels hold only some ten thousand bytes that nobody reads."""
        where = urlsplit(url)
        line = socket.socket()
        if narrow:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        line.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(line, (where.hostname, where.port))
        except BaseException:  # cancelled, too
            line.close()
            raise
        return cls(*await asyncio.open_connection(sock=line, limit=4_096 if narrow else 65_536))

    @classmethod
    async def upgraded(
        cls, url: str, *, then: bytes = b"", narrow: bool = False, **headers: str | None
    ) -> Self:
        """Connect and be let in; *then* follows the request in the same breath."""
        wire = await cls.open(url, narrow=narrow)
        await wire.send(upgrade(url, "/v1", "GET", **headers) + then)
        answer = parse(await wire.head())
        assert answer.status == 101, answer
        return wire

    @property
    def port(self) -> int:
        """Our own end's port."""
        return int(self._writer.get_extra_info("sockname")[1])

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        self._writer.write(data)
        await self._writer.drain()

    def half_close(self) -> None:
        """Say that no more bytes will come."""
        self._writer.write_eof()

    async def head(self) -> bytes:
        """Read an answer's head."""
        async with asyncio.timeout(PATIENCE_S):
            return await self._reader.readuntil(b"\r\n\r\n")

    async def rest(self) -> bytes:
        """Read until the other side closes, and close."""
        async with asyncio.timeout(PATIENCE_S):
            try:
                return await self._reader.read()
            except ConnectionResetError:
                return b""
            finally:
                self.close()

    async def receive(self) -> tuple[int, bytes]:
        """Read one frame of the server's: its opcode and payload."""
        async with asyncio.timeout(PATIENCE_S):
            first, second = await self._reader.readexactly(2)
            assert first & 0x80, "the server never fragments"
            assert not second & 0x80, "a server's frames are not masked"
            length = second
            if second == 126:
                length = int.from_bytes(await self._reader.readexactly(2))
            elif second == 127:
                length = int.from_bytes(await self._reader.readexactly(8))
            return first & 0x0F, await self._reader.readexactly(length)

    async def close_code(self) -> int:
        """Read frames until the server closes, and return the code; the connection must end then."""
        while True:
            opcode, payload = await self.receive()
            if opcode == 8:
                await self.send(frame(8, payload[:2]))
                assert await self.rest() == b""
                return int.from_bytes(payload[:2])

    def close(self) -> None:
        """Let the connection go."""
        self._writer.close()
        self.left.discard(self)
