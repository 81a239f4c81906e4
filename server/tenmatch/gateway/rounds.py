"""What a node does again and again, each round on its own beat and none of them in a move's way."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import Final, Protocol

from tenmatch.game.ids import Millis, RoomId, TournamentId
from tenmatch.game.room import Phase
from tenmatch.gateway.attendance import Attendance
from tenmatch.gateway.dailies import Dailies
from tenmatch.gateway.listing import Listing
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import CODE_TTL_S, LOOKED_AT_MS, NoSuchRoom, Tables, UnreadableRoom
from tenmatch.gateway.tournament.held import is_tournament
from tenmatch.gateway.tournament.upkeep import Upkeep
from tenmatch.gateway.witness import Witness
from tenmatch.store import due
from tenmatch.store.codes import renew_codes
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.log import compare

log = logging.getLogger(__name__)

HEADS_ROUND_S: Final = 1.0
CHANGES_ROUND_S: Final = 1.0
PRESENCE_ROUND_S: Final = 5.0
SWEEP_ROUND_S: Final = 2.0
RECORDS_ROUND_S: Final = 1.0
DAILIES_ROUND_S: Final = 60.0
IDLE_S: Final = 60.0  # a room without anyone here and with nothing due is unloaded


class Keeper(Protocol):
    """Who keeps something of games that are over: records, or what they are to ratings and the like."""

    async def keep(self, tables: Collection[Table]) -> set[Table]:
        """Keep it, once or again; return the rooms of which nothing is left to keep.

        Raises:
            StoreDown: Some may be kept.
        """


class Rounds:
    """The rounds of one node."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        *,
        attendance: Attendance,
        listing: Listing,
        witness: Witness,
        dailies: Dailies,
        upkeep: Upkeep,
        keepers: Sequence[Keeper],
    ) -> None:
        """Prepare; `every` starts them.

        Args:
            keepers: Asked one after the other about every room that is over.
        """
        self._store = store
        self._tables = tables
        self._attendance = attendance
        self._listing = listing
        self._witness = witness
        self._dailies = dailies
        self._upkeep = upkeep
        self._keepers = keepers
        self._idle_since: dict[Table, float] = {}

    def all(self) -> list[tuple[str, float, Callable[[], Awaitable[None]]]]:
        """Return every round: its name, its beat in seconds, and what it does."""
        return [
            ("heads", HEADS_ROUND_S, self.heads),
            ("changes", CHANGES_ROUND_S, self.changes),
            ("presence", PRESENCE_ROUND_S, self.presence),
            ("sweep", SWEEP_ROUND_S, self.sweep),
            ("records", RECORDS_ROUND_S, self.records),
            ("dailies", DAILIES_ROUND_S, self._dailies.draw),
        ]

    async def heads(self) -> None:
        """Compare every loaded room with its log, so that a message the feed lost is made up for."""
        tables = list(self._tables.loaded.values())
        differences = await compare(self._store, [(table.room, table.head) for table in tables])
        for table, difference in zip(tables, differences, strict=True):
            if difference is not None:
                table.doubt()
        await self._upkeep.heads()

    async def changes(self) -> None:
        """Write what changed in the rooms here, and read what changed anywhere."""
        loaded = list(self._tables.loaded.values())
        restless = self._tables.restless.intersection(loaded)
        self._tables.restless.clear()
        await self._listing.write(loaded, restless)
        await self._attendance.renew(list(restless))
        await self._listing.read()
        await self._witness.write()

    async def presence(self) -> None:
        """See to it that who is here is said again, and that other nodes leave these rooms to us."""
        tables = list(self._tables.loaded.values())
        going_on = [table for table in tables if table.state.phase is not Phase.OVER]
        lively = [table for table in tables if table.state.phase is not Phase.OVER or table.members()]
        self._tables.restless.update(lively)  # told with the next changes: a room hears once a second at most
        await due.unmark(self._store, [table.room for table in tables if self._is_done_with(table)])
        await self._leave_to_us(table.room for table in going_on)
        await renew_codes(self._store, [table.state.code for table in lively], CODE_TTL_S)
        await self._unload_idle(tables)
        await self._upkeep.presence()

    async def sweep(self) -> None:
        """Look at what nobody has looked at in time: its node is gone, or has unloaded it."""
        rooms = await due.sweep(self._store, self._store.clock.now())
        await self._leave_to_us(rooms)  # also if one cannot be read here: then others try, in a while
        for room in rooms:
            if is_tournament(room):
                await self._upkeep.look_at(TournamentId(room))
                continue
            try:
                table = await self._tables.open(room)
            except UnreadableRoom:
                continue
            except NoSuchRoom:
                await due.unmark(self._store, [room])
            else:
                table.advance()

    async def records(self) -> None:
        """Keep of games that are over what outlives their rooms."""
        tables = [table for table in self._tables.unrecorded if not _hidden(table)]
        done = set(tables)
        for keeper in self._keepers:
            done &= await keeper.keep(tables)
        self._tables.unrecorded -= done

    def _is_done_with(self, table: Table) -> bool:
        """Tell whether nobody needs to look at a room any more, whatever becomes of this node."""
        return table.state.phase is Phase.OVER and table not in self._tables.unrecorded

    async def _leave_to_us(self, rooms: Iterable[RoomId]) -> None:
        """Move these rooms' marks, so that other nodes leave them to this one for a while."""
        at = Millis(self._store.clock.now() + LOOKED_AT_MS)
        await due.mark(self._store, dict.fromkeys(rooms, at))

    async def _unload_idle(self, tables: list[Table]) -> None:
        now = asyncio.get_running_loop().time()
        self._idle_since = {t: self._idle_since.get(t, now) for t in tables if self._idle(t)}
        for table, since in self._idle_since.items():
            if now - since < IDLE_S:
                continue
            deadline = table.next_due()
            if deadline is not None and deadline - self._store.clock.now() < IDLE_S * 1000:
                continue
            if deadline is not None:
                await due.mark(self._store, {table.room: deadline})
            if self._idle(table):  # still so: somebody may have come meanwhile
                self._tables.unload(table)

    def _idle(self, table: Table) -> bool:
        held = table in self._tables.waiting or table in self._tables.unrecorded
        return not table.members() and not held


def _hidden(table: Table) -> bool:
    """Tell whether a room is over and its watchers have not seen that yet."""
    return table.state.phase is Phase.OVER and table.shown_to(None).state.phase is not Phase.OVER


async def every(
    name: str, seconds: float, work: Callable[[], Awaitable[None]], *, at_once: bool = False
) -> None:
    """Do *work* every so many seconds, for ever; a store that is away is waited for.

    Args:
        at_once: Do it for the first time now.
    """
    failing = False
    while True:
        if not at_once:
            await asyncio.sleep(seconds)
        at_once = False
        try:
            await work()
            failing = False
        except StoreDown as error:
            if not failing:  # once: an outage is long
                log.warning("a round was cut short", extra={"round": name, "error": str(error)})
            failing = True
        except Exception:  # the round's outermost frame: a bug in one room must not end the node
            log.exception("a round failed", extra={"round": name})
