"""How many rooms, or tournaments, one player and one address may make."""

from collections.abc import Callable
from typing import Final, NamedTuple

from tenmatch.game.ids import PlayerId, RoomId
from tenmatch.gateway.session import Session
from tenmatch.store import counted
from tenmatch.store.connect import Store
from tenmatch.store.counted import Count


class Made(NamedTuple):
    """What is made, where it counts, and how people are told that it is enough."""

    of: Callable[[PlayerId], Count]
    from_address: Callable[[str], Count]
    name: str
    done: str
    within: str


ROOMS: Final = Made(counted.rooms_of, counted.rooms_from, "rooms", "made", "an hour")
TOURNAMENTS: Final = Made(
    counted.tournaments_of, counted.tournaments_from, "tournaments", "announced", "a day"
)


class Quota:
    """Counts what is to be made against its maker and their address."""

    def __init__(self, store: Store, made: Made, *, per_player: int, per_address: int) -> None:
        """Allow so many.

        Args:
            per_player: That are not over, at most; 0 lifts it.
            per_address: Within an hour or a day (as *made* says), over or not, at most; 0 lifts it.
        """
        self._store = store
        self._made = made
        self._per_player = per_player
        self._per_address = per_address

    async def refusal(self, session: Session, one: RoomId) -> str | None:
        """Count what a session is to make, once; return why it may not be made, if so.

        Raises:
            StoreDown: It may be counted; asking again counts it once.
        """
        store, made, of = self._store, self._made, self._made.of(session.whom.id)
        limit = self._per_player
        if limit and not await counted.count(store, of, one, limit):
            return f"{limit} {made.name} that are not over are all one player may have {made.done}"
        limit, at = self._per_address, made.from_address(session.site)
        if limit and not await counted.count(store, at, one, limit):
            await counted.forget(store, of, one)
            return (
                f"{limit} {made.name} within {made.within} are all that may be {made.done} from one address"
            )
        return None
