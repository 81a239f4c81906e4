"""Who came where."""

import pytest
from msgspec.structs import replace
from tests.game.rooms import opened, person, playing

from tenmatch.game.ids import Seq
from tenmatch.game.options import Mode
from tenmatch.game.ranking import ranking
from tenmatch.game.sheet import renewed
from tenmatch.rules.notation import parse

Standing = tuple[int, int, int | None]  # score, mistakes, where out


@pytest.mark.parametrize(
    ("mode", "standings", "places"),
    [
        (Mode.RACE, [(5, 0, None), (9, 0, None)], {1: 1, 0: 2}),
        (Mode.RACE, [(5, 1, None), (5, 0, None)], {1: 1, 0: 2}),
        (Mode.RACE, [(5, 1, None), (5, 1, None)], {0: 1, 1: 1}),
        (Mode.RACE, [(-4, 2, None), (0, 0, None)], {1: 1, 0: 2}),
        (Mode.RACE, [(5, 0, None), (9, 0, None), (5, 0, None), (1, 0, None)], {1: 1, 0: 2, 2: 2, 3: 4}),
        (Mode.RACE, [(50, 0, 9), (1, 0, None), (2, 0, None)], {2: 1, 1: 2, 0: 3}),
        (Mode.RACE, [(1, 0, 9), (2, 0, 8), (0, 5, None)], {2: 1, 1: 2, 0: 3}),
        (Mode.RACE, [(1, 0, 9), (1, 0, 8), (0, 5, None)], {2: 1, 0: 2, 1: 2}),
        (Mode.TURNS, [(1, 0, 9), (2, 0, 8), (0, 5, None)], {2: 1, 0: 2, 1: 3}),
        (Mode.TURNS, [(1, 0, None), (1, 0, 8), (1, 0, None)], {0: 1, 2: 1, 1: 3}),
        (Mode.MIRROR, [(5, 0, None), (9, 1, None)], {1: 1, 0: 2}),
        (Mode.MIRROR, [(5, 1, None), (5, 0, None)], {1: 1, 0: 2}),
        (Mode.MIRROR, [(1, 0, 9), (1, 0, 8), (0, 5, None)], {2: 1, 0: 2, 1: 2}),
    ],
)
def test_places(mode: Mode, standings: list[Standing], places: dict[int, int]) -> None:
    room = playing(mode, "11", {}, [person(number) for number in range(len(standings))]).room
    seats = tuple(
        replace(room.seated(number), score=score, mistakes=mistakes, out_at=None if out is None else Seq(out))
        for (number, _), (score, mistakes, out) in zip(room.taken(), standings, strict=True)
    )
    found = ranking(replace(room, seats=seats))
    assert {rank.seat: rank.place for rank in found} == places
    assert [rank.seat for rank in found] == list(places)  # by place, then seat
    assert all((rank.score, rank.mistakes) == standings[rank.seat][:2] for rank in found)


def test_in_mirror_the_earlier_clear_is_better_where_all_else_is_equal() -> None:
    room = playing(Mode.MIRROR, "11", {}, [person(number) for number in range(4)]).room
    uncleared = room.sheets[0]
    cleared = [renewed(uncleared, parse(""), None, by=Seq(seq), at=room.at) for seq in (9, 8)]
    found = ranking(replace(room, sheets=(uncleared, *cleared, uncleared)))
    assert {rank.seat: rank.place for rank in found} == {2: 1, 1: 2, 0: 3, 3: 3}
    shared = playing(Mode.RACE, "11", {}, [person(0), person(1)]).room
    assert {rank.place for rank in ranking(replace(shared, sheets=(cleared[0],)))} == {1}


def test_nobody_is_ranked_where_nobody_played() -> None:
    assert ranking(opened(Mode.RACE, {}).room) == ()
