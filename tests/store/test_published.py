"""Messages on a room's channel, as bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenmatch.game.ids import Seq
from tenmatch.store import published


def test_a_note_comes_back() -> None:
    assert published.read(published.note(7, b"hello")) == (7, b"hello")


def test_entries() -> None:
    message = b"\x01\x00" + b"\x00\x00\x01\x00" + b"\x00\x00\x00\x03abc" + b"\x00\x00\x00\x00"
    assert published.read(message) == published.Entries(Seq(256), (b"abc", b""))


@pytest.mark.parametrize(
    "message", [b"", b"\x01", b"\x02\x00\x00\x00\x00\x01", b"\x01\x00\x00", b"\x01\x00abcdef"]
)
def test_what_cannot_be_read_is_none(message: bytes) -> None:
    assert published.read(message) is None


def test_what_is_longer_than_any_message_of_ours_is_none() -> None:
    assert published.read(published.note(7, bytes(published.LONGEST - 2))) is not None
    assert published.read(published.note(7, bytes(published.LONGEST - 1))) is None


@given(st.binary())
def test_whatever_comes_does_not_raise(message: bytes) -> None:
    published.read(message)
