"""What one client may send: by itself, and together with the others of its player and of its address."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from tenmatch.game.ids import PlayerId
from tenmatch.gateway.credits import Credits, Shared

FLOOD: Final = 200  # messages dropped within FLOOD_S that end a connection
FLOOD_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one client may send. 0 lifts a limit."""

    messages_per_s: float
    messages_burst: float
    matches_per_s: float  # a seat
    joins_per_minute: float = 0
    sockets_per_player: int = 0
    chats_per_minute: float = 0  # of a player


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """What all connections of one player, and all from one address, may send to this node together."""

    players: Shared = field(default_factory=lambda: Shared(0, 0))
    addresses: Shared = field(default_factory=lambda: Shared(0, 0))
    talkers: Shared = field(default_factory=lambda: Shared(0, 0))  # players again: what they say to others


class Allowance:
    """One connection's share of all this. Times are seconds of a monotonic clock."""

    __slots__ = (
        "_dropped",
        "_here",
        "_joins",
        "_mine",
        "_most",
        "_own",
        "_player",
        "_pools",
        "_site",
        "_talk",
    )

    def __init__(self, limits: Limits, pools: Pools, site: str, now: float) -> None:
        """Begin without a player.

        Args:
            site: What the client's address counts under.
        """
        self._most = limits.sockets_per_player
        self._pools = pools
        self._site = site
        self._player: PlayerId | None = None
        self._own = Credits(limits.messages_per_s, limits.messages_burst, now)
        self._here = pools.addresses.enter(site, now)
        self._mine: Credits | None = None  # the player's, once it is known who that is
        self._talk: Credits | None = None
        self._joins = Credits(limits.joins_per_minute / 60, max(limits.joins_per_minute, 1), now)
        self._dropped: deque[float] = deque(maxlen=FLOOD)

    def belong_to(self, player: PlayerId, now: float) -> bool:
        """Count among a player's connections; return False where it has as many as it may."""
        if self._most and self._pools.players.users(player) >= self._most:
            return False
        self._player = player
        self._mine = self._pools.players.enter(player, now)
        self._talk = self._pools.talkers.enter(player, now)
        return True

    def message(self, now: float) -> bool:
        """Take the credits for a message; return False where it is one too many."""
        mine = self._mine
        return self._own.take(now) and (mine is None or mine.take(now)) and self._here.take(now)

    def join(self, now: float) -> bool:
        """Take the credit for a join; return False where it is one too many."""
        return self._joins.take(now)

    def talk(self, now: float) -> bool:
        """Take the credit for a line of chat; return False where it is one too many."""
        return self._talk is None or self._talk.take(now)

    def floods(self, now: float) -> bool:
        """Note that a message was dropped; return whether there are so many that it has to end."""
        self._dropped.append(now)
        return len(self._dropped) == FLOOD and now - self._dropped[0] < FLOOD_S

    def end(self, now: float) -> None:
        """Give back what is shared with others."""
        self._pools.addresses.leave(self._site, now)
        if self._player is not None:
            self._pools.players.leave(self._player, now)
            self._pools.talkers.leave(self._player, now)
