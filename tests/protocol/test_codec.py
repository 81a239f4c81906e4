"""Decoding is total: whatever the bytes, it ends in a message, in BadMessage, or in PeerError 1007."""

import json
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.protocol.frames import FROM_CLIENT
from tests.protocol.logs import patient

from tenmatch.game.ids import RoomId
from tenmatch.game.options import Mode
from tenmatch.protocol import to_client
from tenmatch.protocol.codec import CODECS, Codec
from tenmatch.protocol.from_client import AnyFromClient, Create, Join, Match, Ping
from tenmatch.protocol.limits import (
    FRAME_BYTES,
    JSON,
    MSGPACK,
    BadMessage,
    CloseCode,
    ErrorCode,
    PeerError,
)
from tenmatch.protocol.to_client import Error, Ok, Refused

BOTH = pytest.mark.parametrize("codec", CODECS.values(), ids=["msgpack", "json"])
ROOM = "k7mp2xw9qd"

Outcome = AnyFromClient | BadMessage | PeerError


def outcome(codec: Codec, frame: bytes) -> Outcome:
    """Decode, and check what holds for every outcome."""
    try:
        result: Outcome = codec.decode(frame)
    except (BadMessage, PeerError) as error:
        result = error
    check(result)
    return result


def check(result: Outcome) -> None:
    """Check what holds for every outcome: it can be told to the client, or on to others."""
    if isinstance(result, PeerError):
        assert result.code is CloseCode.NOT_ONE_VALUE
        assert len(result.reason.encode()) <= 123  # what a close frame has room for
        return
    if isinstance(result, BadMessage):
        assert result.code in (ErrorCode.BAD_MESSAGE, ErrorCode.UNKNOWN_TYPE)
        assert 0 < len(result.text) <= 200
        assert result.field != ""
        assert result.re is None or 0 <= result.re < 2**32
        assert result.n is None or 0 < result.n < 2**31
        assert result.room is None or len(result.room) == 10
    for codec in CODECS.values():  # no lone surrogates, no endless numbers
        codec.encode(to_client.error(result) if isinstance(result, BadMessage) else result)


def said(outcome: Outcome) -> object:
    """Return what the codecs must agree on: the message, or what is wrong with it."""
    if isinstance(outcome, BadMessage):
        return (outcome.code, outcome.field, outcome.re, outcome.room, outcome.n)
    return outcome if isinstance(outcome, msgspec.Struct) else outcome.code


def frame_of(codec: Codec, value: object) -> bytes:
    """Write any value, messages or not."""
    if codec.binary:
        packed: bytes = msgpack.packb(value)
        return packed
    return json.dumps(value).encode()


# What a frame can be


@st.composite
def mutants(draw: st.DrawFn, frames: list[bytes]) -> bytes:
    """Draw a frame that was changed in a few places."""
    frame = draw(st.sampled_from(frames))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(frame)))
        end = min(len(frame), start + draw(st.integers(0, 4)))
        put = draw(st.binary(max_size=4) | st.sampled_from(SPITE) | st.just(frame[start:end] * 2))
        frame = frame[:start] + put + frame[end:]
    return frame[:FRAME_BYTES]


SPITE = [
    b"null", b"NaN", b"1e999", b"-1", b"1.0", b"true", b"[[", b"}}", b'"\\ud800"', b'"\\u0000"', b"9" * 400,
    b"\xff", b"\xed\xa0\x80", b"\xc1", b"\xc4\x01a", b"\xc7\x03\xffabc", b"\xd7\xff" + b"\xff" * 8,
    b"\xcb\x7f\xf0\0\0\0\0\0\0", b"\xcf" + b"\xff" * 8, b"\xdf\xff\xff\xff\xff", b"\x81\x90\x01",
]  # fmt: skip

SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=12)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
)
MAPS: list[dict[str, Any]] = [json.loads(frame.json) for frame in FROM_CLIENT]


