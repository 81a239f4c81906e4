"""A room as it stands after an event, for the judge in oracle_room.py: values, and plain rules on them."""

from dataclasses import dataclass, field
from typing import Any

from tests.rules.oracle import OracleGame

Message = dict[str, Any]


@dataclass
class Chair:
    """A taken seat."""

    player: Message
    ready: bool
    score: int = 0
    mistakes: int = 0
    streak: int = 0
    locked_until: int | None = None
    out: int | None = None  # the event by which its player went out
    moves: set[int] = field(default_factory=set)

    @property
    def bot(self) -> bool:
        """Whether a computer player sits here."""
        return "bot" in self.player


@dataclass
class Standing:
    """All that is known of a room."""

    seq: int = 0
    at: int = 0
    phase: str = "open"
    mode: str = ""
    options: Message = field(default_factory=dict)
    code: str = ""
    private: bool = False
    host: int = 0
    commit: str | None = None
    join_by: int | None = None  # quick match: when it ends unless all are ready
    chairs: list[Chair | None] = field(default_factory=list)
    starts_at: int | None = None
    game: OracleGame | None = None
    adds_left: int = 0
    ends_at: int | None = None
    stuck_at: int | None = None  # since when there has been no pair
    turn: int | None = None
    clocks: list[int | None] = field(default_factory=list)
    clocks_at: int = 0
    passed: set[int] = field(default_factory=set)
    wants: set[int] = field(default_factory=set)
    ended: Message | None = None

    def board(self) -> OracleGame:
        """Return the board of a room that has started."""
        assert self.game is not None
        return self.game

    def chair(self, seat: int) -> Chair:
        """Return a seat that must be taken."""
        chair = self.chairs[seat]
        assert chair is not None, f"seat {seat} is empty"
        return chair

    def taken(self) -> list[tuple[int, Chair]]:
        """List the seats that are taken."""
        return [(seat, chair) for seat, chair in enumerate(self.chairs) if chair is not None]

    def still_in(self) -> list[int]:
        """List the seats of those who are not out."""
        return [seat for seat, chair in self.taken() if chair.out is None]

    def can_add(self) -> bool:
        """Tell whether an Add is possible."""
        return self.adds_left > 0 and self.board().can_add()

    def note_pairs(self, at: int) -> None:
        """Note whether a pair is left on a board that changed."""
        self.stuck_at = None if self.board().pairs() else at

    # -- turns

    def run_clock(self, at: int) -> None:
        """Let the clock run that runs, up to *at*."""
        if self.turn is not None:
            left = self.clocks[self.turn]
            assert left is not None
            self.clocks[self.turn] = max(0, left - (at - self.clocks_at))
            self.clocks_at = at

    def add_time(self, seat: int) -> None:
        """Give what a match gives."""
        left = self.clocks[seat]
        assert left is not None
        self.clocks[seat] = left + self.options["increment_s"] * 1000

    def next_turn(self) -> None:
        """Give the turn to the next in seat order who is still in."""
        if self.turn is not None:
            seats = len(self.chairs)
            order = [(self.turn + step) % seats for step in range(1, seats + 1)]
            self.turn = next(seat for seat in order if seat in self.still_in())

    def shift(self, by_ms: int) -> None:
        """Move every deadline, lock and running clock."""
        before = ("join_by",) if self.phase != "playing" else ()
        for name in ("starts_at", "ends_at", "stuck_at", *before):
            moment = getattr(self, name)
            if moment is not None:
                setattr(self, name, moment + by_ms)
        self.clocks_at += by_ms
        for _, chair in self.taken():
            if chair.locked_until is not None:
                chair.locked_until += by_ms

    # -- what has to be

    def must_follow(self, event: Message) -> tuple[str, ...] | None:
        """Return the kind, and for `ended` the reason, of what follows *event* in the same breath."""
        kind = event["kind"]
        if self.phase in ("open", "starting"):
            return self._before_start(kind)
        if self.phase == "over":
            return None
        still_in = self.still_in()
        if kind in ("flagged", "resigned"):
            if len(still_in) == 1:
                return "ended", "last_one_in"
            if all(self.chair(seat).bot for seat in still_in):
                return "ended", "abandoned"
        if not self.board().left():
            return "ended", "cleared"
        stuck = not self.board().pairs()
        if self.mode == "race":
            if kind == "called":
                return ("added",)
            return ("ended", "stuck") if stuck and not self.can_add() else None
        if stuck or set(still_in) <= self.passed:
            return ("added",) if self.can_add() else ("ended", "stuck")
        return None

    def _before_start(self, kind: str) -> tuple[str, ...] | None:
        left = all(chair.bot for _, chair in self.taken())
        if kind == "unseated" and (left or self.join_by is not None):
            return "ended", "abandoned"
        if kind == "starting" and self.options["countdown_ms"] == 0:
            return ("started",)
        ready = all(chair is not None and chair.ready for chair in self.chairs)
        return ("starting",) if kind in ("readied", "seated") and self.phase == "open" and ready else None

    def ranking(self) -> list[Message]:
        """Return the ranking: by place, then seat."""

        def worth(chair: Chair) -> tuple[int, ...]:
            later = chair.out if chair.out is not None and self.mode == "turns" else 0
            return (chair.out is None, later, chair.score, -chair.mistakes)

        lines = [
            {
                "seat": seat,
                "place": 1 + sum(worth(other) > worth(chair) for _, other in self.taken()),
                "score": chair.score,
                "mistakes": chair.mistakes,
            }
            for seat, chair in self.taken()
        ]
        return sorted(lines, key=lambda line: (line["place"], line["seat"]))

    def state(self) -> Message:
        """Return what a snapshot must show."""
        over, game, turns = self.ended, self.game, self.mode == "turns"
        told = game is not None and (turns or over is not None)
        return {
            "mode": self.mode,
            "options": self.options,
            "private": self.private,
            "phase": self.phase,
            "host": self.host,
            "code": self.code,
            "commit": self.commit,
            "seed": over and over["seed"],
            "salt": over and over["salt"],
            "seats": [chair and _shown(chair) for chair in self.chairs],
            "board": None if game is None else game.text(),
            "ids": game.ids() if game else [],
            "next_id": game.next_id if game else 0,
            "adds_left": self.adds_left,
            "left": game.left() if game else 0,
            "open": bool(game.pairs()) if game and told else None,
            "turn": self.turn,
            "clocks": self.clocks if turns and game else None,
            "clocks_at": self.clocks_at if turns and game else None,
            "starts_at": self.starts_at,
            "ends_at": self.ends_at,
            "ranking": over and over["ranking"],
            **({} if self.join_by is None else {"join_by": self.join_by}),
        }


def _shown(chair: Chair) -> Message:
    return {
        "player": chair.player,
        "ready": chair.ready,
        "score": chair.score,
        "mistakes": chair.mistakes,
        "locked_until": chair.locked_until,
        "out": chair.out is not None,
        "last_n": max(chair.moves, default=0),
    }
