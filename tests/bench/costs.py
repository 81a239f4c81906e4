"""What is counted in instructions: the work on one move, from the frame that claims it to those that tell it.

Each part of it by itself, and all of it together.

    valgrind --tool=callgrind --instr-atstart=no --dump-before=getppid python -m …

does each work twice, and marks where it begins and ends by a call of getppid, at which callgrind writes down
what it counted so far (`tests.bench.instructions`). It counts from when all is prepared on.
"""

import asyncio
import gc
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from itertools import compress
from typing import Final

import msgspec
import uvloop
from tests.bench.untethered import Untethered, masked
from tests.game.rooms import SALT, T0, person, playing

from tenmatch.app.load.games import prepare
from tenmatch.game.answers import Taken
from tenmatch.game.commands import Claim
from tenmatch.game.decide import decide
from tenmatch.game.ids import Millis, MoveNumber, RoomId, SeatNumber, Seq
from tenmatch.game.options import Mode
from tenmatch.game.room import evolve
from tenmatch.game.settle import next_due, settle
from tenmatch.gateway.credits import Credits
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.frames import Frames
from tenmatch.gateway.held import Held
from tenmatch.protocol.codec import CODECS, Codec
from tenmatch.protocol.limits import JSON, MSGPACK
from tenmatch.protocol.stored import seal, seal_all
from tenmatch.rules.board import Board, play
from tenmatch.rules.judge import judge, witness
from tenmatch.rules.notation import text

GAME: Final = prepare(bytes(32), 180)
ROOM_ID: Final = RoomId("k7mp2xw9qd")
TURNS: Final = 6  # of the loop, in which a move is made
SOME: Final = 60  # moves of the game, of which none is the last


