"""Ratings as a fold of rated games: what a log is to them; who enters games, and when, does not matter."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import msgpack
from tests.game.rooms import SALT, SEED, T0, after, computer, opened, paired, person
from tests.game.whole import ANN, GAMES, rated

from tenmatch.game.answers import Denied
from tenmatch.game.commands import GetReady, Leave, Resign, SeatBot, Sit, Start, WantRematch
from tenmatch.game.create import found_rematch
from tenmatch.game.days import DAY_MS
from tenmatch.game.decide import decide
from tenmatch.game.events import AnyEvent, Level, Seated, Skill
from tenmatch.game.history import (
    Outcome,
    Participant,
    RatedGame,
    Standing,
    entered,
    rated_game,
    reaches_back,
    standing_after,
)
from tenmatch.game.ids import Millis, MoveNumber, PlayerId, RoomCode, RoomId, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.rating import NEW, Ranked, rating, skill_after

STRONG = Skill(35_000, 2_000)
ROOM = RoomId("room000001")
MIDNIGHT = Millis(20_000 * DAY_MS)


def seatings(events: tuple[AnyEvent, ...]) -> list[Seated]:
    return [event for event in events if isinstance(event, Seated)]


# What is noted when somebody sits down


def test_in_a_rated_room_it_is_noted_what_is_believed_of_who_sits_down() -> None:
    made = opened(Mode.RACE, {"rated": True})
    joined = after(made.room, Sit(person(1), STRONG))
    [maker], [other] = seatings(made.events), seatings(joined.events)
    assert (maker.skill, maker.player.rating) == (NEW, 1_000)
    assert (other.skill, other.player.rating) == (STRONG, rating(STRONG))
    assert joined.room.seated(SeatNumber(1)).player.rating == 2_160


def test_elsewhere_nothing_is() -> None:
    joined = after(opened(Mode.RACE, {}).room, Sit(person(1), STRONG))
    [other] = seatings(joined.events)
    assert (other.skill, other.player) == (None, person(1))


def test_who_comes_again_is_noted_anew() -> None:
    room = opened(Mode.RACE, {"rated": True}).room
    taken = after(room, Sit(person(1), NEW), Leave(SeatNumber(1)), Sit(person(1), STRONG))
    assert [event.skill for event in seatings(taken.events)] == [NEW, STRONG]


def test_of_those_who_were_paired_too() -> None:
    options = {"rated": True}
    [one, other] = seatings(paired(Mode.RACE, options, [person(0), person(1)], {person(1).id: STRONG}).events)
    assert (one.skill, other.skill, other.player.rating) == (NEW, STRONG, rating(STRONG))


def test_in_the_room_of_a_rematch_what_is_believed_by_then() -> None:
    room = opened(Mode.RACE, {"rated": True, "countdown_ms": 0}).room
    seats = SeatNumber(0), SeatNumber(1)
    ready = [GetReady(seat, True) for seat in seats]
    wants = [WantRematch(seat, True) for seat in seats]
    over = after(room, Sit(person(1), NEW), *ready, Resign(seats[0], MoveNumber(1)), *wants).room
    taken = found_rematch(
        over, code=RoomCode("abcdeg"), skills={person(1).id: STRONG}, seed=SEED, salt=SALT, now=T0
    )
    noted = {event.player.id: (event.skill, event.player.rating) for event in seatings(taken.events)}
    assert noted == {person(0).id: (NEW, 1_000), person(1).id: (STRONG, rating(STRONG))}


def test_computer_players_play_no_rated_games() -> None:
    room = opened(Mode.RACE, {"rated": True}).room
    assert isinstance(decide(room, SeatBot(SeatNumber(0), computer(0, Level.EASY)), T0), Denied)


# What a log is to the ratings


@pytest.mark.parametrize("name", ["rated race", "rated turns", "rated mirror"])
def test_a_rated_game_is_its_ranking_and_what_was_believed_of_its_players(name: str) -> None:
    game = GAMES[name]()
    found = rated_game(ROOM, game.events)
    assert found is not None
    assert (found.room, found.mode) == (ROOM, game.room.mode)
    assert game.room.ranking is not None
    assert [each.place for each in found.participants] == [rank.place for rank in game.room.ranking]
    sitters = {event.seat: event for event in seatings(tuple(game.events))}
    for rank, each in zip(game.room.ranking, found.participants, strict=True):
        sitter = sitters[rank.seat]
        assert (each.id, each.name, each.skill) == (sitter.player.id, sitter.player.name, sitter.skill)
    own = found.of(ANN.id)
    assert own.place == next(each.place for each in found.participants if each.id == ANN.id)
    assert [each.id for each in own.rivals] == [each.id for each in found.participants if each.id != ANN.id]


@pytest.mark.parametrize("name", [name for name in GAMES if not name.startswith("rated")])
def test_other_games_are_nothing_to_them(name: str) -> None:
    assert rated_game(ROOM, GAMES[name]().events) is None


def test_a_game_counts_when_it_is_over_and_was_played() -> None:
    events = GAMES["rated race"]().events
    end = next(place for place, event in enumerate(events, 1) if type(event).__name__ == "Ended")
    assert rated_game(ROOM, events[: end - 1]) is None
    assert rated_game(ROOM, events[:end]) == rated_game(ROOM, events)  # what follows is nothing to it
    made = opened(Mode.RACE, {"rated": True})
    assert rated_game(ROOM, (*made.events, *after(made.room, Leave(SeatNumber(0))).events)) is None


def test_who_gives_up_comes_last() -> None:
    made = opened(Mode.RACE, {"rated": True, "countdown_ms": 0, "max_players": 3})
    start = after(made.room, Sit(person(1), NEW), Sit(person(2), NEW), Start(SeatNumber(0)))
    left = after(start.room, Resign(SeatNumber(1), MoveNumber(1)), Resign(SeatNumber(2), MoveNumber(1)))
    found = rated_game(ROOM, (*made.events, *start.events, *left.events))
    assert found is not None
    assert {each.id: each.place for each in found.participants} == {
        person(0).id: 1,
        person(1).id: 2,
        person(2).id: 2,
    }


def test_who_sat_there_and_left_did_not_play() -> None:
    made = opened(Mode.RACE, {"rated": True, "countdown_ms": 0})
    start = after(
        made.room, Sit(person(1), NEW), Leave(SeatNumber(1)), Sit(person(2), STRONG), Start(SeatNumber(0))
    )
    left = after(start.room, Resign(SeatNumber(0), MoveNumber(1)))
    found = rated_game(ROOM, (*made.events, *start.events, *left.events))
    assert found is not None
    assert [each.id for each in found.participants] == [person(2).id, person(0).id]


# The fold


def game(number: int, at: int, place: int, *rivals: tuple[str, int], skill: Skill = NEW) -> Outcome:
    """Return a game as it is entered: against rivals with their places."""
    others = tuple(Participant(PlayerId(name), name.title(), other, skill) for name, other in rivals)
    return Outcome(RoomId(f"room{number:06}"), Millis(MIDNIGHT + at), place, others, 0, NEW)


def entered_all(games: list[Outcome], often: int = 0) -> list[Outcome]:
    """Return the history that comes of games, entered in this order."""
    history: list[Outcome] = []
    for each in games:
        reckoned = entered(history, each, often)
        assert reckoned is not None
        history[len(history) + 1 - len(reckoned) :] = reckoned
    return history


def test_each_game_goes_on_from_the_one_before() -> None:
    won, lost = game(1, 0, 1, ("bob", 2)), game(2, 10, 2, ("bob", 1), skill=STRONG)
    first, second = entered_all([won, lost])
    assert first.skill == skill_after(Ranked(1, NEW), [[Ranked(2, NEW)]])
    assert second.skill == skill_after(Ranked(2, first.skill), [[Ranked(1, STRONG)]])
    assert [first.counted, second.counted] == [1, 1]


def test_a_game_is_entered_once() -> None:
    history = entered_all([game(1, 0, 1, ("bob", 2)), game(2, 5, 1, ("bob", 2))])
    for each in history:
        assert entered(history, each, 0) is None


drawn_games = st.lists(
    st.builds(
        lambda at, place, other, who, mu: game(0, at, place, (who, other), skill=Skill(mu, 5_000)),
        st.integers(0, 3 * DAY_MS),
        st.integers(1, 2),
        st.integers(1, 2),
        st.sampled_from(["bob", "eve"]),
        st.integers(10_000, 40_000),
    ),
    min_size=1,
    max_size=8,
).map(
    lambda games: [
        Outcome(RoomId(f"room{n:06}"), each.at, each.place, each.rivals, 0, NEW)
        for n, each in enumerate(games)
    ]
)


@given(drawn_games, st.integers(0, 3), st.randoms())
def test_in_whatever_order_games_are_entered_it_comes_to_the_same(
    games: list[Outcome], often: int, chance: Random
) -> None:
    expected = entered_all(sorted(games, key=lambda each: each.order), often)
    chance.shuffle(games)
    assert entered_all(games, often) == expected


def test_games_that_end_in_the_same_moment_have_an_order_too() -> None:
    games = [game(number, 0, place, ("bob", 3 - place)) for number, place in ((1, 1), (2, 2), (3, 1))]
    histories = [entered_all(list(order)) for order in permutations(games)]
    assert histories == [histories[0]] * len(histories)


# How often a rival counts


@pytest.mark.parametrize("often", [1, 2, 5])
def test_a_rival_counts_so_many_times_a_day(often: int) -> None:
    history = entered_all([game(number, number, 1, ("bob", 2)) for number in range(7)], often)
    assert [each.counted for each in history] == [1] * often + [0] * (7 - often)
    assert {each.skill for each in history[often - 1 :]} == {history[often - 1].skill}


def test_without_a_limit_all_count() -> None:
    history = entered_all([game(number, number, 1, ("bob", 2)) for number in range(30)], 0)
    assert {each.counted for each in history} == {1}


def test_the_next_day_a_rival_counts_again() -> None:
    times = [-2, -1, 0, 1]  # around midnight
    history = entered_all([game(number, at, 1, ("bob", 2)) for number, at in enumerate(times)], 1)
    assert [each.counted for each in history] == [1, 0, 1, 0]


def test_one_who_was_not_met_yet_counts_also_beside_one_who_was() -> None:
    alone = game(1, 0, 1, ("bob", 2))
    both = game(2, 1, 2, ("bob", 1), ("eve", 3))
    first, second = entered_all([alone, both], 1)
    assert second.counted == 1
    assert second.skill == skill_after(Ranked(2, first.skill), [[Ranked(3, NEW)]])


def test_both_see_the_same_games_counted() -> None:
    """Two who meet again and again: what counts for one counts for the other."""
    ann, bob = PlayerId("ann"), PlayerId("bob")
    histories: dict[PlayerId, list[Outcome]] = {ann: [], bob: []}
    for number in range(4):
        participants = (Participant(ann, "Ann", 1, NEW), Participant(bob, "Bob", 2, NEW))
        played = RatedGame(
            Mode.RACE, RoomId(f"room{number:06}"), Millis(MIDNIGHT + number * DAY_MS // 3), participants
        )
        for player, history in histories.items():
            history += entered(history, played.of(player), 2) or []
    counted = [[each.counted for each in history] for history in histories.values()]
    assert counted == [[1, 1, 0, 1]] * 2


# The end of a long history


def test_an_end_of_a_history_is_enough_if_it_begins_the_day_before() -> None:
    history = [game(number, at, 1, ("bob", 2)) for number, at in enumerate((-1, 0, DAY_MS - 1, DAY_MS))]
    assert reaches_back(history, Millis(MIDNIGHT + 1))
    assert not reaches_back(history[1:], Millis(MIDNIGHT + 1))
    assert reaches_back(history[1:], Millis(MIDNIGHT + DAY_MS))
    assert not reaches_back([], MIDNIGHT)


@given(drawn_games, st.integers(0, 2), st.integers(0, 3 * DAY_MS))
def test_what_such_an_end_comes_to_is_what_the_whole_does(games: list[Outcome], often: int, at: int) -> None:
    history = entered_all(games, often)
    late = game(99, at, 1, ("bob", 2))
    whole = entered(history, late, often)
    for begin in range(len(history)):
        if reaches_back(history[begin:], late.at):
            assert entered(history[begin:], late, often) == whole


# Where a player is


def test_a_standing_is_what_the_latest_game_came_to() -> None:
    first = entered_all([game(1, 10, 1, ("bob", 2))])
    begun = standing_after(None, "Ann", first)
    assert begun == Standing("Ann", first[0].skill, 1, first[0].at)
    assert begun.rating == rating(first[0].skill) == 1_137
    late = entered(first, game(2, 5, 1, ("bob", 2)), 0)
    assert late is not None
    assert len(late) == 2
    gone_on = standing_after(begun, "Anne", late)  # a name of then, not of now
    assert gone_on == Standing("Ann", late[1].skill, 2, first[0].at)
    [last] = entered(late, game(3, 11, 1, ("bob", 2)), 0) or []
    assert standing_after(gone_on, "Anna", [last]).name == "Anna"


def test_they_are_stored_and_read_again() -> None:
    [outcome] = entered_all([game(1, 10, 1, ("bob", 2), ("eve", 2))])
    standing = standing_after(None, "Ann", [outcome])
    assert msgpack.decode(msgpack.encode(outcome), type=Outcome) == outcome
    assert msgpack.decode(msgpack.encode(standing), type=Standing) == standing
    assert len(msgpack.encode(outcome)) < 160


def test_a_whole_game_moves_all_its_players() -> None:
    played = rated_game(ROOM, rated(Mode.RACE, 21, NEW, NEW).events)
    assert played is not None
    found = {each.id: entered([], played.of(each.id), 0) for each in played.participants}
    skills = [outcomes[0].skill for outcomes in found.values() if outcomes]
    assert [skill.mu for skill in skills] == sorted((skill.mu for skill in skills), reverse=True)
    assert all(skill.sigma < NEW.sigma for skill in skills)
