"""Entries of a log: their bytes, and the chain through them (server/protocol.md, "What is stored").

Logs are of rooms, or of tournaments: the events differ, nothing else.

An entry is a version byte, the chain, and the event as a MessagePack map. The chain covers the whole log up
to its entry, so two logs that agree on (seq, chain) agree on everything before.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from struct import Struct as Layout
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

from tenmatch.game.events import AnyEvent, Created, Event
from tenmatch.game.ids import Seq
from tenmatch.game.tournament.events import Announced, AnyTournamentEvent

VERSION: Final = 1
SALT_BYTES: Final = 16

_HEAD: Final = Layout(">BI")  # version, chain
_CHAIN: Final = Layout(">I")
_encode: Final = msgspec.msgpack.Encoder().encode
_decoder: Final = msgspec.msgpack.Decoder[AnyEvent](AnyEvent)
_tournament_decoder: Final = msgspec.msgpack.Decoder[AnyTournamentEvent](AnyTournamentEvent)

E = TypeVar("E", bound=Event)


class StoredError(Exception):
    """What is stored is no log entry that this version can read, or does not continue the log before it."""


class Sealed(msgspec.Struct, Generic[E], frozen=True):
    """One event of a log, with where it stands and the bytes that say so."""

    seq: Seq
    chain: int  # uint32, covers the log up to this entry
    event: E
    raw: bytes  # as stored


Entry: TypeAlias = Sealed[AnyEvent]
"""Of a room's log."""
TournamentEntry: TypeAlias = Sealed[AnyTournamentEvent]
"""Of a tournament's."""


def chain_after(salt: bytes, previous: int, body: bytes) -> int:
    """Give the chain of the entry whose map is *body* after the chain *previous*, 0 at the start."""
    return int.from_bytes(sha256(salt + _CHAIN.pack(previous) + body).digest()[:4])


def seal(event: E, seq: int, previous: int, salt: bytes) -> Sealed[E]:
    """Write the entry *seq* of a log, of *event* after the chain *previous*."""
    body = _encode(event)
    chain = chain_after(salt, previous, body)
    return Sealed(Seq(seq), chain, event, _HEAD.pack(VERSION, chain) + body)


def unseal(raw: bytes) -> tuple[int, AnyEvent]:
    """Read an entry of a room; return its chain and event. Whether it continues a log is for `continues`.

    Raises:
        StoredError: It is no entry, or one of a version or kind that is not known here.
    """
    return _unseal(raw, _decoder)


def _unseal(raw: bytes, decoder: "msgspec.msgpack.Decoder[E]") -> tuple[int, E]:
    if len(raw) <= _HEAD.size or raw[0] != VERSION:
        raise StoredError(
            f"no log entry of version {VERSION}: {len(raw)} bytes, from {raw[:1].hex() or 'none'}"
        )
    _, chain = _HEAD.unpack_from(raw)
    try:
        return chain, decoder.decode(memoryview(raw)[_HEAD.size :])
    except (msgspec.DecodeError, RecursionError) as error:
        raise StoredError(f"no event in a log entry: {error}") from error


def continues(previous: int, salt: bytes, raw: bytes) -> bool:
    """Tell whether an entry follows the chain *previous*: then no byte of it or of the log before differs."""
    return raw[: _HEAD.size] == _HEAD.pack(VERSION, chain_after(salt, previous, raw[_HEAD.size :]))


def salt_of(created: Created | Announced) -> bytes:
    """Read the salt that opens a log's chain.

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


def seal_all(events: Iterable[E], seq: int, chain: int, salt: bytes) -> list[Sealed[E]]:
    """Write the entries of *events* after the end (*seq*, *chain*) of a log; (0, 0) is an empty one's."""
    entries = []
    for place, event in enumerate(events, seq + 1):
        entry = seal(event, place, chain, salt)
        entries.append(entry)
        chain = entry.chain
    return entries


def open_all(raws: Sequence[bytes], seq: int, chain: int, salt: bytes | None = None) -> list[Entry]:
    """Read a room's entries after the end (*seq*, *chain*), each of which must continue the one before.

    Args:
        salt: Without it the first entry must be the room's `created`, which names it.

    Raises:
        StoredError: An entry cannot be read, or does not continue the log.
    """
    return _open_all(_decoder, Created, raws, seq, chain, salt)


def open_tournament(
    raws: Sequence[bytes], seq: int, chain: int, salt: bytes | None = None
) -> list[TournamentEntry]:
    """Read a tournament's entries as `open_all` does a room's; the first of its log is `announced`.

    Raises:
        StoredError: An entry cannot be read, or does not continue the log.
    """
    return _open_all(_tournament_decoder, Announced, raws, seq, chain, salt)


def _open_all(
    decoder: "msgspec.msgpack.Decoder[E]",
    opening: type[Created | Announced],
    raws: Sequence[bytes],
    seq: int,
    chain: int,
    salt: bytes | None,
) -> list[Sealed[E]]:
    entries: list[Sealed[E]] = []
    for place, raw in enumerate(raws, seq + 1):
        told, event = _unseal(raw, decoder)
        if salt is None:
            salt = _opening_salt(event, opening)
        if not continues(chain, salt, raw):
            raise StoredError(f"entry {place} does not continue the log")
        chain = told
        entries.append(Sealed(Seq(place), chain, event, raw))
    return entries


def _opening_salt(event: Event, opening: type[Created | Announced]) -> bytes:
    if not isinstance(event, opening):
        named = opening.__name__.lower()
        raise StoredError(f"a log begins with {named}, not {type(event).__name__.lower()}")
    return salt_of(event)
