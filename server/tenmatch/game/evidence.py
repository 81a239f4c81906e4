"""What a game tells of how each of its players played, for an organiser to judge; it judges nobody itself.

All of it follows from the log, but for what was noted beside it: connections that came and went, and pages
that their players, as these reported, did not look at.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from statistics import median

import msgspec

from tenmatch.game.events import AnyEvent, Ended, Matched, Mistaken, Player, Shifted, Started
from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase, Room, evolve
from tenmatch.rules.board import Board, Pair
from tenmatch.rules.judge import pairs
from tenmatch.rules.score import worth


class Change(StrEnum):
    """What is noted of a seat during a game."""

    ARRIVED = "arrived"  # a connection took the seat
    DEPARTED = "departed"  # the connection that held it is gone
    HIDDEN = "hidden"  # the player's page is not to be seen, as it says
    SHOWN = "shown"  # and is again


class Note(msgspec.Struct, frozen=True, array_like=True):
    """A change, and when."""

    at: Millis
    seat: SeatNumber
    change: Change


class Conduct(msgspec.Struct, frozen=True, kw_only=True):
    """How one player played. Times are in ms."""

    seat: SeatNumber
    player: Player
    matches: int
    reactions: tuple[int, ...]
    """Of each match: since the pair was there and the player, by turn, lock and last move, could take it."""
    fastest: int | None  # of these
    median: int | None
    best: int  # matches worth as much as any that was possible on that board, clearing aside
    mistakes: dict[str, int]  # by code
    lockouts: int
    locked: int  # in all
    connections: int  # that took the seat while the game ran, where others had held it before
    disconnected: int  # without any, in all
    hidden: int  # times
    hidden_for: int  # in all
    matches_hidden: int  # made meanwhile


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """How a game was played."""

    mode: Mode
    rated: bool
    started_at: Millis | None  # None: not yet
    ended_at: Millis | None
    seats: tuple[Conduct, ...]


def evidence(events: Sequence[AnyEvent], notes: Iterable[Note] = ()) -> Evidence:
    """Gather what a room's whole log, and the notes beside it, tell of its players."""
    watch = _Watch()
    for event in events:
        watch.see(event)
    room = watch.room
    assert room is not None, "a log has events"
    ended_at = next((event.at for event in events if isinstance(event, Ended)), None)
    noted = sorted(set(notes), key=lambda note: note.at)  # one whose writing was in doubt is there twice
    span = (room.started_at or room.at, ended_at or room.at)
    noted = [note for note in noted if note.at < span[1]]
    return Evidence(
        mode=room.mode,
        rated=room.options.rated,
        started_at=room.started_at,
        ended_at=ended_at,
        seats=tuple(
            _conduct(watch, number, seat.player, [note for note in noted if note.seat == number], span)
            for number, seat in room.taken()
        ),
    )


class _Watch:
    """Goes through a game and keeps what players did."""

    def __init__(self) -> None:
        self.room: Room | None = None
        self.matched: dict[SeatNumber, list[tuple[Millis, int, bool]]] = {}  # when, reaction, the best
        self.mistaken: dict[SeatNumber, list[Mistaken]] = {}
        self._since: list[dict[Pair, Millis]] = []  # by sheet: since when each legal pair has been there

    def see(self, event: AnyEvent) -> None:
        """Take the next event."""
        if self.room is not None:
            self._before(self.room, event)
        self.room = evolve(self.room, event)
        if isinstance(event, Started):
            self._since = [{} for _ in self.room.sheets]
        if self.room.phase is not Phase.OPEN:
            for known, sheet in zip(self._since, self.room.sheets, strict=True):
                _renew(known, sheet.board, event.at)

    def _before(self, room: Room, event: AnyEvent) -> None:
        match event:
            case Matched():
                self.matched.setdefault(event.seat, []).append(self._match(room, event))
            case Mistaken():
                self.mistaken.setdefault(event.seat, []).append(event)
            case Shifted(by_ms=by_ms):
                for known in self._since:
                    known.update({pair: Millis(at + by_ms) for pair, at in known.items()})
            case _:
                pass

    def _match(self, room: Room, event: Matched) -> tuple[Millis, int, bool]:
        seat, board = room.seated(event.seat), room.sheet_of(event.seat).board
        since = self._since[event.seat if room.own_boards else 0]
        could = max(
            since[_named(event.a, event.b)], seat.acted_at or 0, seat.locked_until or 0, room.turn_at or 0
        )
        most = max(worth(board, pair) for pair in pairs(board))
        return event.at, max(event.at - could, 0), worth(board, (event.a, event.b)) == most


def _renew(known: dict[Pair, Millis], board: Board, at: Millis) -> None:
    legal = {_named(*pair) for pair in pairs(board)}
    for gone in known.keys() - legal:
        del known[gone]
    for new in legal - known.keys():
        known[new] = at


def _named(a: int, b: int) -> Pair:
    return (a, b) if a < b else (b, a)  # type: ignore[return-value]  # numbers of a log are ids


def _conduct(
    watch: _Watch, seat: SeatNumber, player: Player, notes: Sequence[Note], span: tuple[Millis, Millis]
) -> Conduct:
    matched, mistaken = watch.matched.get(seat, []), watch.mistaken.get(seat, [])
    reactions = tuple(reaction for _, reaction, _ in matched)
    locks = [event.locked_until - event.at for event in mistaken if event.locked_until is not None]
    away = _spans(notes, Change.DEPARTED, Change.ARRIVED, span)
    hidden = _spans(notes, Change.HIDDEN, Change.SHOWN, span)
    return Conduct(
        seat=seat,
        player=player,
        matches=len(matched),
        reactions=reactions,
        fastest=min(reactions, default=None),
        median=round(median(reactions)) if reactions else None,
        best=sum(best for _, _, best in matched),
        mistakes=dict(Counter(event.code for event in mistaken)),
        lockouts=len(locks),
        locked=sum(locks),
        connections=sum(note.change is Change.ARRIVED for note in notes),
        disconnected=sum(end - start for start, end in away),
        hidden=len(hidden),
        hidden_for=sum(end - start for start, end in hidden),
        matches_hidden=sum(any(start <= at < end for start, end in hidden) for at, _, _ in matched),
    )


def _spans(
    notes: Iterable[Note], begins: Change, ends: Change, span: tuple[Millis, Millis]
) -> list[tuple[Millis, Millis]]:
    """Return from when to when it was so during the game; what has no end goes on to that of the game."""
    found: list[tuple[Millis, Millis]] = []
    since: Millis | None = None
    for note in notes:
        if note.change is begins:
            since = note.at if since is None else since
        elif note.change is ends and since is not None:
            found.append((since, note.at))
            since = None
    if since is not None:
        found.append((since, span[1]))
    return [(max(start, span[0]), end) for start, end in found if end > span[0]]
