"""The daily: one deal for everybody on a day (UTC), one ranked attempt each ("Daily" in server/rules.md)."""

from collections.abc import Sequence
from typing import Final

import msgspec

from tenmatch.game.days import after, begins_at
from tenmatch.game.events import AnyEvent, Created, Ended, Matched, Player, Seated, Shifted, Started
from tenmatch.game.ids import Day, Millis
from tenmatch.game.options import Mode, Options, choose

MODE: Final = Mode.MIRROR
OPTIONS: Final[Options] = choose(MODE, {"max_players": 1, "spectators": False})[0]
"""What every attempt is made with."""
GRACE_MS: Final = 600_000
"""So long after its day a deal stays secret: attempts that were begun in time are over then."""

# More than anybody wins or loses, and more milliseconds than an attempt lasts: what an attempt is worth fits
# into a number that is exact everywhere.
_POINTS: Final = 1 << 15
_TIME: Final = 1 << 25


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """What a player's attempt came to."""

    day: Day
    player: Player
    cleared: bool
    points: int
    time_ms: int  # from the start to the clear, or else to the end; without the time the server was away

    @property
    def worth(self) -> int:
        """Return a number that is higher for the better: cleared, then more points, then less time."""
        points = min(max(self.points + _POINTS, 0), 2 * _POINTS - 1)
        return ((self.cleared * 2 * _POINTS) + points) * _TIME + (_TIME - 1 - min(self.time_ms, _TIME - 1))


def revealed_at(day: Day) -> Millis:
    """Return from when on the seed of a day is told."""
    return Millis(begins_at(after(day)) + GRACE_MS)


def attempt(events: Sequence[AnyEvent]) -> Attempt | None:
    """Return what the log of a room came to as an attempt; None where it is none, or did not begin or end.

    Nor is it one where the deal was told before its last move: an outage can put off the end for so long.
    """
    created, seated = events[0], events[1]
    assert isinstance(created, Created), "a log begins with created"
    assert isinstance(seated, Seated), "then somebody sits down"
    started = next((event for event in events if isinstance(event, Started)), None)
    ended = next((event for event in events if isinstance(event, Ended)), None)
    if created.daily is None or started is None or ended is None:
        return None
    if any(isinstance(event, Matched) and event.at >= revealed_at(created.daily) for event in events):
        return None
    clear = next((event for event in events if isinstance(event, Matched) and event.left == 0), None)
    until = ended.at if clear is None else clear.at
    away = sum(e.by_ms for e in events if isinstance(e, Shifted) and started.at <= e.at <= until)
    return Attempt(
        day=created.daily,
        player=seated.player,
        cleared=clear is not None,
        points=ended.ranking[0].score,
        time_ms=max(0, until - started.at - away),
    )
