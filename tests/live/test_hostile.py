"""Bad input of every kind: each gets its documented answer, and everyone else goes on."""

import json
from collections.abc import AsyncIterator
from typing import Any

import msgpack
import pytest
from tests.live.client import CODECS
from tests.live.conftest import Knock
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.live.wire import Wire, frame

LONG: dict[str, Any] = {"size": 27, "adds": 5, "seed": "006d" * 16}
ROOM = "2222222222"
MSGPACK, JSON = CODECS
HELLO = {MSGPACK: frame(2, msgpack.packb({"t": "hello", "id": 1})), JSON: frame(1, b'{"t":"hello","id":1}')}


@pytest.fixture
async def game(meet: Meet) -> AsyncIterator[Table]:
    """A game that goes on all the while, and is judged to the end."""
    table = await Table.begin(meet, "race", **LONG)
    yield table
    await table.match(0)
    await table.play_on()
    await table.agree()


# Bytes that end the connection


async def greeted(node: Node, codec: str) -> Wire:
    """Connect by hand, say hello and read the welcome."""
    wire = await Wire.upgraded(node.url, Sec_WebSocket_Protocol=codec, then=HELLO[codec])
    opcode, _ = await wire.receive()
    assert opcode in (1, 2)
    return wire


def data(codec: str) -> int:
    """Return the opcode of a codec's frames."""
    return 2 if codec == MSGPACK else 1


BROKEN: dict[str, bytes] = {
    "not masked": frame(2, b"\x80", masked=False),
    "rsv1": frame(2, b"\x80", rsv=4),
    "rsv2": frame(2, b"\x80", rsv=2),
    "rsv3": frame(2, b"\x80", rsv=1),
    "opcode 3": frame(3),
    "opcode 7": frame(7),
    "opcode 11": frame(11),
    "opcode 15": frame(15),
    "a long ping": frame(9, b"x" * 126),
    "a fragmented ping": frame(9, fin=False),
    "a continuation of nothing": frame(0, b"x"),
    "a message within a message": frame(2, b"x", fin=False) + frame(2, b"x"),
    "a close of one byte": frame(8, b"\x03"),
    "a close with a code that may not be": frame(8, (1005).to_bytes(2)),
    "a close with a code below all": frame(8, (999).to_bytes(2)),
}


@pytest.mark.parametrize("broken", BROKEN)
async def test_broken_frames_close_with_1002(node: Node, game: Table, broken: str) -> None:
    wire = await greeted(node, MSGPACK)
    await wire.send(BROKEN[broken])
    assert await wire.close_code() == 1002


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("claim", [4097, 65_536, 2**31, 2**62])
async def test_frames_over_4096_bytes_close_with_1009_unread(node: Node, codec: str, claim: int) -> None:
    wire = await greeted(node, codec)
    await wire.send(frame(data(codec), claim=claim))
    assert await wire.close_code() == 1009


async def test_fragments_count_together(node: Node, game: Table) -> None:
    wire = await greeted(node, MSGPACK)
    await wire.send(frame(2, b"x" * 2048, fin=False) + frame(0, b"x" * 2049))
    assert await wire.close_code() == 1009


@pytest.mark.parametrize("codec", CODECS)
async def test_the_wrong_kind_of_frame_closes_with_1003(node: Node, game: Table, codec: str) -> None:
    wire = await greeted(node, codec)
    await wire.send(frame(3 - data(codec), b"{}"))
    assert await wire.close_code() == 1003


NO_VALUE: dict[str, list[bytes]] = {
    MSGPACK: [
        b"",
        b"\xc1",
        b"\x81",
        b"\x81\xa1t",
        b"\x80\x80",
        b"\x80 ",
        b"\xdf\xff\xff\xff\xff",
        b"\xdd\x7f\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b'{"t":"ping"}',
        bytes(range(0xC0, 0x100)),
    ],
    JSON: [
        b"",
        b" ",
        b"{",
        b'{"t":"ping"',
        b'{"t":"ping"}{"t":"ping"}',
        b'{"t":"ping"} x',
        b"\xff",
        b'{"t":"\xc3"}',
        b'{"t":"ping","x":"\xed\xa0\x80"}',
        b"ping",
        b"{'t':'ping'}",
        b'{"t":"ping",}',
        b"\xef\xbb\xbf{}",
        b'{"t":NaN}',
        b"\x00",
    ],
}


