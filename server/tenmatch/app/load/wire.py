"""A WebSocket client that costs little: the handshake by the library, frames by hand (RFC 6455).

A client that costs more than the server measures itself. This one reads no more of a frame than it must, and
masks with zeros, which leave the payload as it is: masks protect proxies from scripts in browsers, and here
is neither.
"""

import asyncio
import ssl
import struct
from typing import Final, Protocol, cast

from websockets.client import ClientProtocol
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from tenmatch.client.address import base_of, parsed

KNOCKING: Final = 1_000  # connections under way at the same time, at most
_BINARY, _CLOSE, _PING, _PONG = 0x82, 0x88, 0x89, 0x8A  # opcodes of whole messages
_MASKED: Final = 0x80
_NO_MASK: Final = bytes(4)


class Hearer(Protocol):
    """Who is at the near end of a connection."""

    def opened(self, wire: "Wire") -> None:
        """Hear that messages can be sent, and over what."""

    def heard(self, payload: bytes) -> None:
        """Take a message."""

    def lost(self, why: str) -> None:
        """Hear that the connection has ended, or did not come about."""


class Wire(asyncio.Protocol):
    """One connection, from its handshake on."""

    def __init__(self, where: "Where", path: str, hearer: Hearer) -> None:
        self._hearer = hearer
        subprotocols = [Subprotocol(where.subprotocol)] if where.subprotocol else None
        uri = parse_uri(f"{where.base}{path}")
        self._handshake: ClientProtocol | None = ClientProtocol(uri, subprotocols=subprotocols)
        # Done once we are let in, or not.
        self.decided: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._held = b""  # that came, and is no whole frame yet
        self._why = "the server cut the connection without letting us in"
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask to be let in."""
        self._transport = cast("asyncio.Transport", transport)
        assert self._handshake is not None
        self._handshake.send_request(self._handshake.connect())
        self._transport.writelines(self._handshake.data_to_send())

    def send(self, payload: bytes, opcode: int = _BINARY) -> None:
        """Send a message in one frame."""
        length = len(payload)
        if length < 126:
            head = struct.pack("!BB", opcode, _MASKED | length)
        elif length < 65_536:
            head = struct.pack("!BBH", opcode, _MASKED | 126, length)
        else:
            head = struct.pack("!BBQ", opcode, _MASKED | 127, length)
        self._transport.write(b"".join((head, _NO_MASK, payload)))

    def close(self) -> None:
        """Say goodbye and end."""
        self.send(struct.pack("!H", 1000), _CLOSE)
        self._transport.close()

    def cut(self) -> None:
        """End without a word."""
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Hand on the messages that are whole."""
        if self._held:
            data = self._held + data
        if self._handshake is not None:
            end = data.find(b"\r\n\r\n") + 4
            if end < 4:
                self._held = data
                return
            data = self._enter(data[:end], data[end:])
        self._held = self._frames(data)

    def _enter(self, head: bytes, rest: bytes) -> bytes:
        """Read the answer to our request; return what of *rest* is frames."""
        assert self._handshake is not None
        protocol, self._handshake = self._handshake, None
        protocol.receive_data(head)
        if protocol.handshake_exc is None and protocol.events_received():
            self._why = "the connection was cut"
            self._decide()
            self._hearer.opened(self)
            return rest
        what = head.partition(b"\r\n")[0] + b": " + rest
        self._fail(what.decode(errors="replace").strip())
        return b""

    def _frames(self, data: bytes) -> bytes:
        """Take the whole frames of *data* and return the rest."""
        at, end = 0, len(data)
        while end - at >= 2:
            opcode, length = data[at], data[at + 1]
            start = at + 2
            if length >= 126:
                wide = 2 if length == 126 else 8
                start += wide
                if end < start:
                    break
                length = int.from_bytes(data[at + 2 : start], "big")
            if end < start + length:
                break
            at = start + length
            if opcode == _BINARY:
                self._hearer.heard(data[start:at])
            else:
                self._control(opcode, data[start:at])
        return data[at:]

    def _control(self, opcode: int, payload: bytes) -> None:
        if opcode == _PING:
            self.send(payload, _PONG)
        elif opcode == _CLOSE:
            code = int.from_bytes(payload[:2], "big")
            self._fail(f"closed with {code} {payload[2:].decode(errors='replace')}".strip())
        elif opcode != _PONG:
            self._fail(f"a frame that no server of ours sends: it begins with {opcode:#x}")

    def _fail(self, why: str) -> None:
        self._why = why
        self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Say so."""
        self._decide()
        self._hearer.lost(f"{self._why}: {exc}" if exc else self._why)

    def _decide(self) -> None:
        if not self.decided.done():
            self.decided.set_result(None)


class Where:
    """A server's address, and the way to it."""

    def __init__(self, url: str, subprotocol: str = "") -> None:
        """Read where the server is.

        Raises:
            BadUrl: It is no URL of one.
        """
        self.subprotocol = subprotocol
        self.base = base_of(url)
        self.uri = parsed(self.base)
        self._ssl = ssl.create_default_context() if self.uri.secure else None
        self._knocking = asyncio.Semaphore(KNOCKING)

    async def connect(self, path: str, hearer: Hearer) -> None:
        """Connect; the hearer hears whether the server lets us in.

        Raises:
            OSError: Nobody listens there.
        """
        async with self._knocking:
            loop = asyncio.get_running_loop()
            _, wire = await loop.create_connection(
                lambda: Wire(self, path, hearer), self.uri.host, self.uri.port, ssl=self._ssl
            )
            await wire.decided
