"""The fields of what the server says: which are left out when absent, and which are null."""

import json
from typing import Any

import msgspec
import pytest

from tenmatch.game.ids import Millis, MoveNumber, PlayerId, RoomCode, RoomId
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.limits import JSON, BadMessage, ErrorCode
from tenmatch.protocol.maps import EVENT_TYPES
from tenmatch.protocol.to_client import (
    AnyToClient,
    Error,
    Pong,
    Queued,
    Refused,
    Resumed,
    Rooms,
    Snapshot,
    ToClient,
    Welcome,
    error,
    event,
)

ROOM = RoomId("k7mp2xw9qd")
STATE: Any = {"phase": "open"}


def told(message: ToClient) -> Any:
    """Return a message as a client reads it."""
    return json.loads(CODECS[JSON].encode(message))


def test_optional_fields_are_left_out() -> None:
    assert told(Pong(time=Millis(5))) == {"t": "pong", "time": 5}
    assert told(Pong(re=0, time=Millis(5))) == {"t": "pong", "re": 0, "time": 5}
    assert told(Rooms(gone=[])) == {"t": "rooms", "gone": []}
    assert told(Error(code=ErrorCode.HELLO_FIRST, text="x")) == {
        "t": "error",
        "code": "hello_first",
        "text": "x",
    }
    queued = Queued(mode="race", rated=False, on=True)
    assert told(queued) == {"t": "queued", "mode": "race", "rated": False, "on": True}
    refused = Refused(room=ROOM, n=MoveNumber(1), seq=0, code="stale")
    assert told(refused) == {"t": "refused", "room": ROOM, "n": 1, "seq": 0, "code": "stale"}


def test_other_fields_are_null() -> None:
    snapshot = Snapshot(re=None, room=ROOM, code=RoomCode("h4tr9z"), seq=1, chain=2, seat=None, state=STATE)
    assert told(snapshot) == {
        "t": "snapshot", "re": None, "room": ROOM, "code": "h4tr9z", "seq": 1, "chain": 2, "seat": None,
        "state": STATE,
    }  # fmt: skip
    assert told(msgspec.structs.replace(snapshot, reset=True))["reset"] is True
    resumed = Resumed(re=None, room=ROOM, seq=1, seat=None, events=[])
    assert told(resumed) == {"t": "resumed", "re": None, "room": ROOM, "seq": 1, "seat": None, "events": []}
    welcome = Welcome(
        re=None, player={"id": PlayerId("x"), "name": "y"}, token="z", seated=[], node="a", version="1",
        time=Millis(5), limits={"frame": 1, "messages_per_s": 2, "matches_per_s": 3},
    )  # fmt: skip
    assert told(welcome)["re"] is None


def test_an_event_is_told_with_its_room() -> None:
    assert event(ROOM, {"seq": 1, "kind": "readied"}) == {
        "t": "event",
        "room": ROOM,
        "seq": 1,
        "kind": "readied",
    }


def test_a_bad_message_is_answered_with_what_could_be_read_of_it() -> None:
    bad = BadMessage("a", "Expected `int`", re=1, room=ROOM, n=2)
    assert told(error(bad)) == {
        "t": "error", "re": 1, "room": ROOM, "n": 2, "code": "bad_message", "text": "Expected `int`",
        "field": "a",
    }  # fmt: skip
    unknown = BadMessage(None, "x", code=ErrorCode.UNKNOWN_TYPE)
    assert told(error(unknown)) == {"t": "error", "code": "unknown_type", "text": "x"}


def test_schemas_can_be_made_of_every_type() -> None:
    _, components = msgspec.json.schema_components([AnyToClient, *EVENT_TYPES.values()])
    assert {"Welcome", "Snapshot", "StateMap", "Created", "Rematch"} <= set(components)
    created = components["Created"]
    assert {"commit", "hash", "seq"} <= set(created["required"])
    assert not {"seed", "salt", "rules"} & set(created["properties"])


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_every_event_type_says_what_it_is(kind: str) -> None:
    assert EVENT_TYPES[kind].__doc__
    assert EVENT_TYPES[kind].__struct_fields__[:4] == ("seq", "chain", "at", "hash")


def test_the_event_that_names_the_room_of_a_rematch_names_the_old_one_too() -> None:
    named = event(RoomId("a" * 10), {"kind": "rematch", "room": "b" * 10})
    assert (named["room"], named["from"]) == ("b" * 10, "a" * 10)
    assert "from" not in event(RoomId("a" * 10), {"kind": "rematch", "seat": 0, "want": True})
