"""Knock-outs: seeding, byes, draws, no-shows, those who leave."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.game.tournament.contests import Contest, rated, who

from tenmatch.game.ids import PlayerId
from tenmatch.game.tournament.decide import Withdraw
from tenmatch.game.tournament.events import How
from tenmatch.game.tournament.knockout import NOBODY, bracket, champion, seeding
from tenmatch.game.tournament.state import PAUSE_MS, Phase


def begun(players: int, **plan: object) -> Contest:
    contest = Contest(**plan)  # type: ignore[arg-type]  # of any type, each
    contest.enter(*map(rated, range(players)))
    contest.begin()
    return contest


def pairs(contest: Contest) -> list[set[PlayerId]]:
    return [set(game.players) for game in contest.state.games]


@pytest.mark.parametrize(
    ("size", "seeds"), [(1, [0]), (2, [0, 1]), (4, [0, 3, 1, 2]), (8, [0, 7, 3, 4, 1, 6, 2, 5])]
)
def test_the_best_are_kept_apart(size: int, seeds: list[int]) -> None:
    assert seeding(size) == seeds


def test_four_are_paired_by_rating_whoever_came_first() -> None:
    contest = Contest()
    contest.enter(rated(3), rated(1), rated(0), rated(2))
    contest.begin()
    assert contest.state.order == tuple(map(who, range(4)))
    assert pairs(contest) == [{who(0), who(3)}, {who(1), who(2)}]


def test_winners_meet_after_a_pause() -> None:
    contest = begun(4)
    one, other = contest.state.games
    contest.report(one, who(3))
    contest.report(other, who(1))
    assert len(contest.state.games) == 2
    contest.wait(PAUSE_MS - 1)
    assert len(contest.state.games) == 2
    contest.wait(1)
    assert pairs(contest)[2:] == [{who(1), who(3)}]
    contest.report(contest.state.games[-1], who(3))
    assert contest.state.phase is Phase.OVER
    assert contest.places == {"3": 1, "1": 2, "0": 3, "2": 3}


def test_where_places_stay_empty_the_best_have_a_bye() -> None:
    contest = begun(5)
    assert pairs(contest) == [{who(3), who(4)}, {who(1), who(2)}]
    first, second = bracket(contest.state)[:2]
    assert [match.winner for match in first] == [who(0), None, who(1), who(2)]
    assert [match.sides for match in second] == [(who(0), None), (who(1), who(2))]


def test_a_drawn_game_is_played_again_with_the_seats_changed_and_then_decided_by_lot() -> None:
    contest = begun(2)
    [game] = contest.state.games
    contest.report(game)
    assert contest.state.games[0].how is How.DRAWN
    contest.wait(PAUSE_MS)
    again = contest.state.games[-1]
    assert again.players == game.players[::-1]
    assert (again.round, again.place) == (game.round, game.place)
    contest.report(again)
    assert contest.state.games[-1].how is How.LOT
    assert contest.state.games[-1].winner in game.players
    assert contest.state.phase is Phase.OVER


def test_the_lot_follows_from_the_seed_alone_and_favours_no_seat() -> None:
    winners = []
    for seed in range(40):
        contest = begun(2, seed=bytes([seed]) * 32)
        contest.report(contest.state.games[0])
        contest.wait(PAUSE_MS)
        contest.report(contest.state.games[1])
        winners.append(contest.state.games[1].winner)
    assert 10 < winners.count(who(0)) < 30


def test_who_does_not_come_has_lost() -> None:
    contest = begun(2)
    contest.report(contest.state.games[0], who(1), who(0))
    assert contest.state.games[0].how is How.NO_SHOW
    assert contest.places == {"1": 1, "0": 2}


def test_where_neither_comes_the_next_rival_gets_further_alone() -> None:
    contest = begun(4)
    one, other = contest.state.games
    contest.report(one, None, *one.players)
    contest.report(other, who(2))
    assert champion(contest.state) == who(2)
    assert contest.state.phase is Phase.OVER
    assert contest.places == {"2": 1, "0": 2, "1": 2, "3": 2}


def test_where_nobody_at_all_comes_nobody_has_won() -> None:
    contest = begun(2)
    [game] = contest.state.games
    contest.report(game, None, *game.players)
    assert champion(contest.state) == NOBODY
    assert contest.state.phase is Phase.OVER
    assert contest.places == {"0": 1, "1": 1}


def test_who_leaves_between_two_games_loses_the_next() -> None:
    contest = begun(4)
    one, other = contest.state.games
    contest.report(one, who(0))
    contest.do(Withdraw(who(0)))
    assert contest.state.phase is Phase.RUNNING
    contest.report(other, who(2))
    assert champion(contest.state) == who(2)
    assert contest.places["2"] == 1


def test_who_leaves_during_a_game_may_still_win_it() -> None:
    contest = begun(2)
    contest.do(Withdraw(who(0)))
    assert contest.state.phase is Phase.RUNNING
    contest.report(contest.state.games[0], who(0))
    assert champion(contest.state) == who(0)


def test_what_is_reported_twice_counts_once() -> None:
    contest = begun(4)
    game = contest.state.games[0]
    contest.report(game, who(0))
    events = len(contest.events)
    contest.report(game, who(3))
    assert len(contest.events) == events


@given(st.integers(2, 64), st.randoms())
@settings(max_examples=40, deadline=None)
def test_whoever_is_best_of_any_number_wins_and_all_play_until_they_lose(many: int, random: Random) -> None:
    order = list(map(who, range(many)))
    random.shuffle(order)
    contest = begun(many)
    contest.play(order)
    assert contest.state.ranking is not None
    assert contest.state.ranking[0].player == order[0]
    assert len(contest.state.games) == many - 1
    assert sum(line.losses for line in contest.state.ranking) == many - 1
    assert {line.losses for line in contest.state.ranking[1:]} == {1}
