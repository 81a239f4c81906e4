"""What a command does to a tournament: events, or a refusal that changes nothing."""

from collections.abc import Sequence
from typing import Final, assert_never

import msgspec

from tenmatch.game.answers import Denial, Denied
from tenmatch.game.events import Player
from tenmatch.game.ids import Millis, PlayerId, RoomId
from tenmatch.game.tournament.draws import drawn_winner
from tenmatch.game.tournament.events import (
    Announced,
    AnyTournamentEvent,
    Decided,
    Entered,
    GameNumber,
    How,
    Invitee,
    Opened,
    WithdrawReason,
    Withdrew,
)
from tenmatch.game.tournament.outcome import Outcome
from tenmatch.game.tournament.plan import ENTRIES, ENTRIES_IN_ALL, Format, Plan
from tenmatch.game.tournament.settle import Happened, begin
from tenmatch.game.tournament.state import Game, Phase, Tournament, evolve
from tenmatch.rules.deal import commitment

NOT_HOST: Final = Denied(Denial.NOT_HOST, "Only the host may do that.")


class Enter(msgspec.Struct, frozen=True):
    """Take part."""

    player: Player


class Withdraw(msgspec.Struct, frozen=True):
    """Play no further games."""

    player: PlayerId


class Kick(msgspec.Struct, frozen=True):
    """The host puts a player out, for good."""

    player: PlayerId
    target: PlayerId


class Begin(msgspec.Struct, frozen=True):
    """The host lets the games begin."""

    player: PlayerId


class Open(msgspec.Struct, frozen=True):
    """The room of a game is there."""

    game: GameNumber
    room: RoomId
    join_by: Millis


class Conclude(msgspec.Struct, frozen=True):
    """The room of a game is over."""

    game: GameNumber
    outcome: Outcome


Command = Enter | Withdraw | Kick | Begin | Open | Conclude
"""What can be asked of a tournament: by players, and the last two by any node, any number of times."""


def announced(
    *,
    title: str,
    plan: Plan,
    private: bool,
    host: Player,
    enters: bool = False,
    invited: Sequence[Invitee] | None = None,
    starts_at: Millis | None = None,
    seed: bytes,
    salt: bytes,
    now: Millis,
) -> Happened:
    """Return a new tournament.

    Args:
        enters: The host plays, too.
        invited: Who may sign up, where not everybody may; a host who plays is always among them.
        starts_at: None: it begins when its host says so.
        seed: 32 bytes, drawn for this tournament alone.
        salt: 16 bytes, likewise.
    """
    if invited is not None and enters and all(one.id != host.id for one in invited):
        invited = [Invitee(id=host.id, name=host.name), *invited]
    first = Announced(
        at=now,
        title=title,
        plan=plan,
        private=private,
        host=host,
        commit=commitment(seed),
        starts_at=starts_at,
        invited=None if invited is None else tuple(invited),
        seed=seed.hex(),
        salt=salt.hex(),
    )
    happened = Happened((first,), evolve(None, first))
    return happened.then(Entered(at=now, player=host)) if enters else happened


def decide(tournament: Tournament, command: Command, now: Millis) -> Happened | Denied:
    """Return what *command* does to a settled tournament, judged at *now*."""
    now = max(now, tournament.at)
    match command:
        case Enter():
            return _enter(tournament, command.player, now)
        case Withdraw():
            return _withdraw(tournament, command.player, now)
        case Kick():
            return _kick(tournament, command, now)
        case Begin():
            return _begin(tournament, command.player, now)
        case Open():
            game = tournament.game(command.game)
            assert game is not None, "a room is made for a game that is in the log"
            if game.room is not None or game.how is not None:
                return Happened((), tournament)
            opened = Opened(at=now, game=game.number, room=command.room, join_by=command.join_by)
            return Happened((), tournament).then(opened)
        case Conclude():
            return _conclude(tournament, command, now)
        case _:
            assert_never(command)


