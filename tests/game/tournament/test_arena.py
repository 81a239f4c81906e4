"""Arenas: pairing by points, no one the same twice running, no-shows, the end."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.game.rooms import T0
from tests.game.tournament.contests import SECOND, Contest, rated, who

from tenmatch.game.tournament import settle
from tenmatch.game.tournament.decide import Enter, Withdraw
from tenmatch.game.tournament.events import Shifted
from tenmatch.game.tournament.state import PAUSE_MS, Phase

MINUTE = 60 * SECOND


def begun(players: int, **plan: object) -> Contest:
    contest = Contest("arena", **plan)  # type: ignore[arg-type]  # of any type, each
    contest.enter(*map(rated, range(players)))
    contest.begin()
    return contest


def test_neighbours_by_points_meet_and_nobody_the_same_twice_running() -> None:
    contest = begun(4)
    one, other = contest.state.games
    contest.report(one, one.players[0])
    contest.report(other, other.players[0])
    contest.wait(PAUSE_MS)
    third, fourth = contest.state.games[2:]
    assert set(third.players) == {one.players[0], other.players[0]}
    assert set(fourth.players) == {one.players[1], other.players[1]}


def test_two_alone_meet_again_with_the_seats_changed() -> None:
    contest = begun(2)
    [game] = contest.state.games
    contest.report(game)
    contest.wait(PAUSE_MS)
    assert contest.state.games[1].players == game.players[::-1]


def test_who_waits_meets_the_first_of_the_others_who_is_free() -> None:
    contest = begun(3)
    [game] = contest.state.games
    [waiting] = {who(0), who(1), who(2)} - set(game.players)
    contest.report(game, game.players[0])
    contest.wait(PAUSE_MS)
    assert set(contest.state.games[1].players) == {waiting, game.players[0]}


def test_one_may_come_late_and_leave_and_come_again() -> None:
    contest = begun(2)
    contest.enter(rated(2), rated(3))
    assert set(contest.state.games[1].players) == {who(2), who(3)}
    contest.do(Withdraw(who(2)))
    contest.report(contest.state.games[1], who(2))
    contest.wait(MINUTE)
    assert len(contest.state.games) == 2
    contest.do(Enter(rated(2)))
    assert contest.state.entrants[who(2)].points == 2
    contest.report(contest.state.games[0], who(0))
    contest.wait(PAUSE_MS)
    assert len(contest.state.games) > 2


def test_who_does_not_come_is_paired_no_more() -> None:
    contest = begun(2)
    contest.report(contest.state.games[0], who(1), who(0))
    contest.wait(MINUTE)
    assert contest.state.entrants[who(0)].out
    assert contest.state.entrants[who(1)].points == 2
    assert len(contest.state.games) == 1


def test_games_that_run_at_the_end_still_count() -> None:
    contest = begun(2, minutes=1)
    contest.wait(2 * MINUTE)
    assert contest.state.phase == "running"
    contest.report(contest.state.games[0])
    assert contest.state.phase == "over"
    assert contest.places == {"0": 1, "1": 1}


def test_time_in_which_the_server_was_away_is_given_back() -> None:
    contest = begun(2, minutes=1)
    contest.wait(30 * SECOND)
    contest.shift(MINUTE)
    assert contest.events[-1] == Shifted(at=contest.now, by_ms=MINUTE)
    contest.report(contest.state.games[0])
    contest.wait(MINUTE)
    contest.report(contest.state.undecided[0])
    contest.wait(MINUTE)
    for game in contest.state.undecided:
        contest.report(game)
    assert contest.state.phase is Phase.OVER
    assert contest.state.ends_at == T0 + 2 * MINUTE


def test_no_time_is_given_back_where_none_ran() -> None:
    waiting, over, knockout = Contest("arena"), begun(2, minutes=1), Contest()
    knockout.enter(rated(0), rated(1))
    knockout.begin()
    over.report(over.state.games[0], who(1), who(0))
    over.wait(2 * MINUTE)
    for contest in (waiting, over, knockout):
        before = contest.state
        contest.shift(MINUTE)
        assert contest.state is before


@given(st.integers(2, 12), st.lists(st.integers(0, 99), min_size=5, max_size=60), st.integers(0, 255))
@settings(max_examples=40, deadline=None)
def test_nobody_ever_plays_two_games_at_once_or_the_same_rival_twice_running(
    many: int, choices: list[int], seed: int
) -> None:
    contest = begun(many, minutes=5, seed=bytes([seed]) * 32)
    for choice in choices:
        games = contest.state.undecided
        busy = [player for game in games for player in game.players]
        assert len(busy) == len(set(busy))
        if games and choice % 4:
            game = games[choice % len(games)]
            contest.report(game, None if choice % 5 == 0 else game.players[choice % 2])
        else:
            contest.wait(SECOND)
    for player in contest.state.entrants:
        met = [set(game.players) for game in contest.state.games if player in game.players]
        assert many == 2 or all(one != other for one, other in pairwise(met))
    contest.wait(5 * MINUTE)
    for game in contest.state.undecided:
        contest.report(game, game.players[0])
    assert contest.state.phase is Phase.OVER
    assert contest.state.ranking is not None
    points = [line.points for line in contest.state.ranking]
    assert points == sorted(points, reverse=True)
    assert sum(points) == 2 * len(contest.state.games)


def test_it_is_over_after_so_many_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle, "GAMES", 3)
    contest = begun(4)
    contest.report(contest.state.games[0])
    contest.report(contest.state.games[1])
    contest.wait(PAUSE_MS)
    assert len(contest.state.games) == 3
    contest.wait(MINUTE)
    assert len(contest.state.games) == 3
    contest.report(contest.state.games[2])
    assert contest.state.phase is Phase.OVER
