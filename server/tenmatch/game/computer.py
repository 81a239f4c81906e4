"""Computer players: when they move, and how.

They are pure functions of the room, so whichever node is there moves them, and all would move them alike.
What looks like chance is drawn from the room's salt, the seat and how many moves it has made. They never look
at the seed. "What happens by itself" in server/rules.md.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import chain, compress, islice
from typing import Final

import msgspec

from tenmatch.game.clock import Due, What
from tenmatch.game.commands import Call, Claim, TakeAdd
from tenmatch.game.events import Level
from tenmatch.game.ids import Millis, MoveNumber, SeatNumber
from tenmatch.game.room import Room
from tenmatch.rules.board import Board, Pair
from tenmatch.rules.judge import candidates, judge
from tenmatch.rules.score import worth


class Ability(msgspec.Struct, frozen=True):
    """How well a level plays."""

    thinks_ms: int  # on average
    errs: int  # of a hundred claims so many are wrong
    looks: int  # at so many numbers, for the pair that is worth most


ABILITIES: Final = {
    Level.EASY: Ability(thinks_ms=2500, errs=8, looks=1),
    Level.MEDIUM: Ability(thinks_ms=1500, errs=4, looks=3),
    Level.HARD: Ability(thinks_ms=800, errs=1, looks=6),
}

_GLANCES: Final = 14  # as many numbers as one draw can point at
_NEAR: Final = 12  # how many numbers on a wrong pair's second may be


def dues(room: Room) -> list[Due]:
    """Return when the computer players move whose move it is."""
    found = []
    for place, seat in enumerate(room.seats):
        if seat is None or seat.player.bot is None or seat.out or room.turn not in (None, place):
            continue
        number = SeatNumber(place)
        if room.own_boards and room.sheet_of(number).done:
            continue
        moments = (seat.acted_at, seat.locked_until, room.turn_at)
        ready = max(moment for moment in moments if moment is not None)
        at = Millis(ready + thinking_ms(seat.player.bot, _draw(room, number)))
        found.append(Due(at, What.COMPUTER, number))
    return found


def thinking_ms(level: Level, draw: bytes) -> int:
    """Return for how many ms one of that level thinks this time: 60 to 140 percent of its average."""
    return ABILITIES[level].thinks_ms * (60 * 510 + 80 * (draw[0] + draw[1])) // (100 * 510)


def move(room: Room, seat: SeatNumber) -> Claim | Call | TakeAdd:
    """Return the move that the computer player on *seat* makes when it is due."""
    n = MoveNumber(room.seated(seat).last_n + 1)
    pair = choose(room, seat)
    if pair is not None:
        return Claim(seat, n, *pair, room.seq, room.seq)
    return TakeAdd(seat, n) if room.own_boards else Call(seat, n, room.seq, room.seq)


def choose(room: Room, seat: SeatNumber) -> Pair | None:
    """Return the pair that the computer player on *seat* claims, rightly or not; None if none is left."""
    level = room.seated(seat).player.bot
    assert level is not None, f"a person sits on seat {seat}"
    sheet, draw = room.sheet_of(seat), _draw(room, seat)
    if sheet.witness is None:
        return None
    if room.options.penalty and int.from_bytes(draw[2:4]) % 100 < ABILITIES[level].errs:
        return _wrong_pair(sheet.board, draw) or sheet.witness
    return _good_pair(sheet.board, ABILITIES[level].looks, draw) or sheet.witness


def _draw(room: Room, seat: SeatNumber) -> bytes:
    """Draw 32 bytes for the seat's next move: two to think, two to err, the rest to look around."""
    return sha256(f"{room.salt} {seat} {len(room.seated(seat).moves)}".encode()).digest()


def _glances(active: list[int], draw: bytes) -> Iterator[int]:
    """Yield at which of the active cells a player looks, by their index, one after the other."""
    for glance in range(_GLANCES):
        yield int.from_bytes(draw[4 + 2 * glance : 6 + 2 * glance]) % len(active)


def _fit(board: Board, a: int, b: int) -> bool:
    return board.digits[a] == board.digits[b] or board.digits[a] + board.digits[b] == 10


def _good_pair(board: Board, looks: int, draw: bytes) -> Pair | None:
    """Return the best of the pairs that so many looks find, each at a number that has one."""
    active = list(compress(range(len(board.digits)), board.digits))
    met = (_pairs_from(board, active[index]) for index in _glances(active, draw))
    found = chain.from_iterable(islice(filter(None, met), looks))
    return max(found, key=lambda pair: worth(board, pair), default=None)


def _pairs_from(board: Board, cell: int) -> list[Pair]:
    others = sorted(other for other in candidates(board, cell) if _fit(board, cell, other))
    return [(board.number_at(cell), board.number_at(other)) for other in others]


def _wrong_pair(board: Board, draw: bytes) -> Pair | None:
    """Return two numbers near each other whose values fit but that no open line connects."""
    active = list(compress(range(len(board.digits)), board.digits))
    for index in _glances(active, draw):
        cell = active[index]
        for other in active[index + 1 : index + 1 + _NEAR]:
            pair = (board.number_at(cell), board.number_at(other))
            if _fit(board, cell, other) and judge(board, *pair) is not None:
                return pair
    return None


_MANNERS: Final = {
    Level.EASY: ("Dreamy", "Gentle", "Mellow", "Sleepy"),
    Level.MEDIUM: ("Brisk", "Curious", "Merry", "Steady"),
    Level.HARD: ("Clever", "Keen", "Sharp", "Swift"),
}
_ANIMALS: Final = (
    *("Badger", "Beaver", "Crane", "Dormouse", "Finch", "Hare", "Hedgehog", "Heron"),
    *("Marten", "Otter", "Owl", "Robin", "Squirrel", "Stoat", "Swallow", "Wren"),
)


def name_for(level: Level, entropy: bytes) -> str:
    """Return a name that tells the level to those who listen, drawn by at least two bytes of *entropy*."""
    manners = _MANNERS[level]
    return f"{manners[entropy[0] % len(manners)]} {_ANIMALS[entropy[1] % len(_ANIMALS)]}"
