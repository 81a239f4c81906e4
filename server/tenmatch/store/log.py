"""A room's log: where it ends, what an append to it can come to, reading it, comparing many.

An entry is opaque here but for its bytes 2 to 5: the chain, a big-endian uint32 over the whole log up to and
with this entry. A log that ends with the same (seq, chain) as another is the same log.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from struct import Struct as Layout
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct

from tenmatch.game.ids import Millis, RoomId, Seq
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import Reply, Script, joined, pack, word, words

APPEND: Final = Script("append")

AHEAD: Final = 250  # ms by which an entry's now may be ahead of the store's
LATE: Final = 5_000  # ms by which a player's command may have come before the store's now


class Head(Struct, frozen=True):
    """Where a log ends, or a node believes it does: the number of its entries and the chain of the last."""

    seq: Seq
    chain: int  # uint32; 0 at seq 0


START: Final = Head(Seq(0), 0)
"""Where a log ends that does not exist."""


class Appended(Struct, frozen=True):
    """The log now ends with the entries; or, where there were none, it ends at the head."""

    time: Millis  # the store's


class Behind(Struct, frozen=True):
    """Nothing was written: the log does not end at the head."""

    end: Head  # where it does; START for a log that does not exist
    missed: tuple[bytes, ...]  # the entries after the head; none where it is forked, or longer than the log
    forked: bool  # the head never was an end of this log: read it anew
    time: Millis


class Untimely(Struct, frozen=True):
    """Nothing was written: `at` is too far from the store's time. Judge again by the clock as it is."""

    time: Millis


Outcome: TypeAlias = Appended | Behind | Untimely


class Stored(NamedTuple):
    """A log, or the end of one."""

    entries: tuple[bytes, ...]
    expires_in: Millis | None  # None where the log does not exist


def chain_of(entry: bytes) -> int:
    """Return the chain in an entry."""
    return int.from_bytes(entry[1:5], "big")


def append_call(
    room: RoomId,
    head: Head,
    entries: Sequence[bytes],
    *,
    at: Millis | None,
    by_player: bool,
    ttl: int,
    heard: bool,
    firm: bool = False,
) -> bytes:
    """Return the packed append, the same bytes for the same append.

    Args:
        at: The now that the entries were judged with; None skips the check.
        by_player: It may not be late either.
        ttl: Seconds until the log expires.
        heard: The writer itself listens to the room's channel.
        firm: A WAIT or WAITAOF that follows on the same connection must cover all that the answer rests on.
    """
    assert head.seq > 0 or head.chain == 0
    return joined(
        _WORDS + len(entries),
        _on(room),
        _BASIS.pack(b"$16\r\n", head.seq, head.chain, at or 0, b"\r\n"),
        _terms(by_player, ttl, heard, firm),
        *map(word, entries),
    )


_WORDS: Final = 12  # of a call without entries
_BASIS: Final = Layout(">5sIIQ2s")
"""A word with what an append builds on, as scripts/append.lua reads it: seq, chain and now."""


@lru_cache(10_000)  # packed anew each time, what never changes would cost as much as to judge a match
def _on(room: RoomId) -> bytes:
    return APPEND.words_on([keys.log(room), keys.here(room), keys.feed(room)])


@cache
def _terms(by_player: bool, ttl: int, heard: bool, firm: bool) -> bytes:
    return words(AHEAD, LATE if by_player else b"", ttl, int(heard), int(firm))


def outcome_of(reply: list[Reply]) -> Outcome:
    """Read the append script's answer."""
    time = Millis(reply[0])
    if reply[1] == 0:
        return Appended(time)
    if reply[1] == 2:
        return Untimely(time)
    end = Head(Seq(reply[2]), int.from_bytes(reply[3], "big"))
    return Behind(end, tuple(reply[5:]), bool(reply[4]), time)


async def read(store: Store, room: RoomId, after: Seq = Seq(0)) -> Stored:  # noqa: B008  # a constant
    """Read a room's entries after *after*; none where the log does not exist or is no longer.

    Raises:
        StoreDown: It could not be read.
    """
    [stored] = await read_all(store, [room], after)
    return stored


# What is called there is a NewType: the number itself.
async def read_all(store: Store, rooms: Sequence[RoomId], after: Seq = Seq(0)) -> list[Stored]:  # noqa: B008
    """Read the entries of many rooms after *after*.

    Raises:
        StoreDown: They could not be read.
    """
    replies = await store.pipeline(
        [
            packed
            for room in rooms
            for packed in (pack("LRANGE", keys.log(room), after, -1), pack("PTTL", keys.log(room)))
        ]
    )
    return [
        Stored(tuple(entries), Millis(ttl) if ttl >= 0 else None)
        for entries, ttl in zip(replies[::2], replies[1::2], strict=True)
    ]


async def compare(store: Store, heads: Sequence[tuple[RoomId, Head]]) -> list[Behind | None]:
    """Compare many rooms' heads with their logs; return how each differs, None where it ends there.

    Raises:
        StoreDown: They could not be compared.
    """
    # Of an even room this fetches one entry and runs no script: that is the usual case, and it is asked every
    # second or so.
    tails: list[list[bytes]] = await store.pipeline(
        [pack("LRANGE", keys.log(room), max(head.seq - 1, 0), -1) for room, head in heads]
    )
    odd = [
        number
        for number, ((_, head), tail) in enumerate(zip(heads, tails, strict=True))
        if not _even(head, tail)
    ]
    calls = [
        append_call(*heads[number], (), at=None, by_player=False, ttl=0, heard=False)  # compares only
        for number in odd
    ]
    differences: list[Behind | None] = [None] * len(heads)
    for number, answer in zip(odd, await store.run_all(APPEND, calls), strict=True):
        outcome = outcome_of(answer)
        differences[number] = outcome if isinstance(outcome, Behind) else None
    return differences


def _even(head: Head, tail: Sequence[bytes]) -> bool:
    if head.seq == 0:
        return not tail
    return len(tail) == 1 and chain_of(tail[0]) == head.chain
