"""A room as its players may expect it to be: small, and written from server/rules.md and protocol.md alone.

Each request returns what it is answered with and the kinds of events that it causes, and changes the model.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tests.rules.oracle import OracleGame

MADE: Final = {"match": "matched", "call": "called", "pass": "passed", "resign": "resigned"}
MOVES: Final = {"race": ("match", "call", "resign"), "turns": ("match", "pass", "resign")}


class Outcome(NamedTuple):
    """What becomes of a request."""

    answer: str  # `ok`, `in`, the kind of an event, or the code of an error or refusal
    kinds: list[str]  # of the events, in their order
    again: int = 0  # the event that comes back, where a move had been made before


@dataclass
class RoomModel:
    """One room; persons are numbers, and so are seats."""

    mode: str
    adds: int
    seats: list[int | None]  # who sits there
    host: int = 0
    phase: str = "open"
    seq: int = 2  # created, seated
    ready: set[int] = field(default_factory=set)
    kicked: set[int] = field(default_factory=set)
    game: OracleGame = field(default_factory=lambda: OracleGame(""))
    turn: int = 0
    out: set[int] = field(default_factory=set)
    passed: set[int] = field(default_factory=set)
    made: dict[tuple[int, int], int] = field(default_factory=dict)  # (seat, n) → seq

    def seat_of(self, person: int) -> int | None:
        """Return where somebody sits."""
        return self.seats.index(person) if person in self.seats else None

    def taken(self) -> list[int]:
        """List the seats that are taken."""
        return [seat for seat, person in enumerate(self.seats) if person is not None]

    def able(self) -> list[int]:
        """List the seats that may move now."""
        if self.phase != "playing":
            return []
        return [self.turn] if self.mode == "turns" else sorted(self.still_in())

    def _happen(self, answer: str, *kinds: str) -> Outcome:
        self.seq += len(kinds)
        return Outcome(answer, list(kinds))

    # -- before the start

    def join(self, person: int, watch: bool) -> Outcome:
        """Sit down, or watch."""
        if watch or person in self.seats:
            return self._happen("in")
        if self.phase != "open":
            return self._happen("game_started")
        if person in self.kicked:
            return self._happen("not_allowed")
        if None not in self.seats:
            return self._happen("room_full")
        self.seats[self.seats.index(None)] = person
        return self._happen("in", "seated")

    def leave(self, seat: int | None) -> Outcome:
        """Leave, which frees a seat before the start."""
        if seat is None or self.phase != "open":
            return self._happen("ok")
        return self._happen("ok", *self._free(seat))

    def kick(self, seat: int | None, other: int) -> Outcome:
        """Free another's seat."""
        if (why := self._unable(seat, "not_host")) or seat != self.host:
            return self._happen(why or "not_host")
        person = self.seats[other] if other < len(self.seats) else None
        if other == seat or person is None:
            return self._happen("not_allowed")
        self.kicked.add(person)
        return self._happen("ok", *self._free(other))

    def get_ready(self, seat: int | None, on: bool) -> Outcome:
        """Be ready, or no longer."""
        if why := self._unable(seat, "not_allowed"):
            return self._happen(why)
        assert seat is not None
        if (seat in self.ready) == on:
            return self._happen("ok")
        self.ready ^= {seat}
        starts = len(self.ready) == len(self.seats)
        return self._happen("ok", "readied", *(self._begin() if starts else []))

    def start(self, seat: int | None) -> Outcome:
        """Start with those who sit there."""
        if (why := self._unable(seat, "not_host")) or seat != self.host:
            return self._happen(why or "not_host")
        if len(self.taken()) < 2:
            return self._happen("too_few_players")
        return self._happen("ok", *self._begin())

    def _unable(self, seat: int | None, code: str) -> str:
        if seat is None:
            return code
        return "" if self.phase == "open" else "game_started"

    def _free(self, seat: int) -> list[str]:
        self.seats[seat] = None
        self.ready.discard(seat)
        if not self.taken():
            self.phase = "over"
            return ["unseated", "ended"]
        self.host = min(self.taken())
        return ["unseated"]

    def _begin(self) -> list[str]:
        self.phase, self.turn = "playing", self.taken()[0]
        return ["starting", "started"]

    # -- in play

    def move(self, seat: int | None, t: str, n: int, pair: tuple[int, int]) -> Outcome:
        """Make a move of one's own."""
        if seat is None:
            return self._happen("not_seated")
        if (seat, n) in self.made:
            return Outcome("again", [], self.made[seat, n])
        if why := self._obstacle(seat, t):
            return self._happen(why)
        if why := self._wrong(t, pair):
            if self.mode == "race":  # here without penalties: they lock, which takes time
                return self._happen(why)
            self.made[seat, n] = self.seq + 1
            return self._happen("mistaken", "mistaken")
        self.made[seat, n] = self.seq + 1
        return self._happen(MADE[t], MADE[t], *self._do(seat, t, pair))

    def _obstacle(self, seat: int, t: str) -> str:
        if self.phase != "playing":
            return "not_playing"
        if seat in self.out:
            return "out"
        if t not in MOVES[self.mode]:
            return "wrong_mode"
        return "not_your_turn" if self.mode == "turns" and seat != self.turn and t != "resign" else ""

    def _wrong(self, t: str, pair: tuple[int, int]) -> str:
        if t == "call" and self.game.pairs():
            return "pairs_left"
        code = self.game.judge(*pair)[0] if t == "match" else "legal"
        return "" if code == "legal" else code

    def _do(self, seat: int, t: str, pair: tuple[int, int]) -> list[str]:
        """Return what follows a move in the same breath."""
        if t == "call":
            return self._add()
        if t == "match":
            self.game.match(*pair)
            self.passed.clear()
        elif t == "pass":
            self.passed.add(seat)
        else:
            self.out.add(seat)
        if not self.game.left() or len(self.still_in()) == 1:
            return self._end()
        if seat == self.turn:
            seats = len(self.seats)
            order = [(seat + step) % seats for step in range(1, seats + 1)]
            self.turn = next(other for other in order if other in self.still_in())
        return self._settle()

    def _settle(self) -> list[str]:
        """Add where there is no pair or all have passed; in a race, only see whether it is over."""
        kinds: list[str] = []
        while not self.game.pairs() or (self.still_in() <= self.passed):
            if not self._can_add():
                return kinds + self._end()
            if self.mode == "race":
                break
            kinds += self._add()
        return kinds

    def still_in(self) -> set[int]:
        """Return the seats that still play."""
        return set(self.taken()) - self.out

    def _can_add(self) -> bool:
        return self.adds > 0 and self.game.can_add()

    def _add(self) -> list[str]:
        self.game.add()
        self.adds -= 1
        self.passed.clear()
        return ["added"]

    def _end(self) -> list[str]:
        self.phase = "over"
        return ["ended"]