def _claim(at: int) -> Claim:
    pair = GAME.steps[at].pair
    assert pair is not None
    a, b = pair
    return Claim(SeatNumber(at & 1), MoveNumber(at // 2 + 1), a=a, b=b, seen=Seq(0), sent=Seq(0))


def _after(answer: object) -> Taken:
    assert isinstance(answer, Taken)
    return answer


def _boards() -> Iterator[Board]:
    board = Board.dealt(GAME.digits)
    for at in range(SOME):
        yield board
        claim = _claim(at)
        board = play(board, claim.a, claim.b).board


def _played() -> Iterator[Taken]:
    """Yield the game move by move: what was taken, and the room after it."""
    taken = playing(Mode.RACE, text(Board.dealt(GAME.digits)), {"size": 180}, [person(0), person(1)])
    yield taken
    for at in range(SOME):
        taken = _after(decide(taken.room, _claim(at), Millis(T0 + at)))
        yield taken


class _Listener:
    """Somebody who is told in one of the codecs."""

    slow = False

    def __init__(self, codec: Codec) -> None:
        self.codec = codec

    def write(self, frames: bytes) -> None:
        """Read nothing."""

    def detached(self, room: RoomId, reason: str) -> None:
        """Stay."""


def _member(codec: Codec) -> Member:
    credits = Credits(0, 1, 0)
    return Member(_Listener(codec), person(0).id, SeatNumber(0), number=1, sent=Seq(0), matches=credits)


BOARDS: Final = list(_boards())
PLAYED: Final = list(_played())
ROOMS: Final = [taken.room for taken in PLAYED]
EVENTS: Final = [event for taken in PLAYED[1:] for event in taken.events]
ENTRIES: Final = seal_all([event for taken in PLAYED for event in taken.events], 0, 0, SALT)
BEGUN: Final = len(ENTRIES) - len(EVENTS)
HELD: Final = [Held(ROOM_ID, ENTRIES[: BEGUN + at]) for at in range(0, SOME + 1, 10)]
MEMBER, JSON_MEMBER = _member(CODECS[MSGPACK]), _member(CODECS[JSON])
_MATCH: Final = {"t": "match", "room": ROOM_ID, "n": 7, "a": 31, "b": 40, "seen": 21}
FRAME, JSON_FRAME = msgspec.msgpack.encode(_MATCH), msgspec.json.encode(_MATCH)


def calibrate() -> None:
    """Do what any Python does alike, half of it in C: all else is counted in this."""
    for number in range(SOME):
        values = _VALUES.translate(_HALVES)
        active = list(compress(range(len(values)), values))
        moved = [value + number for value in active[:24]]
        assert sum(len(str(value)) for value in moved[:6]) >= 6
        assert {number: values}[number] is values


_VALUES: Final = bytes(range(64))
_HALVES: Final = bytes(value // 2 for value in range(256))


def judge_and_play() -> None:
    """A match on the board alone."""
    for at, board in enumerate(BOARDS):
        claim = _claim(at)
        assert judge(board, claim.a, claim.b) is None
        play(board, claim.a, claim.b)


def find_a_pair() -> None:
    """Whether a legal pair is left, without a hint."""
    for board in BOARDS:
        assert witness(board) is not None


def decode() -> None:
    """A claim's frame."""
    for _ in range(SOME):
        CODECS[MSGPACK].decode(FRAME)


def decode_json() -> None:
    """The same as text."""
    for _ in range(SOME):
        CODECS[JSON].decode(JSON_FRAME)


def decide_a_claim() -> None:
    """A claim in a room: what was due before, the verdict and the room after it, and what is due next."""
    for at, room in enumerate(ROOMS[:SOME]):
        now = Millis(T0 + at)
        next_due(_after(decide(settle(room, now).room, _claim(at), now)).room)


def fold() -> None:
    """An event that another node wrote."""
    for room, event in zip(ROOMS, EVENTS, strict=False):
        evolve(room, event)


def seal_an_entry() -> None:
    """An event as it is stored."""
    for at, event in enumerate(EVENTS):
        seal(event, at, 1, SALT)


def encode() -> None:
    """An event's frame for everyone."""
    _tell(MEMBER)


def encode_json() -> None:
    """The same as text."""
    _tell(JSON_MEMBER)


class Moves:
    """A move in each of some rooms at the same time: from a frame's bytes to both players told."""

    def __init__(self) -> None:
        """Begin each room's game at another move."""
        self._loop = uvloop.new_event_loop()
        self._made = 0
        self._loop.run_until_complete(self._open())

    async def _open(self) -> None:
        self._node = Untethered(Millis(T0 + 2 * SOME))
        self._rooms = [RoomId(f"k7mp2x{at:04}") for at in range(SOME)]
        tables = [self._node.open(room, ENTRIES[: BEGUN + at]) for at, room in enumerate(self._rooms)]
        self._players = [[self._node.enter(table, SeatNumber(seat)) for seat in (0, 1)] for table in tables]

    def __call__(self) -> None:
        """Make the next one in each."""
        claims = [_claim(at + self._made) for at in range(SOME)]
        self._made += 1
        frames = [
            masked(msgspec.msgpack.encode({**_MATCH, "room": room, "n": claim.n, "a": claim.a, "b": claim.b}))
            for room, claim in zip(self._rooms, claims, strict=True)
        ]
        self._loop.run_until_complete(self._make(claims, frames))

    async def _make(self, claims: list[Claim], frames: list[bytes]) -> None:
        await self._node.beat()
        told = [wire.writes for players in self._players for _, wire in players]
        for players, claim, frame in zip(self._players, claims, frames, strict=True):
            players[claim.seat][0].data_received(frame)
        for _ in range(TURNS):
            await asyncio.sleep(0)
        now = [wire.writes for players in self._players for _, wire in players]
        assert now == [writes + 1 for writes in told], "each was told once"


def _tell(member: Member) -> None:
    frames = Frames(HELD[-1])  # which keeps what it made: each is made once
    for entry in ENTRIES[BEGUN:]:
        frames.frame(entry, member)


def snapshot() -> None:
    """A whole room for one who enters."""
    for number in range(SOME):
        Frames(HELD[number % len(HELD)]).snapshot(MEMBER)


CALIBRATION: Final = "calibration"
WORKS: Final[Mapping[str, Callable[[], None]]] = {
    CALIBRATION: calibrate,
    "judge_and_play": judge_and_play,
    "find_a_pair": find_a_pair,
    "decode": decode,
    "decode_json": decode_json,
    "decide": decide_a_claim,
    "fold": fold,
    "seal": seal_an_entry,
    "encode": encode,
    "encode_json": encode_json,
    "snapshot": snapshot,
    "move": Moves(),
}


def main() -> None:
    """Do all works, and have them counted."""
    subprocess.run(["callgrind_control", "-i", "on", str(os.getpid())], check=True)
    gc.disable()
    for work in WORKS.values():
        work()  # once before: caches are full then, and code is specialised
        os.getppid()
        work()
        os.getppid()


if __name__ == "__main__":
    main()
