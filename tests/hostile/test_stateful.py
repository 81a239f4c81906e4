"""Persons who come, play, cheat, break off and come back, as chance has it, over the public WebSocket.

What has to come of each step is for company.py and room_model.py to say.
"""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.effort import amount, full
from tests.hostile.company import Company, Place
from tests.hostile.room_model import Outcome
from tests.hostile.vitals import complaints
from tests.live.node import Node
from tests.store.waiting import until

PERSONS: Final = 4
ROOMS: Final = 3
STARTS_S: Final = 15.0  # for a node to begin where another one died
SETTINGS: Final = settings(
    max_examples=amount(50, 200),
    stateful_step_count=amount(40, 50),
    deadline=None,
    # shrinking and explaining take long
    phases=[phase for phase in Phase if full() or phase not in (Phase.shrink, Phase.explain)],
    suppress_health_check=[HealthCheck.too_slow],
)

persons = st.integers(0, PERSONS - 1)
movers = st.integers(0, 4 * PERSONS - 1)
rooms = st.integers(0, ROOMS - 1)
games = st.integers(0, 4 * ROOMS - 1)
modes = st.sampled_from(["race", "turns"])
sizes = st.sampled_from([9, 12, 27, 35])
numbers = st.integers(0, 200)


class Play(RuleBasedStateMachine):
    """What persons do; a step of somebody who is away, or not in that room, is none."""

    node: Node

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._company = self._runner.run(Company.gather(self.node.url, PERSONS))

    def teardown(self) -> None:
        """See that nothing else happened, and go."""
        self._runner.run(self._company.part())
        self._runner.close()

    def _place(self, number: int) -> Place:
        return self._company.places[number % len(self._company.places)]

    def _game(self, number: int) -> Place:
        """Return a room in which a game is on, if there is one, but for the lowest numbers."""
        games = [place for place in self._company.places if place.model.phase == "playing"]
        return games[number % len(games)] if games and number >= ROOMS else self._place(number)

    def _ask(self, person: int, place: Place, outcome: Outcome, t: str, **fields: Any) -> None:
        self._runner.run(self._company.ask(person, place, outcome, t, **fields))

    def _move(self, who: int, place: Place, t: str, **fields: Any) -> None:
        """Let a person move, or (from PERSONS on) one of those who can."""
        able = [place.model.seats[seat] for seat in place.model.able()]
        person = able[who % len(able)] if able and who >= PERSONS else who % PERSONS
        if person is not None and person not in self._company.away:
            self._runner.run(self._company.move(person, place, t, **fields))

    # -- rooms and seats

    @initialize(mode=modes, players=st.integers(2, 3), size=sizes, adds=st.integers(0, 3))
    def first(self, mode: str, players: int, size: int, adds: int) -> None:
        """Have a room to begin with."""
        self._runner.run(self._company.create(0, mode, players, size=size, adds=adds))

    @precondition(lambda self: any(place.model.phase == "open" for place in self._company.places))
    @rule()
    def fill(self) -> None:
        """Let all who are there come into an open room and be ready, so that its game may start."""
        room = next(i for i, place in enumerate(self._company.places) if place.model.phase == "open")
        for person in set(range(PERSONS)) - self._company.away:
            if person not in self._place(room).inside:
                self.join(person, room, watch=False)
            self.get_ready(person, room, on=True)

    @precondition(lambda self: len(self._company.places) < ROOMS)
    @rule(
        person=persons,
        mode=modes,
        players=st.integers(2, 3),
        size=sizes,
        adds=st.integers(0, 3),
    )
    def create(self, person: int, mode: str, players: int, size: int, adds: int) -> None:
        """Make a room."""
        if person not in self._company.away:
            self._runner.run(self._company.create(person, mode, players, size=size, adds=adds))

    @rule(person=persons, room=rooms, watch=st.booleans())
    def join(self, person: int, room: int, watch: bool) -> None:
        """Sit down or watch."""
        if person not in self._company.away:
            self._runner.run(self._company.join(person, self._place(room), watch))

    def _is_in(self, person: int, place: Place) -> bool:
        return person in place.inside and person not in self._company.away

    @rule(person=persons, room=rooms)
    def leave(self, person: int, room: int) -> None:
        """Leave a room."""
        place = self._place(room)
        if self._is_in(person, place):
            self._ask(person, place, place.model.leave(place.inside.pop(person)), "leave")

    @rule(person=persons, room=rooms, on=st.sampled_from([True, True, False]))
    def get_ready(self, person: int, room: int, on: bool) -> None:
        """Be ready, or no longer."""
        place = self._place(room)
        if self._is_in(person, place):
            self._ask(person, place, place.model.get_ready(place.inside[person], on), "ready", ready=on)

    @rule(person=persons, room=rooms)
    def start(self, person: int, room: int) -> None:
        """Start, if one may."""
        place = self._place(room)
        if self._is_in(person, place):
            self._ask(person, place, place.model.start(place.inside[person]), "start")

    @rule(person=persons, room=rooms, seat=st.integers(0, 3))
    def kick(self, person: int, room: int, seat: int) -> None:
        """Send somebody away, if one may."""
        place = self._place(room)
        if self._is_in(person, place):
            outcome = place.model.kick(place.inside[person], seat)
            if outcome.kinds:
                place.inside = {other: held for other, held in place.inside.items() if held != seat}
            self._ask(person, place, outcome, "kick", seat=seat)

    # -- moves

    @rule(who=movers, game=games, which=numbers, late=st.booleans())
    def match(self, who: int, game: int, which: int, late: bool) -> None:
        """Claim a pair that is legal, whether one has seen the board or not."""
        place = self._game(game)
        pairs = place.model.game.pairs() or [(0, 1)]
        a, b = pairs[which % len(pairs)]
        self._move(who, place, "match", a=a, b=b, seen=0 if late else place.model.seq)

    @rule(game=games, moves=st.integers(1, 12), which=numbers)
    def play_on(self, game: int, moves: int, which: int) -> None:
        """Make legal moves, one after the other, by whoever can."""
        place = self._game(game)
        for who in range(PERSONS, PERSONS + moves):
            if place.model.game.pairs():
                self.match(who, game, which, late=False)
            else:
                self.other_move(who, game, "call")

    @rule(who=movers, game=games, a=numbers, b=numbers)
    def claim(self, who: int, game: int, a: int, b: int) -> None:
        """Claim any two numbers."""
        place = self._game(game)
        ids = place.model.game.next_id + 2
        self._move(who, place, "match", a=a % ids, b=b % ids, seen=place.model.seq)

    @rule(who=movers, game=games, t=st.sampled_from(["call", "pass", "pass", "pass", "resign", "add"]))
    def other_move(self, who: int, game: int, t: str) -> None:
        """Call, pass, resign or add, whether the mode has that or not."""
        place = self._game(game)
        self._move(who, place, t, **({"seen": place.model.seq} if t == "call" else {}))

    @rule(who=movers, game=games, same=st.booleans(), a=numbers)
    def again(self, who: int, game: int, same: bool, a: int) -> None:
        """Send the last move of a seat again, on whatever connection, perhaps with other content."""
        place = self._game(game)
        move = place.last_move.get(who % len(place.model.seats), {})
        if not same:
            move = {**move, "t": "match", "a": a, "b": 0, "seen": 0}
        if "n" in move:  # who has another seat makes a move of their own by it, which nothing excuses
            self._move(who, place, **{**move, **({"seen": 0} if "seen" in move else {})})

    # -- away, and back

    @rule(person=persons, politely=st.booleans())
    def go(self, person: int, politely: bool) -> None:
        """Close, or break off."""
        if person not in self._company.away:
            self._runner.run(self._company.go(person, politely=politely))

    @precondition(lambda self: self._company.away)
    @rule(which=numbers, lie=st.sampled_from(["", "", "chain", "after"]))
    def come_back(self, which: int, lie: str) -> None:
        """Come back and ask for what one missed."""
        person = sorted(self._company.away)[which % len(self._company.away)]
        self._runner.run(self._company.come_back(person, lie))

    @rule(person=persons)
    def take_over(self, person: int) -> None:
        """Come a second time, where one sits and watches nothing."""
        seats = [place.inside[person] for place in self._company.places if person in place.inside]
        if person not in self._company.away and seats and None not in seats:
            self._runner.run(self._company.take_over(person))


