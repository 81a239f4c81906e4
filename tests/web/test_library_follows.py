"""The browser library and the server's own code make the same of every event, in whole games of both.

The server plays games by its rules, persons and computer players mixed; for each event it says what it would
send, and what a snapshot would say after it. The library folds the events and must come to every snapshot.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.game.whole import GAMES, Game

from tenmatch.game.room import Room, evolve
from tenmatch.protocol.stored import seal_all
from tenmatch.protocol.viewers import event_map, state_map

COMPARE = Path(__file__).parent / "lib" / "compare.mjs"


def steps_of(game: Game) -> list[dict[str, object]]:
    """Return each event as it is sent, with the state that a snapshot after it would have."""
    room: Room | None = None
    steps: list[dict[str, object]] = []
    for entry in seal_all(game.events, 0, 0, bytes.fromhex(game.room.salt)):
        room = evolve(room, entry.event)
        steps.append({"event": event_map(entry), "state": state_map(room)})
    return steps


@pytest.mark.parametrize("name", GAMES)
def test_library_comes_to_every_snapshot(name: str) -> None:
    node = shutil.which("node")
    assert node, "node is missing: the browser library is tested in Node 18 or later (apt install nodejs)"
    steps = steps_of(GAMES[name]())
    run = subprocess.run(
        [node, str(COMPARE)],
        input=json.dumps([steps]),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) == len(steps) > 10
