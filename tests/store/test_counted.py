"""What counts against a player or an address: so many, each once, until forgotten or long ago."""

from tenmatch.game.ids import PlayerId
from tenmatch.store.connect import Store
from tenmatch.store.counted import HOUR, count, forget, rooms_of

ANN, BEN = rooms_of(PlayerId("ann")), rooms_of(PlayerId("ben"))
ONE, TWO, THREE = "room-1", "room-2", "room-3"


async def test_so_many_count_and_each_of_them_once(store: Store) -> None:
    counted = [await count(store, ANN, room, 2) for room in (ONE, TWO, THREE, TWO)]
    assert counted == [True, True, False, True]
    assert await count(store, BEN, THREE, 2)
    await forget(store, ANN, ONE)
    assert await count(store, ANN, THREE, 2)


async def test_what_was_long_ago_does_not_count(store: Store) -> None:
    await count(store, ANN, ONE, 1)
    assert await store.call("PTTL", ANN.key) <= HOUR
    await store.call("ZINCRBY", ANN.key, -HOUR, ONE)
    assert await count(store, ANN, TWO, 1)
