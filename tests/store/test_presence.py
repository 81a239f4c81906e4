"""Presence: numbers, takeovers, who is online, what is forgotten and what is put back."""

import asyncio
from contextlib import closing

import pytest
from tests.servers import Server
from tests.store.entries import OTHER_ROOM, ROOM
from tests.store.listening import listening

from tenmatch.game.ids import Millis, SeatNumber
from tenmatch.store import keys, published
from tenmatch.store import presence as presence_module
from tenmatch.store import shard as shard_module
from tenmatch.store.connect import Address, ErrorReply, Store
from tenmatch.store.outages import beat
from tenmatch.store.presence import Arrival, Held, Here, Presence, read_arrival

WHITE, BLACK = SeatNumber(0), SeatNumber(1)


@pytest.fixture
def here(store: Store) -> Presence:
    return Presence(store, "node-1")


@pytest.fixture
def there(store: Store) -> Presence:
    return Presence(store, "node-2")


@pytest.fixture(autouse=True)
def _long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what was said count for so long that nobody is away while the machine stands still."""
    monkeypatch.setattr(presence_module, "COUNTS", Millis(600_000))


async def ask(presence: Presence) -> Here:
    """Ask who is there, holding nothing."""
    [answer] = await presence.renew([Held(ROOM, {})])
    return answer


async def test_nobody_is_in_a_room_that_nobody_entered(store: Store, here: Presence) -> None:
    answer = await ask(here)
    assert (answer.online, answer.watching, answer.superseded, answer.last_seen) == (frozenset(), 0, {}, {})
    assert await store.call("EXISTS", keys.here(ROOM)) == 0


async def test_each_arrival_has_a_higher_number(here: Presence, there: Presence) -> None:
    numbers = [
        await presence.arrive(ROOM, seat) for seat in (WHITE, BLACK) for presence in (here, there, here)
    ]
    assert numbers == sorted(set(numbers))


async def test_who_arrived_is_online_for_all(here: Presence, there: Presence) -> None:
    await here.arrive(ROOM, WHITE)
    answer = await ask(there)
    assert answer.online == {WHITE}
    assert 0 <= answer.time - answer.last_seen[WHITE] < 60_000


async def test_an_arrival_is_told_to_every_node(store: Store, there: Presence) -> None:
    async with listening(store) as (feed, ear):
        await feed.join(ROOM)
        number = await there.arrive(ROOM, BLACK)
        _, room, kind, payload = await ear.next()
        assert (room, kind) == (ROOM, published.ARRIVED)
        assert isinstance(payload, bytes)
        assert read_arrival(payload) == Arrival(BLACK, number, "node-2")


async def test_the_newest_connection_has_the_seat(here: Presence, there: Presence) -> None:
    old = await here.arrive(ROOM, WHITE)
    new = await there.arrive(ROOM, WHITE)
    [answer] = await here.renew([Held(ROOM, {WHITE: old})])
    assert answer.superseded == {WHITE: new}
    [answer] = await there.renew([Held(ROOM, {WHITE: new})])
    assert answer.superseded == {}
    assert answer.online == {WHITE}


async def test_arriving_at_the_same_moment_leaves_one(here: Presence, there: Presence) -> None:
    for _ in range(20):
        mine, theirs = await asyncio.gather(here.arrive(ROOM, WHITE), there.arrive(ROOM, WHITE))
        [at_mine] = await here.renew([Held(ROOM, {WHITE: mine})])
        [at_theirs] = await there.renew([Held(ROOM, {WHITE: theirs})])
        assert [bool(at_mine.superseded), bool(at_theirs.superseded)] == [mine < theirs, theirs < mine]


async def test_one_who_departs_is_offline_at_once_and_remembered(here: Presence, there: Presence) -> None:
    number = await here.arrive(ROOM, WHITE)
    assert await here.depart(ROOM, WHITE, number)
    answer = await ask(there)
    assert answer.online == frozenset()
    assert 0 <= answer.time - answer.last_seen[WHITE] < 60_000


async def test_one_who_was_superseded_cannot_depart_for_the_newer(here: Presence, there: Presence) -> None:
    old = await here.arrive(ROOM, WHITE)
    await there.arrive(ROOM, WHITE)
    assert not await here.depart(ROOM, WHITE, old)
    assert (await ask(here)).online == {WHITE}


async def test_a_superseded_connection_does_not_come_back_when_the_newer_departs(
    here: Presence, there: Presence
) -> None:
    old = await here.arrive(ROOM, WHITE)
    new = await there.arrive(ROOM, WHITE)
    await there.depart(ROOM, WHITE, new)
    [answer] = await here.renew([Held(ROOM, {WHITE: old})])
    assert answer.superseded == {WHITE: new}
    assert answer.online == frozenset()


async def test_one_who_is_not_renewed_drops_out_and_is_remembered(
    here: Presence, there: Presence, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = await here.arrive(ROOM, WHITE)
    await there.arrive(ROOM, BLACK)
    await there.renew([Held(ROOM, {}, watching=3)])
    monkeypatch.setattr(presence_module, "COUNTS", Millis(0))
    [answer] = await here.renew([Held(ROOM, {WHITE: number})])
    assert answer.online == frozenset()  # nor is whose renewal was this very millisecond
    assert answer.watching == 0
    assert answer.last_seen.keys() == {WHITE, BLACK}


async def test_renewing_is_being_seen(store: Store, here: Presence) -> None:
    number = await here.arrive(ROOM, WHITE)
    await store.call("HSET", keys.here(ROOM), "s:0", f"{number} 1000 node-1")
    before = await ask(here)
    assert (before.online, before.last_seen) == (frozenset(), {WHITE: 1000})
    [after] = await here.renew([Held(ROOM, {WHITE: number})])
    assert after.online == {WHITE}
    assert after.last_seen == {WHITE: after.time}


async def test_watchers_of_all_nodes_are_counted_together(here: Presence, there: Presence) -> None:
    [first] = await here.renew([Held(ROOM, {}, watching=3)])
    [second] = await there.renew([Held(ROOM, {}, watching=4)])
    [third] = await here.renew([Held(ROOM, {}, watching=1)])
    [fourth] = await here.renew([Held(ROOM, {}, watching=0)])
    assert [first.watching, second.watching, third.watching, fourth.watching] == [3, 7, 5, 4]


async def test_a_dead_nodes_watchers_are_taken_out(store: Store, here: Presence) -> None:
    await store.call("HSET", keys.here(ROOM), "w:dead", "500 1000")
    assert (await ask(here)).watching == 0
    assert await store.call("HEXISTS", keys.here(ROOM), "w:dead") == 0


async def test_what_the_store_lost_is_put_back_and_the_count_goes_on(store: Store, here: Presence) -> None:
    number = [await here.arrive(ROOM, WHITE) for _ in range(5)][-1]
    await store.call("DEL", keys.here(ROOM))
    [answer] = await here.renew([Held(ROOM, {WHITE: number}, watching=2)])
    assert (answer.online, answer.watching, answer.superseded) == (frozenset({WHITE}), 2, {})
    assert await here.arrive(ROOM, WHITE) > number


async def test_it_lives_as_long_as_the_log(store: Store, here: Presence) -> None:
    await store.call("RPUSH", keys.log(ROOM), "entry")
    await store.call("EXPIRE", keys.log(ROOM), 500)
    number = await here.arrive(ROOM, WHITE)
    assert 400_000 < await store.call("PTTL", keys.here(ROOM)) <= 500_000
    await store.call("DEL", keys.here(ROOM))
    await here.renew([Held(ROOM, {WHITE: number})])
    assert 400_000 < await store.call("PTTL", keys.here(ROOM)) <= 500_000


async def test_without_a_log_it_does_not_stay(store: Store, here: Presence) -> None:
    await here.arrive(ROOM, WHITE)
    assert 0 < await store.call("PTTL", keys.here(ROOM)) <= 60_000


async def test_many_rooms_at_once(here: Presence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_module, "PIPELINE", 2)
    number = await here.arrive(OTHER_ROOM, BLACK)
    answers = await here.renew(
        [Held(ROOM, {}), Held(ROOM, {}, watching=1), Held(OTHER_ROOM, {BLACK: number})]
    )
    assert [(answer.online, answer.watching) for answer in answers] == [
        (frozenset(), 0),
        (frozenset(), 1),
        ({BLACK}, 0),
    ]
    assert await here.renew([]) == []


async def test_where_memory_is_full_players_come_and_go_and_nodes_live_on(own_server: Server) -> None:
    with closing(Store(Address(own_server.url))) as store:
        await store.call("CONFIG", "SET", "maxmemory", "1")
        with pytest.raises(ErrorReply, match="OOM"):
            await store.call("SET", "something", "more")
        presence = Presence(store, "node-1")
        number = await presence.arrive(ROOM, WHITE)
        assert (await presence.renew([Held(ROOM, {WHITE: number, BLACK: 1}, 3)]))[0].online == {WHITE, BLACK}
        assert await presence.depart(ROOM, WHITE, number)
        assert (await ask(presence)).online == {BLACK}
        assert (await beat(store)).time <= (await beat(store)).time
