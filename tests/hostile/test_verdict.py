"""What judges the server is right itself: on the examples of RFC 6455, section 5.7, and beside them."""

import json

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile import verdict
from tests.live.wire import frame

FINITE = st.floats(allow_nan=False, allow_infinity=False)
HELLO = b'{"t":"hello"}'
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | FINITE | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("stream", "codes"),
    [
        (b"", {None}),
        (b"\x81", {None}),
        (b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", {1007}),  # "Hello", masked, which is no JSON
        (b"\x81\x05\x48\x65\x6c\x6c\x6f", {1002}),  # not masked
        (b"\x89\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", {None}),  # a ping
        (frame(1, HELLO), {None}),
        (frame(1, HELLO)[:-1], {None}),
        (frame(2, HELLO), {1003}),
        (frame(2, HELLO) + frame(3), {1002, 1003}),
        (frame(1, b"\xff" * 10), {1007}),
        (frame(1, HELLO[:5], fin=False) + frame(9) + frame(0, HELLO[5:]), {None}),
        (frame(1, b"1", fin=False) + frame(1, b"1"), {1002}),
        (frame(0, b"1"), {1002}),
        (frame(1, b"1" * 4_096), {None}),
        (frame(1, b"1" * 4_097), {1009}),
        (frame(1, b"1" * 4_096, fin=False) + frame(0, b"1"), {1009}),
        (frame(1, claim=2**62), {None, 1009}),  # nothing of it has come
        (frame(9, bytes(126)), {1002}),
        (frame(9, fin=False), {1002}),
        (frame(1, HELLO, rsv=4), {1002}),
        (frame(8), {0}),
        (frame(8, b"\x03"), {1002}),
        (frame(8, b"\x03\xe8\xff"), {1007}),
        (frame(8, b"\x03\xed"), {1002}),
        (frame(8, b"\x0f\xa0bye") + frame(3), {4000}),
    ],
)
def test_frames(stream: bytes, codes: set[verdict.Code]) -> None:
    assert verdict.codes(stream) == codes


@given(PLAIN)
def test_what_msgpack_writes_is_a_value_and_nothing_less_or_more_is(value: object) -> None:
    packed = msgpack.packb(value)
    assert verdict.fates(packed, binary=True) == {None}
    assert verdict.fates(packed + b"\x00", binary=True) == {1007}
    assert all(verdict.fates(packed[:end], binary=True) == {1007} for end in range(len(packed)))


def test_msgpack_that_is_none() -> None:
    assert verdict.fates(b"\xc1", binary=True) == {1007}
    assert verdict.fates(b"\xa1\xff", binary=True) == {None, 1007}
    assert verdict.fates(b"\xdd\xff\xff\xff\xff", binary=True) == {1007}


@given(PLAIN)
def test_what_json_writes_is_a_value(value: object) -> None:
    assert verdict.is_json(json.dumps(value, default=repr).encode())


@pytest.mark.parametrize(
    "text", [b"", b"{", b"1 2", b"NaN", b"\xef\xbb\xbf1", b'"\xff"', b"\xff\xfe1\x00", rb'"\ud800"']
)
def test_json_that_is_none(text: bytes) -> None:
    assert not verdict.is_json(text)
