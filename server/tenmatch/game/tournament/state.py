"""How a tournament stands, and what an event makes of it."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, assert_never

import msgspec
from msgspec.structs import replace

from tenmatch.game.events import Player
from tenmatch.game.ids import Millis, PlayerId, RoomId, Seq
from tenmatch.game.tournament.events import (
    Announced,
    AnyTournamentEvent,
    Begun,
    Decided,
    Entered,
    Finished,
    GameNumber,
    How,
    Invitee,
    Opened,
    Paired,
    Shifted,
    Standing,
    Withdrew,
)
from tenmatch.game.tournament.plan import Plan

PAUSE_MS: Final = 5_000
"""Between two games of a player."""


class Phase(StrEnum):
    """Where a tournament is."""

    OPEN = "open"  # players sign up
    RUNNING = "running"
    OVER = "over"


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """Who takes part."""

    player: Player
    out: bool = False  # plays no further games
    free_at: Millis  # when they can be paired, unless they play
    playing: GameNumber | None = None
    rival: PlayerId | None = None  # whom they met last
    first: int = 0  # games on the first seat, less those on the second
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def points(self) -> int:
        """What is counted in an arena."""
        return 2 * self.wins + self.draws


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """Two who are to play, play, or have played each other."""

    number: GameNumber
    players: tuple[PlayerId, PlayerId]  # by seat
    round: int | None
    place: int | None
    room: RoomId | None = None  # once it is there
    join_by: Millis | None = None
    how: How | None = None  # None: it is not decided
    winner: PlayerId | None = None


class Tournament(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament after `seq` events."""

    seq: Seq = Seq(1)
    at: Millis
    title: str
    plan: Plan
    private: bool
    host: Player
    commit: str
    seed: str
    salt: str
    announced_at: Millis
    starts_at: Millis | None
    invited: tuple[Invitee, ...] = ()  # who alone may sign up, where not everybody may
    kicked: frozenset[PlayerId] = frozenset()  # who may not sign up again
    phase: Phase = Phase.OPEN
    entrants: Mapping[PlayerId, Entrant] = MappingProxyType({})
    entries: Mapping[PlayerId, int] = MappingProxyType({})  # how often each has signed up, also who left
    order: tuple[PlayerId, ...] = ()
    ends_at: Millis | None = None
    games: tuple[Game, ...] = ()
    ranking: tuple[Standing, ...] | None = None

    def game(self, number: GameNumber) -> Game | None:
        """Return a game by its number."""
        return self.games[number - 1] if 1 <= number <= len(self.games) else None

    def may_enter(self, player: PlayerId) -> bool:
        """Tell whether it is for this player at all."""
        return self.plan.open or player in self.entrants or any(one.id == player for one in self.invited)

    def staying(self, game: Game) -> list[PlayerId]:
        """Return those of a game's two whom nobody has put out."""
        return [player for player in game.players if player not in self.kicked]

    @property
    def undecided(self) -> list[Game]:
        """The games of which it is not known yet what came of them."""
        return [game for game in self.games if game.how is None]


def evolve(tournament: Tournament | None, event: AnyTournamentEvent) -> Tournament:
    """Return what *event*, the next of the log, makes of *tournament*: None before the first, `Announced`."""
    if tournament is None:
        assert isinstance(event, Announced), f"a log cannot begin with {event!r}"
        return _announced(event)
    match event:
        case Entered():
            return _entered(tournament, event)
        case Withdrew():
            return _withdrew(tournament, event)
        case Begun():
            return _begun(tournament, event)
        case Paired():
            return _paired(tournament, event)
        case Opened():
            game = replace(tournament.games[event.game - 1], room=event.room, join_by=event.join_by)
            return _next(tournament, event, games=_put(tournament, game))
        case Decided():
            return _decided(tournament, event)
        case Shifted():
            assert tournament.ends_at is not None, "only an arena has a clock"
            return _next(tournament, event, ends_at=Millis(tournament.ends_at + event.by_ms))
        case Finished():
            return _next(tournament, event, phase=Phase.OVER, ranking=event.ranking)
        case Announced():
            raise AssertionError("a tournament is announced once")
        case _:
            assert_never(event)


def _next(tournament: Tournament, event: AnyTournamentEvent, **changes: object) -> Tournament:
    return replace(tournament, seq=Seq(tournament.seq + 1), at=event.at, **changes)


def _announced(event: Announced) -> Tournament:
    return Tournament(
        at=event.at,
        title=event.title,
        plan=event.plan,
        private=event.private,
        host=event.host,
        commit=event.commit,
        seed=event.seed,
        salt=event.salt,
        announced_at=event.at,
        starts_at=event.starts_at,
        invited=event.invited or (),
    )


def _entered(tournament: Tournament, event: Entered) -> Tournament:
    known = tournament.entrants.get(event.player.id)
    if known is None:
        entrant = Entrant(player=event.player, free_at=event.at)
    else:
        entrant = replace(known, player=event.player, out=False, free_at=max(known.free_at, event.at))
    player, entries = event.player.id, tournament.entries
    return _next(
        tournament,
        event,
        entrants={**tournament.entrants, player: entrant},
        entries={**entries, player: entries.get(player, 0) + 1},
    )


def _withdrew(tournament: Tournament, event: Withdrew) -> Tournament:
    entrants = dict(tournament.entrants)
    if tournament.phase is Phase.OPEN:
        del entrants[event.player]
    else:
        entrants[event.player] = replace(entrants[event.player], out=True)
    kicked = tournament.kicked | {event.player} if event.kicked else tournament.kicked
    return _next(tournament, event, entrants=entrants, kicked=kicked)


def _begun(tournament: Tournament, event: Begun) -> Tournament:
    entrants = {player: replace(one, free_at=event.at) for player, one in tournament.entrants.items()}
    return _next(
        tournament,
        event,
        phase=Phase.RUNNING,
        order=event.order,
        ends_at=event.ends_at,
        entrants=entrants,
    )


def _paired(tournament: Tournament, event: Paired) -> Tournament:
    game = Game(number=event.game, players=event.players, round=event.round, place=event.place)
    entrants = dict(tournament.entrants)
    for player, rival, first in ((*event.players, 1), (*event.players[::-1], -1)):
        known = entrants[player]
        entrants[player] = replace(known, playing=event.game, rival=rival, first=known.first + first)
    return _next(tournament, event, games=(*tournament.games, game), entrants=entrants)


def _decided(tournament: Tournament, event: Decided) -> Tournament:
    game = replace(tournament.games[event.game - 1], how=event.how, winner=event.winner)
    entrants = dict(tournament.entrants)
    for player in game.players:
        known = entrants[player]
        drawn = event.how is How.DRAWN
        entrants[player] = replace(
            known,
            playing=None,
            free_at=Millis(event.at + PAUSE_MS),
            wins=known.wins + (event.winner == player),
            draws=known.draws + drawn,
            losses=known.losses + (not drawn and event.winner != player),
        )
    return _next(tournament, event, games=_put(tournament, game), entrants=entrants)


def _put(tournament: Tournament, game: Game) -> tuple[Game, ...]:
    games = tournament.games
    return (*games[: game.number - 1], game, *games[game.number :])
