"""A room as a client holds it, and what each event makes of it: pure, by the same rules as the server's.

A client may know less than the log says: in a mirror game rivals' boards are hidden from players. `State` is
a `Room` with what a client needs beside it. What an event says of the board is checked against the rules and
by the server's hash; where the two differ, `Differs` is raised and a snapshot has to be asked for.
"""

import msgspec
from msgspec.structs import replace

from tenmatch.client.errors import NotOurs
from tenmatch.client.heard import Happened, Told, Unknown
from tenmatch.game.events import Added, Created, Ended, Matched, Player, Rank, Started, Unseated
from tenmatch.game.ids import Millis, MoveNumber, SeatNumber, Seq
from tenmatch.game.options import Mode, Options
from tenmatch.game.room import Phase, Room, evolve
from tenmatch.game.seat import Seat, put
from tenmatch.game.sheet import Sheet
from tenmatch.protocol import maps
from tenmatch.protocol.maps import BoardMap, SeatMap, StateMap
from tenmatch.protocol.progress import Progress
from tenmatch.protocol.to_client import Snapshot
from tenmatch.rules.board import Board, may_add
from tenmatch.rules.judge import judge, pairs, witness
from tenmatch.rules.notation import board_hash, copies, restored


class Differs(Exception):
    """An event does not fit what is held: something was missed or is wrong, here or there."""


class State(Room, frozen=True, kw_only=True):
    """A room at one moment, as far as this client may know it.

    Of a `Room` a snapshot does not tell `created_at` and `at` (0), `rules`, who was kicked, who passed, nor
    why the game ended.
    """

    chain: int  # covers the log up to `seq`
    viewer: SeatNumber | None = None  # whose eyes these are; None: a watcher's
    shown: frozenset[int] = frozenset()  # the sheets that are known, by their place in `sheets`
    hidden: tuple[Progress | None, ...] = ()  # how far those have come whose sheets are not, by seat

    @property
    def me(self) -> Seat | None:
        """One's own seat."""
        return None if self.viewer is None else self.seats[self.viewer]

    @property
    def board(self) -> Board | None:
        """The board that all play on, or one's own; None before the start, and for watchers of mirror."""
        if self.own_boards:
            return None if self.viewer is None else self.board_of(self.viewer)
        return self.sheets[0].board if self.sheets else None

    def board_of(self, seat: int) -> Board | None:
        """Return the board that a seat plays on; None before the start, and where it may not be seen."""
        place = seat if self.own_boards else 0
        return self.sheets[place].board if place in self.shown else None

    def progress_of(self, seat: int) -> Progress | None:
        """Return how far a seat has come on a board of its own; None before the start and for a free seat."""
        sitter = self.seats[seat]
        if sitter is None or not self.sheets or not self.own_boards:
            return None
        if seat not in self.shown:
            return self.hidden[seat]
        sheet = self.sheets[seat]
        return Progress(sheet.board.left, sheet.rows_closed, sitter.score, sitter.mistakes)

    def pairs(self) -> list[tuple[int, int]]:
        """List the pairs that may be matched on `board`, by ids, in reading order."""
        return [] if self.board is None else list(pairs(self.board))


def begin(snapshot: Snapshot) -> State:
    """Return the state that a snapshot tells. Raises NotOurs."""
    try:
        return _state(snapshot, snapshot.state)
    except (ValueError, KeyError) as error:  # NotationError and ValidationError are such
        raise NotOurs(f"a snapshot that this client cannot read: {error}") from error


def follow(state: State, told: Told) -> State:
    """Return the state after *told*, the next event. Raises Differs."""
    after = _after(state, told)
    _check_hash(after, told)
    return replace(after, chain=told.chain)


def _after(state: State, told: Told) -> State:
    match told.event:
        case Unknown():
            return replace(state, seq=told.seq, at=told.at)
        case maps.Progress() as progress:
            return _progressed(state, told, progress)
        case Created():
            raise Differs("a room is created once")
        case event:
            _check(state, event)
            after = evolve(state, event)
            assert isinstance(after, State)
    match event:
        case Started():
            return _started(after)
        case Ended(seed=seed, salt=salt):
            return replace(after, seed=seed, salt=salt)
        case Unseated(seat=seat) if seat == state.viewer:
            return replace(after, viewer=None)
    return after


def _started(state: State) -> State:
    """Note which boards are seen from here on."""
    taken = [seat for seat, _ in state.taken()]
    if not state.own_boards:
        return replace(state, shown=frozenset({0}))
    shown = frozenset(seat for seat in taken if state.viewer in (None, seat))
    dealt = Progress(state.sheets[0].board.left)
    return replace(state, shown=shown, hidden=tuple(seat and dealt for seat in state.seats))


def _progressed(state: State, told: Told, progress: maps.Progress) -> State:
    """Note how far a rival has come on a board that is not seen."""
    if not 0 <= progress.seat < min(len(state.seats), len(state.hidden)):
        raise Differs(f"progress of seat {progress.seat}")
    sitter = state.seats[progress.seat]
    if sitter is None:
        raise Differs(f"progress of seat {progress.seat}, which is free")
    far = Progress(progress.left, progress.rows_closed, progress.score, progress.mistakes)
    return replace(
        state,
        seq=told.seq,
        at=told.at,
        seats=put(
            state.seats,
            progress.seat,
            replace(sitter, score=progress.score, mistakes=progress.mistakes),
        ),
        hidden=(*state.hidden[: progress.seat], far, *state.hidden[progress.seat + 1 :]),
        ends_at=progress.ends_at or state.ends_at,
    )


