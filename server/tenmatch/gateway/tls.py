"""TLS without a proxy: the certificate, and the way in for connections that begin with it.

A TLS handshake takes time and costs nothing to begin, so those under way are counted like everyone who
knocks; that is why connections are accepted here, and not by the event loop's own server.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from tenmatch.gateway.addresses import canonical
from tenmatch.gateway.connection import CLOSE_S, Connection
from tenmatch.gateway.tasks import guarded

log = logging.getLogger(__name__)

HANDSHAKE_S: Final = 4.0  # the request that follows has 5 s more
AT_ONCE: Final = 64  # connections accepted before the loop may breathe
RETRY_S: Final = 1.0  # when there is nothing to accept connections with


class BadCertificate(Exception):
    """A certificate and its key cannot be read, or do not belong together."""


class Certificate:
    """A certificate with its key, as they lie in two files that may be replaced."""

    def __init__(self, chain: Path, key: Path) -> None:
        """Read them. Raises BadCertificate."""
        self._chain, self._key = chain, key
        self._newest = self._read()
        self.context = self._newest  # with which every handshake begins
        self.context.sni_callback = self._choose

    def reload(self) -> None:
        """Read the files again, for handshakes from now on.

        Raises:
            BadCertificate: What was read before is used on.
        """
        self._newest = self._read()

    def _choose(self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        """Answer a client's first words, whatever name it asks for, with the newest certificate."""
        connection.context = self._newest

    def _read(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.options |= ssl.OP_NO_RENEGOTIATION
        context.set_alpn_protocols(["http/1.1"])
        try:
            context.load_cert_chain(self._chain, self._key, password="")  # and nobody is asked for another
        except OSError as error:
            raise BadCertificate(
                f"{self._chain} and {self._key} are no certificate and its key in PEM, open to read: {error}"
            ) from error
        return context


class Door(Protocol):
    """Where those who come are counted: `tenmatch.gateway.handshake.Handshake`."""

    def knock(self, knocker: "Arrival", address: str) -> bool:
        """Count a socket from its first moment on; return False where it must go."""

    def gone(self, knocker: "Arrival") -> None:
        """Count a socket out again."""


class Arrival:
    """A socket whose TLS handshake is not over."""

    def __init__(self) -> None:
        """Wait for the task that sees to it."""
        self.task: asyncio.Task[None]
        self.taken = False  # the socket, by that task

    def abort(self) -> None:
        """End at once."""
        self.task.cancel()


class SecureServer:
    """Accepts connections, and hands them on when they are secure."""

    def __init__(
        self,
        listener: socket.socket,
        certificate: Certificate,
        door: Door,
        connect: Callable[[Arrival], Connection],
    ) -> None:
        """Make a server on a bound socket; it listens once `run` is.

        Args:
            connect: Makes what takes a secure connection, counted in place of its arrival from then on.
        """
        self._listener = listener
        self._certificate = certificate
        self._door = door
        self._connect = connect
        self._arrivals: set[Arrival] = set()
        self._running: asyncio.Task[None] | None = None

    def start(self, group: asyncio.TaskGroup, backlog: int) -> None:
        """Listen, in tasks of a group that outlives them, until `close`."""
        self._listener.setblocking(False)
        self._listener.listen(backlog)
        self._running = group.create_task(self._accept(group))

    def close(self) -> None:
        """Listen no longer, and end what is not secure yet."""
        if self._running is not None:
            self._running.cancel()
        for arrival in tuple(self._arrivals):
            arrival.abort()

    async def _accept(self, group: asyncio.TaskGroup) -> None:
        loop = asyncio.get_running_loop()
        while True:
            for _ in range(AT_ONCE):
                try:
                    accepted, peername = await loop.sock_accept(self._listener)
                except ConnectionAbortedError:
                    continue
                except OSError as error:  # most likely too many files are open
                    log.error("connections cannot be accepted", extra={"error": str(error)})
                    await asyncio.sleep(RETRY_S)
                else:
                    self._receive(group, accepted, canonical(peername))
            await asyncio.sleep(0)

    def _receive(self, group: asyncio.TaskGroup, accepted: socket.socket, address: str) -> None:
        arrival = Arrival()
        if not self._door.knock(arrival, address):
            accepted.close()
            return
        self._arrivals.add(arrival)
        arrival.task = group.create_task(guarded(self._secure(arrival, accepted)))
        arrival.task.add_done_callback(lambda _: self._left(arrival, accepted))

    def _left(self, arrival: Arrival, accepted: socket.socket) -> None:
        self._arrivals.discard(arrival)
        self._door.gone(arrival)
        if not arrival.taken:  # ended before it began; else its transport closes it
            accepted.close()

    async def _secure(self, arrival: Arrival, accepted: socket.socket) -> None:
        arrival.taken = True
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: self._connect(arrival),
                accepted,
                ssl=self._certificate.context,
                ssl_handshake_timeout=HANDSHAKE_S,
                ssl_shutdown_timeout=CLOSE_S,
            )
        except OSError as error:
            log.debug("a TLS handshake failed", extra={"error": str(error)})
        except Exception:  # a bug: told by whoever guards the task
            accepted.close()  # no transport may have come to own it
            raise
