"""What is published on a room's channel, as bytes.

version (1), kind
kind 0      first seq (uint32), then each entry after its length (uint32); written by scripts/append.lua
kind 1-255  a note: whatever bytes. 1 is presence's (scripts/arrive.lua), 3 the queue's (scripts/pair.lua),
            4 what nodes are told (store.nodes), the others are free for those above
"""

from collections.abc import Iterator
from struct import Struct, error
from typing import Final, NamedTuple

from tenmatch.game.ids import Seq

VERSION: Final = 1
ENTRIES: Final = 0
ARRIVED: Final = 1
QUEUED: Final = 3
ORDERED: Final = 4
LONGEST: Final = 2**20
"""Bytes of a message that is read: a whole log takes less, so what is longer is not of our nodes."""

_HEADER: Final = Struct(">BB")
_FIRST_SEQ: Final = Struct(">I")
_LENGTH: Final = Struct(">I")


class Entries(NamedTuple):
    """Entries that were appended together."""

    first_seq: Seq
    entries: tuple[bytes, ...]


class Note(NamedTuple):
    """What a node has to say about a room, not kept anywhere."""

    kind: int
    payload: bytes


def note(kind: int, payload: bytes) -> bytes:
    """Return the message that carries a note; *kind* is 1 … 255."""
    assert 0 < kind < 256
    return _HEADER.pack(VERSION, kind) + payload


def read(message: bytes) -> Entries | Note | None:
    """Return what a message carries; None where it cannot be read, as when a newer node sent it."""
    if len(message) > LONGEST:
        return None
    try:
        version, kind = _HEADER.unpack_from(message)
        if version != VERSION:
            return None
        if kind != ENTRIES:
            return Note(kind, message[_HEADER.size :])
        (first_seq,) = _FIRST_SEQ.unpack_from(message, _HEADER.size)
        return Entries(Seq(first_seq), tuple(_entries(message)))
    except error:
        return None


def _entries(message: bytes) -> Iterator[bytes]:
    position = _HEADER.size + _FIRST_SEQ.size
    while position < len(message):
        (length,) = _LENGTH.unpack_from(message, position)
        position += _LENGTH.size
        yield message[position : position + length]
        position += length
