"""One lean WebSocket connection: frames by hand over a raw socket, so that one process can play hundreds."""

import asyncio
import struct
from collections.abc import Callable
from typing import Any, Final, Self, cast
from urllib.parse import urlsplit

import msgspec

Message = dict[str, Any]

ABNORMAL: Final = 1006  # how a connection ended that ended without a close
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[str, Any]).decode


class NotLetIn(ConnectionError):
    """The server answered, but not with a WebSocket."""


class Line(asyncio.Protocol):
    """Speaks tenmatch.v1.msgpack; what comes is told to a callback, one message after the other."""

    def __init__(self, heard: Callable[[Message], None]) -> None:
        """Wait for the transport; use `Line.open`."""
        self._heard = heard
        self._data = b""
        self._let_in = asyncio.get_running_loop().create_future()
        self._code = ABNORMAL
        self._time = asyncio.get_running_loop().time
        self.closed: asyncio.Future[int] = asyncio.get_running_loop().create_future()  # the close code
        self.heard_at = self._time()  # when bytes last came
        self.transport: asyncio.Transport

    @classmethod
    async def open(cls, url: str, heard: Callable[[Message], None]) -> Self:
        """Connect to a node at *url*. Raises OSError where nobody is, or nobody is let in."""
        where = urlsplit(url)
        assert where.hostname is not None
        assert where.port is not None
        _, line = await asyncio.get_running_loop().create_connection(
            lambda: cls(heard), where.hostname, where.port
        )
        try:
            await line._let_in
        except BaseException:  # cancelled, too
            line.abort()
            raise
        return line

    def send(self, **message: Any) -> None:
        """Send a message; its mask is zero, which leaves the payload as it is."""
        self._frame(0x82, _encode({key: value for key, value in message.items() if value is not None}))

    def _frame(self, first: int, payload: bytes) -> None:
        if len(payload) < 126:
            head = struct.pack("!BB", first, 0x80 | len(payload))
        else:
            head = struct.pack("!BBH", first, 0x80 | 126, len(payload))
        self.transport.write(head + b"\0\0\0\0" + payload)

    def close(self, code: int = 1000) -> None:
        """Close as one should."""
        self._frame(0x88, code.to_bytes(2))

    def abort(self) -> None:
        """Break off; nothing that still comes is heard."""
        self._heard = _deaf
        self.transport.abort()

    # -- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Knock."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(
            b"GET /v1 HTTP/1.1\r\nHost: tests\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Protocol: tenmatch.v1.msgpack\r\n\r\n"
        )

    def data_received(self, data: bytes) -> None:
        """Take frames apart."""
        self.heard_at = self._time()
        data = self._data + data if self._data else data
        at = 0
        if not self._let_in.done():
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._data = data
                return
            if not data.startswith(b"HTTP/1.1 101"):
                self._let_in.set_exception(NotLetIn(data[:80].decode("latin-1")))
                self.transport.abort()
                return
            self._let_in.set_result(None)
            at = end + 4
        while (end := _end_of_frame(data, at)) > 0:
            start, stop = _payload(data, at), end
            self._take(data[at] & 0x0F, data[start:stop])
            at = end
        self._data = data[at:]

    def _take(self, opcode: int, payload: bytes) -> None:
        if opcode == 2:
            self._heard(_decode(payload))
        elif opcode == 9:
            self._frame(0x8A, payload)
        elif opcode == 8:
            self._code = int.from_bytes(payload[:2]) if payload else 1005
            self._frame(0x88, payload[:2])

    def connection_lost(self, exc: Exception | None) -> None:
        """Say how it ended."""
        if not self._let_in.done():
            self._let_in.set_exception(ConnectionResetError("nobody was let in"))
        if not self.closed.done():
            self.closed.set_result(self._code)


def _payload(data: bytes, at: int) -> int:
    """Return where the payload of the frame at *at* begins."""
    return at + {126: 4, 127: 10}.get(data[at + 1], 2)


def _end_of_frame(data: bytes, at: int) -> int:
    """Return where the frame at *at* ends, 0 if it is not whole yet."""
    if len(data) < at + 2 or len(data) < _payload(data, at):
        return 0
    length = data[at + 1]
    if length == 126:
        length = struct.unpack_from("!H", data, at + 2)[0]
    elif length == 127:
        length = struct.unpack_from("!Q", data, at + 2)[0]
    end = _payload(data, at) + length
    return end if len(data) >= end else 0


def _deaf(message: Message) -> None:
    pass
