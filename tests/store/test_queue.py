"""The queue: one entry a player, pairings made of those who wait, and what comes of them."""

import asyncio
from contextlib import closing

import msgspec
import pytest
from tests.servers import Server
from tests.store.listening import listening

from tenmatch.game.events import Level
from tenmatch.game.ids import Millis, PlayerId, RoomId
from tenmatch.game.options import Mode
from tenmatch.store import keys, published, queue
from tenmatch.store.connect import Address, ErrorReply, Store
from tenmatch.store.queue import Pairing, Partner, Queue, Sought, Standing, State, Wanted

RACE, TURNS = Queue(Mode.RACE, False), Queue(Mode.TURNS, False)
RATED = Queue(Mode.RACE, True)
ANN, BEN, EVE = (PlayerId(f"{name}000000000") for name in ("ann", "ben", "eve"))
ROOM, OTHER = RoomId("abcdefghjk"), RoomId("mnpqrstuvw")


@pytest.fixture(autouse=True)
def _long(monkeypatch: pytest.MonkeyPatch) -> None:
    be_long(monkeypatch)


def be_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all that lasts for a while last for so long that nothing ends while the machine stands still."""
    monkeypatch.setattr(queue, "COUNTS", Millis(600_000))
    monkeypatch.setattr(queue, "FINISHED", Millis(600_000))
    monkeypatch.setattr(queue, "LOOKED_AFTER", Millis(600_000))


def sought(player: PlayerId, at: Queue = RACE, node: str = "node-1") -> Sought:
    """Return what a player seeks."""
    return Sought(player, f"{player[:3].title()} é", 1500, at, node)


async def seek(store: Store, *players: PlayerId, at: Queue = RACE) -> None:
    """Let players come one after the other, each in a millisecond of their own."""
    for player in players:
        standing = await queue.seek(store, sought(player, at))
        assert standing.state is State.WAITING
        while await milliseconds(store) == standing.since:
            pass


async def milliseconds(store: Store) -> int:
    seconds, micros = await store.call("TIME")
    return int(seconds) * 1000 + int(micros) // 1000


async def made(store: Store, room: RoomId, *players: PlayerId, level: Level | None = None) -> bool:
    [made] = await queue.pair(store, [Wanted(room, RACE, players, level)])
    return made


async def pairing_of(store: Store, room: RoomId = ROOM) -> Pairing:
    """Return the pairing in a room."""
    pairing = await queue.pairing_in(store, room)
    assert pairing is not None
    return pairing


async def order(store: Store, at: Queue = RACE) -> list[PlayerId]:
    """Return who waits, in the order in which they are served."""
    [waiting] = await queue.waiting(store, [at], 100)
    return [one.player for one in waiting]


async def standing(store: Store, *players: PlayerId) -> list[Standing]:
    return await queue.seeking(store, map(sought, players))


async def silence(store: Store, *players: PlayerId) -> None:
    """Let so much time pass since these were last spoken for that they do not count any more."""
    for player in players:
        entry = msgspec.msgpack.decode(await store.call("HGET", keys.SEEKERS, player))
        entry[4] -= queue.COUNTS + 1
        await store.call("HSET", keys.SEEKERS, player, msgspec.msgpack.encode(entry))


async def test_who_came_first_is_served_first(store: Store) -> None:
    await seek(store, BEN, ANN, EVE)
    [[ben, ann, eve]] = await queue.waiting(store, [RACE], 100)
    assert (ben.player, ann.player, eve.player) == (BEN, ANN, EVE)
    assert ben.since <= ann.since <= eve.since
    assert ben.rating == 1500
    assert [one.player for one in (await queue.waiting(store, [RACE], 2))[0]] == [BEN, ANN]


async def test_every_mode_has_a_queue_and_so_has_who_plays_for_a_rating(store: Store) -> None:
    await seek(store, ANN)
    await seek(store, BEN, at=TURNS)
    await seek(store, EVE, at=RATED)
    assert [await order(store, at) for at in (RACE, TURNS, RATED)] == [[ANN], [BEN], [EVE]]
    assert [len(one) for one in await queue.waiting(store, list(queue.QUEUES.values()), 9)].count(1) == 3


async def test_a_player_waits_in_one_queue(store: Store) -> None:
    await seek(store, ANN)
    await seek(store, ANN, at=TURNS)
    assert (await order(store), await order(store, TURNS)) == ([], [ANN])
    await seek(store, ANN)
    assert (await order(store), await order(store, TURNS)) == ([ANN], [])


async def test_asking_again_changes_nothing_but_where(store: Store) -> None:
    first = await queue.seek(store, sought(ANN))
    await seek(store, BEN)
    again = await queue.seek(store, sought(ANN, node="node-2"))
    assert again == first
    assert await order(store) == [ANN, BEN]
    assert await queue.seeking(store, [sought(ANN), sought(ANN, node="node-2")]) == [
        Standing(State.TAKEN),
        first,
    ]


async def test_who_is_not_known_is_told_so(store: Store) -> None:
    assert await standing(store, ANN) == [Standing(State.GONE)]
    assert await queue.unseek(store, ANN, RACE) is None


async def test_who_wants_it_no_longer_is_gone(store: Store) -> None:
    await seek(store, ANN, BEN)
    assert await queue.unseek(store, ANN, RACE) is None
    assert await order(store) == [BEN]
    assert [one.state for one in await standing(store, ANN, BEN)] == [State.TAKEN, State.WAITING]


async def test_and_nobody_puts_them_back(store: Store) -> None:
    await seek(store, ANN, BEN)
    await made(store, ROOM, BEN)
    for player in (ANN, BEN):
        await queue.unseek(store, player, RACE)
    await queue.unpair(store, await pairing_of(store))
    assert [one.state for one in await standing(store, ANN, BEN)] == [State.TAKEN] * 2
    assert 0 < await store.call("PTTL", keys.unsought(ANN)) <= queue.COUNTS
    await seek(store, ANN)
    assert [one.state for one in await standing(store, ANN)] == [State.WAITING]


async def test_a_connection_that_ends_takes_only_its_own_entry_with_it(store: Store) -> None:
    await seek(store, ANN)
    assert await queue.unseek(store, ANN, RACE, "node-2") is None
    assert await order(store) == [ANN]
    await queue.unseek(store, ANN, RACE, "node-1")
    assert await order(store) == []


async def test_whom_nobody_speaks_for_vanishes(store: Store) -> None:
    await seek(store, ANN, BEN)
    await silence(store, ANN)
    assert await order(store) == [BEN]
    assert await store.call("HKEYS", keys.SEEKERS) == [BEN.encode()]


async def test_whom_somebody_speaks_for_does_not(store: Store) -> None:
    await seek(store, ANN)
    await silence(store, ANN)
    assert [one.state for one in await standing(store, ANN)] == [State.WAITING]
    assert await order(store) == [ANN]


async def test_what_the_store_lost_is_put_back_where_it_was(store: Store) -> None:
    await seek(store, BEN)
    since = Millis((await standing(store, BEN))[0].since - 5000)
    again = await queue.seek(store, sought(ANN)._replace(since=since))
    assert again == Standing(State.WAITING, None, since)
    assert await order(store) == [ANN, BEN]
    assert await queue.seek(store, sought(EVE)._replace(ahead=True))
    assert await order(store) == [EVE, ANN, BEN]


async def test_a_pairing_takes_its_players_out_of_the_queue(store: Store) -> None:
    await seek(store, ANN, BEN, EVE)
    assert await made(store, ROOM, EVE, ANN)
    assert await order(store) == [BEN]
    pairing = await pairing_of(store)
    assert (pairing.room, queue.QUEUES[pairing.queue], pairing.level) == (ROOM, RACE, "")
    assert pairing.players == (Partner(EVE, "Eve é", 1500), Partner(ANN, "Ann é", 1500))
    ann, ben = await standing(store, ANN, BEN)
    assert (ann.state, ann.room, ben.state) == (State.PAIRED, ROOM, State.WAITING)
    assert 0 <= pairing.made_at - ann.since < 60_000


async def test_a_pairing_is_made_of_all_its_players_or_of_none(store: Store) -> None:
    await seek(store, ANN, BEN)
    await seek(store, EVE, at=TURNS)
    assert not await made(store, ROOM, ANN, EVE)
    assert not await made(store, ROOM, ANN, PlayerId("nobody000000"))
    await silence(store, BEN)
    assert not await made(store, ROOM, ANN, BEN)
    assert await order(store) == [ANN]
    assert await queue.pairing_in(store, ROOM) is None


async def test_nobody_is_in_two_pairings(store: Store) -> None:
    await seek(store, ANN, BEN, EVE)
    assert await made(store, ROOM, ANN, BEN)
    assert not await made(store, OTHER, BEN, EVE)
    assert (await queue.seek(store, sought(BEN))).room == ROOM
    assert (await queue.seek(store, sought(BEN, TURNS))).room == ROOM
    assert not await made(store, OTHER, BEN, EVE)
    assert (await order(store), await order(store, TURNS)) == ([EVE], [])
    assert await queue.unseek(store, BEN, RACE) == ROOM


async def test_the_same_pairing_is_made_once(store: Store) -> None:
    await seek(store, ANN, BEN)
    assert await made(store, ROOM, ANN, BEN)
    first = await pairing_of(store)
    assert await made(store, ROOM, ANN, BEN)  # asked again, as after an unknown outcome
    assert await pairing_of(store) == first


async def test_one_alone_plays_the_computer(store: Store) -> None:
    await seek(store, ANN)
    assert await made(store, ROOM, ANN, level=Level.HARD)
    pairing = await pairing_of(store)
    assert (pairing.level, [one.player for one in pairing.players]) == ("hard", [ANN])


async def test_when_it_is_played_nobody_seeks_any_more(store: Store) -> None:
    await seek(store, ANN, BEN)
    await made(store, ROOM, ANN, BEN)
    pairing = await pairing_of(store)
    assert await queue.unpair(store, pairing)
    assert not await queue.unpair(store, pairing, [ANN])
    assert [one.state for one in await standing(store, ANN, BEN)] == [State.GONE] * 2
    assert await store.call("EXISTS", keys.SEEKERS, keys.PAIRINGS, keys.PAIRINGS_DUE) == 0


async def test_who_came_in_vain_waits_at_the_head(store: Store) -> None:
    await seek(store, EVE, ANN, BEN)
    await made(store, ROOM, ANN, BEN)
    since = (await standing(store, BEN))[0].since
    assert await queue.unpair(store, await pairing_of(store), [BEN])
    assert await order(store) == [BEN, EVE]
    ann, ben = await standing(store, ANN, BEN)
    assert (ann.state, ben) == (State.GONE, Standing(State.WAITING, None, since))
    assert (await queue.seek(store, sought(BEN))).state is State.WAITING
    assert await order(store) == [BEN, EVE]
    await seek(store, BEN, at=TURNS)
    await seek(store, BEN)
    assert await order(store) == [EVE, BEN]  # whoever goes elsewhere gives the place up


async def test_of_two_at_the_head_the_one_who_has_waited_longer(store: Store) -> None:
    await seek(store, ANN, BEN, EVE)
    await made(store, ROOM, ANN)
    await made(store, OTHER, EVE)
    await queue.unpair(store, await pairing_of(store, OTHER), [EVE])
    await queue.unpair(store, await pairing_of(store), [ANN])
    assert await order(store) == [ANN, EVE, BEN]


async def test_who_came_and_is_gone_does_not_wait_again(store: Store) -> None:
    await seek(store, ANN, BEN)
    await made(store, ROOM, ANN, BEN)
    await silence(store, ANN)
    await queue.unpair(store, await pairing_of(store), [ANN, BEN])
    assert await order(store) == [BEN]
    assert [one.state for one in await standing(store, ANN)] == [State.GONE]


async def test_a_pairing_that_nobody_sees_to_is_taken_on_by_one(store: Store) -> None:
    await seek(store, ANN, BEN)
    await made(store, ROOM, ANN, BEN)
    assert await queue.left_behind(store, 10) == []
    await store.call("ZADD", keys.PAIRINGS_DUE, 1, ROOM, 2, OTHER)  # of the other nothing is known
    assert await queue.left_behind(store, 10) == [await pairing_of(store)]
    assert await queue.left_behind(store, 10) == []
    assert await store.call("ZSCORE", keys.PAIRINGS_DUE, OTHER) is None
    assert float(await store.call("ZSCORE", keys.PAIRINGS_DUE, ROOM)) > 2


async def test_every_node_hears_of_pairings_and_of_what_came_of_them(store: Store) -> None:
    async with listening(store) as (feed, ear):
        await feed.join(keys.QUEUE)
        await seek(store, ANN, BEN)
        await made(store, ROOM, ANN, BEN)
        await queue.unpair(store, await pairing_of(store), [BEN])
        for _ in range(2):
            kind, room, note, payload = await ear.next()
            assert (kind, room, note) == ("note", keys.QUEUE, published.QUEUED)
            assert isinstance(payload, bytes)
            assert queue.read_note(payload) == [ANN, BEN]


def test_what_is_no_note_is_said_to_be_none() -> None:
    for payload in (b"", b"\x01", msgspec.msgpack.encode({"a": 1})):
        with pytest.raises((ValueError, msgspec.MsgspecError)):
            queue.read_note(payload)


async def test_however_many_nodes_pair_at_once_everyone_is_in_one(
    shared_server: Server, store: Store
) -> None:
    players = [PlayerId(f"player{number:06}") for number in range(40)]
    await seek(store, *players)
    nodes = [Store(Address(shared_server.url)) for _ in range(5)]

    async def pair_all(number: int) -> list[Wanted]:
        """Pair each with the one so many places on, as no other node does."""
        wanted = [
            Wanted(RoomId(f"room{number}{place:05}"), RACE, (one, players[(place + number + 1) % 40]))
            for place, one in enumerate(players)
        ]
        taken = [await queue.pair(nodes[number], [one]) for one in wanted]
        return [one for one, [was_made] in zip(wanted, taken, strict=True) if was_made]

    rooms = [pairing for part in await asyncio.gather(*map(pair_all, range(5))) for pairing in part]
    busy = [player for pairing in rooms for player in pairing.players]
    assert len(busy) == len(set(busy)) > 20
    assert set(await order(store)) == set(players) - set(busy)
    for wanted in rooms:
        assert [one.room for one in await standing(store, *wanted.players)] == [wanted.room] * 2
    for node in nodes:
        node.close()


async def test_where_memory_is_full_nobody_comes_but_who_is_there_may_go_on(own_server: Server) -> None:
    with closing(Store(Address(own_server.url))) as store:
        await seek(store, ANN, BEN, EVE)
        await made(store, ROOM, ANN, BEN)
        await store.call("CONFIG", "SET", "maxmemory", 1)
        for denied in (queue.seek(store, sought(PlayerId("new000000000"))), made(store, OTHER, EVE)):
            with pytest.raises(ErrorReply, match="OOM"):
                await denied
        assert [one.state for one in await standing(store, ANN, EVE)] == [State.PAIRED, State.WAITING]
        await queue.unpair(store, await pairing_of(store), [BEN])
        assert await order(store) == [BEN, EVE]
        await queue.unseek(store, EVE, RACE)
        assert await order(store) == [BEN]
