"""What a room that is over means for the game that was to be played there."""

from typing import NamedTuple

from tenmatch.game.create import came
from tenmatch.game.ids import PlayerId
from tenmatch.game.room import Phase, Room


class Outcome(NamedTuple):
    """Who won, or that it was a draw, or who did not come."""

    winner: PlayerId | None  # None: drawn, or nobody came
    absent: tuple[PlayerId, ...] = ()


def outcome(room: Room, players: tuple[PlayerId, PlayerId]) -> Outcome | None:
    """Return what came of a game of *players*; None while its room is not over."""
    if room.phase is not Phase.OVER:
        return None
    there = came(room)
    if there is not None:
        absent = tuple(player for player in players if player not in there)
        winner = next(iter(there)) if len(there) == 1 else None
        return Outcome(winner, absent)
    assert room.ranking is not None, "a room that is over has a ranking"
    best = [rank.seat for rank in room.ranking if rank.place == 1]
    return Outcome(room.seated(best[0]).player.id if len(best) == 1 else None)