@st.composite
def near_messages(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a message in which one or two fields have any value, or are missing."""
    message = dict(draw(st.sampled_from(MAPS)))
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from([*message, "id", "extra"]))
        if draw(st.booleans()):
            message[name] = draw(VALUES)
        else:
            message.pop(name, None)
    return message


def whole_json(frame: bytes) -> bool:
    """Tell by another decoder whether these bytes are one JSON value, all of it text."""

    def no_number(constant: str) -> None:
        raise ValueError(constant)

    try:
        value = json.loads(frame.decode(), parse_constant=no_number)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:  # also what is not UTF-8, or has lone surrogates
        return False
    return True


_SIZES = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}  # what follows
_SIZES |= {0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8, 0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17}
_COUNTED = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4}  # how long the count that follows is
_COUNTED |= {0xD9: 1, 0xDA: 2, 0xDB: 4, 0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}


def walk(frame: bytes, at: int, texts: list[bytes]) -> int:
    """Return where the MessagePack value that begins at *at* ends, and note its texts."""
    head, at = frame[at], at + 1
    if head <= 0x7F or head >= 0xE0:
        return at
    if head in _SIZES:
        return at + _SIZES[head]
    if head < 0xC0:
        count = head & (0x1F if head >= 0xA0 else 0x0F)
    else:
        size = _COUNTED[head]
        count, at = int.from_bytes(frame[at : at + size]), at + size
    if head < 0xA0 or head >= 0xDC:  # an array, or a map
        for _ in range(count * (2 if head < 0x90 or head >= 0xDE else 1)):
            at = walk(frame, at, texts)
        return at
    if head < 0xC0 or head >= 0xD9:
        texts.append(frame[at : at + count])
    return at + count + (0xC7 <= head <= 0xC9)  # an extension has its type before its bytes


def whole_msgpack(frame: bytes) -> tuple[bool, bool]:
    """Tell by another decoder whether this is one MessagePack value, and whether its texts are UTF-8."""
    texts: list[bytes] = []
    try:
        whole = walk(frame, 0, texts) == len(frame)
    except (IndexError, KeyError):
        return False, False
    return whole, all(text.decode(errors="replace").encode() == text for text in texts)


@given(st.binary(max_size=300))
@settings(patient, max_examples=300)
def test_any_bytes(frame: bytes) -> None:
    for codec in CODECS.values():
        outcome(codec, frame)


@given(mutants([frame.json for frame in FROM_CLIENT]))
@settings(patient, max_examples=300)
@example(b'{"t":"nope","x":')
@example(b'{"t":"ping"} {"t":"ping"}')
@example(b'{"t":"ping","x":"\xff"}')
@example(b'\xef\xbb\xbf{"t":"ping"}')
def test_json_closes_exactly_where_there_is_not_one_value(frame: bytes) -> None:
    assert isinstance(outcome(CODECS[JSON], frame), PeerError) != whole_json(frame)


@given(mutants([frame.msgpack for frame in FROM_CLIENT]))
@settings(patient, max_examples=200)
@example(b"\x81\xa1t\xa4nope\xc0")
@example(b"\x82\xa1t\xa4ping\xa1x\xc1")
@example(b"\x82\xa1t\xa4ping\x81\xa1a\xa1b\xa1c")
def test_msgpack_closes_where_there_is_not_one_value(frame: bytes) -> None:
    closes = isinstance(outcome(CODECS[MSGPACK], frame), PeerError)
    whole, of_text = whole_msgpack(frame)
    assert closes if not whole else not (closes and of_text)


@given(near_messages())
@settings(patient, max_examples=150)
def test_both_codecs_say_the_same_of_a_message(message: dict[str, Any]) -> None:
    try:
        texts = json.dumps(message, allow_nan=False).encode()
    except ValueError:
        return  # JSON has no such number
    packed = msgpack.packb(message)
    assert said(outcome(CODECS[MSGPACK], packed)) == said(outcome(CODECS[JSON], texts))


@given(VALUES)
@patient
def test_any_value_but_a_message_is_a_bad_one(value: object) -> None:
    result = outcome(CODECS[MSGPACK], msgpack.packb(value))
    assert isinstance(result, BadMessage) or (isinstance(value, dict) and "t" in value)


def nested(codec: Codec, key: str, depth: int) -> bytes:
    """Write a `create` with a list of lists of lists … under a key."""
    if codec.binary:
        head = b"\x83\xa1t\xa6create\xa4mode\xa4race" + frame_of(codec, key)
        return head + b"\x91" * depth + b"\x01"
    return f'{{"t":"create","mode":"race","{key}":{"[" * depth}{"]" * depth}}}'.encode()


@BOTH
@pytest.mark.parametrize("key", ["options", "x", "room"])
@pytest.mark.parametrize("depth", [1000, 1500, 2000])
def test_what_is_nested_too_deeply_is_a_bad_message(codec: Codec, key: str, depth: int) -> None:
    frame = nested(codec, key, depth)
    assert len(frame) <= FRAME_BYTES
    result = outcome(codec, frame)
    assert isinstance(result, BadMessage)
    assert result.text == "nested too deeply"


@BOTH
def test_nesting_is_nothing_to_a_key_that_is_ignored(codec: Codec) -> None:
    assert outcome(codec, nested(codec, "x", 50)) == Create(mode=Mode.RACE)
    assert said(outcome(codec, nested(codec, "options", 50))) == ("bad_message", "options", None, None, None)


# One case each


@BOTH
@pytest.mark.parametrize("value", [None, True, 7, 1.5, "ping", [], ["ping"], [{"t": "ping"}]])
def test_a_value_that_is_no_map_is_a_bad_message_of_no_field(codec: Codec, value: object) -> None:
    result = outcome(codec, frame_of(codec, value))
    assert isinstance(result, BadMessage)
    assert (result.code, result.field) == (ErrorCode.BAD_MESSAGE, None)


@BOTH
@pytest.mark.parametrize(
    "name", ["nope", "", "Ping", "ping ", "paired", "event", "x" * 3000, "a` - at `$.id`"]
)
def test_a_type_that_is_not_known(codec: Codec, name: str) -> None:
    result = outcome(codec, frame_of(codec, {"t": name, "id": 9, "room": ROOM, "n": 3}))
    assert isinstance(result, BadMessage)
    assert said(result) == (ErrorCode.UNKNOWN_TYPE, "t", 9, ROOM, 3)


@BOTH
@pytest.mark.parametrize("message", [{}, {"id": 9}, {"t": None}, {"t": 1}, {"t": ["ping"]}])
def test_a_message_without_a_type_is_a_bad_one(codec: Codec, message: dict[str, object]) -> None:
    result = outcome(codec, frame_of(codec, message))
    assert isinstance(result, BadMessage)
    assert (result.code, result.field) == (ErrorCode.BAD_MESSAGE, "t")


@pytest.mark.parametrize(("second", "code"), [("join", "bad_message"), ("nope", "unknown_type")])
def test_a_message_of_two_types_is_of_none(second: str, code: str) -> None:
    result = outcome(CODECS[JSON], f'{{"t":"ping","t":"{second}"}}'.encode())
    assert isinstance(result, BadMessage)
    assert (result.code, result.field) == (code, "t")


@BOTH
def test_a_bad_message_says_which_one_it_was(codec: Codec) -> None:
    move = {"t": "match", "room": ROOM, "n": 7, "a": "1", "b": 2, "seen": 3}
    assert said(outcome(codec, frame_of(codec, move))) == (ErrorCode.BAD_MESSAGE, "a", None, ROOM, 7)
    request = {"t": "ready", "id": 2**32 - 1, "room": ROOM}
    assert said(outcome(codec, frame_of(codec, request))) == ("bad_message", "ready", 2**32 - 1, ROOM, None)


@BOTH
@pytest.mark.parametrize(
    "bad", [{"id": -1}, {"id": True}, {"id": 1.0}, {"n": 0}, {"n": "1"}, {"room": "short"}, {"room": 7}]
)
def test_what_cannot_be_read_is_not_echoed(codec: Codec, bad: dict[str, object]) -> None:
    result = outcome(codec, frame_of(codec, {"t": "match", **bad}))
    assert isinstance(result, BadMessage)
    assert (result.re, result.room, result.n) == (None, None, None)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (b'{"t":"ping","id":2,"id":3}', Ping(id=3)),  # the last of equal keys counts
        (b'{"\\u0074":"pi\\u006eg"}', Ping()),
        (b' \t\n{"t":"ping"}\r\n ', Ping()),
        (b'{"t":"ping","x":1e999,"__proto__":{"t":"hello"},"constructor":[]}', Ping()),
        (b'{"t":"ping","":null}', Ping()),
    ],
)
def test_odd_json_that_is_a_message(frame: bytes, expected: AnyFromClient) -> None:
    assert outcome(CODECS[JSON], frame) == expected


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b" ",
        b"{",
        b'{"t":"ping"',
        b'{"t":"ping",}',
        b"{'t':'ping'}",
        b'{"t":"ping"}{"t":"ping"}',
        b'{"t":"ping"}\x00',
        b'{"t":"ping","x":NaN}',
        b'{"t":"ping","x":-Infinity}',
        b'{"t":"ping","x":01}',
        b'{"t":"ping","x":"\\ud800"}',
        b'{"t":"ping","x":"\\udc00\\ud800"}',
        b'{"t":"ping","x":"\xed\xa0\x80"}',
        b'{"t":"ping","x":"\xc0\xaf"}',
        b'{"t":"ping","x":"\n"}',
        b'{"t":"nope"',  # not one value, whatever it says
        b'{"t":"ready","room":7',
    ],
)
def test_what_is_not_one_json_value(frame: bytes) -> None:
    assert isinstance(outcome(CODECS[JSON], frame), PeerError)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (b"\x82\xa1t\xa4ping\xa1x\xc7\x03\x07abc", Ping()),  # an extension type in a key that is ignored
        (b"\x82\xa1t\xa4ping\xa1x\xd6\xff\0\0\0\0", Ping()),  # a timestamp
        (b"\x82\xa1t\xa4ping\xa1x\xc4\x02\xff\xff", Ping()),  # binary
        (
            b"\x82\xa1t\xd9\x04ping\xda\x00\x02id\xcf\0\0\0\0\0\0\0\x05",
            Ping(id=5),
        ),  # longer forms than needed
        (b"\x83\xa1t\xa4ping\xa2id\x01\xa2id\x02", Ping(id=2)),
    ],
)
def test_odd_msgpack_that_is_a_message(frame: bytes, expected: AnyFromClient) -> None:
    assert outcome(CODECS[MSGPACK], frame) == expected


@pytest.mark.parametrize(
    ("frame", "field"),
    [
        (b"\x82\xa1t\xa4ping\x01\x02", None),  # a key that is no text
        (b"\x82\xa1t\xa4ping\xc4\x02id\x02", None),
        (b"\x82\xa1t\xa4ping\x91\x01\x02", None),
        (b"\x82\xa1t\xa4ping\xa2id\xc4\x011", "id"),
        (b"\x82\xa1t\xa4ping\xa2id\xcb\x3f\xf0\0\0\0\0\0\0", "id"),
        (b"\x82\xa1t\xa4ping\xa2id\xd6\xff\0\0\0\0", "id"),
        (b"\x82\xa1t\xc4\x04ping\xa2id\x01", "t"),
        (b"\x83\xa1t\xa6create\xa4mode\xa4race\xa7options\x81\xa1a\xc7\x03\xffabc", "options"),
        (b"\x83\xa1t\xa6create\xa4mode\xa4race\xa7options\x81\x81\xa1a\x01\x02", "options"),
        (b"\x83\xa1t\xa6create\xa4mode\xa4race\xa7options\x81\x01\x02", "options"),
    ],
)
def test_msgpack_that_is_no_message(frame: bytes, field: str | None) -> None:
    result = outcome(CODECS[MSGPACK], frame)
    assert isinstance(result, BadMessage)
    assert result.field == field


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xc1",
        b"\x81",
        b"\x81\xa1t",
        b"\x81\xa1t\xa4pin",
        b"\x81\xa1t\xa4ping\xc0",
        b"\x82\xa1t\xa4ping",
        b"\xdf\xff\xff\xff\xff\xa1t\xa4ping",
        b"\x82\xa1t\xa4ping\xa1x\xdb\xff\xff\xff\xff",
        b"\x82\xa1t\xa4join\xa4room\xaa\xff\xffaaaaaaaa",  # text that is not UTF-8
        b"\x82\xa1t\xa4nope\xa1x",
    ],
)
def test_what_is_not_one_msgpack_value(frame: bytes) -> None:
    assert isinstance(outcome(CODECS[MSGPACK], frame), PeerError)


def test_codecs_are_known_by_their_subprotocols() -> None:
    assert {name: codec.binary for name, codec in CODECS.items()} == {
        "tenmatch.v1.msgpack": True,
        "tenmatch.v1.json": False,
    }
    assert all(codec.name == name for name, codec in CODECS.items())


@BOTH
def test_maps_and_messages_are_encoded_alike(codec: Codec) -> None:
    message = Refused(room=RoomId(ROOM), n=1, seq=2, code="blocked", blockers=(3, 4))  # type: ignore[arg-type]  # n, seq
    as_map = {"t": "refused", "room": ROOM, "n": 1, "seq": 2, "code": "blocked", "blockers": (3, 4)}
    assert codec.encode(message) == codec.encode(as_map)


@BOTH
def test_text_of_any_language_goes_through(codec: Codec) -> None:
    told = codec.encode({"t": "chat", "room": ROOM, "text": "naïve 👏 数 \u2028 \x00"})
    message = codec.decode(told)
    assert message == msgspec.convert(
        {"t": "chat", "room": ROOM, "text": "naïve 👏 数 \u2028 \x00"}, AnyFromClient
    )


@BOTH
def test_encoding_goes_on_after_what_cannot_be_encoded(codec: Codec) -> None:
    before = codec.encode(Ok(re=1))
    with pytest.raises((TypeError, OverflowError)):
        codec.encode({"t": "ok", "re": object()})
    assert codec.encode(Ok(re=1)) == before


@BOTH
def test_an_error_quotes_no_more_than_helps(codec: Codec) -> None:
    result = outcome(codec, frame_of(codec, {"t": "bot", "room": ROOM, "level": "x" * 3900}))
    assert isinstance(result, BadMessage)
    assert result.field == "level"
    assert len(codec.encode(Error(code=result.code, text=result.text))) < 300


def test_ignored_keys_change_nothing() -> None:
    frame = b'{"seen":9,"t":"match","room":"k7mp2xw9qd","id":"x","b":1,"chain":null,"a":2,"n":3}'
    assert outcome(CODECS[JSON], frame) == msgspec.convert(
        {"t": "match", "room": ROOM, "n": 3, "a": 2, "b": 1, "seen": 9}, Match
    )


@BOTH
@pytest.mark.parametrize(
    ("fields", "blamed"),
    [
        ({}, "room"),
        ({"room": ROOM, "code": "h4tr9z"}, "room"),
        ({"room": None, "code": None}, "room"),
        ({"room": ROOM, "after": 0}, "chain"),
        ({"room": ROOM, "chain": 0}, "after"),
        ({"room": ROOM, "after": 0, "chain": None}, "chain"),
    ],
)
def test_a_join_that_does_not_hang_together(codec: Codec, fields: dict[str, object], blamed: str) -> None:
    result = outcome(codec, frame_of(codec, {"t": "join", "id": 4, **fields}))
    assert isinstance(result, BadMessage)
    assert (result.code, result.field, result.re) == (ErrorCode.BAD_MESSAGE, blamed, 4)


@BOTH
def test_a_join_from_before_the_first_event(codec: Codec) -> None:
    message = outcome(
        codec, frame_of(codec, {"t": "join", "code": "h4tr9z", "after": 0, "chain": 0, "room": None})
    )
    assert isinstance(message, Join)
    assert (message.after, message.chain, message.code) == (0, 0, "h4tr9z")
