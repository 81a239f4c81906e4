"""What nodes leave in the store: keys of documented shapes, which expire as documented."""

from tests.store.entries import OTHER_ROOM, ROOM, entry
from tests.store.test_keys import documented

from tenmatch.game.ids import Day, Millis, PlayerId, RoomCode, SeatNumber, TournamentId
from tenmatch.game.options import Mode
from tenmatch.store import (
    boards,
    codes,
    counted,
    daily,
    due,
    keys,
    lobby,
    nodes,
    observed,
    outages,
    players,
    queue,
    ratings,
    records,
    reports,
)
from tenmatch.store.connect import Store
from tenmatch.store.log import APPEND, START, append_call
from tenmatch.store.presence import Held, Presence
from tenmatch.store.secret import shared_secret

PLAYERS = [PlayerId(f"player{number:06}") for number in range(3)]
LASTING = {
    *(
        keys.ALIVE,
        keys.NODES_SAID,
        keys.NODES_AT,
        keys.LOBBY_LINES,
        keys.LOBBY_RANKS,
        keys.LOBBY_WORTH,
        keys.LOBBY_FRESH,
        keys.LOBBY_VERSION,
        keys.SECRET,
    ),
    *(keys.board("race"), keys.board_seen("race"), *keys.TOURNAMENTS_LISTED),
    *(keys.SEEKERS, keys.waiting("race:casual"), keys.PAIRINGS, keys.PAIRINGS_DUE),
}


async def do_everything(store: Store) -> None:
    player, seat = PlayerId("mnpqrstuvwxy"), SeatNumber(0)
    await store.set_clock()
    await due.mark(store, {ROOM: Millis(1)})
    await store.run_all(
        APPEND, [append_call(ROOM, START, [entry(1)], at=None, by_player=True, ttl=60, heard=False)]
    )
    presence = Presence(store, "node-1")
    await presence.renew([Held(ROOM, {seat: await presence.arrive(ROOM, seat)}, watching=3)])
    await store.call("SET", keys.ALIVE, (await outages.beat(store)).time - 10_000)
    await outages.beat(store)
    await lobby.put(store, lobby.Listed(ROOM, b"line", 1, 1000.0))
    await lobby.put(store, lobby.Listed(ROOM, b"line", 1, 1000.0), at=lobby.TOURNAMENTS)
    await codes.claim_code(store, RoomCode("abc234"), ROOM, 60)
    await players.made(store, player, "key", ROOM)
    for of in (counted.rooms_of, counted.tournaments_of):
        await counted.count(store, of(player), ROOM, 3)
    await counted.count(store, counted.entrants_from("192.0.2.1", TournamentId(ROOM)), player, 3)
    for at in (counted.rooms_from, counted.tournaments_from):
        await counted.count(store, at("192.0.2.1"), ROOM, 3)
    await players.seat_in(store, player, ROOM)
    await records.keep(store, {ROOM: b"record"}, 60)
    await observed.keep(store, {ROOM: [b"note"]}, 60)
    await ratings.find(store, player, "race", 3)
    for found, standing, ttl in ((None, b"one", 0), (b"one", b"two", 60)):
        new = {"standing": standing, "games": [b"game"], "replaced": 1}
        await ratings.enter(store, player, "race", found=found, most=3, ttl=ttl, **new)  # type: ignore[arg-type]  # of three types
    await boards.put(store, "race", player, 1000, store.clock.now(), ttl=60)
    await boards.read(store, "race", None, first=0, many=3, player=player)
    whose = {"by": player, "about": PLAYERS[0]}
    await reports.keep(store, b"report", room=ROOM, site="192.0.2.1", most=3, ttl=60, **whose)
    await play_the_daily(store, player)
    await nodes.say(store, "node-1", b"vitals")
    await nodes.hear(store)
    await shared_secret(store)
    await seek_opponents(store)


async def play_the_daily(store: Store, player: PlayerId) -> None:
    day = Day("2026-12-01")
    await daily.seed(store, day, daily.Seed(bytes(32), Millis(1)), 60)
    await daily.seed_of(store, day)
    await daily.attempt(store, day, player, ROOM, 60)
    await daily.enter(store, day, player, worth=3, result=b"result", ttl=60)
    await daily.board(store, day, first=0, many=3, player=player)
    await daily.results(store, day, [player])


async def seek_opponents(store: Store) -> None:
    """Pair two and be done with it, pair them again, and leave another waiting."""
    at = queue.Queue(Mode.RACE, rated=False)
    sought = [queue.Sought(player, "Name", 1500, at, "node-1") for player in PLAYERS]
    for one in sought:
        await queue.seek(store, one)
    await queue.seeking(store, sought)
    [waiting] = await queue.waiting(store, [at], 2)
    pair = (waiting[0].player, waiting[1].player)
    await queue.pair(store, [queue.Wanted(ROOM, at, pair)])
    await store.call("ZADD", keys.PAIRINGS_DUE, 0, ROOM)
    [pairing] = await queue.left_behind(store, 10)
    await queue.unpair(store, pairing, pair)
    await queue.pair(store, [queue.Wanted(OTHER_ROOM, at, pair)])
    await queue.pairing_in(store, OTHER_ROOM)
    await queue.seek(store, queue.Sought(PlayerId("another00000"), "Name", 1500, at, "node-1"))
    await queue.unseek(store, PlayerId("another00000"), at)


async def test_every_key_has_a_documented_shape_and_expiry(store: Store) -> None:
    await do_everything(store)
    found = [key.decode() for key in await store.call("KEYS", "*")]
    shapes = documented()
    matched = {shape for shape in shapes for key in found if shape.match(key)}
    assert all(any(shape.match(key) for shape in shapes) for key in found)
    assert len(matched) == len(shapes) - 2  # the channels are no keys
    lasting = {key for key in found if await store.call("TTL", key) == -1}
    assert lasting == LASTING | {keys.due(keys.due_bucket(ROOM))}
