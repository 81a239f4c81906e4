"""What a node does again and again for the tournaments that it has loaded: compare, list, let go."""

import asyncio
import logging
from typing import Final

import msgspec

from tenmatch.game.ids import Millis, TournamentId
from tenmatch.game.tournament.settle import next_due
from tenmatch.game.tournament.state import Phase
from tenmatch.gateway.tournament.held import Held
from tenmatch.gateway.tournament.tournaments import (
    LOOKED_AT_MS,
    NoSuchTournament,
    Tournaments,
    UnreadableTournament,
)
from tenmatch.protocol.tournaments import line_map
from tenmatch.store import due, lobby
from tenmatch.store.connect import Store
from tenmatch.store.counted import forget, tournaments_of
from tenmatch.store.log import compare

log = logging.getLogger(__name__)

IDLE_S: Final = 60.0  # one that nobody watches or asks for, and in which nothing is due, is unloaded
LOOK_AGAIN_MS: Final = 600_000  # at one whose games are under way elsewhere, lest one be lost with its room


class Upkeep:
    """The rounds of a node's tournaments."""

    def __init__(self, store: Store, tournaments: Tournaments) -> None:
        self._store = store
        self._tournaments = tournaments

    async def look_at(self, id: TournamentId) -> None:
        """Look at a tournament that nobody has looked at in time. Raises StoreDown."""
        try:
            self._tournaments.look_after(await self._tournaments.open(id))
        except UnreadableTournament:
            log.debug("a tournament is left to other nodes", extra={"tournament": id})
        except NoSuchTournament:
            await due.unmark(self._store, [id])
            await lobby.drop(self._store, id, at=lobby.TOURNAMENTS)

    async def heads(self) -> None:
        """Compare all with their logs, so that a message the feed lost is made up for. Raises StoreDown."""
        loaded = list(self._tournaments.loaded.values())
        differences = await compare(self._store, [(held.id, held.head) for held in loaded])
        for held, difference in zip(loaded, differences, strict=True):
            if difference is not None:
                self._tournaments.on_doubt(held.id)

    async def presence(self) -> None:
        """Say again that these are looked at here, and list them; let go those that need it no more.

        Raises:
            StoreDown: It may not have been said.
        """
        loaded = list(self._tournaments.loaded.values())
        over = [held for held in loaded if held.state.phase is Phase.OVER]
        going_on = [held for held in loaded if held.state.phase is not Phase.OVER]
        at = Millis(self._store.clock.now() + LOOKED_AT_MS)
        await due.mark(self._store, dict.fromkeys((held.id for held in going_on), at))
        await due.unmark(self._store, [held.id for held in over])
        public = [held for held in going_on if not held.state.private]
        await lobby.put(self._store, *map(_listed, public), at=lobby.TOURNAMENTS)
        for held in over:
            await lobby.drop(self._store, held.id, at=lobby.TOURNAMENTS)
            await forget(self._store, tournaments_of(held.state.host.id), held.id)
            if not self._in_use(held):
                self._tournaments.unload(held)
        for held in going_on:
            if self._idle(held):
                await self._let_go(held)
            else:
                self._tournaments.moved(held)

    async def _let_go(self, held: Held) -> None:
        """Unload a tournament, and have it looked at when something is due in it."""
        listed = held.head
        at = next_due(held.state) or Millis(self._store.clock.now() + LOOK_AGAIN_MS)
        await due.mark(self._store, {held.id: at})
        if held.head == listed and self._idle(held):  # still so: somebody may have come meanwhile
            self._tournaments.unload(held)

    def _in_use(self, held: Held) -> bool:
        lately = asyncio.get_running_loop().time() - held.used < IDLE_S
        return lately or bool(held.followers or held.playing) or held.busy.locked()

    def _idle(self, held: Held) -> bool:
        if self._in_use(held):
            return False
        at = next_due(held.state)
        if at is not None and at - self._store.clock.now() < IDLE_S * 1000:
            return False
        # What comes of a game is carried over by the node on which its room is over: that needs no other.
        return all(
            game.room is not None and len(held.state.staying(game)) == 2 for game in held.state.undecided
        )


def _listed(held: Held) -> lobby.Listed:
    line = msgspec.json.encode(line_map(held.id, held.state))
    return lobby.Listed(held.id, line, held.state.announced_at)
