"""The state of a room, and what an event makes of it.

A room is the fold of its log: the same events give the same state, on every node and at any time. Nothing is
judged here; what is in the log has happened.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, assert_never

import msgspec
from msgspec.structs import replace

from tenmatch.game.clock import moved
from tenmatch.game.events import (
    Added,
    AnyEvent,
    Called,
    Clocks,
    Created,
    Ended,
    EndReason,
    Flagged,
    Matched,
    Mistaken,
    Passed,
    Rank,
    Readied,
    Rematch,
    Resigned,
    Seated,
    Shifted,
    Started,
    Starting,
    Unseated,
    UnseatReason,
)
from tenmatch.game.ids import (
    Day,
    Millis,
    PlayerId,
    RoomCode,
    RoomId,
    SeatNumber,
    Seq,
    TournamentId,
)
from tenmatch.game.options import Mode, Options
from tenmatch.game.seat import Seat, Seats, put
from tenmatch.game.sheet import Sheet, after_add, after_match, fresh
from tenmatch.game.teams import BySeat, chosen
from tenmatch.rules.board import Played, play
from tenmatch.rules.notation import parse

__all__ = ["RULES", "Phase", "Room", "Seat", "evolve"]

RULES: Final = 1
"""Version of the rules by which this code judges; stored with every room."""

ANY: Final = SeatNumber(0)
"""Whose board it is where all play on one."""

FULL_LOG: Final = 4_900
"""With so many events a game ends, and elsewhere commands are denied: logs stay bounded."""


class Phase(StrEnum):
    """Where a room is in its life."""

    OPEN = "open"
    STARTING = "starting"
    PLAYING = "playing"
    OVER = "over"


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a room."""

    mode: Mode
    options: Options
    private: bool
    code: RoomCode
    host: SeatNumber
    commit: str | None  # SHA-256 of the seed, hex; None for the classic deal
    seed: str | None  # hex; not to leave the server before the end
    salt: str  # hex; not to leave the server before the end
    rules: int
    created_at: Millis
    join_by: Millis | None = None  # quick match, daily: when the room is given up if not all are ready
    daily: Day | None = None  # an attempt at the deal of this day
    tournament: TournamentId | None = None  # in which this is a game

    phase: Phase = Phase.OPEN
    own_boards: bool  # each seat plays on a board of its own (mirror); else all play on one
    seats: Seats
    teams: BySeat | None = None  # None: each for themselves, or they are still to be drawn
    kicked: frozenset[PlayerId] = frozenset()  # who may not sit here again
    seq: Seq = Seq(1)  # of the last event
    at: Millis  # of the last event

    starts_at: Millis | None = None
    started_at: Millis | None = None
    ends_at: Millis | None = None
    heard_at: Millis | None = None  # the last move of a person, or the start
    sheets: tuple[Sheet, ...] = ()  # by seat, taken or not, or one for all; none before the start

    turn: SeatNumber | None = None
    turn_at: Millis | None = None  # when the turn came
    clocks: Clocks | None = None
    clocks_at: Millis | None = None  # the moment for which `clocks` are right
    passed: tuple[SeatNumber, ...] = ()  # who passed since the last match or Add

    reason: EndReason | None = None
    ranking: tuple[Rank, ...] | None = None
    wants: tuple[SeatNumber, ...] = ()  # the persons who want a rematch
    wanted_at: Millis | None = None  # since when two or more have wanted one
    rematch: RoomId | None = None

    @property
    def revealed(self) -> str | None:
        """Return the seed that everybody may know once the game is over: not that of a day."""
        return None if self.daily else self.seed

    def sheet_of(self, seat: SeatNumber) -> Sheet:
        """Return the sheet that a seat plays on; the room must have started."""
        return self.sheets[seat if self.own_boards else 0]

    def laid(self, seat: SeatNumber, sheet: Sheet) -> tuple[Sheet, ...]:
        """Return the sheets with another in the place of that which a seat plays on."""
        if not self.own_boards:
            return (sheet,)
        return (*self.sheets[:seat], sheet, *self.sheets[seat + 1 :])

    def seated(self, seat: SeatNumber) -> Seat:
        """Return who sits on a seat that is taken."""
        found = self.seats[seat]
        assert found is not None, f"seat {seat} is free"
        return found

    def seat_of(self, player: PlayerId) -> SeatNumber | None:
        """Return the seat on which a player sits."""
        return next((number for number, seat in self.taken() if seat.player.id == player), None)

    def taken(self) -> list[tuple[SeatNumber, Seat]]:
        """Return the seats that are taken, the lowest first."""
        return [(SeatNumber(number), seat) for number, seat in enumerate(self.seats) if seat is not None]

    def sides(self, seats: Iterable[SeatNumber]) -> dict[int, list[SeatNumber]]:
        """Return those on *seats* by side: who wins together, a team or else a player alone."""
        found: dict[int, list[SeatNumber]] = {}
        for seat in seats:
            team = seat if self.teams is None else self.teams[seat]
            assert team is not None, f"whoever plays on seat {seat} has a team"
            found.setdefault(team, []).append(seat)
        return found

    def still_in(self) -> list[SeatNumber]:
        """Return the seats of those who are not out, the lowest first."""
        return [number for number, seat in self.taken() if seat.out_at is None]


