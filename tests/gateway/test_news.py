"""What the feed brings, also what no node of ours would publish."""

import msgspec
import pytest
from tests.gateway.nodes import Running, founded, listen
from tests.store.waiting import until

from tenmatch.store import published
from tenmatch.store.presence import read_arrival


@pytest.mark.parametrize(
    argnames="payload",
    ids=["empty", "short", "reserved", "deep", "incomplete", "not text", "long"],
    argvalues=[
        b"",
        b"zzz",
        b"\xc1",
        b"\x91" * 10_000,
        b"\x81\xa1t\xa4chat",
        b"\x81\xa4text\xa1\xff",
        bytes(100_000),
    ],
)
@pytest.mark.parametrize("kind", [published.ARRIVED, 2, 250])
async def test_a_note_that_cannot_be_read_is_left_alone(
    node: Running, kind: int, payload: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    table = await founded(node)
    ear = listen(table, 0)
    node.node.feed.publish(table.room, kind, payload)
    said = {"t": "chat", "room": table.room, "player": {"id": "a", "name": "b"}, "text": "then", "at": 1}
    node.node.feed.publish(table.room, 2, msgspec.msgpack.encode(said))
    await until(lambda: any(message.get("text") == "then" for message in ear.told))
    assert not ear.is_detached
    assert "Traceback" not in caplog.text


def test_an_arrival_has_a_seat_and_a_number() -> None:
    assert read_arrival(b"\x01\x00\x00\x00\x07node") == (1, 7, "node")
    with pytest.raises(ValueError, match="no arrival in 4 bytes"):
        read_arrival(b"\x01\x00\x00\x00")
