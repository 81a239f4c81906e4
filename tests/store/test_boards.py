"""Leaderboards in the store: places, pages, weeks, players who have not played for long; on both servers."""

from datetime import UTC, datetime

import pytest

from tenmatch.game.ids import Millis, PlayerId
from tenmatch.store import boards, keys
from tenmatch.store.boards import Board, Placed, week_of
from tenmatch.store.connect import Store

DAY_S = 86_400


def named(number: int) -> PlayerId:
    return PlayerId(f"player{number:06}")


def moment(text: str) -> Millis:
    return Millis(int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000))


@pytest.fixture
async def now(store: Store) -> Millis:
    await store.set_clock()
    return store.clock.now()


async def fill(store: Store, ratings: list[int], at: Millis) -> None:
    for number, rating in enumerate(ratings):
        await boards.put(store, "race", named(number), rating, at, ttl=DAY_S)


async def whole(store: Store, week: str | None = None) -> list[Placed]:
    return (await boards.read(store, "race", week, first=0, many=100)).lines


async def test_an_empty_board(store: Store) -> None:
    assert await boards.read(store, "race", None, first=0, many=10, player=named(0)) == Board(0, [], None)


async def test_the_highest_rating_comes_first(store: Store, now: Millis) -> None:
    await fill(store, [1000, 1300, -40, 1200], now)
    assert await whole(store) == [
        (1, named(1), 1300),
        (2, named(3), 1200),
        (3, named(0), 1000),
        (4, named(2), -40),
    ]


async def test_equal_ratings_share_a_place_and_the_next_is_skipped(store: Store, now: Millis) -> None:
    await fill(store, [1000, 1200, 1200, 900, 1000, 1000], now)
    assert [place for place, _, _ in await whole(store)] == [1, 1, 3, 3, 3, 6]


async def test_pages_go_on_where_the_one_before_ended(store: Store, now: Millis) -> None:
    await fill(store, [2000 - number // 2 for number in range(25)], now)  # two share each place, but the last
    pages = [await boards.read(store, "race", None, first=first, many=9) for first in (0, 9, 18, 27)]
    assert [len(page.lines) for page in pages] == [9, 9, 7, 0]
    assert {page.players for page in pages} == {25}
    assert [line for page in pages for line in page.lines] == await whole(store)
    assert [page.lines[0].place for page in pages[:3]] == [1, 9, 19]


async def test_ones_own_place_is_told_on_whatever_page(store: Store, now: Millis) -> None:
    await fill(store, [2000 - number // 2 for number in range(25)], now)
    for first in (0, 20, 40):
        board = await boards.read(store, "race", None, first=first, many=5, player=named(13))
        assert board.own == Placed(13, named(13), 1994)
    assert (await boards.read(store, "race", None, first=0, many=5, player=named(99))).own is None


async def test_a_player_is_there_once_as_they_are_now(store: Store, now: Millis) -> None:
    for rating in (1000, 1200, 1100, 1100):
        await boards.put(store, "race", named(0), rating, now, ttl=DAY_S)
    assert await whole(store) == [(1, named(0), 1100)]


async def test_modes_are_apart(store: Store, now: Millis) -> None:
    await boards.put(store, "race", named(0), 1000, now, ttl=DAY_S)
    await boards.put(store, "turns", named(1), 1000, now, ttl=DAY_S)
    assert await whole(store) == [(1, named(0), 1000)]


# Weeks


@pytest.mark.parametrize(
    ("at", "week"),
    [
        ("2026-11-29T23:59:59.999", "2026-W48"),  # Sunday
        ("2026-11-30T00:00:00", "2026-W49"),  # Monday
        ("2026-12-31T12:00:00", "2026-W53"),
        ("2027-01-03T23:59:59.999", "2026-W53"),
        ("2027-01-04T00:00:00", "2027-W01"),
        ("2024-12-30T00:00:00", "2025-W01"),
    ],
)
def test_a_week_begins_on_monday_and_may_be_of_another_year(at: str, week: str) -> None:
    assert week_of(moment(at)) == week


async def test_a_weeks_board_has_who_played_in_it(store: Store, now: Millis) -> None:
    sunday, monday = moment("2026-11-29T23:59:59.999"), moment("2026-11-30T00:00:00")
    await boards.put(store, "race", named(0), 1100, sunday, ttl=0)
    await boards.put(store, "race", named(1), 1200, sunday, ttl=0)
    await boards.put(store, "race", named(1), 1250, monday, ttl=0)
    assert await whole(store, "2026-W48") == [(1, named(1), 1200), (2, named(0), 1100)]
    assert await whole(store, "2026-W49") == [(1, named(1), 1250)]
    assert await whole(store) == [(1, named(1), 1250), (2, named(0), 1100)]


async def test_a_weeks_board_goes_after_three_weeks(store: Store, now: Millis) -> None:
    await boards.put(store, "race", named(0), 1100, now, ttl=0)
    ttl = await store.call("TTL", keys.board("race", week_of(now)))
    assert 21 * DAY_S - 60 < ttl <= 21 * DAY_S
    assert await store.call("TTL", keys.board("race")) == -1


# Who has not played for long


async def test_who_has_not_played_for_long_is_taken_off(store: Store, now: Millis) -> None:
    for number, days in enumerate((0, 9, 11, 30)):
        await boards.put(store, "race", named(number), 1000, Millis(now - days * DAY_S * 1000), ttl=0)
    await boards.put(store, "race", named(0), 1000, now, ttl=10 * DAY_S)
    assert {player for _, player, _ in await whole(store)} == {named(0), named(1)}
    assert await store.call("ZCARD", keys.board_seen("race")) == 2


async def test_for_ever_means_for_ever(store: Store) -> None:
    await boards.put(store, "race", named(0), 1000, Millis(1), ttl=0)
    await boards.put(store, "race", named(1), 1000, Millis(1), ttl=0)
    assert len(await whole(store)) == 2