@pytest.mark.parametrize(("codec", "payload"), [(c, payload) for c in CODECS for payload in NO_VALUE[c]])
async def test_what_is_not_exactly_one_value_closes_with_1007(
    node: Node, game: Table, codec: str, payload: bytes
) -> None:
    wire = await greeted(node, codec)
    await wire.send(frame(data(codec), payload))
    assert await wire.close_code() == 1007


@pytest.mark.parametrize("codec", CODECS)
async def test_before_the_hello_it_is_no_better(node: Node, codec: str) -> None:
    wire = await Wire.upgraded(node.url, Sec_WebSocket_Protocol=codec)
    await wire.send(frame(data(codec), NO_VALUE[codec][1]))
    assert await wire.close_code() == 1007


# Bytes that do not


@pytest.mark.parametrize("codec", CODECS)
async def test_a_message_may_come_in_fragments_with_pings_between(node: Node, codec: str) -> None:
    wire = await greeted(node, codec)
    message = {"t": "ping", "id": 7}
    payload = msgpack.packb(message) if codec == MSGPACK else json.dumps(message).encode()
    opcode = data(codec)
    for byte in payload[:-1]:
        await wire.send(
            frame(opcode, bytes([byte]), fin=False) + frame(9, b"between") + frame(10, b"unasked")
        )
        assert await wire.receive() == (10, b"between")
        opcode = 0
    await wire.send(frame(0, payload[-1:]))
    _, answer = await wire.receive()
    assert (msgpack.unpackb(answer) if codec == MSGPACK else json.loads(answer))["re"] == 7
    wire.close()


async def test_a_close_is_answered_with_a_close(node: Node) -> None:
    for payload, code in ((b"", 1005), ((1000).to_bytes(2), 1000), ((4999).to_bytes(2) + b"bye", 4999)):
        wire = await greeted(node, JSON)
        await wire.send(frame(8, payload))
        opcode, answer = await wire.receive()
        assert opcode == 8
        assert int.from_bytes(answer[:2] or (1005).to_bytes(2)) == code
        assert await wire.rest() == b""


async def test_a_half_closed_connection_is_closed(node: Node) -> None:
    wire = await greeted(node, JSON)
    wire.half_close()
    await wire.rest()


@pytest.mark.parametrize("codec", CODECS)
async def test_the_longest_message_is_taken(node: Node, codec: str) -> None:
    wire = await greeted(node, codec)
    message: dict[str, object] = {"t": "ping", "id": 7, "x": ""}

    def pack() -> bytes:
        return bytes(msgpack.packb(message)) if codec == MSGPACK else json.dumps(message).encode()

    message["x"] = "x" * (4096 - len(pack()))
    message["x"] = "x" * (4096 - len(pack()) + len(str(message["x"])))
    assert len(pack()) == 4096
    await wire.send(frame(data(codec), pack()))
    assert (await wire.receive())[0] == data(codec)
    wire.close()


# Values that are no messages