def evolve(room: Room | None, event: AnyEvent) -> Room:
    """Return what *event*, the next of the log, makes of *room*: None before the first, `Created`."""
    if room is None:
        assert isinstance(event, Created), f"a log cannot begin with {event!r}"
        return _created(event)
    match event:
        case Matched():
            sheet = room.sheet_of(event.seat)
            return matched(
                room, event, played_sheet(room, sheet, play(sheet.board, event.a, event.b), event.at)
            )
        case Mistaken():
            return _mistaken(room, event)
        case Called():
            return _called(room, event)
        case Added():
            seat = ANY if event.seat is None else event.seat
            return with_add(room, event, added_sheet(room, room.sheet_of(seat), event.at))
        case Passed():
            return _passed(room, event)
        case Flagged() | Resigned():
            return _out(room, event)
        case Seated():
            return _seated(room, event)
        case Unseated():
            return _unseated(room, event)
        case Readied():
            return _readied(room, event)
        case Starting():
            return _next(room, event, phase=Phase.STARTING, starts_at=event.starts_at)
        case Started():
            return _started(room, event)
        case Shifted():
            return _shifted(room, event)
        case Ended():
            return _next(room, event, phase=Phase.OVER, reason=event.reason, ranking=event.ranking, turn=None)
        case Rematch():
            return _rematch(room, event)
        case Created():
            raise AssertionError("a room is created once")
        case _:
            assert_never(event)


def _next(room: Room, event: AnyEvent, **changes: object) -> Room:
    return replace(room, seq=Seq(room.seq + 1), at=event.at, **changes)


def _created(event: Created) -> Room:
    return Room(
        mode=event.mode,
        options=event.options,
        private=event.private,
        code=event.code,
        host=event.host,
        commit=event.commit,
        seed=event.seed,
        salt=event.salt,
        rules=event.rules,
        created_at=event.at,
        join_by=event.join_by,
        daily=event.daily,
        tournament=event.tournament,
        own_boards=event.mode is Mode.MIRROR,
        seats=(None,) * event.options.max_players,
        teams=chosen(event.options),
        at=event.at,
    )


# Before the start


def _seated(room: Room, event: Seated) -> Room:
    seat = Seat(player=event.player, ready=bool(event.ready) or event.player.bot is not None)
    return _next(room, event, seats=put(room.seats, event.seat, seat))


def _unseated(room: Room, event: Unseated) -> Room:
    kicked = room.kicked
    if event.reason is UnseatReason.KICKED:
        kicked |= {room.seated(event.seat).player.id}
    return _next(
        room,
        event,
        phase=Phase.OPEN,
        starts_at=None,
        seats=put(room.seats, event.seat, None),
        host=room.host if event.host is None else event.host,
        kicked=kicked,
    )


def _readied(room: Room, event: Readied) -> Room:
    seats = put(room.seats, event.seat, replace(room.seated(event.seat), ready=event.ready))
    if event.ready:
        return _next(room, event, seats=seats)
    return _next(room, event, seats=seats, phase=Phase.OPEN, starts_at=None)


def _started(room: Room, event: Started) -> Room:
    dealt = fresh(parse(event.board), adds_left=event.adds_left, since=Seq(room.seq + 1), at=event.at)
    return _next(
        room,
        event,
        phase=Phase.PLAYING,
        started_at=event.at,
        heard_at=event.at,
        ends_at=event.ends_at,
        teams=event.teams or room.teams,
        seats=tuple(seat and replace(seat, acted_at=event.at) for seat in room.seats),
        sheets=(dealt,) * (len(room.seats) if room.own_boards else 1),
        **_turn(room, event),
    )


# In play


def played_sheet(room: Room, sheet: Sheet, played: Played, at: Millis) -> Sheet:
    """Return what a match, the room's next event, makes of one of its sheets."""
    return after_match(sheet, played, Seq(room.seq + 1), at)


def added_sheet(room: Room, sheet: Sheet, at: Millis) -> Sheet:
    """Return what an Add, the room's next event, makes of one of its sheets."""
    return after_add(sheet, Seq(room.seq + 1), at)


