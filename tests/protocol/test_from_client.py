"""The fields of what a client may say: which there are, which may be absent, and their ranges."""

import json

import pytest
from msgspec import to_builtins

from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.from_client import TYPES
from tenmatch.protocol.limits import JSON, BadMessage, ErrorCode

ROOM = "k7mp2xw9qd"
CUP = "c7qm3xw9kd2"
PLAYER = "m4kx7q2wz9ht"

# By type, a message with all its required fields, and with all its optional ones.
MESSAGES: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "hello": ({}, {"id": 1, "token": "x", "name": "Ada", "agent": "x"}),
    "create": ({"mode": "race"}, {"id": 1, "options": {"size": 35}, "private": True, "key": "x"}),
    "join": ({"room": ROOM}, {"id": 1, "watch": True, "seat": 0, "after": 0, "chain": 0}),
    "leave": ({"room": ROOM}, {"id": 1}),
    "ready": ({"room": ROOM, "ready": True}, {"id": 1}),
    "start": ({"room": ROOM}, {"id": 1}),
    "bot": ({"room": ROOM, "level": "easy"}, {"id": 1, "seat": 0}),
    "kick": ({"room": ROOM, "seat": 0}, {"id": 1}),
    "match": ({"room": ROOM, "n": 1, "a": 0, "b": 1, "seen": 0}, {}),
    "call": ({"room": ROOM, "n": 1, "seen": 0}, {}),
    "add": ({"room": ROOM, "n": 1}, {}),
    "pass": ({"room": ROOM, "n": 1}, {}),
    "resign": ({"room": ROOM, "n": 1}, {}),
    "rematch": ({"room": ROOM, "want": True}, {"id": 1}),
    "chat": ({"room": ROOM, "text": "x"}, {"id": 1}),
    "report": (
        {"room": ROOM, "player": "w6tq9ek2hmpa", "reason": "abuse"},
        {"id": 1, "text": "x"},
    ),
    "focus": ({"room": ROOM, "on": True}, {"id": 1}),
    "queue": ({"mode": "race", "on": True}, {"id": 1, "rated": False, "bot": True}),
    "daily": ({}, {"id": 1}),
    "lobby": ({"on": True}, {"id": 1}),
    "tournament_create": (
        {"title": "Cup", "format": "arena", "mode": "race"},
        {
            **{"id": 1, "options": {"size": 35}, "private": True, "most": 8, "join_s": 60, "minutes": 30},
            **{"starts_in_s": 60, "enter": True, "key": "x", "players": [{"id": PLAYER, "name": "Ada"}]},
        },
    ),
    "tournament_watch": ({"tournament": CUP, "on": True}, {"id": 1, "after": 0, "chain": 0}),
    "tournament_enter": ({"tournament": CUP}, {"id": 1}),
    "tournament_leave": ({"tournament": CUP}, {"id": 1}),
    "tournament_start": ({"tournament": CUP}, {"id": 1}),
    "tournament_kick": ({"tournament": CUP, "player": PLAYER}, {"id": 1}),
    "ping": ({}, {"id": 1}),
}
ALL = {name: {**required, **optional} for name, (required, optional) in MESSAGES.items()}
OTHER = {"join": {"code"}, "chat": {"phrase"}}
"""Fields that take the place of others."""
CASES = [(name, field) for name, fields in ALL.items() for field in fields]

BOOLEANS: tuple[list[object], list[object]] = ([True, False], [0, 1, "true", [], 1.0])
UP_TO_2_53: tuple[list[object], list[object]] = (
    [0, 7, 2**53],
    [-1, 2**53 + 1, 2**63, 2**64, 10**40, 1.0, 0.5, True, False, "0", [0], {}],
)

