"""The browser library folds a tournament's events to what the server has, after every one of them."""

import json
import random
import subprocess
from pathlib import Path
from typing import Any

from tests.game.rooms import person
from tests.game.tournament.contests import SECOND, Contest, rated
from tests.web.test_library import TIMEOUT_S, node

from tenmatch.game.tournament.decide import Enter, Kick, Withdraw
from tenmatch.game.tournament.state import Phase, Tournament, evolve
from tenmatch.protocol.stored import seal_all
from tenmatch.protocol.tournaments import tournament_event_map, tournament_map

FOLDER = Path(__file__).parent / "lib"


def played(format: str, seed: int) -> Contest:
    """Play a tournament in which everything happens: draws, no-shows, players who leave and come again."""
    draw = random.Random(seed)
    contest = Contest(format)
    players = [rated(number) for number in range(draw.randint(3, 11))]
    contest.enter(*players)
    contest.do(Withdraw(players[-1].id))
    contest.begin()
    for _ in range(400):
        if contest.state.phase is Phase.OVER:
            break
        if draw.random() < 0.05:
            contest.do(Withdraw(draw.choice(players).id))
        if draw.random() < 0.02:
            contest.do(Kick(person(99).id, draw.choice(players).id))
        if draw.random() < 0.05:
            contest.shift(SECOND)
        if format == "arena" and draw.random() < 0.1:
            contest.do(Enter(draw.choice(players)))
        games = contest.state.undecided
        if games and draw.random() < 0.7:
            game = draw.choice(games)
            one, other = game.players
            ends: list[tuple[Any, ...]] = [(one,), (other,), (None,), (one, other), (None, one, other)]
            contest.report(game, *draw.choice(ends))
        else:
            contest.wait(20 * SECOND)
    return contest


def steps(contest: Contest) -> list[dict[str, object]]:
    state: Tournament | None = None
    told: list[dict[str, object]] = []
    for entry in seal_all(contest.events, 0, 0, bytes(16)):
        state = evolve(state, entry.event)
        told.append({"event": tournament_event_map(entry), "state": tournament_map(state)})
    return told


def test_after_every_event_the_state_is_the_servers() -> None:
    contests = [played(format, seed) for format in ("knockout", "arena") for seed in range(12)]
    told = [steps(contest) for contest in contests]
    run = subprocess.run(
        [node(), str(FOLDER / "tournament.mjs")],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert run.returncode == 0, run.stderr[:3_000]
    assert int(run.stdout) == sum(len(each) - 1 for each in told)
