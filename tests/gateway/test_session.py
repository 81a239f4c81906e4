"""Sessions over real sockets: who may say what, in which order answers come, and what each of them is."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from tests.gateway.conftest import Watch
from tests.gateway.nodes import Running, running
from tests.gateway.peer import Heard, Peer, peer, welcome
from tests.gateway.sockets import Wire
from tests.gateway.wire import raw, text
from tests.servers import Server
from tests.store.waiting import until
from websockets.frames import Opcode

from tenmatch.gateway import connection, session
from tenmatch.protocol.from_client import TYPES
from tenmatch.store import keys

Meet = Callable[..., Awaitable[Peer]]
NO_ROOM = "abcdefghjk"


@pytest.fixture
async def node(url: str, watch: Watch) -> AsyncIterator[Running]:
    async with running(url) as node:
        yield node


@pytest.fixture
async def other(node: Running, url: str) -> AsyncIterator[Running]:
    """Another node on the same store."""
    async with running(url) as other:
        yield other


@pytest.fixture
async def meet(node: Running) -> AsyncIterator[Meet]:
    """Return what connects peers, to the node or another."""
    async with AsyncExitStack() as peers:

        async def meet(at: Running | None = None, **fields: Any) -> Peer:
            return await peers.enter_async_context(peer((at or node).port, **fields))

        yield meet


async def made(host: Peer, **options: object) -> str:
    """Let a peer make a room, and return its id."""
    snapshot = await host.ask("create", mode="race", options={"countdown_ms": 0, **options})
    assert snapshot["t"] == "snapshot", snapshot
    return str(snapshot["room"])


async def started(*players: Peer, **options: object) -> str:
    """Let peers begin a game; the first of them has made the room."""
    room = await made(players[0], max_players=len(players), **options)
    for player in players[1:]:
        assert (await player.ask("join", room=room))["t"] == "snapshot"
    for player in players:
        assert (await player.ask("ready", room=room, ready=True))["t"] == "ok"
    for player in players:
        await player.find(lambda message: message.get("kind") == "started")
    return room


def pair(node: Running, room: str) -> dict[str, int]:
    """Return a legal pair on a room's board, as fields of a `match`."""
    state = node.node.tables.loaded[room].state  # type: ignore[index]
    assert state.witness is not None
    return {"a": state.witness[0], "b": state.witness[1], "seen": state.seq}


def match(node: Running, room: str, n: int) -> Heard:
    return {"t": "match", "room": room, "n": n, **pair(node, room)}


# hello


async def test_before_hello_nothing_is_done(node: Running, meet: Meet) -> None:
    early = await meet(hello=False)
    await early.send(
        {"t": "create", "mode": "race", "id": 1}, {"t": "bogus", "id": 2}, {"t": "ping", "id": 3}
    )
    for number in (1, 2, 3):
        error = await early.next()
        assert (error["t"], error["code"], error["re"]) == ("error", "hello_first", number)
    assert (await early.ask("hello"))["t"] == "welcome"


async def test_who_says_no_hello_is_sent_away(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "HELLO_S", 0.05)
    silent = await meet(hello=False)
    assert await silent.closed() == 4000


async def test_a_guest_comes_back_by_its_token(meet: Meet) -> None:
    first = await meet(name="  Anna ")
    greeting = welcome(first)
    assert greeting["player"]["name"] == "Anna"
    assert greeting["seated"] == []
    assert greeting["limits"] == {"frame": 4096, "messages_per_s": 0, "matches_per_s": 0}
    again = welcome(await meet(token=greeting["token"]))
    assert again["player"] == greeting["player"]
    renamed = welcome(await meet(token=again["token"], name="Anna B."))
    assert renamed["player"] == {"id": greeting["player"]["id"], "name": "Anna B."}


async def test_a_token_that_is_none_ends_the_connection(meet: Meet) -> None:
    forger = await meet(hello=False)
    await forger.send({"t": "hello", "token": "a.b.c"})
    assert await forger.closed() == 4500


