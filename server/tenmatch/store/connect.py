"""From a URL to answers: connections to one server, exchanges on them, and how the store fails.

The driver is used for its connections and their handshakes only. It retries nothing (its retries run a
command twice), it applies no time limits of its own (from Python 3.11 on it takes a connection that died of
ETIMEDOUT for one of its own time-outs and returns empty-handed, at once, for ever): every exchange stands
under one deadline of ours, and ends its connection if it fails.

A `Store` is one server: standalone, or one shard of several. Commands name their keys, so that a router can
stand before several.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from importlib.resources import files
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import hiredis
from redis.asyncio.connection import AbstractConnection, Connection, parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError, ResponseError

from tenmatch.game.ids import Millis
from tenmatch.store.clock import StoreClock

logger = logging.getLogger(__name__)

Argument: TypeAlias = str | bytes | int | float
Reply: TypeAlias = Any  # what a command answers with, as RESP2 has it: bytes, int, None or a list of these

TIMEOUT: Final = 1.0  # seconds for an exchange, connecting included
WAIT: Final = 0.5  # seconds for a free connection
CONNECTIONS: Final = 16
WAITERS: Final = 1_000  # calls that wait for a connection at most; the next one fails at once

# The second line behind our own watchdogs: data unacknowledged for 5 s ends the connection. Linux only.
USER_TIMEOUT: Final = {socket.TCP_USER_TIMEOUT: 5_000} if hasattr(socket, "TCP_USER_TIMEOUT") else {}

SUPPORTED: Final = ("redis", "rediss", "unix")
PLANNED: Final = ("redis+sentinel", "redis+cluster")
URL_OPTIONS: Final = frozenset({"db", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname"})


class StoreDown(Exception):
    """The store did not answer as it should; what was asked may or may not have been done."""


class ErrorReply(StoreDown):
    """The store answered with an error: what was asked was not done."""


class BadStoreUrl(ValueError):
    """A URL does not name a store that can be used; says what would. Never quotes a password."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is and how to log in there, from a URL.

    `redis://[user:password@]host[:port][/db]`, `rediss://` for TLS, `unix:///path/to/socket[?db=N]`.
    """

    url: str = field(repr=False)  # may hold a password
    options: Mapping[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        scheme = urlsplit(self.url).scheme
        if scheme not in SUPPORTED:
            known = ", ".join(f"{name}://" for name in SUPPORTED)
            later = "is not supported yet" if scheme in PLANNED else "is not known"
            raise BadStoreUrl(f"the store's URL begins with {scheme!r}, which {later}: use one of {known}")
        try:
            options = dict(parse_url(self.url))
        except ValueError:  # whose text may quote a piece of the password
            raise BadStoreUrl(
                f"the store's URL is not of the form {scheme}://… : is the port a number?"
            ) from None
        unknown = (
            options.keys()
            - {"connection_class", "host", "port", "path", "username", "password"}
            - URL_OPTIONS
        )
        if unknown:
            raise BadStoreUrl(f"the store's URL has unknown options: {', '.join(sorted(unknown))}")
        if scheme == "unix" and not options.get("path"):
            raise BadStoreUrl("the store's URL names no socket: use unix:///path/to/socket")
        object.__setattr__(self, "options", options)

    def __str__(self) -> str:
        """Name the server without what is secret."""
        if "path" in self.options:
            return str(self.options["path"])
        return f"{self.options.get('host', 'localhost')}:{self.options.get('port', 6379)}"

    def connection(self) -> AbstractConnection:
        """Make a connection that is not yet open; whoever made it closes it."""
        options = dict(self.options)
        kind: type[AbstractConnection] = options.pop("connection_class", Connection)
        if issubclass(kind, Connection):
            options["socket_keepalive_options"] = USER_TIMEOUT
        return kind(
            **options,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=None,
            socket_connect_timeout=TIMEOUT,
            driver_info=None,
        )


def pack(*command: Argument) -> bytes:
    """Put a command into the server's form."""
    packed: bytes = hiredis.pack_command(command)  # type: ignore[arg-type]  # its stub knows one-element tuples only
    return packed


class Script:
    """One of the Lua scripts beside this module; each answers with a list that begins with TIME in ms."""

    def __init__(self, name: str) -> None:
        self.text = files("tenmatch.store").joinpath("scripts", f"{name}.lua").read_bytes()
        self.sha = sha1(self.text, usedforsecurity=False).hexdigest().encode()
        self.load = pack("SCRIPT", "LOAD", self.text)

    def call(self, keys: Sequence[str], arguments: Iterable[Argument]) -> bytes:
        """Return the packed command that runs the script."""
        return pack(b"EVALSHA", self.sha, len(keys), *keys, *arguments)


def is_unloaded(reply: Reply) -> bool:
    """Tell whether *reply* says that the server does not have the script."""
    return isinstance(reply, ErrorReply) and isinstance(reply.__cause__, NoScriptError)