STRANGE: dict[str, tuple[Any, str]] = {
    "a list": ([], "bad_message"),
    "a number": (7, "bad_message"),
    "a text": ("ping", "bad_message"),
    "nothing": (None, "bad_message"),
    "an empty map": ({}, "bad_message"),
    "no type": ({"x": 1}, "bad_message"),
    "a type that is a number": ({"t": 7}, "bad_message"),
    "a type that is null": ({"t": None}, "bad_message"),
    "an unknown type": ({"t": "cheat"}, "unknown_type"),
    "a type in upper case": ({"t": "PING"}, "unknown_type"),
    "a type to come": ({"t": "invite", "room": ROOM}, "unknown_type"),
    "an answer": ({"t": "welcome"}, "unknown_type"),
    "an event": ({"t": "event", "room": ROOM, "kind": "ended"}, "unknown_type"),
}


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("strange", STRANGE)
async def test_what_is_no_message_is_an_error_and_the_connection_lives(
    knock: Knock, codec: str, strange: str
) -> None:
    value, code = STRANGE[strange]
    client = await knock(codec)
    await client.hello()
    since = len(client.inbox)
    await client.raw(msgpack.packb(value) if codec == MSGPACK else json.dumps(value))
    error = await client.find(lambda message: message["t"] == "error", since=since)
    assert error["code"] == code
    assert (await client.ask("ping"))["t"] == "pong"


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(
    ("t", "fields", "blamed"),
    [
        ("create", {}, "mode"),
        ("create", {"mode": 1}, "mode"),
        ("create", {"mode": "race", "options": []}, "options"),
        ("create", {"mode": "race", "options": {"size": [9]}}, "options"),
        ("create", {"mode": "race", "private": 1}, "private"),
        ("create", {"mode": "race", "key": ""}, "key"),
        ("create", {"mode": "race", "key": "x" * 65}, "key"),
        ("join", {"room": "short"}, "room"),
        ("join", {"room": "22222 2222"}, "room"),
        ("join", {"room": "222222222\n"}, "room"),
        ("join", {"room": 2222222222}, "room"),
        ("join", {"code": "2222222"}, "code"),
        ("join", {"room": ROOM, "watch": "yes"}, "watch"),
        ("leave", {}, "room"),
        ("ready", {"room": ROOM}, "ready"),
        ("ready", {"room": ROOM, "ready": 1}, "ready"),
        ("start", {}, "room"),
        ("bot", {"room": ROOM, "level": "godlike"}, "level"),
        ("kick", {"room": ROOM, "seat": -1}, "seat"),
        ("kick", {"room": ROOM, "seat": 10}, "seat"),
        ("kick", {"room": ROOM, "seat": 1.0}, "seat"),
        ("rematch", {"room": ROOM}, "want"),
        ("chat", {"room": ROOM}, "text"),
        ("lobby", {}, "on"),
        ("hello", {"token": 7}, "token"),
        ("hello", {"agent": "x" * 401}, "agent"),
    ],
)
async def test_requests_that_cannot_be_name_the_field(
    meet: Meet, codec: str, t: str, fields: dict[str, Any], blamed: str
) -> None:
    client = await meet(codec)
    answer = await client.ask(t, **fields)
    assert (answer["t"], answer["code"], answer.get("field")) == ("error", "bad_message", blamed)


@pytest.mark.parametrize("codec", CODECS)
async def test_a_join_needs_exactly_one_of_room_and_code(meet: Meet, codec: str) -> None:
    client = await meet(codec)
    for fields in ({}, {"room": ROOM, "code": "222222"}):
        assert await client.denied("join", **fields) == "bad_message"


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(
    ("t", "fields", "blamed"),
    [
        ("match", {"n": 0, "a": 0, "b": 1, "seen": 0}, "n"),
        ("match", {"n": 2**31, "a": 0, "b": 1, "seen": 0}, "n"),
        ("match", {"n": -1, "a": 0, "b": 1, "seen": 0}, "n"),
        ("match", {"n": 1, "b": 1, "seen": 0}, "a"),
        ("match", {"n": 1, "a": 0, "b": 1}, "seen"),
        ("match", {"n": 1, "a": -1, "b": 1, "seen": 0}, "a"),
        ("match", {"n": 1, "a": 2**53 + 1, "b": 1, "seen": 0}, "a"),
        ("match", {"n": 1, "a": 2**64 - 1, "b": 1, "seen": 0}, "a"),
        ("match", {"n": 1, "a": 0.0, "b": 1, "seen": 0}, "a"),
        ("match", {"n": 1, "a": True, "b": 1, "seen": 0}, "a"),
        ("match", {"n": 1, "a": "0", "b": 1, "seen": 0}, "a"),
        ("match", {"n": 1, "a": [0, 0], "b": 1, "seen": 0}, "a"),
        ("match", {"n": 1, "a": 0, "b": None, "seen": 0}, "b"),
        ("match", {"n": 1, "a": 0, "b": 1, "seen": -1}, "seen"),
        ("call", {"n": 1}, "seen"),
        ("pass", {}, "n"),
        ("resign", {"n": "1"}, "n"),
    ],
)
async def test_moves_that_cannot_be_name_room_n_and_field(
    meet: Meet, codec: str, t: str, fields: dict[str, Any], blamed: str
) -> None:
    table = await Table.begin(meet, "race", codecs=(codec, MSGPACK), **LONG)
    player = table.players[0]
    await player.say(t, room=table.room, **fields)
    error = await player.told("error")
    assert (error["code"], error["field"], error.get("room")) == ("bad_message", blamed, table.room)
    assert error.get("n") == (fields.get("n") if blamed != "n" else None)
    assert (await table.match(0))["kind"] == "matched"
    await table.agree()


