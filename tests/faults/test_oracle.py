"""The oracle finds nothing in a game as it should be, and whatever is done to one."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import msgpack
import pytest
from tests.faults.history import History, Move, Shown, Told, View
from tests.faults.oracle import INVARIANTS, count, examine
from tests.live.proof import chain_after
from tests.rules.oracle import OracleGame

ROOM = "abcdefghjk"
SALT = bytes(range(16))
BOARD = "551928374/192"


@dataclass
class Scene:
    """A room with three matches, by two players, seen by them and a spectator."""

    events: list[dict[str, Any]] = field(default_factory=list)
    history: History = field(default_factory=History)

    def log(self) -> list[bytes]:
        """Seal the events."""
        entries, previous = [], 0
        for event in self.events:
            body = msgpack.packb(event)
            previous = chain_after(SALT, previous, body)
            entries.append(b"\x01" + previous.to_bytes(4) + body)
        return entries

    @property
    def moves(self) -> dict[tuple[int, int], Move]:
        return self.history.room(ROOM).moves

    @property
    def views(self) -> list[View]:
        return self.history.room(ROOM).views

    def told(self, seq: int) -> Told:
        event, chain = self.events[seq - 1], int.from_bytes(self.log()[seq - 1][1:5])
        return Told(seq, chain, event.get("hash"), event["kind"], event.get("seat"), event.get("n"))


@pytest.fixture
def scene() -> Scene:
    game = OracleGame(BOARD)
    scene = Scene([{"kind": "created", "at": 1, "salt": SALT.hex()}, {"kind": "seated", "at": 1, "seat": 0}])
    scene.events.append({"kind": "started", "at": 2, "board": BOARD, "hash": game.hash()})
    made = [(0, 1), (1, 1), (0, 2)]
    for seat, n in made:
        a, b = game.pairs()[0]
        game.match(a, b)
        seq = len(scene.events) + 1
        scene.events.append(
            {"kind": "matched", "at": seq, "seat": seat, "n": n, "a": a, "b": b, "hash": game.hash()}
        )
        scene.moves[seat, n] = Move((a, b), sent=float(seq), acknowledged=[(seq + 0.5, seq)])
    scene.moves[1, 2] = Move((0, 1), sent=9.0, refused="inactive")
    scene.moves[1, 3] = Move((0, 1), sent=10.0)
    for who, seat in (("Ada", 0), ("Bea", 1)):
        scene.views.append(View(who, seat, [scene.told(seq) for seq in range(1, 7)]))
    shown = Shown(4, scene.told(4).chain, _board_after(scene, 4))
    scene.views.append(View("Cem", None, [shown, scene.told(5), scene.told(6)]))
    return scene


def _board_after(scene: Scene, seq: int) -> str:
    game = OracleGame(BOARD)
    for event in scene.events[3:seq]:
        game.match(event["a"], event["b"])
    return game.text()


def found(scene: Scene, log: list[bytes] | None = None) -> set[str]:
    flaws = examine(scene.history, {ROOM: scene.log() if log is None else log})
    assert count(flaws, *INVARIANTS) == len(flaws)
    return {flaw.invariant for flaw in flaws}


def test_a_game_as_it_should_be_has_no_flaw(scene: Scene) -> None:
    assert examine(scene.history, {ROOM: scene.log()}) == []


def test_a_move_whose_answer_never_came_may_be_in_the_log(scene: Scene) -> None:
    scene.moves[0, 2].acknowledged.clear()
    assert found(scene) == set()


def test_a_move_may_be_acknowledged_again_as_it_was(scene: Scene) -> None:
    scene.moves[0, 1].acknowledged.append((20.0, 4))
    assert found(scene) == set()


def lost(scene: Scene) -> list[bytes]:
    for view in scene.views:
        del view.steps[-1]
    return scene.log()[:-1]


def answered_with_another(scene: Scene) -> None:
    scene.moves[0, 1].acknowledged[0] = (4.5, 5)


def answered_twice(scene: Scene) -> None:
    scene.moves[0, 1].acknowledged.append((20.0, 6))


def doubled(scene: Scene) -> list[bytes]:
    scene.events.append({**scene.events[-1]})
    return scene.log()


def out_of_the_chain(scene: Scene) -> list[bytes]:
    return [*scene.log()[:4], *scene.log()[5:]]


def refused_and_made(scene: Scene) -> None:
    scene.moves[0, 2].acknowledged.clear()
    scene.moves[0, 2].refused = "stale"


def made_by_nobody(scene: Scene) -> None:
    del scene.moves[0, 2]


def made_otherwise(scene: Scene) -> None:
    scene.moves[0, 2].pair = (7, 8)


def out_of_order(scene: Scene) -> None:
    scene.moves[1, 1].sent = 7.0


def applied_with_a_gap(scene: Scene) -> None:
    del scene.views[0].steps[3]


def applied_what_was_rolled_back(scene: Scene) -> None:
    steps = scene.views[1].steps
    steps.append(replace_told(steps[-1], seq=7))


def applied_another_event(scene: Scene) -> None:
    scene.views[0].steps[4] = replace_told(scene.views[0].steps[4], n=9)


def applied_another_chain(scene: Scene) -> None:
    scene.views[0].steps[4] = replace_told(scene.views[0].steps[4], chain=1)


def applied_another_board(scene: Scene) -> None:
    scene.views[0].steps[4] = replace_told(scene.views[0].steps[4], hash=1)


def replace_told(step: Told | Shown, **changed: Any) -> Told:
    assert isinstance(step, Told)
    return step._replace(**changed)


def illegal(scene: Scene) -> None:
    scene.events[5] |= {"a": 6, "b": 8}
    scene.moves[0, 2].pair = (6, 8)
    _tell_anew(scene)


def with_a_wrong_hash(scene: Scene) -> None:
    scene.events[5]["hash"] += 1
    _tell_anew(scene)


def _tell_anew(scene: Scene) -> None:
    for view in scene.views:
        view.steps[-1] = scene.told(6)


def watched_with_a_gap(scene: Scene) -> None:
    del scene.views[2].steps[1]


def shown_another_board(scene: Scene) -> None:
    scene.views[2].steps[0] = Shown(4, scene.told(4).chain, BOARD)


@pytest.mark.parametrize(
    ("harm", "invariants"),
    [
        (lost, {"I1"}),
        (answered_with_another, {"I1"}),
        (answered_twice, {"I1"}),
        (doubled, {"I2", "I7"}),
        (out_of_the_chain, {"I1", "I2", "I6", "I7", "I8"}),
        (refused_and_made, {"I3"}),
        (made_by_nobody, {"I4"}),
        (made_otherwise, {"I4"}),
        (out_of_order, {"I5"}),
        (applied_with_a_gap, {"I6"}),
        (applied_what_was_rolled_back, {"I6"}),
        (applied_another_event, {"I6"}),
        (applied_another_chain, {"I6"}),
        (applied_another_board, {"I6"}),
        (illegal, {"I7"}),
        (with_a_wrong_hash, {"I7"}),
        (watched_with_a_gap, {"I8"}),
        (shown_another_board, {"I8"}),
    ],
)
def test_whatever_is_wrong_is_found(
    scene: Scene, harm: Callable[[Scene], list[bytes] | None], invariants: set[str]
) -> None:
    assert found(scene, harm(scene)) >= invariants


def test_each_invariant_can_be_broken_by_itself(scene: Scene) -> None:
    alone = {lost: "I1", refused_and_made: "I3", made_by_nobody: "I4", applied_with_a_gap: "I6"}
    alone |= {with_a_wrong_hash: "I7", watched_with_a_gap: "I8"}
    for harm, invariant in alone.items():
        again = Scene([dict(event) for event in scene.events], _copied(scene.history))
        assert found(again, harm(again)) == {invariant}, harm


def _copied(history: History) -> History:
    copy = History()
    for room, seen in history.rooms.items():
        copy.room(room).moves |= {
            key: replace(move, acknowledged=list(move.acknowledged)) for key, move in seen.moves.items()
        }
        copy.room(room).views += [replace(view, steps=list(view.steps)) for view in seen.views]
    return copy
