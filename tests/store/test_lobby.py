"""The public list."""

from tenmatch.game.ids import RoomId
from tenmatch.store import keys, lobby
from tenmatch.store.connect import Store
from tenmatch.store.lobby import ROOMS, Listed

ONE, TWO, THREE = (RoomId(name) for name in ("room-1", "room-2", "room-3"))


async def age(store: Store, room: RoomId, ms: int) -> None:
    """Let a room's line be so much older."""
    await store.call("ZINCRBY", keys.LOBBY_FRESH, -ms, room)


async def test_an_empty_list(store: Store) -> None:
    assert (await lobby.newest(store)).lines == ()


async def test_the_highest_rank_comes_first(store: Store) -> None:
    await lobby.put(store, Listed(ONE, b"1", 10), Listed(TWO, b"2", 30), Listed(THREE, b"3", 20))
    assert (await lobby.newest(store)).lines == ((TWO, b"2"), (THREE, b"3"), (ONE, b"1"))
    assert (await lobby.newest(store, 2)).lines == ((TWO, b"2"), (THREE, b"3"))


async def test_a_reader_who_knows_the_version_reads_nothing_twice(store: Store) -> None:
    await lobby.put(store, Listed(ONE, b"1", 10))
    version = (await lobby.newest(store)).version
    assert await lobby.newest(store, known=version) == (version, None, ())


async def test_refreshing_changes_nothing(store: Store) -> None:
    await lobby.put(store, Listed(ONE, b"1", 1_796_041_036_000.0))
    version = (await lobby.newest(store)).version
    await lobby.put(store, Listed(ONE, b"1", 1_796_041_036_000.0))
    assert (await lobby.newest(store, known=version)).lines is None


async def test_whatever_changes_makes_a_new_version(store: Store) -> None:
    versions = [(await lobby.newest(store)).version]
    for change in (Listed(ONE, b"1", 10), Listed(ONE, b"changed", 10), Listed(ONE, b"changed", 11)):
        await lobby.put(store, change)
        newest = await lobby.newest(store, known=versions[-1])
        assert newest.lines == ((ONE, change.line),)
        versions.append(newest.version)
    await lobby.drop(store, ONE)
    newest = await lobby.newest(store, known=versions[-1])
    assert newest.lines == ()
    versions.append(newest.version)
    assert versions == sorted(set(versions))


async def test_dropping_what_is_not_there_changes_nothing(store: Store) -> None:
    version = (await lobby.newest(store)).version
    await lobby.drop(store, ONE)
    assert (await lobby.newest(store, known=version)).lines is None


async def test_a_line_that_is_not_refreshed_vanishes(store: Store) -> None:
    await lobby.put(store, Listed(ONE, b"1", 10), Listed(TWO, b"2", 20))
    version = (await lobby.newest(store)).version
    await age(store, ONE, ROOMS.stands + 100)
    await age(store, TWO, ROOMS.stands - 10_000)
    assert (await lobby.newest(store, known=version)).lines == ((TWO, b"2"),)
    assert await store.call("HLEN", keys.LOBBY_LINES) == 1


async def test_a_refreshed_line_stays(store: Store) -> None:
    await lobby.put(store, Listed(ONE, b"1", 10))
    await age(store, ONE, ROOMS.stands + 100)
    await lobby.put(store, Listed(ONE, b"1", 10))
    assert (await lobby.newest(store)).lines == ((ONE, b"1"),)


async def test_a_version_is_not_used_twice_when_the_store_lost_the_latest(store: Store) -> None:
    await lobby.put(store, Listed(ONE, b"1", 10))
    known = (await lobby.newest(store)).version - 1000  # as it was a second ago
    await store.call("SET", keys.LOBBY_VERSION, known - 1)
    await lobby.put(store, Listed(ONE, b"other", 10))
    assert (await lobby.newest(store)).version > known
    await store.call("SET", keys.LOBBY_VERSION, known - 1)
    await age(store, ONE, ROOMS.stands + 100)
    assert (await lobby.newest(store)).version > known


# most worth watching


async def test_those_most_worth_watching_come_along_from_however_far_down(store: Store) -> None:
    await lobby.put(
        store, Listed(ONE, b"1", 10, 1500.5), Listed(TWO, b"2", 30), Listed(THREE, b"3", 20, 1400)
    )
    found = await lobby.newest(store, 1, featured=2)
    assert found.featured == (ONE, THREE)
    assert found.lines == ((TWO, b"2"), (ONE, b"1"), (THREE, b"3"))
    assert (await lobby.newest(store, 3, featured=1)).lines == ((TWO, b"2"), (THREE, b"3"), (ONE, b"1"))
    assert (await lobby.newest(store, 3)).featured == ()


async def test_what_is_worth_it_no_longer_is_pointed_to_no_longer(store: Store) -> None:
    await lobby.put(store, Listed(ONE, b"1", 10, 1500), Listed(TWO, b"2", 20, 1400))
    known = (await lobby.newest(store)).version
    await lobby.put(store, Listed(ONE, b"1", 10))
    changed = await lobby.newest(store, known=known, featured=6)
    assert changed.featured == (TWO,)
    await lobby.drop(store, TWO)
    assert (await lobby.newest(store, featured=6)).featured == ()
    assert await store.call("ZCARD", keys.LOBBY_WORTH) == 0


async def test_what_another_version_dropped_is_pointed_to_no_longer(store: Store) -> None:
    await lobby.put(store, Listed(ONE, b"1", 10, 1500))
    await store.call("ZREM", keys.LOBBY_RANKS, ONE)
    assert (await lobby.newest(store, featured=6)).featured == ()
    assert await store.call("ZCARD", keys.LOBBY_WORTH) == 0
