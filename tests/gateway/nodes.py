"""Whole nodes in this process, rooms on them, and members without a socket."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial

import pytest
from tests.game.rooms import person
from tests.gateway.wire import Message, messages
from tests.servers import Server
from tests.store.waiting import until

from tenmatch.app.node import Node
from tenmatch.app.settings import Settings
from tenmatch.app.wiring import start
from tenmatch.game import commands
from tenmatch.game.create import found
from tenmatch.game.ids import MoveNumber, RoomId, SeatNumber
from tenmatch.game.options import Mode, choose
from tenmatch.game.room import Phase
from tenmatch.gateway.asked import Answer, Done, Holder, asked
from tenmatch.gateway.credits import Credits
from tenmatch.gateway.draws import draw_room
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.onlooker import Onlooker
from tenmatch.gateway.rounds import Rounds
from tenmatch.gateway.table import Table
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.limits import JSON
from tenmatch.store.connect import Address, Store
from tenmatch.store.log import read

NO_LIMITS: dict[str, object] = dict.fromkeys(
    (
        "messages_per_s",
        "messages_per_s_player",
        "messages_per_s_address",
        "joins_per_minute",
        "chats_per_minute",
        "reports_per_day",
        "matches_per_s",
        "sockets_per_address",
        "sockets_per_player",
        "rooms_per_player",
        "rooms_per_address",
        "tournaments_per_player",
        "tournaments_per_address",
        "entrants_per_address",
    ),
    0,
)


@dataclass(frozen=True)
class Running:
    """A node that serves on a port of its own."""

    node: Node
    store: Store
    port: int

    async def log(self, room: RoomId) -> list[bytes]:
        """Return what the store has of a room."""
        return list((await read(self.store, room)).entries)


async def emptied(server: Server) -> str:
    """Empty a server, and return its URL."""
    with contextlib.closing(Store(Address(server.url))) as store:
        await store.call("FLUSHALL")
    return server.url


@asynccontextmanager
async def running(
    url: str, onlooker: Onlooker | None = None, /, **settings: object
) -> AsyncIterator[Running]:
    """Run a node with no limits but those set, until the block ends."""
    chosen = Settings(**{**NO_LIMITS, **settings})  # type: ignore[arg-type]  # as it comes from outside
    with contextlib.closing(Store(Address(url))) as store:
        async with asyncio.TaskGroup() as group:
            node = await start(chosen, store, group, {}, onlooker)
            loop = asyncio.get_running_loop()
            server = await loop.create_server(node.connection, "127.0.0.1", 0)
            try:
                yield Running(node, store, server.sockets[0].getsockname()[1])
            finally:
                server.close()
                for connection in (*node.handshake.connections, *node.handshake._knocking):
                    connection.abort()
                await until(lambda: not (node.handshake.connections or node.handshake.knocking))
                node.stop()


@contextmanager
def clock_stopped(*nodes: Running) -> Iterator[None]:
    """Let no time pass for the rooms of these nodes: what is young stays so, however slow the machine is.

    The store takes what players do for 5 s after it was done, so it is not for long.
    """
    with pytest.MonkeyPatch.context() as patch:
        for running in nodes:
            now = running.store.clock.now()
            patch.setattr(running.store.clock, "now", lambda now=now: now)
        yield


def rounds(running: Running) -> Rounds:
    """Return a node's rounds, for those that a test goes by itself."""
    return running.node.rounds


class Ear:
    """A member's client without a socket: keeps the messages it is sent."""

    def __init__(self) -> None:
        self.codec = CODECS[JSON]
        self.slow = False
        self.told: list[Message] = []
        self.is_detached = ""

    def write(self, frames: bytes) -> None:
        self.told += messages(frames)

    def detached(self, room: RoomId, reason: str) -> None:
        self.is_detached = reason

    @property
    def log(self) -> list[Message]:
        """The events and snapshots among what it was sent."""
        return [message for message in self.told if message["t"] in ("event", "snapshot")]

    def kinds(self) -> list[object]:
        """Return the kinds of events that it was sent, and where there were snapshots."""
        return [message.get("kind", message["t"]) for message in self.log]


def listen(table: Table, seat: int | None = None) -> Ear:
    """Let a client without a socket into a room, as the player of a seat or a watcher."""
    ear = Ear()
    number = None if seat is None else SeatNumber(seat)
    player = person(0).id if number is None else table.state.seated(number).player.id
    credits = Credits(0, 1, 0.0)
    shown = table.shown_to(number)
    shown.audience.enter(Member(ear, player, number, number=1, sent=shown.state.seq, matches=credits))
    return ear


async def founded(running: Running, mode: Mode = Mode.RACE, **asked: object) -> Table:
    """Make a room with person 0 on its first seat."""
    options, seed = choose(mode, {"countdown_ms": 0, **asked})
    begin = partial(
        found,
        mode=mode,
        options=options,
        private=False,
        player=person(0),
        seed=seed or secrets.token_bytes(32),
    )
    return await running.node.tables.found(draw_room(), begin)


async def playing(running: Running, mode: Mode = Mode.RACE, **asked_for: object) -> Table:
    """Begin a game of persons 0 and 1."""
    table = await founded(running, mode, **asked_for)
    for command in (
        commands.Sit(person(1)),
        commands.GetReady(SeatNumber(0), True),
        commands.GetReady(SeatNumber(1), True),
    ):
        assert isinstance(await asked(table, command), Done)
    assert table.state.sheets
    return table


async def ended(running: Running) -> Table:
    """Play a game of persons 0 and 1 to its end."""
    table = await playing(running)
    assert isinstance(await asked(table, commands.Resign(SeatNumber(0), MoveNumber(1))), Done)
    assert table.state.phase is Phase.OVER
    return table


def claim(table: Table, seat: int, n: int) -> commands.Claim:
    """Return a claim of a pair that is legal as the board is now."""
    pair = table.state.sheets[0].witness
    assert pair is not None
    seq = table.state.seq
    return commands.Claim(SeatNumber(seat), MoveNumber(n), *pair, seq, seq)


class Question:
    """A command to a room, and every answer that came to it."""

    def __init__(
        self, table: Table, command: commands.AnyCommand | None, holder: Holder | None = None
    ) -> None:
        self.answers: list[Answer] = []
        table.ask(command, self.answers.append, holder)

    async def answer(self) -> Answer:
        """Return the answer, when it is there."""
        await until(lambda: bool(self.answers))
        return self.answers[0]
