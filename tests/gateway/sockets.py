"""A plain TCP client that does what no library would, and reads what comes back."""

import asyncio
import socket
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from tenmatch.protocol.codec import CODECS

PATIENCE_S = 30.0  # more than any machine stands still
UPGRADE = {
    "Host": "tenmatch.example",
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}


Headers = Mapping[str, str | None]


def request(
    path: str = "/v1", headers: Headers | None = None, *, method: str = "GET", version: str = "HTTP/1.1"
) -> bytes:
    """Return the head of a request to upgrade; *headers* are added, replaced or (None) left out."""
    lines = {**UPGRADE, **(headers or {})}
    head = [f"{method} {path} {version}", *(f"{k}: {v}" for k, v in lines.items() if v is not None)]
    return "".join(f"{line}\r\n" for line in [*head, ""]).encode()


class Wire:
    """One connection. `async with Wire(port) as wire`."""

    def __init__(self, port: int, *, receive_buffer: int | None = None) -> None:
        self._port = port
        self._receive_buffer = receive_buffer
        self._protocol = ClientProtocol(
            parse_uri("ws://tenmatch.example/v1"),
            subprotocols=[Subprotocol(name) for name in CODECS],
            max_size=None,
        )
        self._frames: list[Frame] = []

    async def __aenter__(self) -> Self:
        sock = socket.socket()
        sock.setblocking(False)
        if self._receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self._receive_buffer)
        try:
            await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", self._port))
        except BaseException:  # cancelled, too
            sock.close()
            raise
        self.socket = sock
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()

    async def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.get_running_loop().sock_sendall(self.socket, data)

    async def receive(self) -> bytes:
        """Return some bytes, or none where the other side has ended."""
        async with asyncio.timeout(PATIENCE_S):
            return await asyncio.get_running_loop().sock_recv(self.socket, 65_536)

    async def end(self) -> bytes:
        """Return all bytes until the other side ends, however it does."""
        data = b""
        try:
            while more := await self.receive():
                data += more
        except ConnectionError:
            pass
        return data

    async def upgrade(self, *then: bytes, headers: Headers | None = None) -> Response:
        """Ask for the upgrade, with frames in the same packet, and return the answer."""
        asked: Request = self._protocol.connect()
        self._protocol.send_request(asked)
        self._protocol.data_to_send()
        key = {"Sec-WebSocket-Key": asked.headers["Sec-WebSocket-Key"]}
        await self.send(request(headers={**key, **(headers or {})}) + b"".join(then))
        while True:
            self._protocol.receive_data(await self.receive())
            events = self._protocol.events_received()
            if events:
                [response, *frames] = events
                assert isinstance(response, Response)
                self._keep(frames)
                return response

    def _keep(self, events: object) -> None:
        assert isinstance(events, list)
        self._frames += [event for event in events if isinstance(event, Frame)]

    async def frame(self) -> Frame:
        """Return the next frame."""
        while not self._frames:
            data = await self.receive()
            if not data:
                raise EOFError("the other side has ended")
            self._protocol.receive_data(data)
            self._keep(self._protocol.events_received())
        return self._frames.pop(0)

    async def closed(self) -> int | None:
        """Return the code with which the other side closes, None where it hangs up without one."""
        try:
            while (frame := await self.frame()).opcode is not Opcode.CLOSE:
                pass
        except (EOFError, ConnectionError):
            return None
        return int.from_bytes(bytes(frame.data)[:2], "big")
