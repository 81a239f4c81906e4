"""Records of finished games: kept by whichever node sees a game end, and shown to whoever asks for one.

While a game's log lives its record follows from it, so nothing is lost with a node that dies before it wrote
one: the room stays marked to be looked at until its record is kept.
"""

import asyncio
import gzip
import logging
import re
from collections.abc import Collection
from http import HTTPStatus
from typing import Final

from websockets.http11 import Request, Response

from tenmatch.game.events import Ended, Rematch
from tenmatch.game.ids import ROOM_ID_LENGTH, RoomId
from tenmatch.game.room import Phase
from tenmatch.gateway.http import FOR_ANYONE, Later, path_of, read_for, respond, say, takes_gzip
from tenmatch.gateway.table import Table
from tenmatch.gateway.tasks import Spawn
from tenmatch.protocol.record import Record, encode, hidden_until, public_at, record_of
from tenmatch.protocol.stored import StoredError, open_all, unseal
from tenmatch.store import records
from tenmatch.store.connect import Store
from tenmatch.store.log import read

log = logging.getLogger(__name__)

LONG: Final = 250  # events of a record that takes a millisecond or more; for less a thread costs too much
UNCHANGED_S: Final = 3_600  # for so long whoever has a record need not ask again
_LEVEL: Final = 6  # the most that gzip can do would take four times as long, for one byte less in a hundred
_MTIME: Final = slice(4, 8)  # of gzip, little-endian (RFC 1952)
_ROOM: Final = re.compile(rf"[a-z0-9]{{{ROOM_ID_LENGTH}}}")


class Records:
    """The records in the store."""

    def __init__(self, store: Store, *, ttl: int, spawn: Spawn) -> None:
        """Make them.

        Args:
            ttl: Seconds for which a record is kept; 0: for ever.
        """
        self._store = store
        self._ttl = ttl
        self._spawn = spawn

    async def keep(self, tables: Collection[Table]) -> set[Table]:
        """Keep the records of rooms that are over; return those that need not be seen to any more.

        Raises:
            StoreDown: Some may be kept; keeping them again does no harm.
        """
        done, kept = set(), {}
        for table in tables:
            record = record_of(table.entries) if table.state.phase is Phase.OVER else None
            if record is None:  # nobody played here, or the end was taken back
                done.add(table)
            elif self._is_public(record):
                kept[table.room] = await _packed(record)
                done.add(table)
        if kept:
            await records.keep(self._store, kept, self._ttl)
        return done

    async def find(self, room: RoomId) -> bytes | None:
        """Return a room's record as JSON, packed (gzip); None where no game was played to its end.

        Raises:
            StoreDown: It could not be looked for.
        """
        found = await records.find(self._store, room)
        if found.record is not None or found.last is None:
            return self._unless_hidden(found.record)
        try:
            if not isinstance(unseal(found.last)[1], Ended | Rematch):
                return None  # the game goes on: its log may be long
            record = record_of(open_all((await read(self._store, room)).entries, 0, 0))
        except StoredError as error:
            log.error("a log cannot be read", extra={"room": room, "error": str(error)})
            return None
        if record is None or not self._is_public(record):
            return None
        packed = await _packed(record)
        await records.keep(self._store, {room: packed}, self._ttl)
        return self._unless_hidden(packed)

    def _unless_hidden(self, packed: bytes | None) -> bytes | None:
        """Return a record that is kept, but not what nobody is to see yet."""
        hidden = packed is not None and self._store.clock.now() < 1_000 * int.from_bytes(
            packed[_MTIME], "little"
        )
        return None if hidden else packed

    def _is_public(self, record: Record) -> bool:
        return self._store.clock.now() >= public_at(record)

    def page(self, request: Request) -> Later:
        """Answer a request for the record of the room that its path ends with."""
        return read_for("record", lambda: self._answer(request), self._spawn)

    async def _answer(self, request: Request) -> Response:
        room = path_of(request).rpartition("/")[2]
        packed = await self.find(RoomId(room)) if _ROOM.fullmatch(room) else None
        headers = {**FOR_ANYONE, "Vary": "Accept-Encoding"}
        if packed is None:
            return say(HTTPStatus.NOT_FOUND, "no game that is over is known by this id", headers)
        headers["Cache-Control"] = f"public, max-age={UNCHANGED_S}"
        if not takes_gzip(request):
            return respond(HTTPStatus.OK, gzip.decompress(packed), "application/json", headers)
        return respond(HTTPStatus.OK, packed, "application/json", {**headers, "Content-Encoding": "gzip"})


async def _packed(record: Record) -> bytes:
    """Write a record and pack it: one that is long beside the event loop, another between two of its turns.

    Its time, which gzip knows, is the second from which on it may be seen.
    """
    seconds = hidden_until(record) // 1_000

    def pack() -> bytes:
        return gzip.compress(encode(record), _LEVEL, mtime=seconds)

    if len(record.events) > LONG:
        return await asyncio.to_thread(pack)
    await asyncio.sleep(0)
    return pack()
