"""All that one worker plays and watches on a server of ours."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

from tenmatch.app.load.gallery import Gallery
from tenmatch.app.load.games import Game, choose_games, openers
from tenmatch.app.load.member import Company, Spawn
from tenmatch.app.load.party import Pace, Party
from tenmatch.app.load.plan import Plan
from tenmatch.app.load.race import Race
from tenmatch.app.load.tally import Tally


class Crowd(Protocol):
    """What a worker is made of, whatever server it plays on."""

    @property
    def parties(self) -> Sequence[Party]:
        """Those who play."""

    @property
    def entered(self) -> bool:
        """Whether all were where they should be: in rooms that have begun, or watching."""

    @property
    def away(self) -> int:
        """How many connections are not where they were."""

    @property
    def failed(self) -> str:
        """Why nothing comes of it, if so."""

    def start(self) -> None:
        """Connect everyone."""

    def resume(self) -> None:
        """Ask for what came after the last event that each holds."""

    def cut(self) -> None:
        """Break off all connections at once, to come back at once."""


class Ours:
    """Parties and galleries, as planned."""

    def __init__(self, plan: Plan, tally: Tally, pace: Pace, spawn: Spawn) -> None:
        """Gather them.

        Raises:
            BadUrl: The plan's URL is no server's.
        """
        chance = random.Random(plan.chance)
        self._company = Company.at(plan.url, tally, spawn, chance)
        self._watch = plan.watch
        self._gallery = Gallery(self._company, plan.watchers if plan.watch else 0)
        self._watching = not plan.watch
        self.parties: Sequence[Party] = () if plan.watch else self._parties(plan, pace, chance)

    def _parties(self, plan: Plan, pace: Pace, chance: random.Random) -> Sequence[Party]:
        first, games = programme(plan, chance)
        return [
            Race(
                self._company,
                games_of_one(first, games),
                pace,
                watchers=plan.watchers,
                one_node=plan.one_node,
            )
            for _ in range(plan.rooms)
        ]

    def start(self) -> None:
        """Connect everyone."""
        if self._watch:
            self._gallery.start(lambda: self._gallery.enter(self._watch, self._watches))
        for party in self.parties:
            party.start()

    def _watches(self) -> None:
        self._watching = True

    @property
    def entered(self) -> bool:
        """Whether all were where they should be."""
        return self._watching and all(party.begun for party in self.parties)

    @property
    def away(self) -> int:
        """How many connections are not where they were."""
        return sum(not member.there for member in self._company.members)

    @property
    def failed(self) -> str:
        """Why somebody could not come in."""
        return self._company.failed

    def resume(self) -> None:
        """Ask for what came after the last event that each holds."""
        for member in self._company.members:
            member.resume()

    def cut(self) -> None:
        """Break off all connections at once."""
        for member in self._company.members:
            member.cut()


def programme(plan: Plan, chance: random.Random) -> tuple[Iterator[Game], Iterator[Game]]:
    """Return where a party's first game comes from, and where the others do."""
    games = choose_games([bytes.fromhex(seed) for seed in plan.seeds], plan.size, plan.adds, chance)
    return (openers(plan.size, chance) if plan.staggered else games), games


def games_of_one(first: Iterator[Game], games: Iterator[Game]) -> Iterator[Game]:
    """Yield a party's games for ever."""
    yield from islice(first, 1)
    yield from games
