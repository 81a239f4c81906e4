"""Sessions over real sockets: who may say what, in which order answers come, and what each of them is."""

import asyncio
import socket

import pytest
from tests.gateway.conftest import Watch
from tests.gateway.meeting import NO_ROOM, Meet, made, match, started
from tests.gateway.nodes import Running, clock_stopped, running
from tests.gateway.peer import Heard, Peer, peer, welcome
from tests.gateway.sockets import PATIENCE_S, Wire
from tests.gateway.wire import raw, text
from tests.servers import Server
from tests.store.waiting import until
from websockets.frames import Opcode

from tenmatch.gateway import bearer, connection, session
from tenmatch.protocol.from_client import TYPES

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
    monkeypatch.setattr(bearer, "HELLO_S", 0.05)
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
    # A default binds it.
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
    await anna.find(lambda message: message.get("kind") == "readied")
    assert [m.get("kind", m["t"]) for m in await anna.quiet()] == ["welcome", "snapshot", "readied"]


async def test_what_was_said_before_the_socket_closed_is_done(node: Running, meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await made(anna, max_players=3)
    await bob.ask("join", room=room)
    await bob.wire.send(text({"t": "ready", "room": room, "ready": True}) + raw(Opcode.CLOSE, b"\x03\xe8"))
    readied = await anna.find(lambda message: message.get("kind") == "readied")
    assert readied["seat"] == 1


# moves


async def test_moves_are_answered_by_room_and_number(node: Running, meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await started(anna, bob)
    move = match(node, room, 1)
    with clock_stopped(node):  # what is stale is so for two seconds
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
    "focus": {"on": False},
    "report": {"player": "w6tq9ek2hmpa", "reason": "other"},
}


def test_every_message_for_a_room_is_tried() -> None:
    elsewhere = {"hello", "create", "join", "queue", "daily", "lobby", "ping"}
    tournaments = {t for t in TYPES if t.startswith("tournament_")}
    assert EVERYTHING.keys() == TYPES.keys() - elsewhere - tournaments


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
    before = await node.log(room)  # type: ignore[arg-type]  # as it comes from outside
    if "n" in EVERYTHING[t]:
        await guest.send({"t": t, "room": room, **EVERYTHING[t]})
        answer = await guest.next("refused", "error")
        assert (answer["t"], answer["code"], answer["n"]) == ("refused", "not_seated", 9)
    else:
        answer = await guest.ask(t, room=room, **EVERYTHING[t])
        allowed = who == "watcher" and t in ("leave", "chat", "focus")
        assert answer["t"] == ("ok" if allowed else "error"), answer
    assert await node.log(room) == before  # type: ignore[arg-type]  # as it comes from outside


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
    state = node.node.tables.loaded[room].state  # type: ignore[index]  # of a message
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
        move = {"t": "match", "room": NO_ROOM, "n": 3, "a": 1, "b": 2, "seen": 0}
        await anna.send(*({"t": "ping", "id": n} for n in range(1, 7)), move)  # at once: no credits come back
        limited = await anna.find(lambda message: message.get("code") == "rate_limited")
        assert limited["re"] in (5, 6)
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
    assert len(await node.log(room)) == 2  # type: ignore[arg-type]  # as it comes from outside


async def test_a_bug_in_what_waited_ends_the_connection(
    meet: Meet, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.bugs_expected = True

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(session.Session, "_aside", fail)
    anna = await meet()
    await anna.send({"t": "create", "mode": "race"}, {"t": "chat", "room": NO_ROOM, "text": "x"})
    assert await anna.closed() == 1011


# slow readers


@pytest.mark.slow
async def test_a_player_that_stops_reading_is_closed_and_a_watcher_gets_one_snapshot(
    url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither delays anybody, and neither fills our memory."""
    monkeypatch.setattr(connection, "CLOSE_S", 60.0)  # in which what was sent before can be read
    caught_up: list[session.Session] = []
    drained = session.Session.drained

    def note(one: session.Session) -> None:
        caught_up.append(one)
        drained(one)

    monkeypatch.setattr(session.Session, "drained", note)
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
        table = node.node.tables.loaded[room]  # type: ignore[index]  # of a message
        await until(lambda: len(table.audience) == 3)
        for one in node.node.handshake.connections:  # the kernel would take it all
            one._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
        [player] = [m for m in table.audience.players if m.seat == 1]
        [watcher] = [m for m in table.audience if m.seat is None]
        ready = True
        while player.listener._socket.open:  # type: ignore[attr-defined]  # of a message
            assert (await anna.ask("ready", room=room, ready=ready))["t"] == "ok"
            ready = not ready
        assert await stalled.closed() == 1013
        stalled.socket.close()
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
        times = sum(one is watcher.listener for one in caught_up)  # and not once for each event
        assert 2 <= snapshots <= 1 + times, "the one asked for, and one each time that it had caught up"
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
        async with asyncio.timeout(PATIENCE_S):
            while not [m for m in anna.heard if m.get("kind") == "matched"]:
                await anna.send(move)
                await anna.ask("ping")
        await anna.ask("chat", room=room, text="back")
        made_once = {m["seq"] for m in await bob.quiet() if m.get("kind") == "matched"}
        assert len(made_once) == 1