class PlayWhileNodesDie(Play):
    """The same over two nodes, of which one dies at some time."""

    killed: list[int]  # in all plays
    died = False

    @precondition(lambda self: not self.died)
    @rule(which=numbers)
    def kill(self, which: int) -> None:
        """Kill a node; another one takes its place a second later."""
        self.died = True
        self._runner.run(until(lambda: self.node.log().count('"serving"') == 2 + len(self.killed), STARTS_S))
        self.killed.append(self.node.workers()[which % 2])
        os.kill(self.killed[-1], signal.SIGKILL)
        self._runner.run(self._company.survive())


@pytest.mark.slow
def test_the_server_does_what_the_model_says(node: Node) -> None:
    machine = type("PlayHere", (Play,), {"node": node})
    run_state_machine_as_test(machine, settings=SETTINGS)
    assert not complaints(node)


@pytest.mark.slow
def test_it_does_so_while_nodes_die(tmp_path: Path) -> None:
    with Node(tmp_path, "--workers", "2", messages_per_s=0, matches_per_s=0, rooms_per_player=0) as node:
        machine = type("PlayHere", (PlayWhileNodesDie,), {"node": node, "killed": []})
        run_state_machine_as_test(machine, settings=settings(SETTINGS, max_examples=amount(5, 200)))
        assert not [line for line in complaints(node) if "a worker died" not in line]