async def test_hello_again_renews_the_same_player_only(meet: Meet) -> None:
    anna, bob = await meet(name="Anna"), await meet()
    renewed = await anna.ask("hello", token=welcome(anna)["token"])
    assert renewed["player"] == welcome(anna)["player"]
    assert (await anna.ask("hello"))["player"] == welcome(anna)["player"]
    theft = await anna.ask("hello", token=welcome(bob)["token"])
    assert (theft["code"], theft["field"]) == ("not_allowed", "token")


async def test_welcome_names_the_games_that_go_on(meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await started(anna, bob)
    ended = await started(anna, bob)
    await bob.send({"t": "resign", "room": ended, "n": 1})
    await anna.find(lambda message: message.get("kind") == "ended")
    assert welcome(await meet(token=welcome(anna)["token"]))["seated"] == [room]


# order


async def test_messages_are_carried_out_in_their_order_also_behind_one_that_waits(meet: Meet) -> None:
    anna = await meet()
    await anna.send(
        {"t": "create", "mode": "race", "id": 1},
        {"t": "lobby", "on": True, "id": 2},
        {"t": "create", "mode": "race", "id": 3},
        {"t": "lobby", "on": False, "id": 4},
    )
    answers = [await anna.find(lambda message, n=n: message.get("re") == n) for n in (1, 2, 3, 4)]  # type: ignore[misc]
    assert [answer["t"] for answer in answers] == ["snapshot", "rooms", "snapshot", "ok"]
    numbers = [message["re"] for message in anna.heard if message.get("re") in (1, 2, 3, 4)]
    assert numbers == [1, 2, 3, 4]


async def test_a_ping_waits_for_nothing(meet: Meet) -> None:
    anna = await meet()
    await anna.send({"t": "create", "mode": "race", "id": 1}, {"t": "ping", "id": 2})
    assert (await anna.next())["t"] == "welcome"
    assert (await anna.next())["t"] == "pong"
    assert (await anna.next())["t"] == "snapshot"


async def test_no_more_than_so_many_messages_wait(meet: Meet) -> None:
    anna = await meet()
    await anna.send(
        {"t": "create", "mode": "race", "id": 1},
        *({"t": "lobby", "on": False, "id": 10 + n} for n in range(session.BACKLOG + 2)),
    )
    await anna.find(lambda message: message.get("re") == 10 + session.BACKLOG - 1)
    refused = [m["re"] for m in anna.heard if m.get("code") == "rate_limited"]
    assert refused == [10 + session.BACKLOG, 11 + session.BACKLOG]


async def test_leaving_and_joining_again_at_once_is_done_in_order(node: Running, meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await made(anna, max_players=3)
    await bob.ask("join", room=room)
    await bob.send({"t": "leave", "room": room, "id": 1}, {"t": "join", "room": room, "id": 2})
    assert (await bob.find(lambda message: message.get("re") == 1))["t"] == "ok"
    snapshot = await bob.find(lambda message: message.get("re") == 2)
    assert (snapshot["t"], snapshot["seat"]) == ("snapshot", 1)
    kinds = [message["kind"] for message in await anna.quiet() if message["t"] == "event"]
    assert kinds == ["seated", "unseated", "seated"]
    assert (await bob.ask("ready", room=room, ready=True))["t"] == "ok"


async def test_ok_comes_after_the_events(meet: Meet) -> None:
    anna = await meet()
    room = await made(anna)
    await anna.ask("ready", room=room, ready=True)
    assert [m.get("kind", m["t"]) for m in await anna.quiet()][-2:] == ["readied", "ok"]
    await anna.ask("ready", room=room, ready=True)
    assert [m.get("kind", m["t"]) for m in await anna.quiet()][-2:] == ["ok", "ok"]


async def test_a_request_without_a_number_has_no_answer_but_its_events(meet: Meet) -> None:
    anna = await meet()
    room = await made(anna)
    await anna.send({"t": "ready", "room": room, "ready": True})
    assert [m.get("kind", m["t"]) for m in await anna.quiet()] == ["welcome", "snapshot", "readied"]


async def test_what_was_said_before_the_socket_closed_is_done(node: Running, meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await made(anna, max_players=3)
    await bob.ask("join", room=room)
    await bob.wire.send(text({"t": "ready", "room": room, "ready": True}) + raw(Opcode.CLOSE, b"\x03\xe8"))
    readied = await anna.find(lambda message: message.get("kind") == "readied")
    assert readied["seat"] == 1


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
        async with asyncio.timeout(2):
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
    there = other.node.tables.loaded[room]  # type: ignore[index]
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
    attendance = node.node.desk._attendance
    arrive, let_go = attendance.arrive, asyncio.Event()

    async def arrive_late(*where: Any) -> int:
        await let_go.wait()
        return await arrive(*where)

    monkeypatch.setattr(attendance, "arrive", arrive_late)
    await again.send({"t": "join", "room": room, "id": 1})
    await again.ask("ping")
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
    table = node.node.tables.loaded[room]  # type: ignore[index]
    await bob.end()
    await until(lambda: len(table.audience) == 1)
    attendance = node.node.desk._attendance
    arrive, let_go, gone = attendance.arrive, asyncio.Event(), asyncio.Event()

    async def arrive_late(*where: Any) -> int:
        await let_go.wait()
        return await arrive(*where)

    monkeypatch.setattr(attendance, "arrive", arrive_late)
    monkeypatch.setattr(attendance, "depart", lambda *_: gone.set())
    again = await meet(token=welcome(bob)["token"])
    await again.send({"t": "join", "room": room, "id": 1})
    await again.ask("ping")
    await again.end()
    await until(lambda: len(node.node.desk.sessions) == 1)
    let_go.set()
    async with asyncio.timeout(2):
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
        await until(lambda rivals=rivals: sum(rival.code == 4501 for rival in rivals) == 3, 3)  # type: ignore[misc]
        [left] = [rival for rival in rivals if rival.code is None]
        assert (await left.ask("ready", room=room, ready=True))["t"] == "ok"


async def test_answers_of_the_store_that_overtake_each_other_leave_one_in_the_seat(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = await meet()
    room = await made(anna)
    first, second = [await meet(token=welcome(anna)["token"]) for _ in range(2)]
    attendance = node.node.desk._attendance
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


# moves


async def test_moves_are_answered_by_room_and_number(node: Running, meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await started(anna, bob)
    move = match(node, room, 1)
    await anna.send(move)
    event = await anna.next("event", "refused", "error")
    while event.get("kind") != "matched":
        event = await anna.next("event", "refused", "error")
    assert (event["seat"], event["n"], event["a"], event["b"]) == (0, 1, move["a"], move["b"])
    await bob.send({**move, "n": 4})
    refused = await bob.next("refused")
    assert (refused["room"], refused["n"], refused["code"], refused["seq"]) == (
        room,
        4,
        "stale",
        event["seq"],
    )
    await anna.send(move)
    again = await anna.next("event", "refused", "error")
    assert again == event


async def test_too_many_matches_are_told_to_come_again(url: str, watch: Watch) -> None:
    async with running(url, matches_per_s=3) as node, peer(node.port) as anna, peer(node.port) as bob:
        room = await started(anna, bob)
        move = match(node, room, 1)
        await anna.send(*({**move, "n": n} for n in range(1, 6)))
        errors = [await anna.next("error") for _ in range(2)]
        assert [(error["code"], error["n"], error["room"]) for error in errors] == [
            ("too_fast", 4, room),
            ("too_fast", 5, room),
        ]
        await anna.send({"t": "resign", "room": room, "n": 6})
        await anna.find(lambda message: message.get("kind") == "resigned")


EVERYTHING: dict[str, Heard] = {
    "leave": {},
    "ready": {"ready": True},
    "start": {},
    "bot": {"level": "easy"},
    "kick": {"seat": 0},
    "match": {"n": 9, "a": 0, "b": 1, "seen": 0},
    "call": {"n": 9, "seen": 0},
    "add": {"n": 9},
    "pass": {"n": 9},
    "resign": {"n": 9},
    "rematch": {"want": True},
    "chat": {"text": "hi"},
}


def test_every_message_for_a_room_is_tried() -> None:
    assert EVERYTHING.keys() == TYPES.keys() - {"hello", "create", "join", "lobby", "ping"}


@pytest.mark.parametrize("who", ["stranger", "leaver", "kicked", "watcher"])
@pytest.mark.parametrize("t", EVERYTHING)
async def test_who_has_no_seat_changes_nothing(node: Running, meet: Meet, who: str, t: str) -> None:
    host, other, guest = await meet(), await meet(), await meet()
    if who == "watcher":
        room = await started(host, other)
        await guest.ask("join", room=room, watch=True)
    else:
        room = await made(host, max_players=4)
        await other.ask("join", room=room)
        if who != "stranger":
            await guest.ask("join", room=room)
        if who == "leaver":
            await guest.ask("leave", room=room)
        if who == "kicked":
            await host.ask("kick", room=room, seat=2)
    before = await node.log(room)  # type: ignore[arg-type]
    if "n" in EVERYTHING[t]:
        await guest.send({"t": t, "room": room, **EVERYTHING[t]})
        answer = await guest.next("refused", "error")
        assert (answer["t"], answer["code"], answer["n"]) == ("refused", "not_seated", 9)
    else:
        answer = await guest.ask(t, room=room, **EVERYTHING[t])
        allowed = who == "watcher" and t in ("leave", "chat")
        assert answer["t"] == ("ok" if allowed else "error"), answer
    assert await node.log(room) == before  # type: ignore[arg-type]


@pytest.mark.parametrize(("t", "fields"), [("start", {}), ("bot", {"level": "easy"}), ("kick", {"seat": 0})])
async def test_what_only_the_host_may_do(meet: Meet, t: str, fields: Heard) -> None:
    host, guest = await meet(), await meet()
    room = await made(host, max_players=3)
    await guest.ask("join", room=room)
    assert (await guest.ask(t, room=room, **fields))["code"] == "not_host"
    assert (await host.ask("kick", room=room, seat=0))["code"] == "not_allowed"


async def test_no_secret_is_told_before_the_end(node: Running, meet: Meet) -> None:
    anna, bob, carl = await meet(), await meet(), await meet()
    room = await started(anna, bob)
    state = node.node.tables.loaded[room].state  # type: ignore[index]
    await carl.ask("join", room=room, watch=True, after=0, chain=0)
    await anna.ask("join", room=room)
    for one in (anna, bob, carl):
        heard = repr(await one.quiet())
        assert state.seed is not None
        assert state.seed not in heard
        assert state.salt not in heard
    await anna.send({"t": "resign", "room": room, "n": 1})
    ended = await carl.find(lambda message: message.get("kind") == "ended")
    assert (ended["seed"], ended["salt"]) == (state.seed, state.salt)


# chat, list, noise


async def test_chat_reaches_everyone_in_the_room_on_all_nodes(
    node: Running, other: Running, meet: Meet
) -> None:
    anna, bob, carl = await meet(name="Anna"), await meet(other), await meet(other)
    room = await made(anna)
    await bob.ask("join", room=room)
    await carl.ask("join", room=room, watch=True)
    assert (await anna.ask("chat", room=room, text=" hel\u202elo \n there"))["t"] == "ok"
    for one in (anna, bob, carl):
        chat = await one.next("chat")
        assert (chat["text"], chat["player"], chat["room"]) == ("hello there", welcome(anna)["player"], room)
    assert (await anna.ask("chat", room=room, text="\u200b"))["field"] == "text"


async def test_messages_over_the_rate_are_told_and_a_flood_ends_the_connection(
    url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 0.1)
    async with running(url, messages_per_s=1, messages_burst=5) as node, peer(node.port) as anna:
        await anna.send(*({"t": "ping", "id": n} for n in range(1, 7)))
        limited = await anna.find(lambda message: message.get("code") == "rate_limited")
        assert limited["re"] in (5, 6)
        await anna.send({"t": "match", "room": NO_ROOM, "n": 3, "a": 1, "b": 2, "seen": 0})
        assert (await anna.find(lambda message: message.get("n") == 3))["code"] == "rate_limited"
        await anna.wire.send(raw(Opcode.TEXT, b"1") * 300)
        assert await anna.closed() == 1008


@pytest.mark.parametrize("sent", [b"{", b"\xff", b"{} {}", b""])
async def test_what_is_not_one_value_ends_the_connection(meet: Meet, sent: bytes) -> None:
    anna = await meet()
    await anna.wire.send(raw(Opcode.TEXT, sent))
    assert await anna.closed() == 1007


async def test_what_waits_behind_the_end_is_not_carried_out(node: Running, meet: Meet) -> None:
    anna = await meet()
    room = await made(anna)
    await anna.send(
        {"t": "create", "mode": "race"},
        {"t": "hello", "token": "a.b.c"},
        {"t": "ready", "room": room, "ready": True},
    )
    assert await anna.closed() == 4500
    assert len(await node.log(room)) == 2  # type: ignore[arg-type]


async def test_a_bug_in_what_waited_ends_the_connection(
    meet: Meet, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.bugs_expected = True

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(session.Session, "_chat", fail)
    anna = await meet()
    await anna.send({"t": "create", "mode": "race"}, {"t": "chat", "room": NO_ROOM, "text": "x"})
    assert await anna.closed() == 1011


# slow readers


@pytest.mark.slow
async def test_a_player_that_stops_reading_is_closed_and_a_watcher_gets_one_snapshot(
    url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither delays anybody, and neither fills our memory."""
    monkeypatch.setattr(connection, "CLOSE_S", 0.5)
    async with (
        running(url, watcher_bytes=4_096, player_bytes=40_000) as node,
        peer(node.port, name="Anna") as anna,
        Wire(node.port, receive_buffer=2_048) as stalled,
        Wire(node.port, receive_buffer=2_048) as watching,
    ):
        room = await made(anna, max_players=3)
        for wire, fields in ((stalled, {}), (watching, {"watch": True})):
            await wire.upgrade()
            await wire.send(text({"t": "hello"}) + text({"t": "join", "room": room, "id": 1, **fields}))
        table = node.node.tables.loaded[room]  # type: ignore[index]
        await until(lambda: len(table.audience) == 3)
        for one in node.node.handshake.connections:  # the kernel would take it all
            one._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
        [player] = [m for m in table.audience.players if m.seat == 1]
        [watcher] = [m for m in table.audience if m.seat is None]
        ready = True
        while player.listener._socket.open:  # type: ignore[attr-defined]
            assert (await anna.ask("ready", room=room, ready=ready))["t"] == "ok"
            ready = not ready
        assert await stalled.closed() == 1013
        await until(lambda: player not in table.audience.players)
        assert watcher.behind
        head = table.state.seq
        reading = Peer(watching)
        await reading.find(lambda m: m["t"] == "snapshot" and m["seq"] == head)
        await anna.ask("ready", room=room, ready=ready)
        await reading.find(lambda m: m.get("seq") == head + 1)
        seq, snapshots = 0, 0
        for message in (m for m in reading.heard if m["t"] in ("event", "snapshot")):
            if message["t"] == "snapshot":
                snapshots += 1
            else:
                assert message["seq"] == seq + 1, "a gap, or an event twice"
            seq = message["seq"]
        assert seq == head + 1
        assert 2 <= snapshots <= 5, "the one asked for, and one each time that the kernel took some more"
        await reading.end()


# outages


@pytest.mark.slow
async def test_while_the_store_is_frozen_everything_is_answered_and_afterwards_all_goes_on(
    own_server: Server, watch: Watch
) -> None:
    async with running(own_server.url) as node, peer(node.port) as anna, peer(node.port) as bob:
        room = await started(anna, bob)
        move = match(node, room, 1)
        own_server.freeze()
        await anna.send(move)
        error = await anna.next("error")
        assert (error["code"], error["room"], error["n"]) == ("unavailable", room, 1)
        requests = asyncio.gather(
            bob.ask("create", mode="race"), anna.ask("join", room=room, after=2**30, chain=1)
        )
        answers = await requests
        assert [answer["code"] for answer in answers] == ["unavailable", "unavailable"]
        assert (await anna.ask("ping"))["t"] == "pong"
        own_server.thaw()
        async with asyncio.timeout(5):
            while not [m for m in anna.heard if m.get("kind") == "matched"]:
                await anna.send(move)
                await anna.ask("ping")
        await anna.ask("chat", room=room, text="back")
        made_once = {m["seq"] for m in await bob.quiet() if m.get("kind") == "matched"}
        assert len(made_once) == 1
