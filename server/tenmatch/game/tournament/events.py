"""What can happen in a tournament. It is the fold of these, in the order of its log.

As with rooms (`tenmatch.game.events`): fields stand in the order of the stored form, what is None is left out
of the log, and `SECRET` names what is stored but not told before the end.
"""

from enum import StrEnum
from typing import ClassVar

import msgspec

from tenmatch.game.events import Event, Player
from tenmatch.game.ids import Millis, PlayerId, RoomId
from tenmatch.game.tournament.plan import Plan

GameNumber = int
"""Of a game in its tournament, from 1, in the order in which they were paired."""


class WithdrawReason(StrEnum):
    """Why a player plays no further games."""

    LEFT = "left"
    NO_SHOW = "no_show"


class How(StrEnum):
    """How a game was decided."""

    WON = "won"
    DRAWN = "drawn"
    NO_SHOW = "no_show"  # who was there has won; nobody, where neither was
    LOT = "lot"  # drawn a second time


class FinishReason(StrEnum):
    """Why a tournament is over."""

    PLAYED = "played"
    TOO_FEW = "too_few"  # players had signed up


class Invitee(msgspec.Struct, frozen=True, kw_only=True):
    """Who may sign up where not everybody may, as the host calls them: it is for them to do so."""

    id: PlayerId
    name: str


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the ranking. Equal players share a place, and the next place is skipped."""

    player: PlayerId
    place: int  # from 1
    points: int  # 2 for a win, 1 for a draw
    wins: int
    draws: int
    losses: int


class Announced(Event, frozen=True, kw_only=True):
    """There is to be a tournament. Its seed is committed to here and revealed by `Finished`."""

    SECRET: ClassVar[tuple[str, ...]] = ("seed", "salt")

    title: str  # 1 to 40 characters
    plan: Plan
    private: bool  # only its link leads there
    host: Player
    commit: str  # SHA-256 of the seed, hex
    starts_at: Millis | None = None  # None: when the host says so
    invited: tuple[Invitee, ...] | None = None  # who alone may sign up; None: as the plan says
    seed: str  # 32 bytes, hex
    salt: str  # 16 bytes, hex; opens the chain


class Entered(Event, frozen=True, kw_only=True):
    """A player takes part; in an arena perhaps again."""

    player: Player  # with their rating in the mode at that time


class Withdrew(Event, frozen=True, kw_only=True):
    """A player plays no further games."""

    player: PlayerId
    reason: WithdrawReason
    kicked: bool | None = None  # true: put out by the host, for good


class Begun(Event, frozen=True, kw_only=True):
    """The games begin."""

    order: tuple[PlayerId, ...]  # the seeding: by rating, then by who came first
    ends_at: Millis | None = None  # arena: from then on nobody is paired any more


class Paired(Event, frozen=True, kw_only=True):
    """Two are to play each other."""

    game: GameNumber
    players: tuple[PlayerId, PlayerId]  # by seat
    round: int | None = None  # knock-out: from 1
    place: int | None = None  # and where in that round of the bracket, from 0


class Opened(Event, frozen=True, kw_only=True):
    """The room of a game is there: its players are called."""

    game: GameNumber
    room: RoomId
    join_by: Millis  # whoever is not ready by then has not come


class Decided(Event, frozen=True, kw_only=True):
    """It is known what came of a game."""

    game: GameNumber
    how: How
    winner: PlayerId | None = None


class Shifted(Event, frozen=True, kw_only=True):
    """The server was away; an arena lasts so much longer."""

    by_ms: int


class Finished(Event, frozen=True, kw_only=True):
    """The tournament is over."""

    reason: FinishReason
    ranking: tuple[Standing, ...]
    seed: str


AnyTournamentEvent = Announced | Entered | Withdrew | Begun | Paired | Opened | Decided | Shifted | Finished
"""Every event: what an entry of a tournament's log can be."""
