"""Two who play one game after the other, and when they make their moves.

What they say to the server is for a subclass to know. Each step of a game is made by the one, and counts in
time from there to where the other has it; then it is the other's turn.
"""

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from time import perf_counter
from typing import Final

from tenmatch.app.load.games import Game
from tenmatch.app.load.plan import Plan
from tenmatch.app.load.tally import Tally

BEHIND_S: Final = 1.0  # that a party may be behind its pace; what it missed before that is not made up for


class Pace:
    """When moves are made: at random moments, so many a second together, or as fast as they are answered."""

    def __init__(self, plan: Plan) -> None:
        """Set the pace of all parties of a plan."""
        self.until: int | None = 0  # steps of each game that may be made; None: all
        self.patience_s = plan.patience_s
        self._rate = plan.rate / max(plan.rooms, 1)
        self._chance = random.Random(plan.chance)

    def pause(self) -> float:
        """Draw the seconds between a party's move and its next."""
        return self._chance.expovariate(self._rate) if self._rate else 0.0


class Party(ABC):
    """Two players in a room; `begin` is called for each game that has started there."""

    def __init__(self, games: Iterator[Game], pace: Pace, tally: Tally) -> None:
        """Be ready to play *games*, each in a room of its own."""
        self.pace = pace
        self.tally = tally
        self.begun = False  # a game, at least once
        self.under_way = False  # a step is made, and not yet seen by the other
        self.room = ""
        self._games = games
        self.game: Game = next(games)
        self._loop = asyncio.get_running_loop()
        self._at = 0  # the step that is next, or under way
        self._due = 0.0
        self._made_at = 0.0
        self._missed = False  # an answer, and this was said
        self._timer: asyncio.TimerHandle | None = None

    @abstractmethod
    def start(self) -> None:
        """Connect and go into a first room."""

    @abstractmethod
    def make(self, at: int) -> None:
        """Make step *at* of the game, as the player whose turn it is: they alternate from seat 0."""

    @property
    def resting(self) -> bool:
        """Whether no step is under way, and none will be before the pace is another."""
        return self.begun and not self.under_way and self._timer is None and not self._may_go

    @property
    def _may_go(self) -> bool:
        return self.pace.until is None or self._at < self.pace.until

    def begin(self) -> None:
        """Play the game that has begun, from its first step."""
        self.begun = True
        self._at = 0
        self.go_on_from_now()

    def go_on_from_now(self) -> None:
        """Go on after a time in which no move was due."""
        self._due = self._loop.time()
        self.go_on()

    def rest(self) -> None:
        """Forget the move that was to come."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def go_on(self) -> None:
        """Make the next step when it is due, if there is one and nothing is under way."""
        if self.under_way or self._timer is not None or not self._may_go or self._at >= len(self.game.steps):
            return
        now = self._loop.time()
        # Each moment follows from the one before and not from when we got there: a late answer slows nothing.
        self._due = max(self._due + self._pause(), now - BEHIND_S)
        if self._due <= now:
            self._make()
        else:
            self._timer = self._loop.call_at(self._due, self._make)

    def _pause(self) -> float:
        # A call must come before the server, which waits for it, adds by itself.
        return self.pace.pause() if self.game.steps[self._at].pair is not None else 0.0

    def _make(self) -> None:
        self._timer = None
        self.under_way = True
        self._made_at = perf_counter()
        self.make(self._at)

    def seen(self) -> None:
        """Hear that the other player has the step under way."""
        self.tally.took(perf_counter() - self._made_at)
        self.under_way = self._missed = False
        self._at += 1
        self.go_on()

    def check(self) -> None:
        """Note a step that was not answered in time."""
        if self.under_way and not self._missed and perf_counter() - self._made_at > self.pace.patience_s:
            self._missed = True
            self.tally.fault(
                f"room {self.room}: step {self._at} had no answer for {self.pace.patience_s:g} s"
            )

    def next_game(self) -> Game:
        """Take another game."""
        self.under_way = False
        self.rest()
        self.game = next(self._games)
        return self.game
