"""What a game makes of how strong a player is believed to be."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from tenmatch.game.events import Skill
from tenmatch.game.rating import NEW, NEW_RATING, Ranked, rating, skill_after

ROUNDED = 2  # thousandths: what openskill publishes is without the drift that it adds between games today

skills = st.builds(Skill, mu=st.integers(-10_000, 60_000), sigma=st.integers(800, 9_000))
ranked = st.builds(Ranked, st.integers(1, 10), skills)


def after_all(places: list[int], skills: list[Skill]) -> list[Skill]:
    """Return what a game makes of all who were in it."""
    table = [Ranked(place, skill) for place, skill in zip(places, skills, strict=True)]
    return [skill_after(own, alone([*table[:n], *table[n + 1 :]])) for n, own in enumerate(table)]


def alone(rivals: list[Ranked]) -> list[list[Ranked]]:
    """Return rivals of whom each plays for themselves."""
    return [[rival] for rival in rivals]


# As openskill has it

FREE_FOR_ALL = {  # new players in the order of their places, from openskill's own tests
    2: [(27.63523138347365, 8.065506316323548), (22.36476861652635, 8.065506316323548)],
    3: [
        (27.868876552746237, 8.204837030780652),
        (25.717219138186557, 8.057829747583874),
        (21.413904309067206, 8.057829747583874),
    ],
    4: [
        (27.795084971874736, 8.263160757613477),
        (26.552824984374855, 8.179213704945203),
        (24.68943500312503, 8.083731307186588),
        (20.96265504062538, 8.083731307186588),
    ],
    5: [
        (27.666666666666668, 8.290556877154474),
        (26.833333333333332, 8.240145629781066),
        (25.72222222222222, 8.179996679645559),
        (24.055555555555557, 8.111796013701358),
        (20.72222222222222, 8.111796013701358),
    ],
}


@pytest.mark.parametrize("players", FREE_FOR_ALL)
def test_new_players_get_what_openskill_says(players: int) -> None:
    found = after_all(list(range(1, players + 1)), [NEW] * players)
    for skill, (mu, sigma) in zip(found, FREE_FOR_ALL[players], strict=True):
        assert skill.mu == pytest.approx(mu * 1000, abs=ROUNDED)
        assert skill.sigma == pytest.approx(sigma * 1000, abs=ROUNDED)


def test_a_series_of_games_with_draws_comes_to_what_openskill_says() -> None:
    a, b, c, d, e = after_all([1, 2, 2, 4, 4], [NEW] * 5)
    e, c, b = after_all([1, 2, 2], [e, c, b])
    d, b, c, a = after_all([1, 1, 3, 3], [d, b, c, a])
    expected = [
        (26.353761103, 8.11102706),
        (24.618479789, 7.90533551),
        (23.065819512, 7.822005595),
        (24.476332403, 8.106111471),
        (26.385499685, 8.054090809),
    ]
    for skill, (mu, sigma) in zip([a, b, c, d, e], expected, strict=True):
        assert skill.mu == pytest.approx(mu * 1000, abs=3 * ROUNDED)
        assert skill.sigma == pytest.approx(sigma * 1000, abs=3 * ROUNDED)


@given(st.lists(ranked, min_size=2, max_size=10))
def test_what_comes_out_is_openskills_but_for_the_rounding(table: list[Ranked]) -> None:
    model = PlackettLuce()
    teams = [[model.rating(skill.mu / 1000, skill.sigma / 1000)] for _, skill in table]
    rated = model.rate(teams, ranks=[float(place) for place, _ in table])
    found = after_all([place for place, _ in table], [skill for _, skill in table])
    for skill, [due] in zip(found, rated, strict=True):
        assert skill.mu == pytest.approx(due.mu * 1000, abs=0.51)
        assert skill.sigma == pytest.approx(due.sigma * 1000, abs=0.51)


@given(st.lists(skills, min_size=2, max_size=2), st.lists(skills, min_size=1, max_size=3), st.integers(-1, 1))
def test_teams_get_what_openskill_says(own: list[Skill], other: list[Skill], won: int) -> None:
    model = PlackettLuce()
    teams = [[model.rating(each.mu / 1000, each.sigma / 1000) for each in team] for team in (own, other)]
    places = (2 - won, 2)
    [[due, _], _] = model.rate(teams, ranks=list(map(float, places)))
    me, mate = (Ranked(places[0], each) for each in own)
    found = skill_after(me, [[Ranked(places[1], each) for each in other]], [mate])
    assert found.mu == pytest.approx(due.mu * 1000, abs=ROUNDED)
    assert found.sigma == pytest.approx(due.sigma * 1000, abs=ROUNDED)


# Whatever the players


@given(ranked, st.lists(ranked, min_size=1, max_size=9), st.randoms())
def test_in_whatever_order_rivals_are_named_it_comes_to_the_same(
    own: Ranked, rivals: list[Ranked], chance: Random
) -> None:
    shuffled = rivals.copy()
    chance.shuffle(shuffled)
    assert skill_after(own, [shuffled]) == skill_after(own, [rivals])
    assert skill_after(own, alone(shuffled), shuffled) == skill_after(own, alone(rivals), rivals)


@given(skills, skills)
def test_who_wins_is_believed_stronger_and_who_loses_weaker(one: Skill, other: Skill) -> None:
    winner, loser = after_all([1, 2], [one, other])
    assert winner.mu >= one.mu
    assert loser.mu <= other.mu


@given(skills)
def test_between_equals_a_win_brings_what_the_loss_costs(skill: Skill) -> None:
    winner, loser = after_all([1, 2], [skill, skill])
    assert winner.mu - skill.mu == pytest.approx(skill.mu - loser.mu, abs=1)
    assert winner.sigma == loser.sigma


@given(skills, st.integers(2, 10))
def test_a_draw_of_equals_moves_nobody(skill: Skill, players: int) -> None:
    drawn = after_all([1] * players, [skill] * players)
    assert drawn == [drawn[0]] * players
    assert drawn[0].mu == pytest.approx(skill.mu, abs=1)


@given(skills, skills)
def test_a_draw_is_the_same_for_both_and_better_than_a_loss(one: Skill, other: Skill) -> None:
    drawn = after_all([1, 1], [one, other])
    assert drawn == after_all([1, 1], [other, one])[::-1]
    won, lost = after_all([1, 2], [one, other])[0], after_all([2, 1], [one, other])[0]
    assert lost.mu <= drawn[0].mu <= won.mu


@given(st.lists(skills, min_size=1, max_size=7), skills)
def test_a_better_place_brings_more_where_nobody_draws(others: list[Skill], skill: Skill) -> None:
    rivals = [Ranked(2 * place, other) for place, other in enumerate(others, 1)]
    places = range(1, 2 * len(others) + 2, 2)
    found = [skill_after(Ranked(place, skill), alone(rivals)).mu for place in places]
    assert found == sorted(found, reverse=True)


# The number that people see


def test_who_is_new_has_a_rating_of_a_thousand() -> None:
    assert rating(NEW) == NEW_RATING == 1_000


@pytest.mark.parametrize(
    ("skill", "number"),
    [
        (Skill(27_635, 8_066), 1_137),
        (Skill(22_365, 8_066), 927),
        (Skill(40_000, 1_000), 2_480),
        (Skill(5_000, 3_000), 840),
        (Skill(25_012, 8_333), 1_001),  # half a point is rounded up
    ],
)
def test_a_rating_is_forty_for_each_point_that_is_certain(skill: Skill, number: int) -> None:
    assert rating(skill) == number
