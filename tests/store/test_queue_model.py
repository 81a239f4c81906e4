"""Whatever is asked of the queue in whatever order: one entry a player, and nobody is lost or paired twice.

A plain model says who waits where, in which order, and which pairings there are; after each step the
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
from tests.store.test_queue import be_long, silence

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
nodes = st.sampled_from(["node-1", "node-2"])


class Entry:
    """What is known of one who seeks."""

    def __init__(self, at: Queue, node: str, since: int) -> None:
        self.at, self.node, self.since = at, node, since
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
        self._pairings: dict[RoomId, list[PlayerId]] = {}
        self._unsought: set[PlayerId] = set()  # lately, or a little longer ago
        self._moments = 0

    def teardown(self) -> None:
        self._store.close()
        self._runner.close()

    def _waits(self, player: PlayerId) -> bool:
        return player in self._known and self._known[player].room is None

    @rule(player=players, at=queues, node=nodes)
    def seek(self, player: PlayerId, at: Queue, node: str) -> None:
        self._moments += 1
        sought = Sought(player, "Name", 1500, at, node, Millis(BEGAN + self._moments))
        said = self._runner.run(queue.seek(self._store, sought))
        entry = self._known.get(player)
        if entry is None or (entry.room is None and entry.at != at):
            entry = self._known[player] = Entry(at, node, BEGAN + self._moments)
        entry.node, entry.silent = node, False
        assert (said.room, said.since) == (entry.room, entry.since)
        assert said.state is (State.WAITING if entry.room is None else State.PAIRED)

    @rule(player=players, node=nodes)
    def say_again(self, player: PlayerId, node: str) -> None:
        sought = Sought(player, "Name", 1500, QUEUES["race:casual"], node)
        [said] = self._runner.run(queue.seeking(self._store, [sought]))
        entry = self._known.get(player)
        if entry is None:
            assert said.state is State.GONE or player in self._unsought
        elif entry.node != node:
            assert said.state is State.TAKEN
        else:
            entry.silent = False
            assert (said.room, said.since) == (entry.room, entry.since)

    @initialize(at=queues)
    def come(self, at: Queue) -> None:
        for player in PLAYERS:
            self.seek(player, at, "node-1")

    @rule(player=players, node=st.one_of(st.just(""), nodes), at=queues)
    def unseek(self, player: PlayerId, node: str, at: Queue) -> None:
        room = self._runner.run(queue.unseek(self._store, player, at, node))
        if not node:
            self._unsought.add(player)
        entry = self._known.get(player)
        if entry is None or node not in ("", entry.node):
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
    def pair_any(self, chosen: list[PlayerId], at: Queue) -> None:
        self._pair(chosen, at)

    @precondition(lambda self: any(map(self._waits, PLAYERS)))
    @rule(number=st.integers(0, 2), many=st.integers(1, 2))
    def pair_some_who_wait(self, number: int, many: int) -> None:
        waiting = list(filter(self._waits, PLAYERS))
        at = self._known[waiting[number % len(waiting)]].at
        self._pair([one for one in waiting if self._known[one].at == at][-many:], at)

    def _pair(self, chosen: list[PlayerId], at: Queue) -> None:
        room = RoomId(f"room{len(self._pairings) + self._moments * 10:06}")
        [made] = self._runner.run(queue.pair(self._store, [Wanted(room, at, tuple(chosen))]))
        fit = [
            self._waits(one) and self._known[one].at == at and not self._known[one].silent for one in chosen
        ]
        assert made is (room in self._pairings or all(fit))
        if all(fit) and room not in self._pairings:
            self._pairings[room] = chosen
            for one in chosen:
                self._known[one].room = room

    @precondition(lambda self: self._pairings)
    @rule(again=some, number=st.integers(0, 9))
    def unpair(self, again: list[PlayerId], number: int) -> None:
        room = list(self._pairings)[number % len(self._pairings)]
        pairing = self._runner.run(queue.pairing_in(self._store, room))
        assert pairing is not None
        assert [one.player for one in pairing.players] == self._pairings[room]
        assert self._runner.run(queue.unpair(self._store, pairing, again))
        for one in self._pairings.pop(room):
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
        rooms = self._runner.run(self._store.call("HKEYS", keys.PAIRINGS))
        assert {name.decode() for name in rooms} == set(self._pairings)
        busy = [player for pairing in self._pairings.values() for player in pairing]
        assert sorted(busy) == sorted(one for one in self._known if not self._waits(one))


@pytest.mark.slow
def test_in_any_order(shared_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    be_long(monkeypatch)
    play = type("PlayHere", (Play,), {"url": shared_server.url})
    run_state_machine_as_test(play, settings=SETTINGS)
