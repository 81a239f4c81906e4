"""Every message type has a frame in each codec in server/protocol.md; the code reads and writes just that."""

import json
from typing import get_args

import msgpack
import msgspec
import pytest
from tests.protocol.frames import EVENTS, FROM_CLIENT, TO_CLIENT, Frame
from tests.protocol.logs import LOGS

from tenmatch.protocol import from_client, to_client
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.limits import JSON, MSGPACK
from tenmatch.protocol.maps import EVENT_TYPES
from tenmatch.protocol.progress import Course
from tenmatch.protocol.to_client import AnyToClient
from tenmatch.protocol.viewers import event_map, progress_map


def by_title(frame: Frame) -> str:
    return frame.title.replace("`", "")


def plain(message: msgspec.Struct) -> object:
    """Return a message as a map, without what is optional and null."""
    return {key: value for key, value in msgspec.to_builtins(message).items() if value is not None}


@pytest.mark.parametrize("frame", FROM_CLIENT, ids=by_title)
def test_a_frame_of_a_client_decodes_to_the_same_message_in_both_codecs(frame: Frame) -> None:
    message = CODECS[JSON].decode(frame.json)
    assert CODECS[MSGPACK].decode(frame.msgpack) == message
    assert type(message) is from_client.TYPES[frame.types[0]]
    assert plain(message) == json.loads(frame.json)  # nothing was ignored


def test_every_type_of_a_client_has_a_frame() -> None:
    assert [frame.types[0] for frame in FROM_CLIENT] == list(from_client.TYPES)


@pytest.mark.parametrize("frame", TO_CLIENT, ids=by_title)
def test_a_frame_of_the_server_is_what_its_type_encodes_to(frame: Frame) -> None:
    message: AnyToClient = msgspec.json.decode(frame.json, type=AnyToClient)
    assert msgspec.to_builtins(message) == json.loads(frame.json)
    assert message.__struct_config__.tag == frame.types[0]
    assert CODECS[JSON].encode(message) == frame.json
    assert CODECS[MSGPACK].encode(message) == frame.msgpack


def test_every_type_of_the_server_has_a_frame() -> None:
    assert list(dict.fromkeys(frame.types[0] for frame in TO_CLIENT)) == [
        message.__struct_config__.tag for message in get_args(AnyToClient)
    ]


@pytest.mark.parametrize("frame", EVENTS, ids=by_title)
def test_a_frame_of_an_event_has_the_fields_of_its_kind(frame: Frame) -> None:
    told = json.loads(frame.json)
    assert told == msgpack.unpackb(frame.msgpack)
    assert [told.pop("t"), told["kind"]] == frame.types
    assert len(told.pop("room")) == 10
    event = msgspec.convert(told, EVENT_TYPES[told["kind"]])
    assert json.loads(msgspec.json.encode(event)) == told  # nothing was ignored


@pytest.mark.parametrize("frame", EVENTS, ids=by_title)
def test_a_frame_of_an_event_is_that_of_an_entry_of_the_stored_logs(frame: Frame) -> None:
    told = json.loads(frame.json)
    found = [(log, entry) for log in LOGS.values() for entry in log.entries if entry.chain == told["chain"]]
    log, entry = found[0]
    if told["kind"] == "progress":
        fields = progress_map(entry, Course().after(entry, log.entries))
    else:
        fields = event_map(entry)
    message = to_client.event(told["room"], fields)
    assert CODECS[JSON].encode(message) == frame.json
    assert CODECS[MSGPACK].encode(message) == frame.msgpack


def test_every_kind_of_event_has_a_frame() -> None:
    assert {frame.types[1] for frame in EVENTS} == set(EVENT_TYPES)
