"""Two teams: by one's seat or drawn; they win and lose together."""

from collections import Counter

import pytest
from msgspec import UNSET, to_builtins
from msgspec.structs import replace
from tests.game.rooms import T0, after, ask, fold, opened, person
from tests.game.whole import BOB, EVE, GAMES

from tenmatch.game.answers import Denial, Denied, Taken
from tenmatch.game.commands import AnyCommand, Kick, Leave, Resign, Sit, Start
from tenmatch.game.decide import decide
from tenmatch.game.events import Ended, EndReason, Readied, Seated, Started, Unseated, UnseatReason
from tenmatch.game.history import rated_game
from tenmatch.game.ids import Millis, MoveNumber, RoomId, SeatNumber, Seq
from tenmatch.game.options import BadOptions, Mode, Teams, choose
from tenmatch.game.ranking import ranking
from tenmatch.game.rating import NEW
from tenmatch.game.room import Phase, Room
from tenmatch.game.teams import drawn

ZERO, ONE, TWO, THREE = map(SeatNumber, range(4))


def refused(room: Room, command: AnyCommand) -> Denial:
    answer = decide(room, command, T0)
    assert isinstance(answer, Denied), answer
    return answer.code


def in_play(teams: str = "chosen", players: int = 4) -> Room:
    room = opened(Mode.RACE, {"max_players": players, "teams": teams, "countdown_ms": 0}).room
    sits = [Sit(person(number)) for number in range(1, players)]
    return after(room, *sits, Start(ZERO)).room


# The option


@pytest.mark.parametrize("players", [4, 6, 8])
@pytest.mark.parametrize("teams", Teams)
def test_a_race_of_four_six_or_eight_may_be_in_teams(teams: Teams, players: int) -> None:
    options, _ = choose(Mode.RACE, {"max_players": players, "teams": teams.value, "rated": True})
    assert (options.teams, options.max_players) == (teams, players)


@pytest.mark.parametrize(
    ("mode", "asked", "field"),
    [
        (Mode.TURNS, {"teams": "chosen", "max_players": 4}, "teams"),
        (Mode.MIRROR, {"teams": "drawn", "max_players": 4}, "teams"),
        (Mode.RACE, {"teams": "chosen", "max_players": 5}, "max_players"),
        (Mode.RACE, {"teams": "chosen", "max_players": 2}, "max_players"),
        (Mode.RACE, {"teams": "both"}, "teams"),
        (Mode.RACE, {"teams": 2}, "teams"),
        (Mode.RACE, {"teams": True}, "teams"),
    ],
)
def test_nothing_else_may(mode: Mode, asked: dict[str, object], field: str) -> None:
    with pytest.raises(BadOptions) as caught:
        choose(mode, asked)
    assert caught.value.field == field


def test_in_teams_they_are_four_by_themselves() -> None:
    assert choose(Mode.RACE, {"teams": "drawn"})[0].max_players == 4


def test_without_teams_nothing_is_said_of_them() -> None:
    options, _ = choose(Mode.RACE, {"teams": None})
    assert options.teams is UNSET
    assert "teams" not in to_builtins(options)


# Seats


def test_a_seat_may_be_chosen() -> None:
    taken = after(opened(Mode.RACE, {"max_players": 4}).room, Sit(person(1), on=THREE))
    assert [event.seat for event in taken.events if isinstance(event, Seated)] == [THREE]
    assert refused(taken.room, Sit(person(2), on=THREE)) is Denial.ROOM_FULL
    assert refused(taken.room, Sit(person(2), on=SeatNumber(4))) is Denial.ROOM_FULL


def test_who_sits_may_move_and_is_unready_then() -> None:
    room = after(opened(Mode.RACE, {"max_players": 4}).room, Sit(person(1))).room
    room = room_with_all_ready(room)
    moved = after(room, Sit(person(1), on=THREE))
    assert moved.events == (
        Seated(at=T0, seat=THREE, player=person(1)),
        Unseated(at=T0, seat=ONE, reason=UnseatReason.LEFT, host=ZERO),
    )
    assert [number for number, _ in moved.room.taken()] == [0, 3]
    assert not moved.room.seated(THREE).ready


def room_with_all_ready(room: Room) -> Room:
    taken = Taken((), room)
    for number, _ in room.taken():
        taken = taken.then(Readied(at=T0, seat=number, ready=True))
    return taken.room


def test_who_is_alone_may_move_and_stays_host() -> None:
    moved = after(opened(Mode.RACE, {"max_players": 4}).room, Sit(person(0), on=TWO))
    assert (moved.room.phase, moved.room.host) == (Phase.OPEN, TWO)


def test_who_was_kicked_sits_nowhere_again() -> None:
    room = after(opened(Mode.RACE, {"max_players": 4}).room, Sit(person(1)), Kick(ZERO, ONE)).room
    assert refused(room, Sit(person(1), on=THREE)) is Denial.NOT_ALLOWED


def test_nobody_moves_once_the_game_is_about_to_start() -> None:
    room = in_play()
    assert after(room, Sit(person(1), on=THREE)).events == ()
    waiting = after(opened(Mode.RACE, {"max_players": 4}).room, Sit(person(1)), Start(ZERO)).room
    assert after(waiting, Sit(person(1), on=THREE)).events == ()


