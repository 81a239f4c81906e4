"""What can happen in a room. A room is the fold of these, in the order of its log.

Fields stand in the order of the stored form (server/protocol.md, "What is stored"): `kind` is the tag and
comes first, then `at`, then the kind's own fields, then `seen`, `seed`, `salt`, `rules`, `hash`. A field that
is None is left out of the log. `SECRET` names what is stored but never sent before the game is over.

`turn` is whose turn it is after the event; an Add in the same append does not change that. Where the end is
in the same append it is whose turn it would have been; after `Ended` it is nobody's, and the clocks stand.
"""

from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from tenmatch.game.ids import (
    Day,
    Millis,
    MoveNumber,
    PlayerId,
    RoomCode,
    RoomId,
    SeatNumber,
    Seq,
    TournamentId,
)
from tenmatch.game.options import Mode, Options
from tenmatch.game.teams import BySeat
from tenmatch.rules.board import NumberId

Clocks = tuple[int | None, ...]
"""Milliseconds left by seat at the event's `at`; None for an empty seat or a player who is out."""


class Level(StrEnum):
    """How well a computer player plays."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class Player(msgspec.Struct, frozen=True):
    """Who sits on a seat: a person, or a computer player of some level."""

    id: PlayerId
    name: str  # 1 to 24 characters
    bot: Level | None = None
    rating: int | None = None  # in rated rooms, as it was when they sat down


class Skill(msgspec.Struct, frozen=True):
    """How strong a player is believed to be in a mode, in thousandths (`tenmatch.game.rating`)."""

    mu: Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]  # the mean
    sigma: Annotated[int, Meta(ge=0, le=1_000_000)]  # how unsure that is: the standard deviation


class UnseatReason(StrEnum):
    """Why a seat became free before the start."""

    LEFT = "left"
    KICKED = "kicked"
    ABSENT = "absent"


class EndReason(StrEnum):
    """Why a room is over."""

    CLEARED = "cleared"
    STUCK = "stuck"
    TIME = "time"
    LAST_ONE_IN = "last_one_in"
    ABANDONED = "abandoned"


class Rank(msgspec.Struct, frozen=True):
    """One line of the ranking. Equal players share a place, and the next place is skipped."""

    seat: SeatNumber
    place: int  # from 1
    score: int
    mistakes: int


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag=str.lower):
    """What every event has: when it happened, by the store's clock."""

    SECRET: ClassVar[tuple[str, ...]] = ()

    at: Millis


class Created(Event, frozen=True, kw_only=True):
    """The room exists. Its seed is committed to here and revealed by `Ended`."""

    SECRET: ClassVar[tuple[str, ...]] = ("seed", "salt", "rules")

    mode: Mode
    options: Options
    private: bool
    code: RoomCode
    host: SeatNumber
    commit: str | None = None  # SHA-256 of the seed, hex; None for the classic deal
    join_by: Millis | None = None  # quick match, daily: whoever is not ready by then has not come
    daily: Day | None = None  # an attempt at the deal of this day; its seed is not revealed by `Ended`
    tournament: TournamentId | None = None  # in which this is a game
    seed: str | None = None  # 32 bytes, hex
    salt: str  # 16 bytes, hex; opens the chain
    rules: int  # version of the rules


class Seated(Event, frozen=True, kw_only=True):
    """A player took a seat."""

    seat: SeatNumber
    player: Player
    ready: bool | None = None  # a person is ready at once only in the room of a rematch; else None
    skill: Skill | None = None  # in rated rooms: what the player's rating came from when they sat down


class Unseated(Event, frozen=True, kw_only=True):
    """A seat became free before the start."""

    seat: SeatNumber
    reason: UnseatReason
    host: SeatNumber | None = None  # the lowest seat still held by a person


class Readied(Event, frozen=True, kw_only=True):
    """A player is ready, or no longer."""

    seat: SeatNumber
    ready: bool


