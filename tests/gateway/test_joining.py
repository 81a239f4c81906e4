"""Making, joining and leaving rooms over real sockets, and one player on several connections."""

import asyncio
from typing import Any

import pytest
from tests.gateway.conftest import Watch
from tests.gateway.meeting import NO_ROOM, Meet, made, match, started
from tests.gateway.nodes import Running, running
from tests.gateway.peer import Heard, peer, welcome
from tests.gateway.sockets import PATIENCE_S
from tests.store.waiting import until

from tenmatch.store import keys

# rooms


async def test_the_same_key_makes_one_room(node: Running, other: Running, meet: Meet) -> None:
    anna = await meet()
    token = welcome(anna)["token"]
    peers = [await meet(at, token=token) for at in (node, other, node, other)]
    snapshots = await asyncio.gather(*(one.ask("create", mode="race", key="once") for one in peers))
    assert {snapshot["t"] for snapshot in snapshots} == {"snapshot"}
    assert len({snapshot["room"] for snapshot in snapshots}) == 1
    assert {snapshot["seat"] for snapshot in snapshots} == {0}


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"mode": "race", "options": {"adds": 99}}, "bad_options", "adds"),
        ({"mode": "race", "options": {"seed": "x"}}, "bad_options", "seed"),
        ({"mode": "race", "options": {"luck": 1}}, "bad_options", "luck"),
        ({"mode": "chess"}, "bad_options", "mode"),
        ({}, "bad_message", "mode"),
    ],
)
async def test_a_room_that_cannot_be_is_not_made(meet: Meet, fields: Heard, code: str, field: str) -> None:
    error = await (await meet()).ask("create", **fields)
    assert (error["t"], error["code"], error["field"]) == ("error", code, field)


async def test_one_player_may_have_so_many_rooms(url: str, watch: Watch) -> None:
    async with running(url, rooms_per_player=2) as node, peer(node.port) as anna, peer(node.port) as bob:
        room = await started(anna, bob)
        await made(anna)
        assert (await anna.ask("create", mode="race"))["code"] == "too_many_rooms"
        await made(bob)
        await anna.send({"t": "resign", "room": room, "n": 1})
        await anna.find(lambda message: message.get("kind") == "ended")
        maker = keys.made_rooms(welcome(anna)["player"]["id"])
        async with asyncio.timeout(PATIENCE_S):
            while await node.store.call("ZSCORE", maker, room) is not None:
                pass
        await made(anna)


