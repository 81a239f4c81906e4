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
class Sheet:
    """A board as it is played: everybody's in a race and in turns, one player's in mirror."""

    game: OracleGame
    adds_left: int
    stuck_at: int | None = None  # since when there has been no pair
    rows_closed: int = 0
    cleared: int | None = None  # the event that cleared it

    def can_add(self) -> bool:
        """Tell whether an Add is possible."""
        return self.adds_left > 0 and self.game.can_add()

    def done(self) -> bool:
        """Tell whether nothing can be done on it any more."""
        return not self.game.pairs() and not self.can_add()

    def state(self) -> Message:
        """Return what a snapshot must show of it."""
        return {
            "board": self.game.text(),
            "ids": self.game.ids(),
            "next_id": self.game.next_id,
            "adds_left": self.adds_left,
            "left": self.game.left(),
            "open": bool(self.game.pairs()),
        }


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
    sheets: list[Sheet] = field(default_factory=list)  # one for all, or by seat; none before the start
    ends_at: int | None = None
    turn: int | None = None
    clocks: list[int | None] = field(default_factory=list)
    clocks_at: int = 0
    passed: set[int] = field(default_factory=set)
    wants: set[int] = field(default_factory=set)
    ended: Message | None = None

    @property
    def mirror(self) -> bool:
        """Whether each plays on a board of their own."""
        return self.mode == "mirror"

    @property
    def adds_left(self) -> int:
        """How many Adds the board of all has left."""
        return self.sheet().adds_left

    def sheet(self, seat: int = 0) -> Sheet:
        """Return what a seat plays on in a room that has started."""
        return self.sheets[seat if self.mirror else 0]

    def board(self, seat: int = 0) -> OracleGame:
        """Return the board that a seat plays on in a room that has started."""
        return self.sheet(seat).game

    def deal(self, board: str) -> None:
        """Lay out the board of all, or one for each seat."""
        count = len(self.chairs) if self.mirror else 1
        self.sheets = [Sheet(OracleGame(board), self.options["adds"]) for _ in range(count)]

    def cleared(self) -> bool:
        """Tell whether a board is cleared."""
        return any(sheet.cleared is not None for sheet in self.sheets)

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

    def changed(self, seat: int, at: int, rows: int = 0) -> None:
        """Note what became of the board that a seat changed."""
        sheet = self.sheet(seat)
        sheet.stuck_at = None if sheet.game.pairs() else at
        sheet.rows_closed += rows
        sheet.cleared = None if sheet.game.left() else self.seq

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
        for sheet in self.sheets:
            sheet.stuck_at = None if sheet.stuck_at is None else sheet.stuck_at + by_ms
        for name in ("starts_at", "ends_at", *before):
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
        if self.mirror:
            done = all(self.sheet(seat).done() for seat in still_in)
            return ("ended", "cleared" if self.cleared() else "stuck") if done else None
        sheet = self.sheet()
        if sheet.cleared is not None:
            return "ended", "cleared"
        stuck = not sheet.game.pairs()
        if self.mode == "race":
            if kind == "called":
                return ("added",)
            return ("ended", "stuck") if stuck and not sheet.can_add() else None
        if stuck or set(still_in) <= self.passed:
            return ("added",) if sheet.can_add() else ("ended", "stuck")
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

        def worth(seat: int, chair: Chair) -> tuple[float, ...]:
            later = chair.out if chair.out is not None and self.mode == "turns" else 0
            cleared = self.sheet(seat).cleared if self.mirror else None
            earlier = -float("inf") if cleared is None else -cleared
            return (chair.out is None, later, chair.score, -chair.mistakes, earlier)

        lines = [
            {
                "seat": seat,
                "place": 1 + sum(worth(*other) > worth(seat, chair) for other in self.taken()),
                "score": chair.score,
                "mistakes": chair.mistakes,
            }
            for seat, chair in self.taken()
        ]
        return sorted(lines, key=lambda line: (line["place"], line["seat"]))

    def state(self, viewer: int | None = None) -> Message:
        """Return what a snapshot must show to who sits there, or watches."""
        over, turns = self.ended, self.mode == "turns"
        rivals = self.mirror and viewer is not None and over is None
        hidden = [rivals and seat != viewer for seat in range(len(self.chairs))]
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
            "seats": [chair and _shown(chair, hide) for chair, hide in zip(self.chairs, hidden, strict=True)],
            **(self._boards(hidden) if self.mirror else self._board()),
            "turn": self.turn,
            "clocks": self.clocks if turns and self.sheets else None,
            "clocks_at": self.clocks_at if turns and self.sheets else None,
            "starts_at": self.starts_at,
            "ends_at": self.ends_at,
            "ranking": over and over["ranking"],
            **({} if self.join_by is None else {"join_by": self.join_by}),
        }

    def _board(self) -> Message:
        if not self.sheets:
            nothing: Message = {"board": None, "ids": [], "next_id": 0, "left": 0, "open": None}
            return nothing | {"adds_left": self.options["adds"]}
        state = self.sheet().state()
        return state if self.mode == "turns" or self.ended else state | {"open": None}

    def _boards(self, hidden: list[bool]) -> Message:
        started = [seat if chair and self.sheets else None for seat, chair in enumerate(self.chairs)]
        return {
            "boards": [
                None if seat is None or hidden[seat] else self.sheets[seat].state() for seat in started
            ],
            "progress": [None if seat is None else self.progress(seat) for seat in started],
        }

    def progress(self, seat: int) -> Message:
        """Return what everyone may know of a board of somebody's own."""
        sheet = self.sheets[seat]
        return {"left": sheet.game.left(), "rows_closed": sheet.rows_closed}


def _shown(chair: Chair, hide: bool) -> Message:
    """Return what a snapshot must show of a seat; of a rival in mirror not what only their moves tell."""
    return {
        "player": chair.player,
        "ready": chair.ready,
        "score": chair.score,
        "mistakes": chair.mistakes,
        "locked_until": None if hide else chair.locked_until,
        "out": chair.out is not None,
        "last_n": 0 if hide else max(chair.moves, default=0),
    }
