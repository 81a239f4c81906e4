"""The same parties on Colyseus: its wire, spoken by hand over the same client, at the same pace.

A room is a connection there: players and watchers reserve a seat over HTTP, connect, and leave for the next.
"""

import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from tenmatch.app.load.crowd import games_of_one, programme
from tenmatch.app.load.games import Game
from tenmatch.app.load.member import Spawn
from tenmatch.app.load.party import Pace, Party
from tenmatch.app.load.plan import Plan
from tenmatch.app.load.tally import Tally
from tenmatch.app.load.wire import Where, Wire
from tenmatch.rules.board import Board, added, play

JOIN, ERROR, LEAVE, DATA, STATE, PATCH = 10, 11, 12, 13, 14, 15
_FIRST_FIELD: Final = (0x00, 0x80)  # changed, or set for the first time
_pack: Final = msgspec.msgpack.Encoder().encode
_unpack: Final = msgspec.msgpack.Decoder(list[Any]).decode
MATCH, ADD = (bytes((DATA,)) + _pack(name) for name in ("match", "add"))
MATCHED, ADDED = (bytes((DATA,)) + _pack(name) for name in ("matched", "added"))


class MatchMaker:
    """Reserves seats, over one HTTP connection that is kept."""

    def __init__(self, where: Where) -> None:
        """Connect when the first seat is wanted."""
        self._where = where
        self._one_at_a_time = asyncio.Lock()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def reserve(self, method: str, room: str, options: dict[str, object]) -> tuple[str, str]:
        """Return a room's id, and the path at which to connect to it."""
        body = json.dumps(options).encode()
        head = (
            f"POST /matchmake/{method}/{room} HTTP/1.1\r\nHost: {self._where.uri.host}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        async with self._one_at_a_time:
            try:
                seat = await self._request(head.encode() + body)
            except (ConnectionError, asyncio.IncompleteReadError):  # it does not keep an idle one for long
                self._streams = None
                seat = await self._request(head.encode() + body)
        return seat["roomId"], f"/{seat['processId']}/{seat['roomId']}?sessionId={seat['sessionId']}"

    async def _request(self, request: bytes) -> dict[str, str]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._where.uri.host, self._where.uri.port)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        body = await reader.readexactly(length)
        assert head.startswith(b"http/1.1 200"), head + body
        seat: dict[str, str] = json.loads(body)
        return seat


class Client:
    """One client in one room."""

    def __init__(self, party: "Race", number: int) -> None:
        """Take the place of a player (0 and 1), or of a watcher."""
        self.number = number
        self.seq = 0
        self.wire: Wire | None = None
        self._party = party
        self._leaves = False

    def leave(self) -> None:
        """Leave the room; the server then closes the connection."""
        self._leaves = True
        assert self.wire is not None
        self.wire.send(bytes((LEAVE,)))

    # -- Hearer

    def opened(self, wire: Wire) -> None:
        """Keep what one can send over."""
        self.wire = wire

    def heard(self, payload: bytes) -> None:
        """Answer the room's greeting, and pass on how far the game is."""
        kind = payload[0]
        if kind in (DATA, PATCH):
            self._party.told(self, payload)
        elif kind == JOIN:
            assert self.wire is not None
            self.wire.send(bytes((JOIN,)))
            self._party.arrived()
        elif kind != STATE:
            self._party.tally.fault(f"the peer said {payload!r}")

    def lost(self, why: str) -> None:
        """Note a connection that we did not end."""
        if not self._leaves:
            self._party.tally.fault(f"the peer's connection ended: {why}")