def matched(room: Room, event: Matched, sheet: Sheet) -> Room:
    """Return what *event* makes of a room, given the sheet after it, which whoever judged the match has."""
    seats, heard_at = _moved(room, event, replace(room.seated(event.seat), score=event.score, streak=0))
    sheets = room.laid(event.seat, sheet)
    if event.clocks is None:
        return replace(
            room,
            seq=Seq(room.seq + 1),
            at=event.at,
            seats=seats,
            sheets=sheets,
            heard_at=heard_at,
            ends_at=event.ends_at or room.ends_at,
        )
    return _next(room, event, seats=seats, sheets=sheets, heard_at=heard_at, passed=(), **_turn(room, event))


def with_add(room: Room, event: Added, sheet: Sheet) -> Room:
    """Return what *event* makes of a room, given the sheet after it, which whoever decided on the Add has."""
    if event.seat is None:
        return _next(room, event, sheets=room.laid(ANY, sheet), passed=(), **_turn(room, event))
    seats, heard_at = _moved(room, event, room.seated(event.seat))
    return _next(room, event, seats=seats, sheets=room.laid(event.seat, sheet), heard_at=heard_at)


def _mistaken(room: Room, event: Mistaken) -> Room:
    seat = room.seated(event.seat)
    wrong = replace(
        seat,
        score=event.score,
        mistakes=seat.mistakes + 1,
        streak=seat.streak + 1,
        locked_until=event.locked_until or seat.locked_until,
    )
    seats, heard_at = _moved(room, event, wrong)
    if event.clocks is None:
        return _next(room, event, seats=seats, heard_at=heard_at)
    return _next(room, event, seats=seats, heard_at=heard_at, clocks=event.clocks, clocks_at=event.at)


def _called(room: Room, event: Called) -> Room:
    seats, heard_at = _moved(room, event, replace(room.seated(event.seat), score=event.score, streak=0))
    return _next(room, event, seats=seats, heard_at=heard_at)


def _passed(room: Room, event: Passed) -> Room:
    seats, heard_at = _moved(room, event, room.seated(event.seat))
    passed = (*room.passed, event.seat)
    return _next(room, event, seats=seats, heard_at=heard_at, passed=passed, **_turn(room, event))


def _out(room: Room, event: Flagged | Resigned) -> Room:
    out = replace(room.seated(event.seat), out_at=Seq(room.seq + 1))
    if isinstance(event, Resigned):
        seats, heard_at = _moved(room, event, out)
    else:
        seats, heard_at = put(room.seats, event.seat, out), room.heard_at
    return _next(room, event, seats=seats, heard_at=heard_at, **_turn(room, event))


def _moved(
    room: Room, event: Matched | Mistaken | Called | Added | Passed | Resigned, mover: Seat
) -> tuple[Seats, Millis | None]:
    """Return the seats with a move noted on the mover's, and when a person's was last logged."""
    assert event.seat is not None, "a move is somebody's"
    assert event.n is not None, "and has a number"
    seats = put(room.seats, event.seat, mover.moved(event.n, Seq(room.seq + 1), event.at))
    return seats, room.heard_at if mover.player.bot else event.at


def _turn(room: Room, event: Started | Matched | Added | Passed | Flagged | Resigned) -> dict[str, object]:
    """Return what changes where the event says whose turn it is; in a race none does."""
    if event.clocks is None:
        return {}
    turn_at = room.turn_at if event.turn == room.turn else event.at
    return {"turn": event.turn, "turn_at": turn_at, "clocks": event.clocks, "clocks_at": event.at}


def _shifted(room: Room, event: Shifted) -> Room:
    by_ms = event.by_ms
    changes: dict[str, object] = {name: moved(getattr(room, name), by_ms) for name in _MOMENTS}
    if room.phase is not Phase.PLAYING:  # from then on they tell of what has been
        changes |= {"starts_at": moved(room.starts_at, by_ms), "join_by": moved(room.join_by, by_ms)}
    return _next(
        room,
        event,
        seats=tuple(seat and seat.shifted(by_ms) for seat in room.seats),
        sheets=tuple(replace(sheet, stuck_at=moved(sheet.stuck_at, by_ms)) for sheet in room.sheets),
        **changes,
    )


_MOMENTS: Final = ("ends_at", "heard_at", "turn_at", "clocks_at")


# After the end


def _rematch(room: Room, event: Rematch) -> Room:
    if event.room is not None:
        return _next(room, event, rematch=event.room)
    assert event.seat is not None, "a rematch is wanted by somebody or names a room"
    others = tuple(seat for seat in room.wants if seat != event.seat)
    wants = (*others, event.seat) if event.want else others
    wanted_at = (room.wanted_at or event.at) if len(wants) >= 2 else None
    return _next(room, event, wants=wants, wanted_at=wanted_at)