def test_each_team_needs_a_player() -> None:
    room = opened(Mode.RACE, {"max_players": 4, "teams": "chosen"}).room
    room = after(room, Sit(person(1), on=TWO)).room
    assert refused(room, Start(ZERO)) is Denial.TOO_FEW_PLAYERS
    assert after(room, Sit(person(2)), Leave(TWO), Start(ZERO)).room.phase is Phase.STARTING
    drawn_later = opened(Mode.RACE, {"max_players": 4, "teams": "drawn"}).room
    assert after(drawn_later, Sit(person(1), on=TWO), Start(ZERO)).room.phase is Phase.STARTING


# Who is in which


def test_seats_stand_for_teams_from_the_beginning() -> None:
    room = opened(Mode.RACE, {"max_players": 6, "teams": "chosen"}).room
    assert room.teams == (0, 1, 0, 1, 0, 1)
    assert in_play("chosen", 6).teams == room.teams


@pytest.mark.parametrize("players", [4, 6, 8])
def test_they_are_drawn_when_play_begins(players: int) -> None:
    assert opened(Mode.RACE, {"max_players": players, "teams": "drawn"}).room.teams is None
    room = in_play("drawn", players)
    assert room.teams is not None
    assert Counter(room.teams) == {0: players // 2, 1: players // 2}


def test_any_draw_is_as_likely_as_another() -> None:
    options, _ = choose(Mode.RACE, {"teams": "drawn"})
    seats = list(map(SeatNumber, range(4)))
    draws = Counter(drawn(options, salt.to_bytes(16), seats) for salt in range(6_000))
    assert len(draws) == 6
    assert all(850 < often < 1_150 for often in draws.values())


def test_an_empty_seat_is_in_no_team() -> None:
    events = GAMES["teams that are drawn of five"]().events
    [started] = [event for event in events if isinstance(event, Started)]
    assert started.teams is not None
    assert [seat for seat, team in enumerate(started.teams) if team is None] == [3, 4, 7]
    assert sorted(Counter(started.teams)[team] for team in (0, 1)) == [2, 3]
    assert fold(events).teams == started.teams


# Together


@pytest.mark.parametrize(
    ("standings", "places"),
    [
        ([(5, 0), (9, 0), (5, 0), (0, 0)], [1, 2, 1, 2]),
        ([(5, 0), (10, 0), (5, 1), (0, 0)], [2, 1, 2, 1]),
        ([(5, 1), (10, 0), (5, 0), (0, 1)], [1, 1, 1, 1]),
    ],
)
def test_points_and_mistakes_are_the_teams(standings: list[tuple[int, int]], places: list[int]) -> None:
    room = in_play()
    seats = tuple(
        replace(room.seated(number), score=score, mistakes=mistakes)
        for (number, _), (score, mistakes) in zip(room.taken(), standings, strict=True)
    )
    found = ranking(replace(room, seats=seats))
    assert {rank.seat: rank.place for rank in found} == dict(enumerate(places))
    assert [(rank.place, rank.seat) for rank in found] == sorted((rank.place, rank.seat) for rank in found)
    assert all((rank.score, rank.mistakes) == standings[rank.seat] for rank in found)


def test_a_team_is_out_with_the_last_of_it() -> None:
    room = in_play()
    rich = replace(room.seated(ZERO), score=50, out_at=Seq(9))
    seats = (rich, *room.seats[1:])
    half = replace(room, seats=seats)
    assert {rank.seat for rank in ranking(half) if rank.place == 1} == {0, 2}
    whole = replace(half, seats=(*seats[:2], replace(room.seated(TWO), out_at=Seq(10)), seats[3]))
    assert {rank.seat for rank in ranking(whole) if rank.place == 1} == {1, 3}


def test_the_game_ends_when_one_team_is_left() -> None:
    room = in_play()
    _, first = ask(room, Resign(ONE, MoveNumber(1)), 1)
    assert isinstance(first, Taken)
    assert first.room.phase is Phase.PLAYING
    _, second = ask(first.room, Resign(THREE, MoveNumber(1)), 2)
    assert isinstance(second, Taken)
    ended = second.events[-1]
    assert isinstance(ended, Ended)
    assert ended.reason is EndReason.LAST_ONE_IN
    assert [(rank.seat, rank.place) for rank in ended.ranking] == [(0, 1), (2, 1), (1, 2), (3, 2)]


# Rated


def test_a_rated_game_knows_mates_and_rivals() -> None:
    game = rated_game(RoomId("room000001"), GAMES["rated teams"]().events)
    assert game is not None
    outcome = game.of(person(2).id)
    assert {each.id for each in outcome.mates} == {
        each.id for each in game.participants if each.team == 0
    } - {person(2).id}
    assert {each.team for each in outcome.rivals} == {1}
    assert len(outcome.rivals) == 2
    assert all(each.skill == NEW for each in outcome.rivals)


def test_eve_and_bob_may_sit_as_they_like_in_any_mode() -> None:
    room = opened(Mode.TURNS, {"max_players": 4}).room
    taken = after(room, Sit(EVE, on=THREE), Sit(BOB, on=ONE), Sit(EVE, on=TWO))
    assert [taken.room.seat_of(who.id) for who in (BOB, EVE)] == [ONE, TWO]
    assert taken.room.at == Millis(T0)
