"""A node with neither sockets nor a store: what it does itself from a client's bytes to those it sends.

All of it is the real thing but the two ends: a transport that only counts, and a connection to a store that
takes every append at once.
"""

import asyncio
from collections.abc import Sequence
from typing import Final, cast

import msgspec
from tests.gateway.doors import OpenDoor
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from tenmatch.game.ids import Millis, PlayerId, RoomId, SeatNumber, Seq
from tenmatch.game.room import Room
from tenmatch.gateway.allowance import Limits, Pools
from tenmatch.gateway.connection import Connection, Knocker
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.credits import Credits, Shared
from tenmatch.gateway.ends import Desk
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.identity import Identity, Person, Proof
from tenmatch.gateway.pulse import Pulse
from tenmatch.gateway.session import Session
from tenmatch.gateway.table import Table
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.from_client import Hello
from tenmatch.protocol.limits import MSGPACK, CloseCode
from tenmatch.protocol.stored import Entry
from tenmatch.store.clock import StoreClock
from tenmatch.store.committer import Committer
from tenmatch.store.connect import Store
from tenmatch.store.link import Reply, Script

KNOCK: Final = (
    b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
PING: Final = msgspec.msgpack.encode({"t": "ping"})
FAR_OFF: Final = Millis(2**52)
MANY: Final = 1e9  # credits: nobody is held back


def masked(message: bytes) -> bytes:
    """Return the frame in which a client sends a message."""
    return Frame(Opcode.BINARY, message).serialize(mask=True)


class Wire(asyncio.Transport):
    """A transport whose other end reads everything, and asks for nothing."""

    def __init__(self) -> None:
        """Begin with nothing written."""
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.writes = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Count it."""
        self.writes += 1

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Hold nothing back."""

    def get_write_buffer_size(self) -> int:
        """Have sent all."""
        return 0

    def is_reading(self) -> bool:
        """Never pause."""
        return True


class _Door(OpenDoor):
    """Lets everybody in, to the one session that is theirs."""

    def __init__(self, session: "Session | None" = None) -> None:
        self.session = session

    def enter(self, connection: Connection, protocol: ServerProtocol) -> Session:
        assert self.session is not None
        return self.session

    def closes(self, code: CloseCode) -> None:
        raise AssertionError(f"nobody is sent away: {code}")

    def gone(self, knocker: Knocker) -> None:
        raise AssertionError("nobody goes")


class _Link:
    """A connection on which each append is taken, and each beat heard."""

    def __init__(self, now: Millis) -> None:
        self._now = now

    async def exchange(self, commands: Sequence[bytes], *, greeting: Sequence[bytes] = ()) -> list[Reply]:
        return [[self._now, 0] for _ in commands]

    def abort(self) -> None:
        pass


class _Store:
    """A shard, and the store that has no other."""

    timeout = 1.0

    def __init__(self, now: Millis) -> None:
        self.clock = StoreClock(lambda: 0.0)
        self.clock.observe(now, 0.0, 0.0)
        self._now = now

    def shard_of(self, key: str) -> "_Store":
        return self

    def link(self) -> _Link:
        return _Link(self._now)

    async def run(self, script: Script, keys: Sequence[str], *arguments: object) -> list[Reply]:
        return [self._now]


class _Owner:
    """Has nothing to do for a game that just goes on."""

    def changed(self, table: Table, before: Room, entries: Sequence[Entry], mine: bool) -> None:
        pass

    def moved(self, table: Table) -> None:
        pass

    def busy(self, table: Table) -> None:
        pass

    def rematch(self, table: Table) -> None:
        raise AssertionError("no game ends")

    def lost(self, table: Table, why: str) -> None:
        raise AssertionError(why)

    def reload(self, table: Table) -> None:
        raise AssertionError("no log is another")


class Untethered:
    """Rooms, and the players in them."""

    def __init__(self, now: Millis) -> None:
        """Begin without rooms, on a running loop. The store's clock stands at *now*."""
        self._store = cast("Store", _Store(now))
        self._counts = Counts()
        self._pulse = Pulse(self._store)
        self._committer = Committer(self._store, hears=lambda room: True)
        self._limits = Limits(messages_per_s=MANY, messages_burst=MANY, matches_per_s=MANY)
        self._pools = Pools(
            players=Shared(MANY, MANY), addresses=Shared(MANY, MANY), talkers=Shared(MANY, MANY)
        )
        self._running = asyncio.get_running_loop().create_task(self._committer.run())

    async def beat(self) -> None:
        """Be fit to judge for some seconds."""
        await self._pulse.once()

    def open(self, room: RoomId, entries: Sequence[Entry]) -> Table:
        """Hold a room."""
        return Table(
            room,
            entries,
            owner=_Owner(),
            committer=self._committer,
            clock=self._store.clock,
            pulse=self._pulse,
            counts=self._counts,
            onlooker=None,
        )

    def enter(self, table: Table, seat: SeatNumber) -> tuple[Connection, Wire]:
        """Let the player on a seat of a room in, over a connection of their own."""
        door, wire, codec = _Door(), Wire(), CODECS[MSGPACK]
        connection = Connection(door, frame_bytes=4096, high_water=65_536, most_unread=1 << 20)
        connection.connection_made(wire)
        connection.expect(codec)
        door.session = session = Session(
            connection,
            codec,
            desk=cast("Desk", None),
            identity=cast("Identity", None),
            clock=self._store.clock,
            limits=self._limits,
            counts=self._counts,
            pools=self._pools,
        )
        connection.data_received(KNOCK)
        player = table.state.seated(seat).player
        session.become(Hello(), Proof(Person(PlayerId(player.id), player.name), FAR_OFF))
        credits = Credits(MANY, MANY, 0)
        sent = Seq(table.state.seq)
        member = Member(session, player.id, seat, number=1, sent=sent, matches=credits)
        session.rooms[table.room] = table, member
        table.audience.enter(member)
        connection.data_received(masked(PING))  # no move is the first that a client says
        return connection, wire
