"""Quick match over two nodes on one store: who is paired, who comes, and what becomes of who came in vain."""

import asyncio

import pytest
from msgspec.structs import replace
from tests.gateway.conftest import Late
from tests.gateway.meeting import Meet
from tests.gateway.nodes import Running, running
from tests.gateway.peer import Heard, Peer, peer, welcome
from tests.gateway.sockets import PATIENCE_S
from tests.store.fleet import until_so
from tests.store.test_queue import order, pairing_of, silence
from tests.store.waiting import until

from tenmatch.game.events import EndReason
from tenmatch.game.ids import Millis, PlayerId, RoomId
from tenmatch.game.options import Mode
from tenmatch.game.pairing import WIDENS, WINDOW
from tenmatch.gateway import matchmaking, meetings
from tenmatch.store import keys, queue
from tenmatch.store.queue import Queue, Sought, Wanted

RACE = Queue(Mode.RACE, False)
ROOM = RoomId("abcdefghjk")


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let games begin soon after both have come; how long that takes otherwise, the first test sees."""
    options_of = meetings.options_of
    monkeypatch.setattr(meetings, "options_of", lambda at: replace(options_of(at), countdown_ms=100))


def player(of: Peer) -> PlayerId:
    return PlayerId(welcome(of)["player"]["id"])


async def seek(*peers: Peer, mode: str = "race", **fields: object) -> None:
    for one in peers:
        answer = await one.ask("queue", mode=mode, on=True, **fields)
        assert answer["t"] == "ok", answer


async def paired(*peers: Peer) -> str:
    """Return the room to which these are called, all to the same."""
    calls = [await one.next("paired") for one in peers]
    assert len({(call["room"], call["code"]) for call in calls}) == 1
    return str(calls[0]["room"])


async def come(room: str, *peers: Peer) -> None:
    for one in peers:
        answer = await one.ask("join", room=room)
        assert answer["t"] == "snapshot", answer
        assert answer["state"]["seats"][answer["seat"]]["ready"]


async def event(of: Peer, kind: str) -> Heard:
    return await of.find(lambda message: message.get("kind") == kind)


async def begins(room: str, *peers: Peer) -> None:
    """Return when these know that their game has begun; who came last may be shown no other state."""
    for one in peers:
        await one.find(
            lambda message: (
                message.get("room") == room
                and (message.get("kind") == "started" or message.get("state", {}).get("phase") == "playing")
            )
        )


async def is_empty(node: Running) -> bool:
    """Tell whether nobody seeks, and nobody is paired."""
    return not await node.store.call("EXISTS", keys.SEEKERS, keys.PAIRINGS, keys.PAIRINGS_DUE)


async def waits(node: Running, one: Peer) -> bool:
    """Tell whether this one waits, and nobody else."""
    return await order(node.store) == [player(one)]


async def emptied(node: Running) -> None:
    await until_so(lambda: is_empty(node), True)


async def test_two_who_seek_the_same_play_each_other(node: Running, meet: Meet) -> None:
    ann, ben = await meet(), await meet()
    await seek(ann, ben)
    room = await paired(ann, ben)
    await come(room, ben, ann)
    created = node.node.tables.loaded[RoomId(room)].entries[0].event
    assert (await ann.ask("join", room=room))["state"]["join_by"] == created.at + 10_000
    for one in (ann, ben):
        await event(one, "started")
    starting, started = node.node.tables.loaded[RoomId(room)].entries[-2:]
    assert started.event.at == starting.event.at + 3_000
    await emptied(node)
    assert [message["t"] for message in await ann.quiet()][:3] == ["welcome", "ok", "paired"]


@pytest.mark.usefixtures("at_once")
async def test_on_whatever_nodes_they_are(node: Running, other: Running, meet: Meet) -> None:
    ann, ben = await meet(), await meet(other)
    await seek(ann, ben)
    room = await paired(ann, ben)
    await come(room, ann, ben)
    await begins(room, ann, ben)
    await emptied(node)


@pytest.mark.usefixtures("at_once")
async def test_many_at_once_over_two_nodes_are_paired_each_once(
    node: Running, other: Running, meet: Meet
) -> None:
    peers = [await meet(at) for at in (node, other) * 10]
    for one in peers:
        await one.send({"t": "queue", "mode": "turns", "on": True})
    calls = [(await one.next("paired"))["room"] for one in peers]
    assert sorted(map(calls.count, calls)) == [2] * 20
    for room, one in zip(calls, peers, strict=True):
        await come(room, one)
    await emptied(node)
    assert not [one for one in peers if [m["t"] for m in one.heard].count("paired") != 1]


async def test_other_modes_are_other_queues(meet: Meet) -> None:
    ann, ben, eve = await meet(), await meet(), await meet()
    await seek(ann, eve)
    await seek(ben, mode="turns")
    await paired(ann, eve)
    assert "paired" not in [message["t"] for message in await ben.quiet()]


async def test_whoever_changes_the_mode_waits_for_that(node: Running, meet: Meet) -> None:
    ann, ben = await meet(), await meet()
    await seek(ann)
    await seek(ann, mode="turns")
    assert await order(node.store) == []
    await seek(ben, mode="turns")
    await paired(ann, ben)


async def test_who_wants_it_no_longer_is_not_paired(node: Running, meet: Meet) -> None:
    ann, ben = await meet(), await meet()
    await seek(ann)
    assert (await ann.ask("queue", mode="race", on=False))["t"] == "ok"
    assert await is_empty(node)
    await seek(ben)
    assert await waits(node, ben)
    assert (await ann.ask("queue", mode="race", on=False))["t"] == "ok"


async def test_a_connection_that_is_gone_waits_no_longer(node: Running, meet: Meet) -> None:
    ann = await meet()
    await seek(ann)
    await ann.end()
    await emptied(node)


async def test_the_latest_connection_of_a_player_is_told(node: Running, other: Running, meet: Meet) -> None:
    older, ben = await meet(), await meet()
    token = welcome(older)["token"]
    same, elsewhere = await meet(token=token), await meet(other, token=token)
    await seek(older, same)
    assert await older.next("queued") == {"t": "queued", "mode": "race", "rated": False, "on": False}
    await seek(elsewhere)
    assert (await same.next("queued"))["on"] is False
    await older.end()
    await seek(ben)
    await paired(elsewhere, ben)


async def test_who_wants_it_no_longer_may_say_so_anywhere(node: Running, other: Running, meet: Meet) -> None:
    older = await meet()
    newer = await meet(other, token=welcome(older)["token"])
    await seek(older)
    assert (await newer.ask("queue", mode="race", on=False))["t"] == "ok"
    assert (await older.next("queued"))["on"] is False
    assert await is_empty(node)


@pytest.mark.usefixtures("at_once")
async def test_who_comes_back_in_time_is_called_again(node: Running, other: Running, meet: Meet) -> None:
    ann, ben = await meet(), await meet()
    await seek(ann, ben)
    room = await paired(ann, ben)
    await ann.end()
    again = await meet(other, token=welcome(ann)["token"])
    await seek(again, mode="turns")  # what was sought then is what there is
    assert (await again.next("paired"))["room"] == room
    await come(room, again, ben)
    await begins(room, again)


@pytest.mark.usefixtures("at_once")
async def test_who_comes_in_vain_is_served_first(
    node: Running, other: Running, meet: Meet, late: Late
) -> None:
    ann, ben = await meet(), await meet(other)
    await seek(ann, ben)
    room = await paired(ann, ben)
    await come(room, ann)
    late(node, room)
    assert (await event(ann, "ended"))["reason"] == "abandoned"
    assert await ann.next("queued") == {"t": "queued", "mode": "race", "rated": False, "on": True}
    assert (await ben.next("queued"))["on"] is False
    assert await waits(node, ann)
    earlier = await ghost(node, "far", since=Millis(1))
    assert await order(node.store) == [player(ann), earlier]
    eve, fay = await meet(other), await meet()
    await seek(eve)
    came = int((await node.store.call("TIME"))[1]) // 1000
    async with asyncio.timeout(PATIENCE_S):  # who comes in the same millisecond comes at the same time
        while int((await node.store.call("TIME"))[1]) // 1000 == came:
            pass
    await seek(fay)
    again = await paired(ann, eve)
    assert again != room
    await come(again, ann, eve)
    await begins(again, ann)


async def test_nobody_comes(node: Running, meet: Meet, late: Late) -> None:
    ann, ben = await meet(), await meet()
    await seek(ann, ben)
    room = await paired(ann, ben)
    late(node, room)
    for one in (ann, ben):
        assert (await one.next("queued"))["on"] is False
    await emptied(node)
    assert (await ann.ask("join", room=room))["state"]["phase"] == "over"
    await seek(ann, ben)
    assert await paired(ann, ben) != room


async def test_who_came_and_is_gone_is_not_put_back(node: Running, meet: Meet, late: Late) -> None:
    ann, ben = await meet(), await meet()
    await seek(ann, ben)
    room = await paired(ann, ben)
    await come(room, ann)
    await ann.end()
    await until(lambda: len(node.node.desk.sessions) == 1)  # none that would speak for her again
    await silence(node.store, player(ann))
    late(node, room)
    await ben.next("queued")
    await emptied(node)


@pytest.mark.parametrize("how", ["queue", "leave", "queue elsewhere"])
@pytest.mark.parametrize("came", [True, False], ids=["after coming", "before"])
async def test_who_does_not_want_that_match_says_so_and_the_other_waits_on(
    node: Running, other: Running, meet: Meet, how: str, came: bool
) -> None:
    ann, ben = await meet(), await meet(other)
    await seek(ann, ben)
    room = await paired(ann, ben)
    await come(room, *((ben, ann) if came or how == "leave" else (ben,)))
    match how:
        case "queue":
            assert (await ann.ask("queue", mode="race", on=False))["t"] == "ok"
        case "leave":
            assert (await ann.ask("leave", room=room))["t"] == "ok"
        case _:
            newer = await meet(other, token=welcome(ann)["token"])
            assert (await newer.ask("queue", mode="race", on=False))["t"] == "ok"
    assert (await event(ben, "unseated"))["reason"] == "left"
    assert (await ben.next("queued"))["on"] is True
    assert await waits(node, ben)


@pytest.mark.usefixtures("at_once")
async def test_who_is_alone_for_long_is_offered_the_computer(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matchmaking, "OFFER_MS", 200)
    ann = await meet()
    await seek(ann)
    offer = await ann.next("queued")
    assert offer == {"t": "queued", "mode": "race", "rated": False, "on": True, "bot": "medium"}
    assert await waits(node, ann)
    await seek(ann, bot=True)
    room = await paired(ann)
    await come(room, ann)
    seats = (await ann.ask("join", room=room))["state"]["seats"]
    assert [seat["player"].get("bot") for seat in seats] == [None, "medium"]
    await begins(room, ann)
    await emptied(node)


async def test_those_who_play_for_a_rating_meet_each_other_and_no_computer(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matchmaking, "OFFER_MS", 0)
    ann, ben, eve = await meet(), await meet(), await meet()
    await seek(eve)
    await seek(ann, rated=True)
    await eve.next("queued")
    assert "queued" not in [message["t"] for message in await ann.quiet()]
    await seek(ben, rated=True)
    room = await paired(ann, ben)
    await come(room, ann, ben)
    state = node.node.tables.loaded[RoomId(room)].state
    assert state.options.rated
    assert [seat.player.rating for _, seat in state.taken()] == [1000, 1000]
    assert await waits(node, eve)


async def test_an_offer_may_still_be_taken_when_somebody_has_come(meet: Meet) -> None:
    ann, ben = await meet(), await meet()
    await seek(ann, ben)
    room = await paired(ann, ben)
    await seek(ann, bot=True)
    assert await paired(ann) == room
    await come(room, ann, ben)


@pytest.mark.usefixtures("at_once")
async def test_who_plays_a_match_seeks_no_other(node: Running, meet: Meet) -> None:
    ann, ben = await meet(), await meet()
    await seek(ann, ben)
    room = await paired(ann, ben)
    await come(room, ann, ben)
    await begins(room, ann, ben)
    denied = await ann.ask("queue", mode="turns", on=True)
    assert (denied["t"], denied["code"]) == ("error", "not_allowed")
    await ann.send({"t": "resign", "room": room, "n": 1})
    await event(ben, "ended")
    await seek(ann, ben)
    assert await paired(ann, ben) != room


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"mode": "chess"}, "mode"),
        ({"mode": "race", "rated": True, "bot": True}, "bot"),
    ],
)
async def test_what_there_is_no_queue_for(meet: Meet, fields: Heard, field: str) -> None:
    denied = await (await meet()).ask("queue", on=True, **fields)
    assert (denied["code"], denied["field"]) == ("bad_options", field)


async def test_the_room_is_nobody_elses(node: Running, other: Running, meet: Meet) -> None:
    ann, ben, eve = await meet(), await meet(), await meet(other)
    listed = await eve.ask("lobby", on=True)
    await seek(ann, ben)
    room = await paired(ann, ben)
    assert (await eve.ask("join", room=room))["code"] == "room_full"
    assert (await ann.ask("start", room=room))["code"] == "no_such_room"
    await come(room, ann)
    assert (await ann.ask("start", room=room))["code"] == "not_allowed"
    assert (await ann.ask("kick", room=room, seat=1))["code"] == "not_allowed"
    assert listed["rooms"] == []
    await come(room, ben)
    line = await eve.find(lambda message: message["t"] == "rooms" and bool(message.get("changed")))
    assert line["changed"][0]["phase"] in ("starting", "playing")


# What other nodes leave behind


async def ghost(node: Running, name: str, rating: int = 9000, since: Millis | None = None) -> PlayerId:
    """Let a player seek on a node that is gone; by itself none here pairs them with anyone."""
    found = PlayerId(f"{name}000000000")
    await queue.seek(node.store, Sought(found, "Ghost", rating, RACE, "gone", since))
    return found


async def test_a_pairing_whose_node_died_is_seen_to_by_that_of_the_other(
    node: Running, meet: Meet, late: Late
) -> None:
    ann = await meet()
    await seek(ann)
    wanted = Wanted(ROOM, RACE, (player(ann), await ghost(node, "one")))
    assert await queue.pair(node.store, [wanted]) == [True]
    assert await paired(ann) == ROOM
    await come(ROOM, ann)
    late(node, ROOM)
    assert (await ann.next("queued"))["on"] is True
    assert await waits(node, ann)


async def test_or_by_any_node(node: Running, late: Late) -> None:
    wanted = Wanted(ROOM, RACE, (await ghost(node, "one", 0), await ghost(node, "two")))
    assert await queue.pair(node.store, [wanted]) == [True]

    async def seen_to() -> bool:
        await node.store.call("ZADD", keys.PAIRINGS_DUE, "XX", 1, ROOM)  # it is long ago
        if ROOM in node.node.tables.loaded:
            late(node, ROOM)
        return await is_empty(node)

    await until_so(seen_to, True)
    [table] = node.node.tables.loaded.values()
    assert (table.room, table.state.reason) == (ROOM, EndReason.ABANDONED)


async def test_whom_the_store_lost_is_put_back(node: Running, meet: Meet) -> None:
    ann = await meet()
    await seek(ann)
    since = (await queue.waiting(node.store, [RACE], 9))[0][0].since
    await node.store.call("DEL", keys.SEEKERS, keys.waiting(RACE.name))
    await until_so(lambda: waits(node, ann), True)
    [[found]] = await queue.waiting(node.store, [RACE], 9)
    assert found.since == since
    assert "queued" not in [message["t"] for message in await ann.quiet()]


@pytest.mark.usefixtures("at_once")
async def test_a_pairing_that_the_store_lost_is_played_all_the_same(node: Running, meet: Meet) -> None:
    ann, ben, eve = await meet(), await meet(), await meet()
    await seek(ann, ben)
    room = await paired(ann, ben)
    await come(room, ann)
    await node.store.call("DEL", keys.SEEKERS, keys.PAIRINGS, keys.PAIRINGS_DUE)
    await seek(eve)
    await come(room, ben)
    await begins(room, ann)
    assert await waits(node, eve)


async def test_and_who_came_to_it_in_vain_waits_again(node: Running, meet: Meet, late: Late) -> None:
    ann, ben = await meet(), await meet()
    await seek(ann, ben)
    room = await paired(ann, ben)
    await come(room, ann)
    await node.store.call("DEL", keys.SEEKERS, keys.PAIRINGS, keys.PAIRINGS_DUE)
    late(node, room)
    assert (await ann.next("queued"))["on"] is True
    assert (await ben.next("queued"))["on"] is False
    assert await waits(node, ann)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("came_first", [True, False])
async def test_who_has_a_match_is_in_no_other_though_the_store_lost_it(
    node: Running, other: Running, meet: Meet, came_first: bool
) -> None:
    ann, ben, eve = await meet(), await meet(other), await meet()
    await seek(ann, ben)
    room = await paired(ann, ben)
    if came_first:
        await come(room, ann)
    lost = await pairing_of(node.store, RoomId(room))
    await queue.unpair(node.store, lost, [player(ann), player(ben)])  # as if it had never been made
    await come(room, ben, *([] if came_first else [ann]))
    await begins(room, ann, ben)
    await seek(eve)
    await until_so(lambda: waits(node, eve), True)
    for one in (ann, ben):
        told = [message["t"] for message in await one.quiet()]
        assert (told.count("paired"), told.count("queued")) == (1, 0)


async def test_the_nearest_are_paired_and_who_is_far_waits_until_windows_are_wide(
    node: Running, meet: Meet
) -> None:
    far, near = await ghost(node, "far", 1200), await ghost(node, "nea", 1050)
    ann, ben = await meet(), await meet()
    await seek(ann)
    found = await pairing_of(node.store, RoomId(await paired(ann)))
    assert {one.player for one in found.players} == {player(ann), near}
    assert await order(node.store) == [far]
    await queue.unseek(node.store, far, RACE, "gone")
    long_ago = Millis(node.store.clock.now() - 60_000)
    await ghost(node, "far", 1200, long_ago)
    await seek(ben)

    async def are_paired() -> bool:
        await queue.seeking(node.store, [Sought(far, "Ghost", 1200, RACE, "gone")])  # lest they vanish
        return any(message["t"] == "paired" for message in ben.heard)

    await until_so(are_paired, True)
    made = await pairing_of(node.store, RoomId(await paired(ben)))
    assert {one.player for one in made.players} == {player(ben), far}
    waited = made.made_at - (await queue.seek(node.store, Sought(player(ben), "", 0, RACE, ""))).since
    assert waited >= 1000 * (200 - WINDOW) / WIDENS - 50  # by how much the node may take the time for later


async def test_a_room_that_no_node_can_read_is_given_up(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meetings, "GIVEN_UP_MS", -1)
    ann = await meet()
    await seek(ann)
    await node.store.call("RPUSH", keys.log(ROOM), b"not an entry")
    wanted = Wanted(ROOM, RACE, (player(ann), await ghost(node, "one")))
    assert await queue.pair(node.store, [wanted]) == [True]
    await until_so(lambda: waits(node, ann), True)
    assert not {"paired", "queued"} & {message["t"] for message in await ann.quiet()}


async def test_a_node_that_ends_leaves_its_players_to_others(node: Running, url: str, meet: Meet) -> None:
    ann = await meet()
    async with running(url) as ending, peer(ending.port) as ben:
        await seek(ben)
        token = welcome(ben)["token"]
    back = await meet(token=token)
    await seek(back, ann)
    await come(await paired(back, ann), back, ann)