def _enter(tournament: Tournament, player: Player, now: Millis) -> Happened | Denied:
    known = tournament.entrants.get(player.id)
    if known is not None and not known.out:
        return Happened((), tournament)
    if player.id in tournament.kicked:
        return Denied(Denial.NOT_ALLOWED, "The host has put you out of this tournament; you may watch.")
    arena = tournament.plan.format is Format.ARENA
    if tournament.phase is Phase.OVER:
        return Denied(Denial.GAME_STARTED, "This tournament is over.")
    if tournament.phase is Phase.RUNNING and not arena:
        return Denied(Denial.GAME_STARTED, "This tournament has begun.")
    if not tournament.may_enter(player.id):
        return Denied(Denial.NOT_ALLOWED, "Only those who are invited play in this tournament.")
    if known is None and len(tournament.entrants) >= tournament.plan.most:
        return Denied(Denial.ROOM_FULL, "As many have signed up as can play.")
    if tournament.entries.get(player.id, 0) >= ENTRIES or sum(tournament.entries.values()) >= ENTRIES_IN_ALL:
        return Denied(Denial.RATE_LIMITED, "It was signed up for and left again too often.")
    return Happened((), tournament).then(Entered(at=now, player=player))


def _withdraw(tournament: Tournament, player: PlayerId, now: Millis) -> Happened:
    known = tournament.entrants.get(player)
    if known is None or known.out or tournament.phase is Phase.OVER:
        return Happened((), tournament)
    return Happened((), tournament).then(Withdrew(at=now, player=player, reason=WithdrawReason.LEFT))


def _kick(tournament: Tournament, kick: Kick, now: Millis) -> Happened | Denied:
    if kick.player != tournament.host.id:
        return NOT_HOST
    if kick.target in tournament.kicked:
        return Happened((), tournament)
    if tournament.phase is Phase.OVER:
        return Denied(Denial.GAME_STARTED, "This tournament is over.")
    if kick.target == kick.player:
        return Denied(Denial.NOT_ALLOWED, "One cannot kick oneself.")
    known = tournament.entrants.get(kick.target)
    if known is None:
        return Denied(Denial.NOT_ALLOWED, "They have not signed up for this tournament.")
    out = Withdrew(at=now, player=kick.target, reason=WithdrawReason.LEFT, kicked=True)
    happened = Happened((), tournament).then(out)
    game = None if known.playing is None else tournament.game(known.playing)
    if game is None or game.room is not None:  # in a room it is lost there: what came of it, the room tells
        return happened
    return happened.then(_decided(happened.tournament, game, Outcome(None), now))


def _begin(tournament: Tournament, player: PlayerId, now: Millis) -> Happened | Denied:
    if player != tournament.host.id:
        return NOT_HOST
    if tournament.phase is not Phase.OPEN:
        return Happened((), tournament)
    if len(tournament.entrants) < 2:
        return Denied(Denial.TOO_FEW_PLAYERS, "At least 2 players are needed.")
    return begin(tournament, now)


def _conclude(tournament: Tournament, conclude: Conclude, now: Millis) -> Happened:
    game = tournament.game(conclude.game)
    if game is None or game.how is not None:
        return Happened((), tournament)
    happened = Happened((), tournament).then(_decided(tournament, game, conclude.outcome, now))
    untimely = len(tournament.staying(game)) < 2  # it was cut short, so nobody failed to come
    if tournament.plan.format is Format.ARENA and not untimely:  # lest others are paired with who is away
        gone = WithdrawReason.NO_SHOW
        absent = [player for player in conclude.outcome.absent if not tournament.entrants[player].out]
        for player in absent:
            happened = happened.then(Withdrew(at=now, player=player, reason=gone))
    return happened


def _decided(tournament: Tournament, game: Game, outcome: Outcome, now: Millis) -> AnyTournamentEvent:
    staying = tournament.staying(game)
    if len(staying) < 2:  # who is put out has lost, however far the game was
        winner = next(iter(staying), None)
        return Decided(at=now, game=game.number, how=How.WON if winner else How.NO_SHOW, winner=winner)
    if outcome.absent:
        return Decided(at=now, game=game.number, how=How.NO_SHOW, winner=outcome.winner)
    if outcome.winner is not None:
        return Decided(at=now, game=game.number, how=How.WON, winner=outcome.winner)
    if tournament.plan.format is Format.ARENA or not _again(tournament, game):
        return Decided(at=now, game=game.number, how=How.DRAWN)
    winner = drawn_winner(tournament, game.number, game.players)
    return Decided(at=now, game=game.number, how=How.LOT, winner=winner)


def _again(tournament: Tournament, game: Game) -> bool:
    """Tell whether a game was played as another for the same match of the bracket was drawn."""
    match = game.round, game.place
    return any((other.round, other.place) == match for other in tournament.games[: game.number - 1])
