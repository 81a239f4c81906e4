"""Players whom the host puts out: before the start, while they wait, in a game; they never come back."""

import pytest
from tests.game.rooms import person
from tests.game.tournament.contests import Contest, rated, who

from tenmatch.game.answers import Denial, Denied
from tenmatch.game.ids import Millis, PlayerId, RoomId
from tenmatch.game.tournament.decide import Enter, Kick, Open, Withdraw
from tenmatch.game.tournament.events import Decided, How, WithdrawReason, Withdrew
from tenmatch.game.tournament.knockout import NOBODY, champion
from tenmatch.game.tournament.state import PAUSE_MS, Game, Phase

HOST = person(99)
ROOM = RoomId("k7mp2xw9qd")


def begun(players: int, format: str = "knockout") -> Contest:
    contest = Contest(format)
    contest.enter(*map(rated, range(players)))
    contest.begin()
    return contest


def opened(contest: Contest, game: Game) -> None:
    contest.do(Open(game.number, ROOM, Millis(contest.now + 60_000)))


def denied(contest: Contest, by: PlayerId, target: PlayerId) -> Denial:
    answer = contest.do(Kick(by, target))
    assert isinstance(answer, Denied)
    return answer.code


@pytest.mark.parametrize("format", ["knockout", "arena"])
def test_before_the_start_they_are_in_it_no_more_and_cannot_sign_up_again(format: str) -> None:
    contest = Contest(format)
    contest.enter(*map(rated, range(3)))
    [event] = contest.kick(rated(1))
    assert event == Withdrew(at=contest.now, player=who(1), reason=WithdrawReason.LEFT, kicked=True)
    assert list(contest.state.entrants) == [who(0), who(2)]
    again = contest.do(Enter(rated(1)))
    assert isinstance(again, Denied)
    assert again.code is Denial.NOT_ALLOWED
    assert contest.kick(rated(1)) == []
    contest.begin()
    assert contest.state.order == (who(0), who(2))


def test_who_may_put_out_whom() -> None:
    contest = Contest()
    contest.enter(rated(0), rated(1), HOST)
    assert denied(contest, who(0), who(1)) is Denial.NOT_HOST
    assert denied(contest, HOST.id, HOST.id) is Denial.NOT_ALLOWED
    assert denied(contest, HOST.id, who(5)) is Denial.NOT_ALLOWED
    contest.begin()
    contest.play([HOST.id, who(0), who(1)])
    assert denied(contest, HOST.id, who(1)) is Denial.GAME_STARTED


@pytest.mark.parametrize("format", ["knockout", "arena"])
def test_a_game_whose_room_is_not_there_yet_is_lost_at_once(format: str) -> None:
    contest = begun(2, format)
    [game] = contest.state.games
    assert contest.kick(rated(0))[1:] == [
        Decided(at=contest.now, game=game.number, how=How.WON, winner=who(1))
    ]


@pytest.mark.parametrize("format", ["knockout", "arena"])
@pytest.mark.parametrize("came", ["won", "drawn", "they did not come", "neither came"])
def test_a_game_in_its_room_is_lost_whatever_comes_of_it_there(format: str, came: str) -> None:
    contest = begun(4, format)
    game = contest.state.games[0]
    opened(contest, game)
    out, other = game.players
    absent = {"neither came": (other, out), "they did not come": (out,)}.get(came, ())
    [_] = contest.kick(contest.state.entrants[out].player)
    assert contest.state.games[0].how is None
    contest.report(game, out if came == "won" else None, *absent)
    decided = contest.state.games[0]
    assert (decided.how, decided.winner) == (How.WON, other)
    assert not contest.state.entrants[other].out  # the room was closed before they could come


def test_later_ones_are_walkovers() -> None:
    contest = begun(4)
    one, two = contest.state.games
    contest.report(one, one.players[0])
    contest.kick(contest.state.entrants[one.players[0]].player)
    contest.report(two, two.players[1])
    contest.wait(PAUSE_MS)
    assert len(contest.state.games) == 2
    assert contest.state.phase is Phase.OVER
    assert champion(contest.state) == two.players[1]


def test_where_both_are_put_out_nobody_has_won() -> None:
    contest = begun(2)
    [game] = contest.state.games
    opened(contest, game)
    for player in game.players:
        contest.kick(contest.state.entrants[player].player)
    contest.report(game, game.players[0])
    assert champion(contest.state) == NOBODY
    assert contest.state.games[0].how is How.NO_SHOW


def test_in_an_arena_they_are_paired_no_more_and_cannot_come_again() -> None:
    contest = begun(3, "arena")
    [game] = contest.state.games
    contest.report(game, game.players[0])
    contest.kick(contest.state.entrants[game.players[0]].player)
    assert isinstance(contest.do(Enter(contest.state.entrants[game.players[0]].player)), Denied)
    contest.wait(PAUSE_MS)
    assert game.players[0] not in contest.state.games[-1].players


def test_who_has_left_can_be_kept_from_coming_again() -> None:
    contest = begun(3, "arena")
    contest.do(Withdraw(who(2)))
    contest.kick(rated(2))
    assert isinstance(contest.do(Enter(rated(2))), Denied)
