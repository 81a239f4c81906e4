"""The browser library and the server's own code make the same of every event, in whole games of both.

The server plays games by its rules, persons and computer players mixed; for each event it says what it would
send, and what a snapshot would say after it; in mirror to a watcher and to each player. The library folds the
events and must come to every snapshot.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.game.whole import GAMES, Game

from tenmatch.game.ids import SeatNumber
from tenmatch.game.room import Phase, Room, evolve
from tenmatch.protocol.progress import Course
from tenmatch.protocol.stored import seal_all
from tenmatch.protocol.viewers import event_map, hides, progress_map, state_map, view_of

COMPARE = Path(__file__).parent / "lib" / "compare.mjs"


def steps_of(game: Game, seat: SeatNumber | None) -> list[dict[str, object]]:
    """Return each event as it is sent to a viewer, with the state that a snapshot after it would have.

    None is in its place where a snapshot says more than any event did: the boards of rivals after the end.
    """
    room: Room | None = None
    course, steps = Course(), list[dict[str, object]]()
    log = seal_all(game.events, 0, 0, bytes.fromhex(game.room.salt))
    for entry in log:
        room = evolve(room, entry.event)
        hidden = hides(room, entry.event, seat)
        more = room.own_boards and seat is not None and room.phase is Phase.OVER
        steps.append(
            {
                "event": progress_map(entry, course.after(entry, log)) if hidden else event_map(entry),
                "state": None if more else state_map(room, view_of(room, seat)),
            }
        )
    return steps


@pytest.mark.parametrize("name", GAMES)
def test_library_comes_to_every_snapshot(name: str) -> None:
    node = shutil.which("node")
    assert node, "node is missing: the browser library is tested in Node 18 or later (apt install nodejs)"
    game = GAMES[name]()
    viewers = [None, *(number for number, _ in game.room.taken())] if game.room.own_boards else [None]
    games = [{"seat": seat, "steps": steps_of(game, seat)} for seat in viewers]
    run = subprocess.run(
        [node, str(COMPARE)],
        input=json.dumps(games),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) == len(game.events) * len(viewers) > 10
