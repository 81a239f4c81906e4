"""The rooms of quick matches: founded by whoever learns of a pairing first; its players then have to come.

Whether they did is for the room to say. Then the queue hears of it, and the pairing is done with.
"""

import logging
import random
from collections.abc import Callable
from functools import partial
from typing import Final

from tenmatch.game.create import came, decided, found_paired
from tenmatch.game.events import Level, Player
from tenmatch.game.ids import PlayerId, RoomId
from tenmatch.game.options import Options, choose
from tenmatch.game.room import Phase, Room
from tenmatch.gateway.draws import draw_bot, draw_seed
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import NoSuchRoom, Tables, UnreadableRoom
from tenmatch.gateway.tasks import Spawn
from tenmatch.store import players, queue
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.queue import QUEUES, Pairing, Queue

log = logging.getLogger(__name__)

GIVEN_UP_MS: Final = 60_000  # after which a pairing is, whose room cannot be read


def options_of(at: Queue) -> Options:
    """Return the options of the rooms of a queue. Raises BadOptions where there are no such rooms."""
    options, _ = choose(at.mode, {"max_players": 2, "rated": at.rated})
    return options


class Meetings:
    """Founds rooms for pairings, sees these through, and knows who plays in one."""

    def __init__(self, store: Store, tables: Tables, ratings: Ratings, *, spawn: Spawn) -> None:
        self._store = store
        self._tables = tables
        self._ratings = ratings
        self._spawn = spawn
        self._under_way: set[RoomId] = set()  # that this node is busy with

    async def room_of(self, pairing: Pairing) -> Table:
        """Return the table of a pairing, its room founded unless it is.

        Raises:
            UnreadableRoom: This node can make nothing of it; another may.
            StoreDown: It is not known whether it was founded; asking again does no harm.
        """
        try:
            return await self._tables.open(pairing.room)
        except UnreadableRoom:
            raise
        except NoSuchRoom:
            return await self._found(pairing)

    async def _found(self, pairing: Pairing) -> Table:
        if pairing.queue not in QUEUES:  # of a later version
            raise UnreadableRoom(pairing.room)
        at = QUEUES[pairing.queue]
        options = options_of(at)
        persons = [one.player for one in pairing.players]
        begin = partial(
            found_paired,
            mode=at.mode,
            options=options,
            players=_seated(pairing),
            skills=await self._ratings.skills_for(persons, at.mode, options),
            seed=draw_seed(options),
        )
        return await self._tables.found(pairing.room, begin)

    def see_to(self, room: RoomId, tell: Callable[[Pairing, Table], None]) -> None:
        """See a pairing through as far as that goes now, unless that is under way.

        Args:
            tell: Called with a pairing whose players have still to come, and their table.
        """
        if room not in self._under_way:
            self._under_way.add(room)
            self._spawn(self._see_to(room, tell))

    async def _see_to(self, room: RoomId, tell: Callable[[Pairing, Table], None]) -> None:
        try:
            pairing = await queue.pairing_in(self._store, room)
            if pairing is not None:  # else another node was faster
                await self._see_through(pairing, tell)
        except StoreDown as error:
            log.debug("a pairing has to wait", extra={"room": room, "error": str(error)})
        finally:
            self._under_way.discard(room)

    async def _see_through(self, pairing: Pairing, tell: Callable[[Pairing, Table], None]) -> None:
        try:
            table = await self.room_of(pairing)
        except UnreadableRoom:
            if self._store.clock.now() - pairing.made_at > GIVEN_UP_MS:
                await queue.unpair(self._store, pairing)
            return
        if decided(table.state):
            await queue.unpair(self._store, pairing, came(table.state) or ())
        else:
            tell(pairing, table)

    async def refuse(self, room: RoomId, player: PlayerId) -> None:
        """Undo a pairing of a player who has a match already; the others wait again.

        Raises:
            StoreDown: It may have been undone; asking again does no harm.
        """
        pairing = await queue.pairing_in(self._store, room)
        if pairing is not None:
            others = [one.player for one in pairing.players if one.player != player]
            await queue.unpair(self._store, pairing, others)

    def decided(self, room: RoomId) -> bool:
        """Tell whether it is known here what came of a pairing."""
        table = self._tables.loaded.get(room)
        return table is not None and decided(table.state)

    async def state_of(self, room: RoomId) -> Room | None:
        """Return a room as it is, None where there is none (any more).

        Raises:
            StoreDown: It could not be found out.
        """
        try:
            return (await self._tables.open(room)).state
        except NoSuchRoom:
            return None

    async def playing(self, player: PlayerId) -> bool:
        """Tell whether a player is still in a quick match that is being played.

        Raises:
            StoreDown: It could not be found out.
        """
        for room in await players.seated(self._store, player):
            try:
                table = await self._tables.open(room)
            except NoSuchRoom:
                continue
            quick = table.state.join_by is not None and table.state.daily is None
            if quick and _plays(table.state, player):
                return True
        return False


def _seated(pairing: Pairing) -> list[Player]:
    """Return who sits where: persons by chance, so that nobody always begins, then the computer player."""
    persons = [Player(one.player, one.name) for one in pairing.players]
    random.shuffle(persons)
    return [*persons, draw_bot(Level(pairing.level))] if pairing.level else persons


def _plays(room: Room, player: PlayerId) -> bool:
    seat = room.seat_of(player)
    if room.phase is not Phase.PLAYING or seat is None or room.seated(seat).out:
        return False
    return not (room.own_boards and room.sheet_of(seat).done)
