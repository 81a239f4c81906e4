"""A lean load generator: rooms of two who play as fast as the server answers, over raw sockets.

`websockets`' client costs several times what the server spends on a move; this one frames by hand and reads
no more than it must, so that on a core of its own it keeps the server on the other one busy. It counts a move
when the *opponent* has its event, and checks every board hash on the way.

    python tests/bench/load.py PORT ROOMS SECONDS SERVER_PID

prints one JSON line.
"""

import asyncio
import json
import random
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import uvloop

from tenmatch.rules.board import NumberId, play
from tenmatch.rules.deal import DealKind, deal
from tenmatch.rules.judge import witness
from tenmatch.rules.notation import board_hash

SIZE = 180  # numbers in a game: making rooms must not dominate
WARM_UP_S = 1.0
_encode = msgspec.msgpack.Encoder().encode


class Said(msgspec.Struct):
    """What is read of a message of the server's."""

    t: str
    re: int | None = None
    room: str = ""
    token: str = ""
    kind: str = ""
    seq: int = 0
    seat: int | None = None
    n: int = 0
    hash: int | None = None
    code: str = ""


_decode = msgspec.msgpack.Decoder(Said).decode


class Step(NamedTuple):
    """One match of a prepared game, and the hash of the board after it."""

    a: NumberId
    b: NumberId
    hash: int


def prepare(seed: bytes) -> list[Step]:
    """Return a legal game on the deal of *seed*, until no pair is left or little of the board is."""
    board = deal(seed, SIZE, DealKind.RANDOM).board
    steps = []
    while board.left > 20 and (pair := witness(board)):
        board = play(board, *pair).board
        steps.append(Step(*pair, board_hash(board)))
    return steps


class Client(asyncio.Protocol):
    """One connection: a handshake, then binary frames both ways."""

    def __init__(self, heard: Callable[["Client", Said], None]) -> None:
        self._heard = heard
        self._data = b""
        self._open = False
        self.transport: asyncio.Transport

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(
            b"GET /v1 HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Protocol: tenmatch.v1.msgpack\r\n\r\n"
        )

    def send(self, message: dict[str, object]) -> None:
        """Send a message; its mask is zero, which leaves the payload as it is."""
        payload = _encode(message)
        head = struct.pack("!BB", 0x82, 0x80 | len(payload)) if len(payload) < 126 else b""
        head = head or struct.pack("!BBH", 0x82, 0x80 | 126, len(payload))
        self.transport.write(head + b"\0\0\0\0" + payload)

    def data_received(self, data: bytes) -> None:
        data = self._data + data if self._data else data
        if not self._open:
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._data = data
                return
            assert data.startswith(b"HTTP/1.1 101"), data[:200]
            self._open, data = True, data[end + 4 :]
            self.send({"t": "hello"})
        at = 0
        while len(data) - at >= 2:
            length, head = data[at + 1], 2
            if length == 126:
                if len(data) - at < 4:
                    break
                length, head = struct.unpack_from("!H", data, at + 2)[0], 4
            if len(data) - at < head + length:
                break
            if data[at] == 0x82:
                self._heard(self, _decode(data[at + head : at + head + length]))
            at += head + length
        self._data = data[at:]


class Tally:
    """What was counted."""

    def __init__(self) -> None:
        self.moves = 0
        self.games = 0
        self.latencies: list[float] = []
        self.counting = False


class Game:
    """Two clients who play one prepared game after the other, each in a new room."""

    def __init__(self, games: list[tuple[bytes, list[Step]]], tally: Tally) -> None:
        self._games = games
        self._tally = tally
        self._clients: list[Client] = []
        self._room = ""
        self._steps: list[Step] = []
        self._at = 0
        self._sent = 0.0

    async def start(self, port: int) -> None:
        """Connect both; the first one's welcome makes the room."""
        loop = asyncio.get_running_loop()
        for _ in range(2):
            _, client = await loop.create_connection(lambda: Client(self._hear), "127.0.0.1", port)
            self._clients.append(client)

    def _hear(self, client: Client, said: Said) -> None:
        seat = self._clients.index(client)
        if said.t == "event":
            if said.kind == "matched":
                self._see(seat, said)
            elif said.kind == "started" and seat == 0:
                self._at = 0
                self._think()
        elif said.t == "welcome":
            if seat == 1:
                self._new_room()
        elif said.t == "snapshot":
            self._entered(seat, said.room)
        elif said.t in ("refused", "error", "detached"):
            raise AssertionError(said)

    def _new_room(self) -> None:
        seed, self._steps = random.choice(self._games)
        options = {"size": SIZE, "seed": seed.hex(), "countdown_ms": 0, "seconds": 3600}
        self._clients[0].send({"t": "create", "mode": "race", "private": True, "options": options})

    def _entered(self, seat: int, room: str) -> None:
        if seat == 0:
            self._room = room
            self._clients[1].send({"t": "join", "room": room})
            self._clients[0].send({"t": "ready", "room": room, "ready": True})
        else:
            self._clients[1].send({"t": "ready", "room": room, "ready": True})

    def _think(self) -> None:
        step = self._steps[self._at]
        n = self._at // 2 + 1
        self._sent = time.perf_counter()
        self._clients[self._at & 1].send(
            {"t": "match", "room": self._room, "n": n, "a": step.a, "b": step.b, "seen": 0}
        )

    def _see(self, seat: int, said: Said) -> None:
        if seat == said.seat:
            return  # its own; what counts is that the opponent has it
        assert said.hash == self._steps[self._at].hash, "a board hash is wrong"
        if self._tally.counting:
            self._tally.latencies.append(time.perf_counter() - self._sent)
        self._tally.moves += 1
        self._at += 1
        if self._at < len(self._steps):
            self._think()
            return
        self._tally.games += 1
        for client in self._clients:
            client.send({"t": "leave", "room": self._room})
        self._new_room()


def cpu_s(pid: int) -> float:
    """Return the CPU seconds that a process has used, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


async def load(port: int, rooms: int, seconds: float, pid: int) -> dict[str, float]:
    """Play for so many seconds and return what it cost the server."""
    chance = random.Random(1)
    games = [(seed := chance.randbytes(32), prepare(seed)) for _ in range(20)]
    tally = Tally()
    for _ in range(rooms):
        await Game(games, tally).start(port)
    await asyncio.sleep(WARM_UP_S)
    tally.counting = True
    moves, cpu, own, begun = tally.moves, cpu_s(pid), time.process_time(), time.perf_counter()
    await asyncio.sleep(seconds)
    took = time.perf_counter() - begun
    moves, cpu = tally.moves - moves, cpu_s(pid) - cpu
    latencies = sorted(tally.latencies)
    return {
        "rooms": rooms,
        "games": tally.games,
        "moves_per_s": round(moves / took),
        "server_cpu": round(cpu / took, 3),
        "load_cpu": round((time.process_time() - own) / took, 3),
        "cpu_us_per_move": round(cpu / max(moves, 1) * 1e6, 1),
        "p50_ms": round(latencies[len(latencies) // 2] * 1e3, 2),
        "p99_ms": round(latencies[len(latencies) * 99 // 100] * 1e3, 2),
    }


def main() -> None:
    """Run as a command."""
    port, rooms, seconds, pid = (int(argument) for argument in sys.argv[1:5])
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.stdout.write(json.dumps(runner.run(load(port, rooms, seconds, pid))) + "\n")


if __name__ == "__main__":
    main()
