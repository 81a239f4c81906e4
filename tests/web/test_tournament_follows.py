"""Both libraries fold a tournament's events to what the server has, after every one of them."""

import json
import random
import subprocess
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import pytest
from tests.game.rooms import person
from tests.game.tournament.contests import SECOND, Contest, rated
from tests.web.test_library import TIMEOUT_S, node

from tenmatch.client.errors import NotOurs
from tenmatch.client.standing import TournamentState, begin, follow
from tenmatch.game.ids import RoomId, TournamentId
from tenmatch.game.tournament.decide import Enter, Kick, Withdraw
from tenmatch.game.tournament.state import PAUSE_MS, Phase, Tournament, evolve
from tenmatch.protocol import to_client
from tenmatch.protocol.stored import seal_all
from tenmatch.protocol.tournaments import LAST_GAMES, tournament_event_map, tournament_map

CUP: Final = TournamentId(RoomId("c7qm3xw9kd2"))
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


def steps(contest: Contest) -> list[dict[str, Any]]:
    state: Tournament | None = None
    told: list[dict[str, object]] = []
    for entry in seal_all(contest.events, 0, 0, bytes(16)):
        state = evolve(state, entry.event)
        told.append({"event": tournament_event_map(entry), "state": tournament_map(state)})
    return cast("list[dict[str, Any]]", json.loads(msgspec.json.encode(told)))


def long_arena() -> Contest:
    """Play an arena of which the first games are not told any more."""
    contest = Contest("arena", minutes=240)
    contest.enter(*map(rated, range(5)))
    contest.begin()
    while len(contest.state.games) < LAST_GAMES + 60:
        for game in contest.state.undecided:
            contest.report(game, game.players[game.number % 2] if game.number % 3 else None)
        contest.wait(PAUSE_MS)
    return contest


@pytest.fixture(scope="module")
def contests() -> list[list[dict[str, Any]]]:
    """Tournaments, event by event."""
    whole = [steps(played(format, seed)) for format in ("knockout", "arena") for seed in range(12)]
    return [*whole, steps(long_arena())[-40:]]  # the last as for who comes late


def test_after_every_event_the_python_client_has_the_servers_state(
    contests: list[list[dict[str, Any]]],
) -> None:
    for first, *rest in contests:
        state = shown(first["event"], first["state"])
        for step in rest:
            followed = follow(state, step["event"])
            assert followed is not None
            state = followed
            assert as_told(state, step["state"]) == step["state"]
            assert as_told(shown(step["event"], step["state"]), step["state"]) == step["state"]


def test_it_notices_what_is_old_missing_unknown_or_cannot_be(contests: list[list[dict[str, Any]]]) -> None:
    last = contests[0][-1]
    state = shown(last["event"], last["state"])
    assert follow(state, last["event"]) is state
    coming = {"seq": state.seq + 1, "chain": 5, "at": 1}
    assert follow(state, {**coming, "seq": state.seq + 2, "kind": "novelty"}) is None
    after = follow(state, {**coming, "kind": "novelty"})
    assert after is not None
    assert (after.seq, after.chain, after.games) == (state.seq + 1, 5, state.games)
    for wrong in ({"kind": "decided", "game": 9_999, "how": "won"}, {"kind": "withdrew"}):
        with pytest.raises(NotOurs):
            follow(state, {**coming, **wrong})


def shown(event: dict[str, Any], state: Any) -> TournamentState:
    """Return what a client holds that was told the whole state."""
    return begin(
        to_client.Tournament(re=1, tournament=CUP, seq=event["seq"], chain=event["chain"], state=state)
    )


def as_told(state: TournamentState, due: Any) -> dict[str, Any]:
    """Return what a client holds as the server tells it: of an arena without older games."""
    found: dict[str, Any] = json.loads(msgspec.json.encode(tournament_map(state)))
    numbers = {game["game"] for game in due["games"]}
    return {**found, "games": [game for game in found["games"] if game["game"] in numbers]}


def test_after_every_event_the_browser_library_has_the_servers_state(
    contests: list[list[dict[str, Any]]],
) -> None:
    run = subprocess.run(
        [node(), str(FOLDER / "tournament.mjs")],
        input=json.dumps(contests),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert run.returncode == 0, run.stderr[:3_000]
    assert int(run.stdout) == sum(len(each) - 1 for each in contests)
