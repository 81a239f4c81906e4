"""An echo server on the server's own connections, as the Autobahn test suite wants one.

Text comes back as text, binary as binary. Nothing of this is in the server: what is tried here is
`tenmatch.gateway.connection.Connection`, which frames, answers pings and closes for both.
"""

import asyncio
from typing import Self

from tests.gateway.doors import OpenDoor
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from tenmatch.gateway.connection import Connection, Knocker, Receiver
from tenmatch.protocol.limits import CloseCode, PeerError

LONGEST = 1 << 20  # bytes of a message here; the server's own limit is far lower
UNREAD = 1 << 24  # may wait to be read: an echo that is given up is none


class EitherKind(Connection):
    """A connection to which every message is of the wanted kind; in all else it is the server's."""

    @property
    def _wanted(self) -> Opcode:
        return self._opcode

    @_wanted.setter
    def _wanted(self, kind: Opcode) -> None:
        """Want any."""

    @property
    def kind(self) -> Opcode:
        """The kind of the message that came last."""
        return self._opcode


class Echo:
    """Stands behind one connection, and says what it hears."""

    idle = True

    def __init__(self, connection: EitherKind) -> None:
        self._connection = connection

    def receive(self, payload: bytes) -> None:
        """Send a message back. Raises PeerError (1007) for text that is none, as the JSON codec does."""
        kind = self._connection.kind
        if kind is Opcode.TEXT:
            try:
                str(payload, "utf-8")
            except UnicodeDecodeError as error:
                raise PeerError(CloseCode.NOT_ONE_VALUE, "not UTF-8") from error
        self._connection.write(Frame(kind, payload).serialize(mask=False))

    def drained(self) -> None:
        """Go on: nothing was held back."""

    def lost(self) -> None:
        """End."""


class Server(OpenDoor):
    """Lets everyone in. `async with Server() as server`."""

    def __init__(self, *, frame_bytes: int = LONGEST) -> None:
        self._frame_bytes = frame_bytes
        self.connections: set[EitherKind] = set()
        self._nobody = asyncio.Event()  # is here any more

    def __call__(self) -> Connection:
        """Return what takes the next connection."""
        made = EitherKind(self, frame_bytes=self._frame_bytes, high_water=UNREAD, most_unread=UNREAD)
        self.connections.add(made)
        self._nobody.clear()
        return made

    def enter(self, connection: Connection, protocol: ServerProtocol) -> Receiver:
        """Put an echo behind a connection."""
        assert isinstance(connection, EitherKind)
        return Echo(connection)

    def gone(self, knocker: Knocker) -> None:
        """Note that a connection has ended."""
        assert isinstance(knocker, EitherKind)
        self.connections.remove(knocker)
        if not self.connections:
            self._nobody.set()

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        self._server = await asyncio.get_running_loop().create_server(self, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        """Stop listening, and wait for the last connection to end. Raises TimeoutError."""
        self._server.close()
        await self.empty()

    async def empty(self) -> None:
        """Wait for the last connection to end. Raises TimeoutError after 5 s."""
        async with asyncio.timeout(5):
            if self.connections:
                await self._nobody.wait()