class Race(Party):
    """Two players and their watchers, in one room after the other."""

    def __init__(
        self, crowd: "Peers", games: Iterator[Game], pace: Pace, tally: Tally, *, watchers: int
    ) -> None:
        """Be ready to begin."""
        super().__init__(games, pace, tally)
        self._crowd = crowd
        self._people = 2 + watchers
        self._clients: list[Client] = []
        self._absent = 0
        self._board = Board.dealt(self.game.digits)
        self._steps_of: dict[bytes, int] = {}  # by frame: all are sent the same

    def start(self) -> None:
        """Go into a room."""
        self._crowd.spawn(self._enter())

    async def _enter(self) -> None:
        self._clients = [Client(self, number) for number in range(self._people)]
        self._absent = self._people
        self._board = Board.dealt(self.game.digits)
        self._steps_of.clear()
        maker, where = self._crowd.maker, self._crowd.where
        first, *others = self._clients
        self.room, path = await maker.reserve("create", "race", {"digits": [*self.game.digits]})
        await where.connect(path, first)
        for client in others:
            _, path = await maker.reserve("joinById", self.room, {})
            self._crowd.spawn(where.connect(path, client))

    def arrived(self) -> None:
        """Begin when all are there."""
        self._absent -= 1
        if not self._absent:
            # The room takes our greeting first: what we send comes behind it.
            self.begin()

    def make(self, at: int) -> None:
        """Send the pair, or ask for an Add."""
        wire = self._clients[at & 1].wire
        assert wire is not None
        pair = self.game.steps[at].pair
        wire.send(ADD + _pack([at]) if pair is None else MATCH + _pack([at, *pair]))

    def told(self, client: Client, payload: bytes) -> None:
        """Check what a client is told, and go on when both players have it."""
        seq = self._steps_of.get(payload)
        if seq is None:
            seq = self._steps_of[payload] = self._read(payload)
        if seq == 0:
            return  # the board as it is dealt
        self.tally.told += 1
        if seq != client.seq + 1:
            self.tally.fault(f"the peer said step {seq} after {client.seq}")
        client.seq = seq
        if client.number < 2:
            self._advance(client.number)

    def _advance(self, number: int) -> None:
        seq = self._clients[number].seq
        if number == (seq - 1) & 1:
            self.tally.moves += 1  # its own
        else:
            self.seen()
        if all(client.seq == len(self.game.steps) for client in self._clients):
            self._move_on()

    def _read(self, payload: bytes) -> int:
        """Return the step that a frame tells of, having checked what it says of it."""
        if payload[0] == PATCH:
            if payload[1] not in _FIRST_FIELD:
                self.tally.fault(f"a patch does not begin with seq: {payload!r}")
            return int.from_bytes(payload[2:6], "little")
        at = len(self._steps_of)
        step = self.game.steps[at] if at < len(self.game.steps) else None
        if step is not None and step.pair is not None and payload.startswith(MATCHED):
            seq, a, b, rows, _ = _unpack(payload[len(MATCHED) :])
            played = play(self._board, *step.pair)
            self._board = played.board
            fits = ((a, b), tuple(reversed(rows))) == (step.pair, played.rows)
        elif step is not None and step.pair is None and payload.startswith(ADDED):
            seq, copies, _ = _unpack(payload[len(ADDED) :])
            fits = bytes(copies) == self._board.active
            self._board = added(self._board)
        else:
            self.tally.fault(f"the peer said {payload!r}")
            return at
        if not fits:
            self.tally.fault(f"the peer made something else of step {seq}")
        return int(seq)

    def _move_on(self) -> None:
        self.tally.games += 1
        for client in self._clients:
            client.leave()
        self.next_game()
        self._crowd.spawn(self._enter())


class Peers:
    """All that one worker plays on the peer."""

    def __init__(self, plan: Plan, tally: Tally, pace: Pace, spawn: Spawn) -> None:
        """Gather them."""
        self.spawn = spawn
        self.where = Where(plan.url)
        self.maker = MatchMaker(self.where)
        first, games = programme(plan, random.Random(plan.chance))
        self.parties: Sequence[Race] = [
            Race(self, games_of_one(first, games), pace, tally, watchers=plan.watchers)
            for _ in range(plan.rooms)
        ]

    @property
    def failed(self) -> str:
        """Why nothing comes of it: what happens is a fault each time."""
        return ""

    @property
    def away(self) -> int:
        """Nobody comes back here."""
        return 0

    @property
    def entered(self) -> bool:
        """Whether all rooms have begun."""
        return all(party.begun for party in self.parties)

    def start(self) -> None:
        """Connect everyone."""
        for party in self.parties:
            party.start()

    def resume(self) -> None:
        """There is no coming back in what we measure here."""
        raise NotImplementedError

    def cut(self) -> None:
        """There is no coming back in what we measure here."""
        raise NotImplementedError
