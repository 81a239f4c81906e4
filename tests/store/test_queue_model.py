"""Whatever is asked of the queue in whatever order: one entry a player, and nobody is lost or in two matches.

A plain model says who waits where, in which order, and which matches are being made; after each step the
store must say the same.
"""

import asyncio
from typing import Final

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.effort import amount, full
from tests.servers import Server
from tests.store.test_queue import silence

from tenmatch.game.ids import Millis, PlayerId, RoomId
from tenmatch.store import keys, queue
from tenmatch.store.connect import Address, Store
from tenmatch.store.queue import QUEUES, Queue, Sought, State, Wanted

SETTINGS: Final = settings(
    max_examples=amount(60, 600),
    stateful_step_count=50,
    deadline=None,
    # shrinking and explaining take long
    phases=[phase for phase in Phase if full() or phase not in (Phase.shrink, Phase.explain)],
)
PLAYERS: Final = [PlayerId(f"player{number:06}") for number in range(3)]
BEGAN: Final = Millis(1_700_000_000_000)

players = st.sampled_from(PLAYERS)
some = st.lists(players, min_size=1, max_size=2, unique=True)
queues = st.sampled_from(list(QUEUES.values())[:2])
tickets = st.sampled_from(["one", "two"])


class Entry:
    """What is known of one who seeks."""

    def __init__(self, at: Queue, ticket: str, since: int) -> None:
        self.at, self.ticket, self.since = at, ticket, since
        self.ahead = self.silent = False
        self.room: RoomId | None = None


class Play(RuleBasedStateMachine):
    """What nodes ask of the queue; each step of it takes a moment."""

    url: str

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._store = Store(Address(self.url))
        self._runner.run(self._store.call("FLUSHALL"))
        self._known: dict[PlayerId, Entry] = {}
        self._matches: dict[RoomId, list[PlayerId]] = {}
        self._moments = 0

    def teardown(self) -> None:
        self._store.close()
        self._runner.close()

    def _waits(self, player: PlayerId) -> bool:
        return player in self._known and self._known[player].room is None

    @rule(player=players, at=queues, ticket=tickets)
    def seek(self, player: PlayerId, at: Queue, ticket: str) -> None:
        self._moments += 1
        sought = Sought(player, "Name", 1500, at, ticket, Millis(BEGAN + self._moments))
        said = self._runner.run(queue.seek(self._store, sought))
        entry = self._known.get(player)
        if entry is None or (entry.room is None and entry.at != at):
            entry = self._known[player] = Entry(at, ticket, BEGAN + self._moments)
        entry.ticket, entry.silent = ticket, False
        assert (said.room, said.since) == (entry.room, entry.since)
        assert said.state is (State.WAITING if entry.room is None else State.MATCHED)

    @rule(player=players, ticket=tickets)
    def say_again(self, player: PlayerId, ticket: str) -> None:
        sought = Sought(player, "Name", 1500, QUEUES["race:casual"], ticket)
        [said] = self._runner.run(queue.seeking(self._store, [sought]))
        entry = self._known.get(player)
        if entry is None:
            assert said.state is State.GONE
        elif entry.ticket != ticket:
            assert said.state is State.TAKEN
        else:
            entry.silent = False
            assert (said.room, said.since) == (entry.room, entry.since)

    @initialize(at=queues)
    def come(self, at: Queue) -> None:
        for player in PLAYERS:
            self.seek(player, at, "one")

    @rule(player=players, ticket=st.one_of(st.just(""), tickets), at=queues)
    def unseek(self, player: PlayerId, ticket: str, at: Queue) -> None:
        room = self._runner.run(queue.unseek(self._store, player, at, ticket))
        entry = self._known.get(player)
        if entry is None or ticket not in ("", entry.ticket):
            assert room is None
        elif entry.room is None:
            del self._known[player]
        else:
            assert room == entry.room

    @precondition(lambda self: self._known)
    @rule(player=players)
    def fall_silent(self, player: PlayerId) -> None:
        if player in self._known:
            self._runner.run(silence(self._store, player))
            self._known[player].silent = True

    @rule(chosen=some, at=queues)
    def match_any(self, chosen: list[PlayerId], at: Queue) -> None:
        self._match(chosen, at)

    @precondition(lambda self: any(map(self._waits, PLAYERS)))
    @rule(number=st.integers(0, 2), many=st.integers(1, 2))
    def match_some_who_wait(self, number: int, many: int) -> None:
        waiting = list(filter(self._waits, PLAYERS))
        at = self._known[waiting[number % len(waiting)]].at
        self._match([one for one in waiting if self._known[one].at == at][-many:], at)

    def _match(self, chosen: list[PlayerId], at: Queue) -> None:
        room = RoomId(f"room{len(self._matches) + self._moments * 10:06}")
        [made] = self._runner.run(queue.match(self._store, [Wanted(room, at, tuple(chosen))]))
        fit = [
            self._waits(one) and self._known[one].at == at and not self._known[one].silent for one in chosen
        ]
        assert made is (room in self._matches or all(fit))
        if all(fit) and room not in self._matches:
            self._matches[room] = chosen
            for one in chosen:
                self._known[one].room = room

    @precondition(lambda self: self._matches)
    @rule(again=some, number=st.integers(0, 9))
    def unmatch(self, again: list[PlayerId], number: int) -> None:
        room = list(self._matches)[number % len(self._matches)]
        match = self._runner.run(queue.match_in(self._store, room))
        assert match is not None
        assert [one.player for one in match.players] == self._matches[room]
        assert self._runner.run(queue.unmatch(self._store, match, again))
        for one in self._matches.pop(room):
            entry = self._known[one]
            entry.ahead, entry.room = True, None
            if one not in again or entry.silent:
                del self._known[one]

    @rule()
    def look(self) -> None:
        waiting = self._runner.run(queue.waiting(self._store, list(QUEUES.values()), 100))
        for player in [one for one in PLAYERS if self._waits(one) and self._known[one].silent]:
            del self._known[player]  # they vanish as soon as anyone looks
        for at, found in zip(QUEUES.values(), waiting, strict=True):
            mine = [one for one in PLAYERS if self._waits(one) and self._known[one].at == at]
            mine.sort(key=lambda one: (not self._known[one].ahead, self._known[one].since))
            assert [one.player for one in found] == mine

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        noted = self._runner.run(self._store.call("HKEYS", keys.SEEKERS))
        assert {name.decode() for name in noted} == set(self._known)
        rooms = self._runner.run(self._store.call("HKEYS", keys.MATCHES))
        assert {name.decode() for name in rooms} == set(self._matches)
        busy = [player for match in self._matches.values() for player in match]
        assert sorted(busy) == sorted(one for one in self._known if not self._waits(one))


@pytest.mark.slow
def test_in_any_order(shared_server: Server) -> None:
    play = type("PlayHere", (Play,), {"url": shared_server.url})
    run_state_machine_as_test(play, settings=SETTINGS)
