"""Whether this node may speak for the game: its heartbeat, and the times when all nodes were away."""

import asyncio
import logging
from collections.abc import Callable

from tenmatch.game.ids import Millis
from tenmatch.gateway.beat import Beat
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.outages import Gap, beat

log = logging.getLogger(__name__)

INTERVAL_S = 1.0
SHORTEST_S = 0.1  # between two beats, however many wait
FRESH_S = 3.0  # after its last beat a node takes nothing new


class Pulse:
    """Beats once a second; knows how long ago the last beat was and which gaps there were."""

    def __init__(self, store: Store) -> None:
        """Make a pulse that has not beaten yet."""
        self.revived: Callable[[], None] = lambda: None
        """Called when the pulse is back after it was lost."""
        self._store = store
        self._time = asyncio.get_running_loop().time
        self._last = float("-inf")
        self._gaps: tuple[Gap, ...] = ()
        self._beat = Beat(longest=INTERVAL_S, shortest=SHORTEST_S)

    @property
    def fresh(self) -> bool:
        """Whether commands may be judged: the last beat is younger than FRESH_S."""
        return self._time() - self._last < FRESH_S

    def hurry(self) -> None:
        """Beat soon: somebody waits for it."""
        self._beat.hurry()

    def away(self, since: Millis) -> int:
        """Return for how many ms after *since* the server as a whole was away."""
        if not self._gaps:
            return 0
        return sum(end - max(start, since) for start, end in self._gaps if end > since)

    async def once(self) -> None:
        """Beat once. Raises StoreDown."""
        asked = self._time()
        answer = await beat(self._store)
        lost = not self.fresh
        self._gaps = answer.gaps
        self._last = asked  # the answer may have been long on its way; what counts is when it was surely true
        if lost and self.fresh:
            self.revived()

    async def run(self) -> None:
        """Beat for ever."""
        failing = False
        while True:
            try:
                await self.once()
                if failing:
                    log.info("the heartbeat is back")
                failing = False
            except StoreDown as error:
                if not failing:  # once: an outage is long
                    log.warning("no heartbeat: the store cannot be reached", extra={"error": str(error)})
                failing = True
            await self._beat.rest()
