"""The rooms that this node has loaded: load, unload, and what follows when a room's log goes on.

A table here is a cache of a log. It can be dropped at any moment and read again.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol

from tenmatch.game import commands
from tenmatch.game.answers import Taken
from tenmatch.game.create import found_rematch, rematch_room_id
from tenmatch.game.events import Seated, Skill, Unseated, UnseatReason
from tenmatch.game.ids import ROOM_CODE_LENGTH, Millis, PlayerId, RoomCode, RoomId, SeatNumber, spell
from tenmatch.game.room import Phase, Room
from tenmatch.gateway.appending import appended
from tenmatch.gateway.asked import Holder
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.draws import draw_seed
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.indexes import Indexes
from tenmatch.gateway.onlooker import Onlooker
from tenmatch.gateway.pulse import Pulse
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.table import TTL_S, Table
from tenmatch.gateway.tasks import Spawn
from tenmatch.protocol.stored import Entry, StoredError, open_all, seal_all
from tenmatch.store import due
from tenmatch.store.codes import claim_code
from tenmatch.store.committer import Committer
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.feed import Feed
from tenmatch.store.log import START, Appended, Behind, read

log = logging.getLogger(__name__)

LOOKED_AT_MS = 10_000  # a loaded room is looked at by its node; others wait this long before they do
CODE_TTL_S = 90_000  # a code outlives its room, renewed while a node has it loaded
LATE_S = 0.1  # by so much later than it should one may hear that the store does not answer
RETRY_S = 1.0
GIVEN_UP_S = 5.0  # for which a room that a bug was met in is not tried again here


class NoSuchRoom(Exception):
    """There is no log under this id."""


class UnreadableRoom(NoSuchRoom):
    """There is a log under this id, but this node cannot make a room of it; another may."""


class Beginning(Protocol):
    """What makes the first events of a room, as the functions of `tenmatch.game.create` do."""

    def __call__(self, *, code: RoomCode, salt: bytes, now: Millis) -> Taken:
        """Return them, and the room after them. The salt is drawn for this room alone, 16 bytes."""


class Tables:
    """All tables of a node."""

    def __init__(
        self,
        store: Store,
        committer: Committer,
        feed: Feed,
        ratings: Ratings,
        *,
        pulse: Pulse,
        counts: Counts,
        spawn: Spawn,
        onlooker: Onlooker | None = None,
    ) -> None:
        """Start with none loaded."""
        self.loaded: dict[RoomId, Table] = {}
        self.waiting: set[Table] = set()  # those with commands that wait
        self.restless: set[Table] = set()  # those whose line in the list, or presence, may have changed
        self.unrecorded: set[Table] = set()  # those that are over, until what follows of it is kept
        self._store = store
        self._committer = committer
        self._feed = feed
        self._ratings = ratings
        self._pulse = pulse
        self._counts = counts
        self._onlooker = onlooker
        self._spawn = spawn
        self._indexes = Indexes(store, spawn=spawn)
        self._impatience: asyncio.TimerHandle | None = None  # while somebody waits
        self._given_up: set[RoomId] = set()
        self._rematching: set[RoomId] = set()  # rooms whose rematch is being made
        self._loading: dict[RoomId, asyncio.Future[Table]] = {}

    @property
    def unsure(self) -> bool:
        """Whether what is not in the store may be all the same: it may be a primary that was cut off."""
        return self._committer.down

    # -- load and unload

    async def open(self, room: RoomId) -> Table:
        """Return the table of a room, loaded if need be.

        Raises:
            NoSuchRoom: It has no log, or (UnreadableRoom) none that can be read.
            StoreDown: The store cannot be reached.
        """
        return await self._open(room, lambda: self._read(room))

    async def _open(self, room: RoomId, obtain: Callable[[], Awaitable[Sequence[Entry]]]) -> Table:
        table = self.loaded.get(room)
        if table is not None:
            return table
        if room in self._given_up:
            raise UnreadableRoom(room)
        loading = self._loading.get(room)
        if loading is None:
            loading = self._loading[room] = asyncio.get_running_loop().create_future()
            self._spawn(self._load(room, loading, obtain))
        return await asyncio.shield(loading)

    async def _load(
        self,
        room: RoomId,
        loading: "asyncio.Future[Table]",
        obtain: Callable[[], Awaitable[Sequence[Entry]]],
    ) -> None:
        try:
            await self._feed.join(room)  # first listen, then read or write: nothing falls between
            table = self._seat(room, await obtain())
        except (NoSuchRoom, StoreDown) as error:
            self._feed.leave(room)
            loading.set_exception(error)
            loading.exception()  # whoever waited may be gone: that is no one's fault
        except Exception as error:  # a bug met while folding costs this room only
            log.exception("a room could not be loaded", extra={"room": room})
            self._give_up(room)
            self._feed.leave(room)
            unreadable = UnreadableRoom(room)
            unreadable.__cause__ = error
            loading.set_exception(unreadable)
            loading.exception()
        else:
            loading.set_result(table)
            table.advance()
        finally:
            del self._loading[room]

    async def _read(self, room: RoomId) -> list[Entry]:
        raws = (await read(self._store, room)).entries
        if not raws:
            raise NoSuchRoom(room)
        try:
            return open_all(raws, 0, 0, None)
        except StoredError as error:
            log.error("a log cannot be read", extra={"room": room, "error": str(error)})
            raise UnreadableRoom(room) from error

    def _seat(self, room: RoomId, entries: Sequence[Entry]) -> Table:
        table = self.loaded[room] = Table(
            room,
            entries,
            owner=self,
            committer=self._committer,
            clock=self._store.clock,
            pulse=self._pulse,
            counts=self._counts,
            onlooker=self._onlooker,
        )
        log.info("room loaded", extra={"room": room, "seq": table.state.seq})
        self._record_if_over(table)
        return table

    def revive(self) -> None:
        """Go on where the node was cut off: what was due in the meantime is settled."""
        for table in tuple(self.loaded.values()):
            table.doubt()

    def unload(self, table: Table) -> None:
        """Let a table go; its log stays."""
        if self.loaded.get(table.room) is not table:
            return
        del self.loaded[table.room]
        table.close()
        self.waiting.discard(table)
        self.restless.discard(table)
        self.unrecorded.discard(table)
        self._feed.leave(table.room)
        log.info("room unloaded", extra={"room": table.room, "seq": table.state.seq})

    def close(self) -> None:
        """Let all tables go, at the end of the node; who still waits is told that it is unavailable."""
        for table in tuple(self.loaded.values()):
            self.unload(table)

    # -- new rooms

    async def found(self, room: RoomId, begin: Beginning) -> Table:
        """Make a room, unless others have, and return its table.

        Raises:
            NoSuchRoom: (UnreadableRoom) Others have, and it cannot be read.
            StoreDown: It is not known whether it was made; the same call may be made again.
        """
        code, salt = await self._draw_code(room), secrets.token_bytes(16)
        taken = begin(code=code, salt=salt, now=self._store.clock.now())
        return await self.found_with(room, seal_all(taken.events, 0, 0, salt), taken.room)

    async def found_with(self, room: RoomId, first: Sequence[Entry], state: Room) -> Table:
        """Write a new room's first entries, which make *state*, unless others have; return its table.

        Raises:
            NoSuchRoom: (UnreadableRoom) Others have, and it cannot be read.
            StoreDown: It is not known whether they were written; the same call may be made again.
        """
        await due.mark(self._store, {room: Millis(self._store.clock.now() + LOOKED_AT_MS)})
        return await self._open(room, lambda: self._begin(room, first, state))

    async def _begin(self, room: RoomId, first: Sequence[Entry], state: Room) -> Sequence[Entry]:
        """Return the log of a new room: our first entries, or what others wrote before us."""
        if isinstance(await self._append(room, first, state), Behind):
            return await self._read(room)
        self._indexes.begun(room, state)
        return first

    async def _append(self, room: RoomId, entries: Sequence[Entry], state: Room) -> Appended | Behind:
        ttl = TTL_S[state.phase]
        outcome = await appended(self._committer, room, START, entries, at=state.at, ttl=ttl)
        if not isinstance(outcome, Appended | Behind):
            raise StoreDown("this node's clock was off; it is corrected now")
        return outcome

    async def _draw_code(self, room: RoomId) -> RoomCode:
        """Return a code that leads to the room and to no other. Raises StoreDown."""
        while True:
            code = RoomCode(spell(secrets.token_bytes(16), ROOM_CODE_LENGTH))
            if await claim_code(self._store, code, room, CODE_TTL_S):
                return code

    def rematch(self, table: Table) -> None:
        """Make the room of the rematch and name it in the old one."""
        if table.room not in self._rematching:
            self._rematching.add(table.room)
            self._spawn(self._rematch(table))

    async def _rematch(self, table: Table) -> None:
        try:
            room, skills = rematch_room_id(table.state), await self._skills(table.state)
            seed = draw_seed(table.state.options)
            await self.found(room, partial(found_rematch, table.state, skills=skills, seed=seed))
        except (StoreDown, NoSuchRoom):
            asyncio.get_running_loop().call_later(RETRY_S, table.advance)
            return
        finally:
            self._rematching.discard(table.room)
        table.ask(commands.NameRematch(room), lambda _: None)

    async def _skills(self, room: Room) -> dict[PlayerId, Skill]:
        """Return what is believed by now of those who played. Raises StoreDown."""
        played = [seat.player.id for _, seat in room.taken()]
        return await self._ratings.skills_for(played, room.mode, room.options)

    # -- what a table says of itself

    def moved(self, table: Table) -> None:
        """Have a room's line in the list looked at."""
        self.restless.add(table)

    def busy(self, table: Table) -> None:
        """Watch over commands that wait: their clients are told when it takes too long."""
        self.waiting.add(table)
        if self._impatience is None:
            self._expire()

    def _expire(self) -> None:
        """Tell those who have waited for the store too long, and look again while there are any."""
        loop = asyncio.get_running_loop()
        self._impatience = loop.call_later(LATE_S, self._expire) if self.waiting else None
        for table in tuple(self.waiting):
            if not table.expire(loop.time()):
                self.waiting.discard(table)

    def changed(self, table: Table, before: Room, entries: Sequence[Entry], mine: bool) -> None:
        """Follow up on events: who must go, and what is derived from the log."""
        self.restless.add(table)
        moved = table.state.phase is not before.phase
        for entry in entries:
            event = entry.event
            if isinstance(event, Seated):
                moved = True
            elif isinstance(event, Unseated):
                moved = True
                if event.reason is not UnseatReason.LEFT:
                    self._detach_seat(table, event.seat, event.reason)
        if moved:
            self._record_if_over(table)
        if moved and mine:
            self._indexes.moved(table, before)

    def _record_if_over(self, table: Table) -> None:
        if table.state.phase is Phase.OVER:
            self.unrecorded.add(table)

    def _detach_seat(self, table: Table, seat: SeatNumber, reason: UnseatReason) -> None:
        why = "kicked" if reason is UnseatReason.KICKED else "closed"
        for member in [member for member in table.audience.players if member.seat == seat]:
            self.detach(table, member, why)

    def detach(self, table: Table, member: Member, reason: str) -> None:
        """Put a member out of a room and tell it why."""
        table.leave(member)
        self.restless.add(table)
        member.listener.detached(table.room, reason)

    def lost(self, table: Table, why: str) -> None:
        """Unload a table that cannot be trusted or whose log is gone; its members come back by themselves."""
        members = table.members()
        self.unload(table)
        for member in members:
            self.detach(table, member, "closed")
        if why == "bug":
            self._give_up(table.room)
        level = logging.INFO if why == "expired" else logging.WARNING
        log.log(level, "room given up on this node", extra={"room": table.room, "why": why})

    def _give_up(self, room: RoomId) -> None:
        """Leave a room alone for a while: its members come back at once, and would meet the bug again."""
        self._given_up.add(room)
        asyncio.get_running_loop().call_later(GIVEN_UP_S, self._given_up.discard, room)

    def reload(self, table: Table) -> None:
        """Read the whole log anew: it is not the one this table holds. Members get `reset` snapshots."""
        self._spawn(self._reload(table))

    async def _reload(self, table: Table) -> None:
        try:
            entries = await self._read(table.room)
        except NoSuchRoom:
            self.lost(table, "the log is gone")
        except StoreDown:
            asyncio.get_running_loop().call_later(RETRY_S, self._reload_if_loaded, table)
        else:
            if self.loaded.get(table.room) is table:  # it may have been let go meanwhile
                self._hold_anew(table, entries)

    def _hold_anew(self, table: Table, entries: Sequence[Entry]) -> None:
        log.warning("a log is another than was held", extra={"room": table.room, "seq": len(entries)})
        table.replace(entries)
        self._record_if_over(table)
        for member in tuple(table.audience.players):
            if member.seat is not None and not Holder(member.seat, member.player).sits(table.state):
                self.detach(table, member, "closed")

    def _reload_if_loaded(self, table: Table) -> None:
        if self.loaded.get(table.room) is table:
            self.reload(table)
