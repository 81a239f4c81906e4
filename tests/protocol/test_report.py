"""Reports as they are kept: what was written is read by every later version."""

import pytest
from msgspec import MsgspecError

from tenmatch.game.ids import Millis, PlayerId, RoomId, SeatNumber
from tenmatch.protocol.report import Reason, Report, Said, decode, encode

KEPT = (
    b'{"at":1798761655895,"room":"k7mp2xw9qd","mode":"race","about":{"id":"w6tq9ek2hmpa","name":"Bo"},'
    b'"seat":1,"by":{"id":"m4kx7q2wz9ht","name":"Ada"},"reason":"abuse","text":"Read what he wrote.",'
    b'"said":[{"at":1798761650000,"text":"you fool"}]}'
)
REPORT = Report(
    at=Millis(1_798_761_655_895),
    room=RoomId("k7mp2xw9qd"),
    mode="race",
    about={"id": PlayerId("w6tq9ek2hmpa"), "name": "Bo"},
    seat=SeatNumber(1),
    by={"id": PlayerId("m4kx7q2wz9ht"), "name": "Ada"},
    reason=Reason.ABUSE,
    text="Read what he wrote.",
    said=(Said(at=Millis(1_798_761_650_000), text="you fool"),),
)


def test_version_1_of_a_report() -> None:
    assert decode(KEPT) == REPORT
    assert encode(REPORT) == KEPT


def test_what_a_later_version_adds_is_passed_over() -> None:
    assert decode(KEPT[:-1] + b',"mood":"bad"}') == REPORT


@pytest.mark.parametrize("kept", [b"", b"[]", KEPT.replace(b"abuse", b"whim")])
def test_what_is_none(kept: bytes) -> None:
    with pytest.raises(MsgspecError):
        decode(kept)