async def test_a_code_leads_to_its_room_in_whatever_case(meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await made(anna)
    code = next(message["code"] for message in anna.heard if message["t"] == "snapshot")
    assert (await bob.ask("join", code=code.upper()))["room"] == room


async def test_what_is_no_room_is_said_to_be_none(meet: Meet) -> None:
    anna = await meet()
    for fields in ({"room": NO_ROOM}, {"code": "zzzzzz"}):
        assert (await anna.ask("join", **fields))["code"] == "no_such_room"


async def test_joining_resumes_after_what_one_holds_or_resets(node: Running, meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await started(anna, bob)
    events = [m for m in anna.heard if m["t"] == "event"]
    snapshot = next(m for m in anna.heard if m["t"] == "snapshot")
    known = {m["seq"]: m["chain"] for m in [snapshot, *events]}
    head = max(known)
    for after, answer in ((2, "resumed"), (head, "resumed"), (head - 1, "resumed"), (0, "resumed")):
        got = await anna.ask("join", room=room, after=after, chain=known.get(after, 0))
        assert (got["t"], got["seat"]) == (answer, 0)
        assert [event["seq"] for event in got["events"]] == list(range(after + 1, head + 1))
    for after, chain in ((head + 1, 1), (head, known[head] ^ 1), (0, 1), (2**53, 5)):
        got = await anna.ask("join", room=room, after=after, chain=chain)
        assert (got["t"], got["reset"], got["seq"]) == ("snapshot", True, head)
    for fields in (
        {"after": -1, "chain": 0},
        {"after": "x", "chain": 0},
        {"after": 1},
        {"after": 2**63, "chain": 1},
    ):
        assert (await anna.ask("join", room=room, **fields))["code"] == "bad_message"
    assert (await anna.ask("join", room=room))["t"] == "snapshot"


async def test_a_node_that_is_behind_reads_the_log_before_it_resets(
    node: Running, other: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bob = await meet(), await meet(other)
    room = await made(anna)
    await bob.ask("join", room=room, watch=True)
    there = other.node.tables.loaded[room]  # type: ignore[index]  # plain text is a room's id
    monkeypatch.setattr(there, "hint", lambda *_: None)
    await anna.ask("ready", room=room, ready=True)
    readied = await anna.find(lambda message: message.get("kind") == "readied")
    got = await bob.ask("join", room=room, watch=True, after=readied["seq"], chain=readied["chain"])
    assert (got["t"], got["events"]) == ("resumed", [])


async def test_watching(meet: Meet) -> None:
    anna, bob, carl = await meet(), await meet(), await meet()
    room = await made(anna)
    assert (await carl.ask("join", room=room, watch=True))["seat"] is None
    await bob.ask("join", room=room)
    assert [m["kind"] for m in await carl.quiet() if m["t"] == "event"] == ["seated"]
    assert (await anna.ask("join", room=room, watch=True))["seat"] == 0, "who has a seat does not watch"
    assert (await carl.ask("join", room=room))["code"] == "room_full"
    closed = await made(anna, spectators=False)
    assert (await carl.ask("join", room=closed, watch=True))["code"] == "not_allowed"
    assert (await bob.ask("join", room=closed))["seat"] == 1


async def test_in_play_who_leaves_keeps_the_seat(node: Running, meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await started(anna, bob)
    assert (await bob.ask("leave", room=room))["t"] == "ok"
    await bob.send(match(node, room, 1))
    assert (await bob.next("refused"))["code"] == "not_seated"
    assert (await bob.ask("join", room=room))["seat"] == 1
    assert (await bob.ask("leave", room=NO_ROOM))["code"] == "no_such_room"


async def test_who_leaves_a_game_that_is_over_is_not_held_up_by_its_log(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bob = await meet(), await meet()
    room = await started(anna, bob)
    table = node.node.tables.loaded[room]  # type: ignore[index]  # plain text is a room's id
    await bob.send({"t": "resign", "room": room, "n": 1}, {"t": "leave", "room": room, "id": 1})
    await bob.find(lambda message: message.get("re") == 1)
    heard = [message.get("kind", message["t"]) for message in bob.heard if message["t"] in ("event", "ok")]
    assert heard[-3:] == ["resigned", "ended", "ok"], "it left before it heard what came of its move"
    monkeypatch.setattr(table, "ask", lambda *_: pytest.fail("the log was asked"))
    assert (await anna.ask("leave", room=room))["t"] == "ok"
    assert not table.members()


async def test_the_last_person_to_leave_ends_the_room(meet: Meet) -> None:
    anna = await meet()
    room = await made(anna)
    await anna.ask("leave", room=room)
    assert [m.get("kind", m["t"]) for m in await anna.quiet()][-3:] == ["unseated", "ended", "ok"]


async def test_who_is_kicked_is_put_out_and_may_only_watch(meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await made(anna, max_players=3)
    await bob.ask("join", room=room)
    assert (await anna.ask("kick", room=room, seat=1))["t"] == "ok"
    assert (await bob.next("event"))["kind"] == "unseated"
    detached = await bob.next()
    assert (detached["t"], detached["reason"]) == ("detached", "kicked")
    assert (await bob.ask("ready", room=room, ready=True))["code"] == "no_such_room"
    assert (await bob.ask("join", room=room))["code"] == "not_allowed"
    assert (await bob.ask("join", room=room, watch=True))["seat"] is None
    assert bob.code is None


async def test_who_is_kicked_while_joining_again_does_not_get_the_seat(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bob = await meet(), await meet()
    room = await made(anna, max_players=3)
    await bob.ask("join", room=room)
    again = await meet(token=welcome(bob)["token"])
    attendance = node.node.desk.attendance
    arrive, arriving, let_go = attendance.arrive, asyncio.Event(), asyncio.Event()

    async def arrive_late(*where: Any) -> int:
        arriving.set()
        await let_go.wait()
        return await arrive(*where)

    monkeypatch.setattr(attendance, "arrive", arrive_late)
    await again.send({"t": "join", "room": room, "id": 1})
    await until(arriving.is_set)
    await anna.ask("kick", room=room, seat=1)
    let_go.set()
    refused = await again.find(lambda message: message.get("re") == 1)
    assert refused["code"] == "not_allowed"
    monkeypatch.setattr(attendance, "arrive", arrive)
    carl = await meet()
    assert (await carl.ask("join", room=room))["seat"] == 1
    assert (await again.ask("ready", room=room, ready=True))["code"] == "no_such_room"


async def test_a_socket_that_is_lost_while_joining_leaves_nothing(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bob = await meet(), await meet()
    room = await started(anna, bob)
    table = node.node.tables.loaded[room]  # type: ignore[index]  # plain text is a room's id
    await bob.end()
    await until(lambda: len(table.audience) == 1)
    attendance = node.node.desk.attendance
    arrive = attendance.arrive
    arriving, let_go, gone = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def arrive_late(*where: Any) -> int:
        arriving.set()
        await let_go.wait()
        return await arrive(*where)

    monkeypatch.setattr(attendance, "arrive", arrive_late)
    monkeypatch.setattr(attendance, "depart", lambda *_: gone.set())
    again = await meet(token=welcome(bob)["token"])
    await again.send({"t": "join", "room": room, "id": 1})
    await until(arriving.is_set)
    await again.end()
    await until(lambda: len(node.node.desk.sessions) == 1)
    let_go.set()
    async with asyncio.timeout(PATIENCE_S):
        await gone.wait()
    assert len(table.audience) == 1


# one player, several connections


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_the_newest_connection_plays_and_the_older_is_sent_away(
    node: Running, other: Running, meet: Meet, elsewhere: bool
) -> None:
    anna, bob = await meet(), await meet()
    room = await started(anna, bob)
    newer = await meet(other if elsewhere else node, token=welcome(anna)["token"])
    assert (await newer.ask("join", room=room))["seat"] == 0
    detached = await anna.find(lambda message: message["t"] == "detached")
    assert detached["reason"] == "taken_over"
    assert await anna.closed() == 4501
    await newer.send({"t": "resign", "room": room, "n": 1})
    assert (await newer.next("event"))["kind"] == "resigned"


async def test_who_still_follows_the_list_stays(meet: Meet) -> None:
    anna = await meet()
    room = await made(anna)
    await anna.ask("lobby", on=True)
    newer = await meet(token=welcome(anna)["token"])
    await newer.ask("join", room=room)
    await anna.find(lambda message: message["t"] == "detached")
    await anna.ask("ping")
    assert anna.code is None


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.slow
async def test_of_connections_that_join_at_once_exactly_one_plays(
    node: Running, other: Running, meet: Meet, elsewhere: bool
) -> None:
    anna = await meet()
    room = await made(anna, max_players=3)
    token = welcome(anna)["token"]
    for _ in range(5):
        rivals = [await meet(other if elsewhere and n % 2 else node, token=token) for n in range(4)]
        joined = await asyncio.gather(*(rival.ask("join", room=room) for rival in rivals))
        assert [snapshot["seat"] for snapshot in joined] == [0] * 4, "each join has its own answer"
        # A default binds it.
        await until(lambda rivals=rivals: sum(rival.code == 4501 for rival in rivals) == 3)  # type: ignore[misc]
        [left] = [rival for rival in rivals if rival.code is None]
        assert (await left.ask("ready", room=room, ready=True))["t"] == "ok"


async def test_answers_of_the_store_that_overtake_each_other_leave_one_in_the_seat(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = await meet()
    room = await made(anna)
    first, second = [await meet(token=welcome(anna)["token"]) for _ in range(2)]
    attendance = node.node.desk.attendance
    arrive, second_is_in = attendance.arrive, asyncio.Event()
    arrived = 0

    async def answer_out_of_order(*where: Any) -> int:
        nonlocal arrived
        number = await arrive(*where)
        arrived += 1
        if arrived == 1:
            await second_is_in.wait()
        return number

    async def nothing(*_: object) -> None: ...

    monkeypatch.setattr(attendance, "renew", nothing)  # which would find it out within a second, too
    monkeypatch.setattr(attendance, "arrive", answer_out_of_order)
    await first.send({"t": "join", "room": room, "id": 1})
    await until(lambda: arrived == 1)
    await second.ask("join", room=room)
    second_is_in.set()
    assert (await first.find(lambda message: message.get("re") == 1))["t"] == "snapshot"
    assert await first.closed() == 4501
    assert (await second.ask("ready", room=room, ready=True))["t"] == "ok"
