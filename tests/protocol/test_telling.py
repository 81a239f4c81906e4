"""The message of an event is the same, byte for byte, whichever way it is made."""

import pytest
from hypothesis import given
from msgspec.structs import replace
from tests.protocol.logs import EVENTS, LOGS, patient, structs

from tenmatch.game.events import AnyEvent, Matched
from tenmatch.game.ids import RoomId, Seq
from tenmatch.protocol import to_client
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.stored import Entry
from tenmatch.protocol.telling import event_message
from tenmatch.protocol.viewers import event_map

ROOM = RoomId("k7mp2xw9qd")


def is_told_as_its_map(entry: Entry) -> bool:
    """Tell whether the message of an entry is that of its map, in each codec."""
    message, mapped = event_message(ROOM, entry), to_client.event(ROOM, event_map(entry))
    return all(codec.encode(message) == codec.encode(mapped) for codec in CODECS.values())


PLAIN = structs(Matched).map(lambda event: replace(event, open=None, turn=None, clocks=None, ends_at=None))


@given(EVENTS | structs(Matched) | PLAIN)
@patient
def test_any_event_is_told_as_its_map(event: AnyEvent) -> None:
    assert is_told_as_its_map(Entry(Seq(2), 3, event, b""))


@pytest.mark.parametrize("name", LOGS)
def test_games_are_told_as_their_maps(name: str) -> None:
    assert all(map(is_told_as_its_map, LOGS[name].entries))


def test_a_match_in_a_race_is_told_without_a_map() -> None:
    matches = [entry for entry in LOGS["race"].entries if isinstance(entry.event, Matched)]
    assert matches
    assert not any(isinstance(event_message(ROOM, entry), dict) for entry in matches)