@pytest.mark.parametrize("codec", CODECS)
async def test_numbers_that_were_never_dealt_are_a_mistake(meet: Meet, codec: str) -> None:
    table = await Table.begin(meet, "race", codecs=(codec, MSGPACK), penalty=False, **LONG)
    for a, b in ((27, 0), (0, 2**53), (2**53, 2**53)):
        assert (await table.match(0, (a, b)))["code"] == "no_such_number"
    await table.agree()


@pytest.mark.parametrize("codec", CODECS)
async def test_unknown_keys_are_ignored(meet: Meet, codec: str) -> None:
    client = await meet(codec)
    answer = await client.ask("ping", x={"y": [1, None, "z"]}, room=7, n="?", **{"": 0, "__proto__": {}})
    assert answer["t"] == "pong"


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("number", [-1, 2**32, 1.5, "1", True])
async def test_an_id_that_cannot_be_is_not_answered_by_it(meet: Meet, codec: str, number: object) -> None:
    client = await meet(codec)
    await client.say("ping", id=number)
    error = await client.told("error")
    assert (error["code"], error["field"], error.get("re")) == ("bad_message", "id", None)


@pytest.mark.parametrize("number", [0, 2**32 - 1])
async def test_every_id_there_is_comes_back(node: Node, number: int) -> None:
    wire = await greeted(node, JSON)
    await wire.send(frame(1, json.dumps({"t": "ping", "id": number}).encode()))
    assert json.loads((await wire.receive())[1])["re"] == number
    wire.close()


async def test_deep_nesting_is_no_message(meet: Meet) -> None:
    for codec, deep in ((JSON, "[" * 2000 + "]" * 2000), (MSGPACK, b"\x91" * 4000 + b"\xc0")):
        client = await meet(codec)
        await client.raw(deep)
        error = await client.told("error")
        assert error["code"] == "bad_message"
        await client.raw(deep if codec == MSGPACK else '{"t":"ping","x":' + "[" * 1900 + "]" * 1900 + "}")
        assert (await client.ask("ping"))["t"] == "pong"


@pytest.mark.parametrize("codec", CODECS)
async def test_nothing_but_hello_comes_before_hello(knock: Knock, codec: str) -> None:
    client = await knock(codec)
    for t, fields in (
        ("ping", {}),
        ("create", {"mode": "race"}),
        ("join", {"room": ROOM}),
        ("lobby", {"on": True}),
        ("chat", {"room": ROOM, "text": "hi"}),
        ("cheat", {}),
    ):
        assert await client.denied(t, **fields) == "hello_first"
    assert await client.denied("hello", name="x" * 25) == "bad_message"  # a hello all the same
    await client.say("resign", room=ROOM, n=1)
    error = await client.told("error", n=1)
    assert (error["code"], error["room"]) == ("hello_first", ROOM)
    await client.hello()


async def test_a_foreign_seat_cannot_be_named(meet: Meet) -> None:
    """A move has no seat: what says one is made for one's own, or not at all."""
    table = await Table.begin(meet, "race", **LONG)
    a, b = table.judge.game.pairs()[0]
    made = await table.players[1].move("match", table.room, a=a, b=b, seen=0, seat=0, player="x")
    assert made["seat"] == 1
    await table.agree()


async def test_secrets_are_told_to_nobody_before_the_end(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **{**LONG, "seed": None})
    await table.match(0)
    created = msgpack.unpackb(node.entries(table.room)[0][5:])
    for secret in (created["seed"], created["salt"]):
        for client in [*table.players, *table.watchers]:
            assert secret not in str(client.inbox)
        assert secret not in node.log()


async def test_a_stranger_who_tries_everything_changes_nothing(game: Table, meet: Meet) -> None:
    stranger = await meet(JSON)
    head = game.seq
    requests: list[tuple[str, dict[str, Any]]] = [
        ("ready", {"ready": True}),
        ("start", {}),
        ("bot", {"level": "easy"}),
        ("kick", {"seat": 0}),
        ("rematch", {"want": True}),
        ("chat", {"text": "hello"}),
        ("leave", {}),
    ]
    for t, fields in requests:
        assert await stranger.denied(t, room=game.room, **fields) == "no_such_room"
    await stranger.ask("join", room=game.room, watch=True)
    codes = [await stranger.denied(t, room=game.room, **fields) for t, fields in requests[:5]]
    assert codes == ["not_allowed", "not_host", "not_host", "not_host", "not_allowed"]
    await game.sync()
    assert game.seq == head
