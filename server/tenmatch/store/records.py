"""Records of finished games, which outlive their rooms. What is in one is opaque here."""

from collections.abc import Mapping
from typing import NamedTuple

from tenmatch.game.ids import RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import pack


class Found(NamedTuple):
    """What the store has of a room, as far as its record is concerned."""

    record: bytes | None
    last: bytes | None  # the last entry of its log, where that still is


async def keep(store: Store, records: Mapping[RoomId, bytes], ttl: int) -> None:
    """Keep records for *ttl* seconds, 0 for ever; those that are kept already stay as they are.

    A record lies in the slot of its log and is written after it: no failover takes back the log's end alone.

    Raises:
        StoreDown: Some may be kept; keeping them again does no harm.
    """
    expiry = ("EX", ttl) if ttl else ()
    await store.pipeline(
        [pack("SET", keys.record(room), record, "NX", *expiry) for room, record in records.items()]
    )


async def find(store: Store, room: RoomId) -> Found:
    """Look for a room's record, and for where its log ends.

    Raises:
        StoreDown: They could not be read.
    """
    record, last = await store.pipeline(
        [pack("GET", keys.record(room)), pack("LRANGE", keys.log(room), -1, -1)]
    )
    return Found(record, last[0] if last else None)