# By field, values that can be and values that cannot.
RANGES: dict[str, tuple[list[object], list[object]]] = {
    "id": ([0, 2**32 - 1], [-1, 2**32, 10**40, 1.0, True, "1", [], {}]),
    "n": ([1, 2**31 - 1], [0, -1, 2**31, 10**40, 1.0, True, "1", [], {}]),
    "seen": UP_TO_2_53,
    "after": UP_TO_2_53,
    "a": UP_TO_2_53,
    "b": UP_TO_2_53,
    "chain": ([0, 2**32 - 1], [-1, 2**32, 1.0, True, "0", []]),
    "seat": ([0, 9], [-1, 10, 1.0, True, "0", []]),
    "room": ([ROOM, "0123456789"], ["", "k7mp2xw9q", "k7mp2xw9qdx", 7, True, [ROOM]]),
    "name": (["A", "é" * 24, "👏" * 24], ["", "x" * 25, 7, True, []]),
    "tournament": ([CUP, "0123456789a"], ["", ROOM, "c7qm3xw9kd2x", 7, True, [CUP]]),
    "title": (["A", "é" * 40], ["", "x" * 41, 7, True, []]),
    "format": (["knockout", "swiss"], ["x" * 65, 7, True, []]),
    "most": ([2, 10**6], [1.0, True, "2", []]),
    "join_s": ([60], [1.0, True, "2", []]),
    "minutes": ([30], [1.0, True, "2", []]),
    "starts_in_s": ([1, 604_800], [0, 604_801, 1.0, True, "1", []]),
    "players": (
        [[], [{"id": PLAYER, "name": "A"}] * 128],
        [7, "x", [PLAYER], [{"id": ROOM, "name": "A"}], [{"id": PLAYER, "name": ""}]],
    ),
    "enter": BOOLEANS,
    "text": (["A", "é" * 200, "\n"], ["", "x" * 201, 7, True, []]),
    "player": (["w6tq9ek2hmpa", "_" * 12], ["", "x" * 11, "x" * 13, 7, True, []]),
    "reason": (["abuse", "cheating", "stalling", "other"], ["", "Abuse", "whim", 7, True, []]),
    "key": (["A", "x" * 64], ["", "x" * 65, 7, True, []]),
    "token": (["", "x" * 2048], ["x" * 2049, 7, True, []]),
    "agent": (["", "x" * 400], ["x" * 401, 7, True, []]),
    "mode": (["race", "turns", "mirror", "chess"], ["x" * 65, 7, True, []]),
    "level": (["easy", "medium", "hard"], ["", "Easy", 7, True, []]),
    "options": (
        [{}, {"size": 35, "deal": "even", "penalty": True, "seed": None, "x": 1.5}, {"": 10**40}],
        [[], 7, "x", True, {"x": []}, {"x": {}}, {"x": [1]}],
    ),
    "private": BOOLEANS,
    "watch": BOOLEANS,
    "ready": BOOLEANS,
    "want": BOOLEANS,
    "on": BOOLEANS,
    "rated": BOOLEANS,
    "bot": BOOLEANS,
}


def decode(name: str, fields: dict[str, object]) -> object:
    return CODECS[JSON].decode(json.dumps({"t": name, **fields}).encode())


def blamed(name: str, fields: dict[str, object]) -> str | None:
    with pytest.raises(BadMessage) as caught:
        decode(name, fields)
    assert caught.value.code is ErrorCode.BAD_MESSAGE
    return caught.value.field


def test_every_type_is_here() -> None:
    assert list(TYPES) == list(MESSAGES)


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_has_these_fields_and_no_more(name: str) -> None:
    assert set(TYPES[name].__struct_fields__) == {*ALL[name], *OTHER.get(name, ())}


@pytest.mark.parametrize(("name", "field"), CASES)
def test_only_optional_fields_may_be_absent_or_null(name: str, field: str) -> None:
    message = dict(MESSAGES[name][0])
    if field not in message:
        assert decode(name, message) == decode(name, message | {field: None})
        return
    assert blamed(name, message | {field: None}) == field
    del message[field]
    assert blamed(name, message) == field


@pytest.mark.parametrize(("name", "field"), CASES)
def test_a_field_has_its_range(name: str, field: str) -> None:
    good, bad = RANGES[field]
    for value in good:
        assert to_builtins(getattr(decode(name, ALL[name] | {field: value}), field)) == value
    for value in bad:
        assert blamed(name, ALL[name] | {field: value}) == field, value


@pytest.mark.parametrize("name", [name for name in ALL if "room" in ALL[name] and "n" not in ALL[name]])
def test_a_room_that_may_be_looked_up_anywhere_is_spelt_in_letters_and_digits(name: str) -> None:
    for room in ("k7mp2xw9q}", "k7mp2xw9q:", "k7mp2xw9q\n", "k7mp2xw9qé", "k7mp2 w9qd"):
        assert blamed(name, ALL[name] | {"room": room}) == "room"


@pytest.mark.parametrize("code", ["h4tr9", "h4tr9zz", "h4tr9\n", "h4tr9}", "", 123456, True])
def test_a_code_has_six_letters_and_digits(code: object) -> None:
    assert blamed("join", {"code": code}) == "code"


def test_a_code_may_be_typed_in_upper_case() -> None:
    assert decode("join", {"code": "H4TR9Z"}).code == "H4TR9Z"  # type: ignore[attr-defined]  # a join has one


@pytest.mark.parametrize("phrase", ["", "x" * 65, 7, True, []])
def test_a_phrase_is_named_by_a_key(phrase: object) -> None:
    assert blamed("chat", {"room": ROOM, "phrase": phrase}) == "phrase"
