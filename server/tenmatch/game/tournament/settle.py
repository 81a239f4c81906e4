"""What is due in a tournament by itself: its beginning, the next games, its end.

As in rooms, what is settled carries its deadline as `at`, so that all nodes write the same; only `shifted`
carries the time of who wrote it.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from tenmatch.game.ids import Millis, PlayerId
from tenmatch.game.tournament.arena import pairing
from tenmatch.game.tournament.events import (
    AnyTournamentEvent,
    Begun,
    Finished,
    FinishReason,
    Paired,
    Shifted,
)
from tenmatch.game.tournament.knockout import champion, pairings
from tenmatch.game.tournament.plan import GAMES, Format
from tenmatch.game.tournament.standings import standings
from tenmatch.game.tournament.state import Phase, Tournament, evolve

WAITS_MS: Final = 24 * 3_600_000
"""A tournament without a time to start waits so long for its host, then begins with those who are there."""
MINUTE_MS: Final = 60_000


class Happened(NamedTuple):
    """What happens, and the tournament after it."""

    events: tuple[AnyTournamentEvent, ...]
    tournament: Tournament

    def then(self, event: AnyTournamentEvent) -> "Happened":
        """Return this with one more event, folded."""
        return Happened((*self.events, event), evolve(self.tournament, event))

    def and_then(self, more: "Happened") -> "Happened":
        """Return this with what happened to the tournament that it led to."""
        return Happened((*self.events, *more.events), more.tournament)


def settle(tournament: Tournament, now: Millis) -> Happened:
    """Return all that is due at or before *now*; no events if there is nothing."""
    happened = Happened((), tournament)
    while (due := _due(happened.tournament)) is not None and due.at <= max(now, happened.tournament.at):
        happened = happened.then(_at_least(due, happened.tournament.at))
    return happened


def next_due(tournament: Tournament) -> Millis | None:
    """Return when the tournament must be settled; None where nothing happens by itself."""
    due = _due(tournament)
    return None if due is None else due.at


def shift(tournament: Tournament, by_ms: int, now: Millis) -> Happened:
    """Return that the server was away for *by_ms*; nothing where no clock was running.

    An arena's is the only one: a start is by the clock on the wall, and what else has a deadline is a room.
    """
    happened = Happened((), tournament)
    if by_ms <= 0 or tournament.phase is not Phase.RUNNING or tournament.ends_at is None:
        return happened
    return happened.then(Shifted(at=max(now, tournament.at), by_ms=by_ms))


def begin(tournament: Tournament, at: Millis) -> Happened:
    """Let the games begin."""
    return Happened((), tournament).then(_begun(tournament, at))


def _at_least(event: AnyTournamentEvent, at: Millis) -> AnyTournamentEvent:
    if event.at >= at:
        return event
    return replace(event, at=at)  # a log never goes back in time


def _due(tournament: Tournament) -> AnyTournamentEvent | None:
    return min(_dues(tournament), key=lambda event: event.at, default=None)


def _dues(tournament: Tournament) -> Iterator[AnyTournamentEvent]:
    match tournament.phase:
        case Phase.OPEN:
            yield _start(tournament)
        case Phase.RUNNING if tournament.plan.format is Format.KNOCKOUT:
            yield from pairings(tournament)
            if champion(tournament) is not None:
                yield _finished(tournament, FinishReason.PLAYED, tournament.at)
        case Phase.RUNNING:
            yield from _arena(tournament)
        case _:
            pass


def _start(tournament: Tournament) -> AnyTournamentEvent:
    at = tournament.starts_at or Millis(tournament.announced_at + WAITS_MS)
    if len(tournament.entrants) < 2:
        return _finished(tournament, FinishReason.TOO_FEW, at)
    return _begun(tournament, at)


def _arena(tournament: Tournament) -> Iterator[Paired | Finished]:
    assert tournament.ends_at is not None, "an arena has an end"
    full = len(tournament.games) >= GAMES
    paired = None if full else pairing(tournament)
    if paired is not None and max(paired.at, tournament.at) < tournament.ends_at:
        yield paired
    elif not tournament.undecided:
        yield _finished(tournament, FinishReason.PLAYED, tournament.at if full else tournament.ends_at)


def _begun(tournament: Tournament, at: Millis) -> Begun:
    minutes = tournament.plan.minutes
    ends_at = None if minutes is None else Millis(at + minutes * MINUTE_MS)
    return Begun(at=at, order=_seeded(tournament), ends_at=ends_at)


def _seeded(tournament: Tournament) -> tuple[PlayerId, ...]:
    """Return the players by rating; those without one, and equal ones, in the order in which they came."""
    return tuple(
        sorted(tournament.entrants, key=lambda player: -(tournament.entrants[player].player.rating or 0))
    )


def _finished(tournament: Tournament, reason: FinishReason, at: Millis) -> Finished:
    return Finished(at=at, reason=reason, ranking=standings(tournament), seed=tournament.seed)
