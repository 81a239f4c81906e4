"""Entries of a room's log: their bytes, and the chain through them (server/protocol.md, "What is stored").

An entry is a version byte, the chain, and the event as a MessagePack map. The chain covers the whole log up
to its entry, so two logs that agree on (seq, chain) agree on everything before.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from struct import Struct as Layout
from typing import Final

import msgspec

from tenmatch.game.events import AnyEvent, Created
from tenmatch.game.ids import Seq

VERSION: Final = 1
SALT_BYTES: Final = 16

_HEAD: Final = Layout(">BI")  # version, chain
_CHAIN: Final = Layout(">I")
_encode: Final = msgspec.msgpack.Encoder().encode
_decoder: Final = msgspec.msgpack.Decoder[AnyEvent](AnyEvent)


class StoredError(Exception):
    """What is stored is no log entry that this version can read, or does not continue the log before it."""


class Entry(msgspec.Struct, frozen=True):
    """One event of a room's log, with where it stands and the bytes that say so."""

    seq: Seq
    chain: int  # uint32, covers the log up to this entry
    event: AnyEvent
    raw: bytes  # as stored


def chain_after(salt: bytes, previous: int, body: bytes) -> int:
    """Give the chain of the entry whose map is *body* after the chain *previous*, 0 at the start."""
    return int.from_bytes(sha256(salt + _CHAIN.pack(previous) + body).digest()[:4])


def seal(event: AnyEvent, seq: int, previous: int, salt: bytes) -> Entry:
    """Write the entry *seq* of a log, of *event* after the chain *previous*."""
    body = _encode(event)
    chain = chain_after(salt, previous, body)
    return Entry(Seq(seq), chain, event, _HEAD.pack(VERSION, chain) + body)


def unseal(raw: bytes) -> tuple[int, AnyEvent]:
    """Read an entry and return its chain and event. Whether it continues a log is `continues` to say.

    Raises:
        StoredError: It is no entry, or one of a version or kind that is not known here.
    """
    if len(raw) <= _HEAD.size or raw[0] != VERSION:
        raise StoredError(
            f"no log entry of version {VERSION}: {len(raw)} bytes, from {raw[:1].hex() or 'none'}"
        )
    _, chain = _HEAD.unpack_from(raw)
    try:
        return chain, _decoder.decode(memoryview(raw)[_HEAD.size :])
    except (msgspec.DecodeError, RecursionError) as error:
        raise StoredError(f"no event in a log entry: {error}") from error


def continues(previous: int, salt: bytes, raw: bytes) -> bool:
    """Tell whether an entry follows the chain *previous*: then no byte of it or of the log before differs."""
    return raw[: _HEAD.size] == _HEAD.pack(VERSION, chain_after(salt, previous, raw[_HEAD.size :]))


def salt_of(created: Created) -> bytes:
    """Read the salt that opens a room's chain.

    Raises:
        StoredError: It is not 16 bytes in hex.
    """
    try:
        salt = bytes.fromhex(created.salt)
    except ValueError as error:
        raise StoredError("the salt is not hex") from error
    if len(salt) != SALT_BYTES:
        raise StoredError(f"the salt has {len(salt)} bytes; {SALT_BYTES} are needed")
    return salt


def seal_all(events: Iterable[AnyEvent], seq: int, chain: int, salt: bytes) -> list[Entry]:
    """Write the entries of *events* after the end (*seq*, *chain*) of a log; (0, 0) is an empty one's."""
    entries = []
    for place, event in enumerate(events, seq + 1):
        entry = seal(event, place, chain, salt)
        entries.append(entry)
        chain = entry.chain
    return entries


def open_all(raws: Sequence[bytes], seq: int, chain: int, salt: bytes | None = None) -> list[Entry]:
    """Read the entries after the end (*seq*, *chain*) of a log, each of which must continue the one before.

    Args:
        salt: Without it the first entry must be the room's `created`, which names it.

    Raises:
        StoredError: An entry cannot be read, or does not continue the log.
    """
    entries: list[Entry] = []
    for place, raw in enumerate(raws, seq + 1):
        told, event = unseal(raw)
        if salt is None:
            salt = _opening_salt(event)
        if not continues(chain, salt, raw):
            raise StoredError(f"entry {place} does not continue the log")
        chain = told
        entries.append(Entry(Seq(place), chain, event, raw))
    return entries


def _opening_salt(event: AnyEvent) -> bytes:
    if not isinstance(event, Created):
        raise StoredError(f"a log begins with created, not {type(event).__name__.lower()}")
    return salt_of(event)
