"""What must hold of any bytes that both decoders are given; see fuzz_decoders.py and test_decoders.py."""

from collections.abc import Iterator

import msgspec
from tests.hostile import verdict
from tests.protocol.frames import FROM_CLIENT

from tenmatch.protocol import to_client
from tenmatch.protocol.codec import CODECS, Codec
from tenmatch.protocol.from_client import TYPES
from tenmatch.protocol.limits import MAX_MOVE_NUMBER, MAX_REQUEST_ID, BadMessage, CloseCode, PeerError


def take(data: bytes) -> None:
    """Give bytes to both decoders. Raises AssertionError for a wrong answer, and whatever they should not."""
    for codec in CODECS.values():
        _take(codec, data)


def _take(codec: Codec, data: bytes) -> None:
    due = _due(codec, data)
    try:
        message = codec.decode(data)
    except PeerError as error:
        assert error.code is CloseCode.NOT_ONE_VALUE  # noqa: PT017  # hypothesis looks on
        assert 1007 in due, "one whole value, and refused as none"
        return
    except BadMessage as error:
        assert None in due, "no value, and taken for one"
        assert error.re is None or 0 <= error.re <= MAX_REQUEST_ID  # noqa: PT017  # hypothesis looks on
        assert error.n is None or 1 <= error.n <= MAX_MOVE_NUMBER  # noqa: PT017  # hypothesis looks on
        codec.encode(to_client.error(error))  # the answer can be written
        return
    assert None in due, "no value, and taken for a message"
    assert type(message) in TYPES.values()
    assert codec.decode(codec.encode(msgspec.to_builtins(message))) == message


def _due(codec: Codec, data: bytes) -> set[verdict.Code]:
    try:
        return verdict.fates(data, binary=codec.binary)
    except RecursionError:  # what is nested so deeply, that is slow to tell
        return {None, 1007}


def seeds() -> Iterator[bytes]:
    """Yield the recorded messages, in both codecs."""
    for frame in FROM_CLIENT:
        yield frame.json
        yield frame.msgpack


def words() -> Iterator[str]:
    """Yield what messages are made of: types and their fields."""
    yield from TYPES
    yield from {field for message in TYPES.values() for field in message.__struct_fields__}
