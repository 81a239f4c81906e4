"""Codes, what is known of a player, and the secret."""

import asyncio

from tenmatch.game.ids import PlayerId, RoomCode, RoomId
from tenmatch.store import codes, keys, players
from tenmatch.store.connect import Store
from tenmatch.store.secret import shared_secret

ANN, BEN = PlayerId("ann"), PlayerId("ben")
ONE, TWO, THREE = (RoomId(name) for name in ("room-1", "room-2", "room-3"))
CODE = RoomCode("abc234")


async def test_a_code_stands_for_the_first_room_that_claims_it(store: Store) -> None:
    assert await codes.claim_code(store, CODE, ONE, 60)
    assert not await codes.claim_code(store, CODE, TWO, 60)
    assert await codes.claim_code(store, CODE, ONE, 60)  # asked again, as after an unknown outcome
    assert await codes.room_of(store, CODE) == ONE
    assert await codes.room_of(store, RoomCode("zzz999")) is None


async def test_a_code_lasts_as_long_as_it_is_renewed(store: Store) -> None:
    await codes.claim_code(store, CODE, ONE, 60)
    assert 0 < await store.call("PTTL", keys.code(CODE)) <= 60_000
    await codes.renew_codes(store, [CODE, RoomCode("zzz999")], 500)
    assert 400_000 < await store.call("PTTL", keys.code(CODE)) <= 500_000
    assert await codes.room_of(store, RoomCode("zzz999")) is None
    await codes.renew_codes(store, [], 500)


async def test_one_key_makes_one_room_wherever_it_is_used(store: Store) -> None:
    rooms = [RoomId(f"room-{number}") for number in range(20)]
    winners = await asyncio.gather(*(players.made(store, ANN, "my key", room) for room in rooms))
    assert len(set(winners)) == 1
    assert winners[0] in rooms
    assert await players.made(store, BEN, "my key", TWO) == TWO
    assert await players.made(store, ANN, "another", TWO) == TWO
    assert 500_000 < await store.call("PTTL", keys.made(ANN, "my key")) <= 600_000


async def test_seats_are_noted(store: Store) -> None:
    await store.set_clock()
    await players.seat_in(store, ANN, ONE)
    await players.seat_in(store, ANN, TWO)
    await players.seat_in(store, ANN, TWO)
    await players.seat_in(store, BEN, THREE)
    assert set(await players.seated(store, ANN)) == {ONE, TWO}
    await players.unseat(store, ANN, ONE)
    assert await players.seated(store, ANN) == [TWO]
    await players.unseat(store, ANN, TWO)
    assert await players.seated(store, ANN) == []


async def test_seats_noted_long_ago_are_forgotten(store: Store) -> None:
    await store.set_clock()
    await players.seat_in(store, ANN, ONE)
    assert 0 < await store.call("PTTL", keys.seats(ANN)) <= players.SEATED
    await store.call("ZINCRBY", keys.seats(ANN), -players.SEATED - 1000, ONE)
    assert await players.seated(store, ANN) == []


async def test_all_nodes_find_the_same_secret(store: Store) -> None:
    secrets = await asyncio.gather(*(shared_secret(store) for _ in range(10)))
    assert len(set(secrets)) == 1
    assert len(secrets[0]) == 32
    await store.call("DEL", keys.SECRET)
    assert await shared_secret(store) != secrets[0]
