"""Tournaments before they begin: plans, signing up, lists, the start."""

import pytest
from tests.game.rooms import T0, person
from tests.game.tournament.contests import SECOND, Contest, rated, who

from tenmatch.game.answers import Denial, Denied
from tenmatch.game.events import Player
from tenmatch.game.ids import Millis
from tenmatch.game.options import BadOptions
from tenmatch.game.tournament import decide
from tenmatch.game.tournament.decide import Begin, Enter, Withdraw
from tenmatch.game.tournament.events import Begun, Finished, FinishReason
from tenmatch.game.tournament.plan import ENTRIES, planned
from tenmatch.game.tournament.settle import WAITS_MS, Happened
from tenmatch.game.tournament.state import evolve


@pytest.mark.parametrize(
    ("field", "asked"),
    [
        ("format", {"format": "swiss"}),
        ("mode", {"mode": "chess"}),
        ("most", {"most": 1}),
        ("most", {"most": 65}),
        ("join_s", {"join_s": 9}),
        ("minutes", {"minutes": 5}),
        ("minutes", {"format": "arena", "minutes": 0}),
        ("max_players", {"options": {"max_players": 3}}),
        ("seed", {"options": {"seed": "00" * 32}}),
        ("adds", {"options": {"adds": 99}}),
    ],
)
def test_what_cannot_be_planned_is_named(field: str, asked: dict[str, object]) -> None:
    with pytest.raises(BadOptions) as refused:
        planned(**{"format": "knockout", "mode": "race", "options": {}, **asked})  # type: ignore[arg-type]  # wrong ones, too
    assert refused.value.field == field


@pytest.mark.parametrize("mode", ["race", "turns", "mirror"])
def test_two_play_in_each_game(mode: str) -> None:
    assert planned(format="arena", mode=mode, options={}).options.max_players == 2


def denied(answer: object) -> Denial:
    assert isinstance(answer, Denied)
    return answer.code


def test_who_may_sign_up() -> None:
    contest = Contest(most=2)
    contest.enter(rated(0), rated(0))
    assert list(contest.state.entrants) == [who(0)]
    contest.enter(rated(1))
    assert denied(contest.do(Enter(rated(2)))) is Denial.ROOM_FULL
    contest.do(Withdraw(who(0)))
    contest.enter(rated(2))
    contest.begin()
    assert denied(contest.do(Enter(rated(3)))) is Denial.GAME_STARTED
    contest.play([who(2), who(1)])
    assert denied(contest.do(Enter(rated(3)))) is Denial.GAME_STARTED


def test_over_a_list_of_players_nobody_else_plays() -> None:
    contest = Contest(invited=map(rated, range(3)))
    assert denied(contest.do(Enter(rated(3)))) is Denial.NOT_ALLOWED
    assert denied(contest.do(Begin(person(99).id))) is Denial.TOO_FEW_PLAYERS
    contest.enter(rated(1), rated(0))
    contest.do(Withdraw(who(1)))
    contest.enter(rated(1))
    contest.begin()
    assert contest.state.order == (who(0), who(1))  # who was invited and has not signed up plays no part


def test_a_host_who_plays_needs_no_invitation() -> None:
    happened = decide.announced(
        title="Cup",
        plan=planned(format="arena", mode="race", options={}, open=False),
        private=True,
        host=person(99),
        enters=True,
        invited=[],
        seed=bytes(32),
        salt=bytes(16),
        now=T0,
    )
    left = decide.decide(happened.tournament, Withdraw(person(99).id), T0)
    assert isinstance(left, Happened)
    assert left.tournament.entrants == {}
    assert isinstance(decide.decide(left.tournament, Enter(person(99)), T0), Happened)


def test_the_host_begins_once_there_are_two() -> None:
    contest = Contest()
    contest.enter(rated(0))
    assert denied(contest.do(Begin(person(99).id))) is Denial.TOO_FEW_PLAYERS
    contest.enter(rated(1))
    assert denied(contest.do(Begin(who(0)))) is Denial.NOT_HOST
    contest.begin()
    assert contest.do(Begin(person(99).id)) == []


def test_it_begins_by_itself_when_it_is_time() -> None:
    contest = Contest(starts_at=Millis(T0 + 10 * SECOND))
    contest.enter(rated(0), rated(1))
    contest.wait(10 * SECOND - 1)
    assert contest.state.phase == "open"
    contest.wait(500)
    assert next(e for e in contest.events if isinstance(e, Begun)).at == T0 + 10 * SECOND
    assert contest.state.phase == "running"


def test_with_too_few_it_comes_to_nothing() -> None:
    contest = Contest()
    contest.enter(rated(0))
    contest.wait(WAITS_MS)
    last = contest.events[-1]
    assert isinstance(last, Finished)
    assert last.reason is FinishReason.TOO_FEW


def test_players_without_a_rating_come_after_the_others_in_their_order() -> None:
    contest = Contest()
    contest.enter(Player(who(7), "Seven"), Player(who(5), "Five"), rated(1, 900))
    contest.begin()
    assert contest.state.order == (who(1), who(7), who(5))


def test_the_same_events_give_the_same_state() -> None:
    contest = Contest()
    contest.enter(*map(rated, range(6)))
    contest.begin()
    contest.play(list(map(who, range(6))))
    state = None
    for event in contest.events:
        state = evolve(state, event)
    assert state == contest.state


@pytest.mark.parametrize("format", ["knockout", "arena"])
def test_nobody_comes_and_goes_for_ever(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    contest = Contest(format)
    for _ in range(ENTRIES):
        contest.enter(rated(0))
        contest.do(Withdraw(who(0)))
    assert denied(contest.do(Enter(rated(0)))) is Denial.RATE_LIMITED
    contest.enter(rated(1))
    monkeypatch.setattr(decide, "ENTRIES_IN_ALL", ENTRIES + 2)
    contest.enter(rated(2))
    assert denied(contest.do(Enter(rated(3)))) is Denial.RATE_LIMITED
    assert contest.do(Enter(rated(2))) == []
