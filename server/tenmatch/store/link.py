"""One connection and the exchanges on it, and how the store fails.

The driver connects and logs in; from then on the streams are ours. It would retry (which runs a command
twice), read reply by reply, and apply time limits of its own (from Python 3.11 on it takes a connection that
died of ETIMEDOUT for one of its own time-outs and returns empty-handed, at once, for ever): here every
exchange stands under one deadline, and ends its connection if it fails.
"""

import asyncio
from collections.abc import Iterable, Sequence
from hashlib import sha1
from importlib.resources import files
from typing import Any, Final, Protocol, TypeAlias

import hiredis
from redis.exceptions import RedisError

from tenmatch.store.address import Server

Argument: TypeAlias = str | bytes | int | float
Reply: TypeAlias = Any  # what a command answers with, as RESP2 has it: bytes, int, None or a list of these

READ: Final = 65_536  # bytes taken from the socket at once
TIMEOUT: Final = 1.0  # seconds for an exchange; finding the server and connecting included


class StoreDown(Exception):
    """The store did not answer as it should; what was asked may or may not have been done."""


class ErrorReply(StoreDown):
    """The store answered with an error: what was asked was not done."""

    @property
    def code(self) -> str:
        """Return the word that the error begins with: ERR, NOSCRIPT, MOVED, …"""
        return str(self).partition(" ")[0]


def pack(*command: Argument) -> bytes:
    """Put a command into the server's form."""
    packed: bytes = hiredis.pack_command(command)  # type: ignore[arg-type]  # its stub knows one-element tuples only
    return packed


def words(*arguments: Argument) -> bytes:
    """Put arguments into the form that they have within a packed command: a part of one, to be kept."""
    return pack(*arguments).partition(b"\r\n")[2]


def word(argument: bytes) -> bytes:
    """Put one argument into that form: for a few short ones the driver's packing would take twice as long."""
    return b"$%d\r\n%b\r\n" % (len(argument), argument)


def joined(count: int, *parts: bytes) -> bytes:
    """Return the command of so many words that these parts hold together."""
    return b"".join((b"*%d\r\n" % count, *parts))


def key_of(command: bytes) -> bytes:
    """Return the first key of a packed command, or as much of it as tells its slot; empty for none."""
    words = command.split(b"\r\n", 9)  # *count, $length, name, $length, argument, …
    at = 8 if words[2] == b"EVALSHA" else 4
    return words[at] if len(words) > at else b""


class Script:
    """One of the Lua scripts beside this module; each answers with a list that begins with TIME in ms."""

    def __init__(self, name: str) -> None:
        self.text = files("tenmatch.store").joinpath("scripts", f"{name}.lua").read_bytes()
        self.sha = sha1(self.text, usedforsecurity=False).hexdigest().encode()
        self.load = pack("SCRIPT", "LOAD", self.text)

    def call(self, keys: Sequence[str], arguments: Iterable[Argument]) -> bytes:
        """Return the packed command that runs the script."""
        return pack(*self._begin(keys), *arguments)

    def words_on(self, keys: Sequence[str]) -> bytes:
        """Return the words, 3 and one a key, with which each call on these keys begins."""
        return words(*self._begin(keys))

    def _begin(self, keys: Sequence[str]) -> tuple[Argument, ...]:
        return (b"EVALSHA", self.sha, len(keys), *keys)


def is_unloaded(reply: Reply) -> bool:
    """Tell whether *reply* says that the server does not have the script."""
    return isinstance(reply, ErrorReply) and reply.code == "NOSCRIPT"


def is_moved(reply: Reply) -> bool:
    """Tell whether *reply* says that another server of the cluster has the key (or is about to)."""
    return isinstance(reply, ErrorReply) and reply.code in ("MOVED", "ASK")


def is_misplaced(reply: Reply) -> bool:
    """Tell whether *reply* says that this server is not, or no longer, the one to ask."""
    return isinstance(reply, ErrorReply) and reply.code in ("MOVED", "ASK", "READONLY", "CLUSTERDOWN")


def first_error_raised(replies: list[Reply]) -> list[Reply]:
    """Return *replies*, or raise the first `ErrorReply` among them."""
    for reply in replies:
        if isinstance(reply, ErrorReply):
            raise reply
    return replies


class Place(Protocol):
    """Where a server is to be found that may come to be another one."""

    @property
    def server(self) -> Server | None:
        """Return the one that was found there last."""

    async def locate(self) -> Server:
        """Ask anew which one it is. Raises StoreDown."""


class Link:
    """One connection to whichever server is at a place, used by one task at a time.

    When it was lost, or the server there is another by now, it opens itself again with the next exchange.
    """

    def __init__(self, place: Place, timeout: float = TIMEOUT) -> None:
        self._place = place
        self._server: Server | None = None
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._parser = hiredis.Reader()
        self._timeout = timeout

    @property
    def strayed(self) -> bool:
        """Tell whether it leads to another server than the one that is known to be at the place by now."""
        return self._server != self._place.server

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
                await self.send(commands)
                replies = [await self.reply() for _ in commands][len(greeting) :]
        except (RedisError, OSError, hiredis.HiredisError) as error:  # TimeoutError is an OSError
            self.abort()
            raise StoreDown(
                f"{self._server or self._place}: {type(error).__name__} {error}".rstrip()
            ) from error
        except BaseException:  # cancelled, or a bug was met
            self.abort()  # answers to this exchange must not be taken for those to the next
            raise
        if any(map(is_misplaced, replies)):
            self.abort()
        return replies

    async def open(self) -> bool:
        """Connect unless connected, and tell whether that was necessary. Raises what the driver raises."""
        if self._streams is not None:
            reader, _ = self._streams
            if not (self.strayed or reader.at_eof() or reader.exception()):
                return False
            self.abort()  # also when the server hung up while the connection lay idle: nothing was sent on it
        self._server = await self._place.locate()
        connection = self._server.connection()
        try:
            await connection.connect()  # type: ignore[no-untyped-call]  # the driver tells no type
            assert connection._reader is not None
            assert connection._writer is not None
            self._streams = connection._reader, connection._writer
        finally:
            if self._streams is None and connection._writer is not None:  # connected, but not logged in
                connection._writer.transport.abort()
            connection._reader = connection._writer = None
        self._parser = hiredis.Reader(replyError=ErrorReply)
        return True

    async def send(self, commands: Sequence[bytes]) -> None:
        """Send packed commands on an open connection. Raises OSError."""
        assert self._streams is not None
        _, writer = self._streams
        writer.write(b"".join(commands))
        await writer.drain()

    async def reply(self) -> Reply:
        """Read one reply; an error reply becomes an `ErrorReply`. Raises OSError or HiredisError."""
        assert self._streams is not None
        while (reply := self._parser.gets()) is False:
            data = await self._streams[0].read(READ)
            if not data:
                raise ConnectionError("the server hung up")
            self._parser.feed(data)
        return reply

    def abort(self) -> None:
        """Drop the connection at once, whatever was not sent yet.

        The driver's own `disconnect` waits until that was sent, which a frozen server never allows:
        descriptors would pile up.
        """
        if self._streams is not None:
            self._streams[1].transport.abort()
        self._streams = None