class Starting(Event, frozen=True, kw_only=True):
    """The countdown runs."""

    starts_at: Millis


class Started(Event, frozen=True, kw_only=True):
    """Play begins on the dealt board."""

    board: str
    adds_left: int
    ends_at: Millis | None = None
    turn: SeatNumber | None = None
    clocks: Clocks | None = None
    teams: BySeat | None = None  # where they were drawn
    hash: int | None = None


class Matched(Event, frozen=True, kw_only=True):
    """Two numbers were matched and are holes now; emptied rows closed."""

    seat: SeatNumber
    n: MoveNumber
    a: NumberId
    b: NumberId
    rows: tuple[int, ...]  # indexes before closing, ascending
    points: int  # pair, rows and clear together
    score: int
    left: int
    open: bool | None = None
    turn: SeatNumber | None = None
    clocks: Clocks | None = None
    ends_at: Millis | None = None
    hash: int | None = None


class Mistaken(Event, frozen=True, kw_only=True):
    """A claim or a call was wrong and cost points."""

    SECRET: ClassVar[tuple[str, ...]] = ("seen",)

    seat: SeatNumber
    n: MoveNumber
    code: str  # of `tenmatch.rules.judge.Fault`, or `pairs_left` for a call
    a: NumberId | None = None
    b: NumberId | None = None
    blockers: tuple[NumberId, ...] | None = None
    points: int
    score: int
    locked_until: Millis | None = None
    clocks: Clocks | None = None
    seen: Seq
    hash: int | None = None


class Called(Event, frozen=True, kw_only=True):
    """A player called "no pair left", rightly."""

    SECRET: ClassVar[tuple[str, ...]] = ("seen",)

    seat: SeatNumber
    n: MoveNumber
    points: int
    score: int
    seen: Seq
    hash: int | None = None


class Added(Event, frozen=True, kw_only=True):
    """The active numbers were copied to the end of the board."""

    digits: str
    first: NumberId
    adds_left: int
    left: int
    open: bool | None = None
    seat: SeatNumber | None = None
    n: MoveNumber | None = None
    turn: SeatNumber | None = None
    clocks: Clocks | None = None
    hash: int | None = None


class Passed(Event, frozen=True, kw_only=True):
    """A player let a turn go."""

    seat: SeatNumber
    n: MoveNumber
    turn: SeatNumber | None = None
    clocks: Clocks | None = None
    hash: int | None = None


class Flagged(Event, frozen=True, kw_only=True):
    """A player's clock ran out."""

    seat: SeatNumber
    turn: SeatNumber | None = None
    clocks: Clocks | None = None
    hash: int | None = None


class Resigned(Event, frozen=True, kw_only=True):
    """A player gave up, or was taken out by an operator."""

    seat: SeatNumber
    n: MoveNumber  # also of who was taken out: the lowest that they had not used
    kicked: bool | None = None  # true: by an operator
    turn: SeatNumber | None = None
    clocks: Clocks | None = None
    hash: int | None = None


class Shifted(Event, frozen=True, kw_only=True):
    """The server was away; every deadline, lock and running clock of the room moves."""

    by_ms: int
    hash: int | None = None


class Ended(Event, frozen=True, kw_only=True):
    """The room is over; what was hidden is open now."""

    reason: EndReason
    ranking: tuple[Rank, ...]
    closed: bool | None = None  # true: by an operator; such a game counts for nobody's rating
    seed: str | None = None
    salt: str
    hash: int | None = None


class Rematch(Event, frozen=True, kw_only=True):
    """Somebody wants a rematch, or no longer; or the new room is named."""

    seat: SeatNumber | None = None
    want: bool | None = None
    room: RoomId | None = None


AnyEvent = (
    Created
    | Seated
    | Unseated
    | Readied
    | Starting
    | Started
    | Matched
    | Mistaken
    | Called
    | Added
    | Passed
    | Flagged
    | Resigned
    | Shifted
    | Ended
    | Rematch
)
"""Every event: what a log entry can be."""
