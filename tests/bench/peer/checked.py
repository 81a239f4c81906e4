"""Whether the peer's state is right, seen by its own client."""

import asyncio
import json
from typing import Final

from tests.bench.measures import Results
from tests.bench.systems import PEER, Wrong, peer

from tenmatch.app.load.games import prepare
from tenmatch.rules.board import Board, added, play

SIZE: Final = 60
SEED: Final = bytes(32)


def _game() -> str:
    """Return a game with the board after each step, as check.mjs reads it."""
    game = prepare(SEED, SIZE, 3)
    board = Board.dealt(game.digits)
    boards = []
    for step in game.steps:
        board = added(board) if step.pair is None else play(board, *step.pair).board
        boards.append([*board.digits])
    said = {"digits": [*game.digits], "steps": [step.pair for step in game.steps], "boards": boards}
    return json.dumps(said)


async def state_is_right(results: Results) -> None:
    """Play a game on the peer with its own client. Raises Wrong."""
    with peer("patchnow") as system:
        process = await asyncio.create_subprocess_exec(
            *("node", str(PEER / "check.mjs"), system.url.rpartition(":")[2]),
            stdin=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
        )
        _, said = await process.communicate(_game().encode())
    if process.returncode:
        raise Wrong(f"the peer's state is not what it should be: {said.decode()}")
