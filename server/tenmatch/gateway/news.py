"""What the feed brings to this node: entries of a room's log, and notes that are in no log."""

import logging

import msgspec

from tenmatch.game.ids import RoomId, Seq, TournamentId
from tenmatch.gateway.attendance import Attendance
from tenmatch.gateway.matchmaking import Matchmaking
from tenmatch.gateway.orders import Orders
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import Tables
from tenmatch.gateway.talk import CHAT_NOTE
from tenmatch.gateway.tournament.held import is_tournament
from tenmatch.gateway.tournament.tournaments import Tournaments
from tenmatch.protocol import to_client
from tenmatch.store import keys
from tenmatch.store.presence import read_arrival
from tenmatch.store.published import ARRIVED, ORDERED, QUEUED
from tenmatch.store.queue import read_note

log = logging.getLogger(__name__)


class News:
    """Hands what the feed hears to the rooms that this node has loaded."""

    def __init__(self) -> None:
        """Wait to be told whose news it is: the feed must be there before those who use it."""
        self._tables: Tables
        self._attendance: Attendance
        self._matchmaking: Matchmaking
        self._tournaments: Tournaments
        self._orders: Orders

    def deliver_to(
        self,
        tables: Tables,
        attendance: Attendance,
        matchmaking: Matchmaking,
        tournaments: Tournaments,
        orders: Orders,
    ) -> None:
        """Name who is told from here on."""
        self._tables = tables
        self._attendance = attendance
        self._matchmaking = matchmaking
        self._tournaments = tournaments
        self._orders = orders

    def on_entries(self, room: RoomId, first_seq: Seq, entries: tuple[bytes, ...]) -> None:
        """Take entries that were appended: early news, which may come late, twice or never."""
        table = self._tables.loaded.get(room)
        if table is not None:
            table.hint(first_seq, entries)
        elif is_tournament(room):
            self._tournaments.on_entries(TournamentId(room), first_seq, entries)

    def on_note(self, room: RoomId, kind: int, payload: bytes) -> None:
        """Take a note, also one of this node's own; kinds of a later version are not for us."""
        table = self._tables.loaded.get(room)
        try:
            if room == keys.QUEUE and kind == QUEUED:
                self._matchmaking.doubt(read_note(payload))
            elif room == keys.NODES and kind == ORDERED:
                self._orders.take(payload)
            elif table is not None:
                self._take(table, kind, payload)
        except (ValueError, msgspec.MsgspecError, RecursionError) as error:  # not of any of our nodes
            extra = {"room": room, "kind": kind, "bytes": len(payload), "error": str(error)}
            log.warning("a note cannot be read", extra=extra)

    def _take(self, table: Table, kind: int, payload: bytes) -> None:
        if kind == ARRIVED:
            arrival = read_arrival(payload)
            self._attendance.noted(table, arrival.seat, arrival.number)
        elif kind == CHAT_NOTE:
            table.announce(msgspec.msgpack.decode(payload, type=to_client.Chat))

    def on_doubt(self, room: RoomId) -> None:
        """Compare a room with its log: messages may have been lost."""
        if room == keys.QUEUE:
            self._matchmaking.doubt()
        elif is_tournament(room):
            self._tournaments.on_doubt(TournamentId(room))
        table = self._tables.loaded.get(room)
        if table is not None:
            table.doubt()