class Link:
    """One connection to the server, used by one task at a time; it opens itself again when it was lost."""

    def __init__(self, address: Address, timeout: float = TIMEOUT) -> None:
        self._address = address
        self._connection = address.connection()
        self._transport: asyncio.WriteTransport | None = None
        self._timeout = timeout

    async def exchange(self, commands: Sequence[bytes], *, greeting: Sequence[bytes] = ()) -> list[Reply]:
        """Send packed commands as one pipeline and return their replies in order, errors as `ErrorReply`s.

        Args:
            greeting: Commands to go ahead when the connection is new; their replies are dropped.

        Raises:
            StoreDown: Not all answers came in time. Each command may have been carried out or not.
        """
        try:
            async with asyncio.timeout(self._timeout):
                if await self.open():
                    commands = [*greeting, *commands]
                else:
                    greeting = ()
                await self._connection.send_packed_command(commands, check_health=False)
                return [await self.reply() for _ in commands][len(greeting) :]
        except (RedisError, OSError) as error:  # TimeoutError is an OSError
            self.abort()
            raise StoreDown(f"{self._address}: {type(error).__name__} {error}".rstrip()) from error
        except asyncio.CancelledError:
            self.abort()  # answers to this exchange must not be taken for those to the next
            raise

    async def open(self) -> bool:
        """Connect unless connected, and tell whether that was necessary. Raises what the driver raises."""
        if self._connection.is_connected:
            if not await self._connection.can_read():
                return False
            self.abort()  # the server hung up while the connection lay idle: nothing was sent on it
        await self._connection.connect()  # type: ignore[no-untyped-call]
        assert self._connection._writer is not None
        self._transport = self._connection._writer.transport
        return True

    async def send(self, commands: Sequence[bytes]) -> None:
        """Send packed commands on an open connection. Raises what the driver raises."""
        await self._connection.send_packed_command(commands, check_health=False)

    async def reply(self) -> Reply:
        """Read one reply; an error reply becomes an `ErrorReply`. Raises what the driver raises."""
        try:
            return await self._connection.read_response()
        except ResponseError as error:
            answer = ErrorReply(str(error))
            answer.__cause__ = error
            return answer

    def abort(self) -> None:
        """Drop the connection at once, whatever was not sent yet.

        The driver's own `disconnect` waits until that was sent, which a frozen server never allows:
        descriptors would pile up.
        """
        if self._transport is not None:
            self._transport.abort()
        self._transport = None
        self._connection._writer = self._connection._reader = None


class Store:
    """A server and a few connections to it, for everything but appends and the feed."""

    def __init__(self, address: Address, *, connections: int = CONNECTIONS, timeout: float = TIMEOUT) -> None:
        self.address = address
        self.clock = StoreClock()
        self._timeout = timeout
        self._idle: list[Link] = []
        self._free = asyncio.Semaphore(connections)
        self._waiting = 0

    def link(self) -> Link:
        """Make a connection of the caller's own."""
        return Link(self.address, self._timeout)

    async def call(self, *command: Argument) -> Reply:
        """Run one command and return its reply.

        Raises:
            ErrorReply: It was not carried out.
            StoreDown: It may have been carried out or not.
        """
        [reply] = await self.pipeline([pack(*command)])
        return reply

    async def pipeline(self, commands: Sequence[bytes]) -> list[Reply]:
        """Run packed commands as one pipeline, not as one transaction, and return their replies in order.

        Raises:
            ErrorReply: The first of them that was not carried out; the others were.
            StoreDown: Each may have been carried out or not.
        """
        async with self._borrowed() as link:
            return _first_error_raised(await link.exchange(commands))

    async def run(self, script: Script, keys: Sequence[str], *arguments: Argument) -> list[Reply]:
        """Run a script and return what it answers, TIME first.

        Raises:
            ErrorReply: It failed.
            StoreDown: It may have run or not.
        """
        [reply] = await self.run_all(script, [script.call(keys, arguments)])
        return reply

    async def run_all(self, script: Script, calls: Sequence[bytes]) -> list[list[Reply]]:
        """Make many calls of one script as one pipeline; return what each answers, TIME first.

        Raises:
            ErrorReply: One of them failed; the others were carried out.
            StoreDown: Each may have been carried out or not.
        """
        if not calls:
            return []
        async with self._borrowed() as link:
            sent = self.clock.monotonic()
            replies = await link.exchange(calls)
            if any(map(is_unloaded, replies)):
                again = [number for number, reply in enumerate(replies) if is_unloaded(reply)]
                sent = self.clock.monotonic()
                _, *answers = await link.exchange([script.load, *(calls[number] for number in again)])
                for number, answer in zip(again, answers, strict=True):
                    replies[number] = answer
            received = self.clock.monotonic()
        _first_error_raised(replies)
        self.clock.observe(Millis(replies[-1][0]), sent, received)
        return replies

    async def set_clock(self) -> None:
        """Ask for the store's time often enough to know it within a round trip.

        Raises:
            StoreDown: It did not answer.
        """
        async with self._borrowed() as link:
            for _ in range(3):  # the first one connects, too
                sent = self.clock.monotonic()
                [[seconds, micros]] = _first_error_raised(await link.exchange([pack("TIME")]))
                received = self.clock.monotonic()
                self.clock.observe(Millis(int(seconds) * 1000 + int(micros) // 1000), sent, received)

    @asynccontextmanager
    async def _borrowed(self) -> AsyncIterator[Link]:
        """Lend a connection. Giving it back never awaits, so no cancellation can lose a place."""
        await self._acquire()
        link = self._idle.pop() if self._idle else self.link()
        try:
            yield link
        finally:
            self._idle.append(link)
            self._free.release()

    async def _acquire(self) -> None:
        if self._waiting >= WAITERS:
            raise StoreDown(f"{self.address}: {self._waiting} calls already wait for a connection")
        self._waiting += 1
        try:
            async with asyncio.timeout(WAIT):
                await self._free.acquire()
        except TimeoutError as error:
            raise StoreDown(f"{self.address}: all connections were busy for {WAIT} s") from error
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Close the connections that nobody uses; call it when nobody uses any."""
        for link in self._idle:
            link.abort()
        self._idle.clear()


def _first_error_raised(replies: list[Reply]) -> list[Reply]:
    for reply in replies:
        if isinstance(reply, ErrorReply):
            raise reply
    return replies
