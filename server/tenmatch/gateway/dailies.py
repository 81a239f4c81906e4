"""The dailies: their seeds, drawn a day ahead, and players' attempts.

server/protocol.md, "Daily". A seed is drawn once, whichever node is the first to think of it. An attempt is a
room, noted for its player and day before it is made: whoever asks again gets the same, so a node that dies
in between costs nothing; and one in which play never began gives way to another.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import Final

import msgspec

from tenmatch.game import daily
from tenmatch.game.create import found_paired
from tenmatch.game.daily import attempt
from tenmatch.game.days import after, day_of
from tenmatch.game.events import Player
from tenmatch.game.ids import Day, PlayerId, RoomId
from tenmatch.game.room import Phase
from tenmatch.gateway.draws import draw_room, draw_seed
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import NoSuchRoom, Tables, UnreadableRoom
from tenmatch.store import daily as kept
from tenmatch.store.connect import Store
from tenmatch.store.daily import Seed

_AHEAD_S: Final = 2 * 86_400  # a seed is drawn so long before its day is over


class PlayedAlready(Exception):
    """A player's attempt at the daily is over, and can be seen here no more."""


class TooManyRooms(Exception):
    """A player, or others of the same address, have made too many rooms to found another."""


class Result(msgspec.Struct, frozen=True, array_like=True):
    """What an attempt came to, as it is kept."""

    name: str
    cleared: bool
    points: int
    time_ms: int
    room: RoomId


_decode: Final = msgspec.msgpack.Decoder(Result).decode
_encode: Final = msgspec.msgpack.Encoder().encode


class Dailies:
    """The dailies, as this node sees to them."""

    def __init__(self, store: Store, tables: Tables, *, ttl: int) -> None:
        """Make them.

        Args:
            ttl: Seconds for which what was played is kept, as records are; 0: for ever.
        """
        self._store = store
        self._tables = tables
        self._ttl = ttl and ttl + _AHEAD_S

    # -- seeds

    async def draw(self) -> None:
        """See to it that the seeds of today and of tomorrow are there. Raises StoreDown."""
        today = day_of(self._store.clock.now())
        for day in (today, after(today)):
            await self.seed(day)

    async def seed(self, day: Day) -> Seed:
        """Return the seed of a day that is not over, drawn unless it is. Raises StoreDown."""
        seed = draw_seed(daily.OPTIONS)
        assert seed is not None, "only the classic deal has none"
        return await kept.seed(self._store, day, Seed(seed, self._store.clock.now()), self._ttl)

    async def known_seed(self, day: Day) -> Seed | None:
        """Return the seed of any day; None where nothing is known of that one. Raises StoreDown."""
        today = day_of(self._store.clock.now())
        if day in (today, after(today)):
            return await self.seed(day)
        return await kept.seed_of(self._store, day)

    # -- attempts

    async def table_of(self, player: Player, may_found: Callable[[RoomId], Awaitable[str | None]]) -> Table:
        """Return the table of a player's attempt at today's deal; its room is founded unless it is.

        Args:
            may_found: Counts a room that is to be founded; returns why it may not be, if so.

        Raises:
            PlayedAlready: It is over, and its room has expired.
            TooManyRooms: It may not be founded; the exception says why.
            NoSuchRoom: (UnreadableRoom) This node can make nothing of it.
            StoreDown: It may have been founded; asking again does no harm.
        """
        given_up: RoomId | None = None
        while True:
            day = day_of(self._store.clock.now())
            begun = await kept.attempt(self._store, day, player.id, draw_room(), self._ttl, given_up)
            try:
                table = await self._tables.open(begun.room)
            except UnreadableRoom:
                raise
            except NoSuchRoom:
                if begun.played:
                    raise PlayedAlready from None
                refusal = await may_found(begun.room)
                if refusal is not None:
                    raise TooManyRooms(refusal) from None
                table = await self._found(begun.room, day, player)
            if begun.played or table.state.phase is not Phase.OVER or table.state.started_at is not None:
                return table
            given_up = begun.room

    async def _found(self, room: RoomId, day: Day, player: Player) -> Table:
        begin = partial(
            found_paired,
            mode=daily.MODE,
            options=daily.OPTIONS,
            players=[player],
            daily=day,
            seed=(await self.seed(day)).seed,
        )
        return await self._tables.found(room, begin)

    async def results(self, day: Day, players: Sequence[PlayerId]) -> list[Result | None]:
        """Return what these players' attempts came to; None for who has none. Raises StoreDown."""
        found = await kept.results(self._store, day, players)
        return [None if result is None else _decode(result) for result in found]

    async def keep(self, tables: Collection[Table]) -> set[Table]:
        """Enter what attempts that are over came to; return the rooms that need not be seen to any more.

        Raises:
            StoreDown: Some may be entered; entering them again does no harm.
        """
        for table in tables:
            over = table.state.phase is Phase.OVER  # the end may have been taken back
            played = attempt([entry.event for entry in table.entries]) if over else None
            if played is not None:
                result = Result(played.player.name, played.cleared, played.points, played.time_ms, table.room)
                await kept.enter(
                    self._store,
                    played.day,
                    played.player.id,
                    worth=played.worth,
                    result=_encode(result),
                    ttl=self._ttl,
                )
        return set(tables)
