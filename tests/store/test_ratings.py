"""Histories and standings in the store: they go on only from where they were found, on both servers."""

import asyncio
from collections.abc import Sequence

import pytest

from tenmatch.game.ids import PlayerId
from tenmatch.store import keys, ratings
from tenmatch.store.connect import Store

ANN, BOB = PlayerId("ann456789012"), PlayerId("bob456789012")


async def enter(
    store: Store,
    found: bytes | None,
    standing: bytes,
    games: Sequence[bytes],
    *,
    player: PlayerId = ANN,
    mode: str = "race",
    replaced: int = 0,
    most: int = 10,
    ttl: int = 60,
) -> bool:
    return await ratings.enter(
        store,
        player,
        mode,
        found=found,
        standing=standing,
        replaced=replaced,
        games=games,
        most=most,
        ttl=ttl,
    )


async def history(store: Store) -> list[bytes]:
    return (await ratings.find(store, ANN, "race", 100)).history


async def test_who_never_played_has_neither(store: Store) -> None:
    assert await ratings.find(store, ANN, "race", 10) == ratings.Kept(None, [])
    assert await ratings.standings(store, [(ANN, "race")]) == [None]
    assert await ratings.standings(store, []) == []


async def test_a_history_goes_on(store: Store) -> None:
    assert await enter(store, None, b"one", [b"a"])
    assert await enter(store, b"one", b"two", [b"b", b"c"])
    assert await ratings.find(store, ANN, "race", 10) == ratings.Kept(b"two", [b"a", b"b", b"c"])
    assert await ratings.find(store, ANN, "race", 2) == ratings.Kept(b"two", [b"b", b"c"])


@pytest.mark.parametrize("found", [None, b"zero", b"on", b"one "])
async def test_but_only_from_where_it_was_found(store: Store, found: bytes | None) -> None:
    await enter(store, None, b"one", [b"a"])
    assert not await enter(store, found, b"two", [b"b"], replaced=1)
    assert await ratings.find(store, ANN, "race", 10) == ratings.Kept(b"one", [b"a"])


async def test_nothing_goes_on_from_what_is_not_there(store: Store) -> None:
    assert not await enter(store, b"one", b"two", [b"a"])
    assert await ratings.find(store, ANN, "race", 10) == ratings.Kept(None, [])


async def test_the_end_of_a_history_gives_way(store: Store) -> None:
    await enter(store, None, b"one", [b"a", b"b", b"c"])
    await enter(store, b"one", b"two", [b"x", b"B", b"C"], replaced=2)
    assert await history(store) == [b"a", b"x", b"B", b"C"]
    await enter(store, b"two", b"three", [b"y"], replaced=4)
    assert await history(store) == [b"y"]


async def test_of_a_long_history_the_latest_are_kept(store: Store) -> None:
    await enter(store, None, b"one", [b"%d" % number for number in range(8)], most=5)
    assert await history(store) == [b"3", b"4", b"5", b"6", b"7"]
    await enter(store, b"one", b"two", [b"8"], most=5)
    assert await history(store) == [b"4", b"5", b"6", b"7", b"8"]


async def test_a_thousand_games_are_entered_at_once(store: Store) -> None:
    games = [b"%d" % number for number in range(1000)]
    await enter(store, None, b"one", games, most=1000)
    await enter(store, b"one", b"two", games, replaced=1000, most=1000)
    assert (await ratings.find(store, ANN, "race", 1000)).history == games


async def test_of_many_who_found_the_same_one_goes_on(store: Store) -> None:
    await enter(store, None, b"one", [b"a"])
    done = await asyncio.gather(*(enter(store, b"one", b"%d" % n, [b"%d" % n]) for n in range(20)))
    [winner] = [number for number, entered in enumerate(done) if entered]
    assert await ratings.find(store, ANN, "race", 10) == ratings.Kept(b"%d" % winner, [b"a", b"%d" % winner])


async def test_players_and_modes_are_apart(store: Store) -> None:
    await enter(store, None, b"one", [b"a"])
    await enter(store, None, b"two", [b"b"], player=BOB)
    await enter(store, None, b"three", [b"c"], mode="turns")
    asked = [(ANN, "race"), (BOB, "race"), (ANN, "turns"), (BOB, "turns")]
    assert await ratings.standings(store, asked) == [b"one", b"two", b"three", None]


async def test_all_is_kept_as_long_as_was_said_after_the_latest_game(store: Store) -> None:
    both = [keys.standing(ANN, "race"), keys.games(ANN, "race")]
    await enter(store, None, b"one", [b"a"], ttl=60)
    assert all([0 < await store.call("TTL", key) <= 60 for key in both])
    await enter(store, b"one", b"two", [b"b"], ttl=90)
    assert all([60 < await store.call("TTL", key) <= 90 for key in both])
    await enter(store, b"two", b"three", [b"c"], ttl=0)
    assert [await store.call("TTL", key) for key in both] == [-1, -1]