# -- what is told, against what is held


def _check(state: State, event: Happened) -> None:
    """Fail if an event cannot happen in the room as it is held. Raises Differs."""
    seat = getattr(event, "seat", None)
    if seat is not None and not 0 <= seat < len(state.seats):
        raise Differs(f"there is no seat {seat}")
    moves = getattr(event, "n", None) is not None
    if moves and seat is not None and state.seats[seat] is None:
        raise Differs(f"a move of seat {seat}, which is free")
    if isinstance(event, Matched):
        board = state.board_of(event.seat)
        if board is None or judge(board, event.a, event.b) is not None:
            raise Differs(f"{event.a} and {event.b} are no pair on the board held here")
    if isinstance(event, Added):
        board = state.board_of(event.seat or 0)
        if board is None or not may_add(board) or event.first != board.next_id:
            raise Differs("no such Add is possible on the board held here")
        if event.digits != copies(board.active):
            raise Differs("an Add of other numbers than are held here")


def _check_hash(state: State, told: Told) -> None:
    if told.hash is None or isinstance(told.event, Unknown):
        return
    seat = getattr(told.event, "seat", None)
    board = state.board_of(seat or 0) if seat is not None or not state.own_boards else _any_board(state)
    if board is None or board_hash(board) != told.hash:
        raise Differs(f"after event {told.seq} the board here is another than the server's")


def _any_board(state: State) -> Board | None:
    """Return a board of a mirror game that has just been dealt: all are the same."""
    return state.sheets[0].board if state.sheets else None


# -- a snapshot


def _state(snapshot: Snapshot, told: StateMap) -> State:
    seq = Seq(snapshot.seq)
    seats = tuple(seat and _seat(seat, seq) for seat in told["seats"])
    own = "boards" in told
    boards: list[BoardMap | None] = told["boards"] if own else [_shared(told)]
    progress = told.get("progress") or [None for _ in seats]
    begun = any(board is not None for board in boards) or any(far is not None for far in progress)
    rows = [far["rows_closed"] if far else 0 for far in progress] if own else [0]
    return State(
        mode=Mode(told["mode"]),
        options=msgspec.convert(told["options"], Options),
        private=told["private"],
        code=told["code"],
        host=SeatNumber(0 if told["host"] is None else told["host"]),
        commit=told["commit"],
        seed=told["seed"],
        salt=told["salt"] or "",
        rules=0,
        created_at=Millis(0),
        join_by=told.get("join_by"),
        daily=told.get("daily"),
        tournament=told.get("tournament"),
        teams=tuple(told["teams"]) if "teams" in told else None,
        phase=Phase(told["phase"]),
        own_boards=own,
        seats=seats,
        seq=seq,
        at=Millis(0),
        starts_at=told["starts_at"],
        ends_at=told["ends_at"],
        sheets=tuple(map(_sheet, boards, rows, [seq] * len(rows))) if begun else (),
        turn=told["turn"],
        clocks=None if told["clocks"] is None else tuple(told["clocks"]),
        clocks_at=told["clocks_at"],
        ranking=None if told["ranking"] is None else msgspec.convert(told["ranking"], tuple[Rank, ...]),
        chain=snapshot.chain,
        viewer=snapshot.seat,
        shown=frozenset(place for place, board in enumerate(boards) if board is not None),
        hidden=tuple(
            Progress(far["left"], far["rows_closed"], seat.score, seat.mistakes) if far and seat else None
            for far, seat in zip(progress, seats, strict=True)
        )
        if own
        else (),
    )


def _seat(told: SeatMap, seq: Seq) -> Seat:
    return Seat(
        player=msgspec.convert(told["player"], Player),
        ready=told["ready"],
        score=told["score"],
        mistakes=told["mistakes"],
        locked_until=told["locked_until"],
        out_at=seq if told["out"] else None,
        moves=((MoveNumber(told["last_n"]), Seq(0)),) if told["last_n"] else (),
    )


def _shared(told: StateMap) -> BoardMap | None:
    """Return the board of all, in the form of one's own; None before the start."""
    if told["board"] is None:
        return None
    return BoardMap(
        board=told["board"],
        ids=told["ids"],
        next_id=told["next_id"],
        adds_left=told["adds_left"],
        left=told["left"],
        open=bool(told["open"]),
    )


def _sheet(told: BoardMap | None, rows_closed: int, seq: Seq) -> Sheet:
    """Return a board in play; an empty one in the place of one that is not seen."""
    if told is None:
        return Sheet(board=Board.dealt(b""), adds_left=0, since=seq, witness=None, stuck_at=None)
    board = restored(told["board"], told["ids"], told["next_id"])
    return Sheet(
        board=board,
        adds_left=told["adds_left"],
        since=seq,
        witness=witness(board),
        stuck_at=None,
        rows_closed=rows_closed,
    )
