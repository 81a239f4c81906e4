"""The public list of rooms: written by the nodes that have them loaded, followed by clients."""

from collections.abc import Collection, Mapping
from heapq import nlargest
from typing import Final

import msgspec

from tenmatch.game.featured import attraction
from tenmatch.game.ids import RoomId
from tenmatch.game.room import Phase
from tenmatch.gateway.framing import frame, frames
from tenmatch.gateway.reader import Reader
from tenmatch.gateway.table import Table
from tenmatch.protocol import to_client
from tenmatch.protocol.limits import FEATURED_ROOMS, LISTED_ROOMS
from tenmatch.protocol.maps import RoomLine
from tenmatch.protocol.viewers import line_map
from tenmatch.store import lobby
from tenmatch.store.connect import Store

OPEN_FIRST: Final = 1e14  # above any time in ms, and exact in the store's numbers


class Listing:
    """The list, and who on this node follows it."""

    def __init__(self, store: Store) -> None:
        """Start empty."""
        self.lines: dict[RoomId, RoomLine] = {}
        self.featured: list[RoomId] = []  # those most worth watching, the most worth first
        self._store = store
        self._version = -1
        self._followers: set[Reader] = set()
        self._behind: set[Reader] = set()  # followers that missed a change because they read too slowly

    def follow(self, follower: Reader, re: int | None) -> None:
        """Send the list now and its changes from here on."""
        self._followers.add(follower)
        self._behind.discard(follower)
        told = to_client.Rooms(re=re, rooms=list(self.lines.values()), featured=self.featured or None)
        follower.write(frame(follower.codec, told))

    def unfollow(self, follower: Reader) -> None:
        """Send no more changes."""
        self._followers.discard(follower)
        self._behind.discard(follower)

    async def write(self, loaded: Collection[Table], restless: Collection[Table]) -> None:
        """Bring the lines of this node's rooms up to date in the store.

        Only those are written that can be shown: the first hundred of all are among the first of each node.

        Args:
            loaded: All rooms of this node.
            restless: Those whose lines may have changed, or have to be said again.

        Raises:
            StoreDown: The store cannot be reached.
        """
        shown = _shown(loaded)
        gone = [table for table in loaded if table.listed and table not in shown]
        await lobby.drop(self._store, *(table.room for table in gone))
        for table in gone:
            table.listed = False
        changed = [table for table in shown if table in restless or not table.listed]
        for table in changed:
            table.listed = True
        await lobby.put(self._store, *map(_listed, changed))

    async def read(self) -> None:
        """Fetch the list if it has changed, and tell those who follow it how.

        Raises:
            StoreDown: The store cannot be reached.
        """
        for follower in [follower for follower in self._behind if not follower.slow]:
            self.follow(follower, None)
        found = await lobby.newest(self._store, LISTED_ROOMS, self._version, FEATURED_ROOMS)
        if found.lines is None:
            return
        self._version = found.version
        before, featured = self.lines, self.featured
        self.lines = {room: msgspec.json.decode(line, type=RoomLine) for room, line in found.lines}
        self.featured = list(found.featured)
        self._tell(before, self.featured if self.featured != featured else None)

    def _tell(self, before: Mapping[RoomId, RoomLine], featured: list[RoomId] | None) -> None:
        changed = [line for room, line in self.lines.items() if before.get(room) != line]
        gone = [room for room in before if room not in self.lines]
        if not (changed or gone or featured is not None) or not self._followers:
            return
        news = frames(to_client.Rooms(changed=changed, gone=gone, featured=featured))
        for follower in tuple(self._followers):
            if follower.slow:
                self._behind.add(follower)
            elif follower not in self._behind:
                follower.write(news[follower.codec.name])


def _shown(loaded: Collection[Table]) -> set[Table]:
    """Return the public rooms that the list shows if no other node has better ones."""
    public = [table for table in loaded if not (table.state.private or _meets(table) or _over(table))]
    if len(public) <= LISTED_ROOMS:
        return set(public)
    watched = {table: worth for table in public if (worth := _worth(table)) is not None}
    return {
        *nlargest(LISTED_ROOMS, public, _rank),
        *nlargest(FEATURED_ROOMS, watched, watched.__getitem__),
    }


def _meets(table: Table) -> bool:
    """Tell whether it is a quick match whose players have still to come: others have no place in it."""
    return table.state.join_by is not None and table.state.started_at is None


def _over(table: Table) -> bool:
    return table.shown_to(None).state.phase is Phase.OVER


def _rank(table: Table) -> float:
    """Return a room's place in the list: open rooms first, then the newest."""
    state = table.shown_to(None).state
    return (OPEN_FIRST if state.phase is Phase.OPEN else 0) + state.created_at


def _worth(table: Table) -> float | None:
    """Return how much a room is worth watching; None where there is nothing to watch."""
    return attraction(table.shown_to(None).state, _watching(table))


def _watching(table: Table) -> int:
    presence = table.shown_to(None).presence
    return presence.watching if presence else 0


def _listed(table: Table) -> lobby.Listed:
    line = msgspec.json.encode(line_map(table.room, table.shown_to(None).state, _watching(table)))
    return lobby.Listed(table.room, line, _rank(table), _worth(table))
