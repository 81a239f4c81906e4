"""Quick match on one node: who seeks here, what the queue says of them, and what they are told.

The queue (tenmatch.store.queue) decides who is paired, the room's log who came. What is done here only
brings one together with the other: it may be done twice, at once, by any nodes, and what one began another
ends.
"""

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from tenmatch.game.create import came, decided
from tenmatch.game.events import Level
from tenmatch.game.ids import Millis, PlayerId, RoomId
from tenmatch.game.pairing import OFFER_MS, level_for, pair_up
from tenmatch.gateway.beat import Beat
from tenmatch.gateway.draws import draw_room
from tenmatch.gateway.meetings import Meetings
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.table import Table
from tenmatch.gateway.tasks import Spawn
from tenmatch.protocol import to_client
from tenmatch.protocol.codec import Sendable
from tenmatch.store import keys, queue
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.feed import Feed
from tenmatch.store.queue import QUEUES, Pairing, Queue, Sought, Standing, State, Wanted

log = logging.getLogger(__name__)

BEAT_S: Final = 1.0  # between two rounds, where nothing calls for one
SHORTEST_S: Final = 0.05  # between two, however much does
RENEW_S: Final = 2.0  # until all who seek here are spoken for again
LOOKED_AT: Final = 100  # who is served first, in each queue
ASKED_AT_ONCE: Final = 500  # of those who seek here
TAKEN_ON: Final = 100  # pairings that others left behind, at once


class Listener(Protocol):
    """A connection: `tenmatch.gateway.session.Session`."""

    @property
    def over(self) -> bool:
        """Whether it is gone, or closing."""

    def send(self, message: Sendable) -> None:
        """Send one message."""


@dataclass(slots=True, eq=False)
class Seeker:
    """A connection that seeks an opponent for its player."""

    listener: Listener
    sought: Sought
    room: RoomId | None = None  # of the pairing, as far as the queue was heard
    told: RoomId | None = None  # the one that the client knows of
    offered: bool = False  # a computer player, while waiting

    @property
    def player(self) -> PlayerId:
        """Who it is that seeks."""
        return self.sought.player

    def tell(self, *, on: bool, bot: Level | None = None) -> None:
        """Say how the player stands in the queue."""
        at = self.sought.queue
        self.listener.send(to_client.Queued(mode=at.mode.value, rated=at.rated, on=on, bot=bot))


class Matchmaking:
    """Those who seek an opponent on this node."""

    def __init__(
        self,
        store: Store,
        feed: Feed,
        ratings: Ratings,
        meetings: Meetings,
        *,
        node: str,
        spawn: Spawn,
    ) -> None:
        """Start with nobody; `run` does the rest."""
        self._store = store
        self._feed = feed
        self._ratings = ratings
        self._meetings = meetings
        self._node = node
        self._spawn = spawn
        self._seekers: dict[PlayerId, Seeker] = {}
        self._doubtful: set[PlayerId] = set()  # of whom there may be news
        self._beat = Beat(longest=BEAT_S, shortest=SHORTEST_S)
        self._said_at = float("-inf")  # when all were spoken for
        self._listens = False

    # -- from sessions

    async def seek(
        self, listener: Listener, player: PlayerId, name: str, at: Queue, *, with_computer: bool = False
    ) -> None:
        """Let a player wait and be told through this connection; for a computer player nobody waits.

        Raises:
            StoreDown: They may wait or not; if the connection does not ask again, they soon do not.
        """
        sought = Sought(player, name, await self._ratings.rating(player, at.mode), at, self._node)
        standing = await queue.seek(self._store, sought)
        if with_computer:
            await queue.pair(self._store, [Wanted(draw_room(), at, (player,), level_for(sought.rating))])
        seeker, before = Seeker(listener, sought._replace(since=standing.since)), self._seekers.get(player)
        if listener.over:
            if before is None:
                await self._unseek(seeker)
            return
        if before is not None and before.listener is not listener:
            before.tell(on=False)
        self._seekers[player] = seeker
        self.doubt([player])

    async def stop(self, listener: Listener, player: PlayerId, at: Queue) -> Table | None:
        """Let a player wait no longer; return the table at which they are expected, where it is too late.

        Raises:
            UnreadableRoom: They are expected, but this node cannot say so.
            StoreDown: They may still wait.
        """
        room = await queue.unseek(self._store, player, at)
        seeker = self._seekers.pop(player, None)
        if seeker is not None and seeker.listener is not listener:
            seeker.tell(on=False)
        pairing = None if room is None else await queue.pairing_in(self._store, room)
        return None if pairing is None else await self._meetings.room_of(pairing)

    async def playing(self, player: PlayerId) -> bool:
        """Tell whether a player is still in a quick match that is being played. Raises StoreDown."""
        return await self._meetings.playing(player)

    def ended(self, listener: Listener, player: PlayerId) -> None:
        """Let a player wait no longer whose connection is gone, unless they wait on another."""
        seeker = self._seekers.get(player)
        if seeker is not None and seeker.listener is listener:
            del self._seekers[player]
            self._spawn(self._unseek(seeker))

    async def _unseek(self, seeker: Seeker) -> None:
        with contextlib.suppress(StoreDown):  # then they vanish by themselves
            await queue.unseek(self._store, seeker.player, seeker.sought.queue, self._node)

    def doubt(self, players: Iterable[PlayerId] | None = None) -> None:
        """Look soon how it stands with these players, if they seek here; with all where none are named."""
        here = self._seekers.keys() if players is None else self._seekers.keys() & players
        if here:
            self._doubtful.update(here)
            self._beat.hurry()

    # -- rounds

    async def run(self) -> None:
        """Do rounds for ever."""
        failing = False
        while True:
            try:
                await self._round()
                failing = False
            except StoreDown as error:
                if not failing:  # once: an outage is long
                    log.warning("matchmaking was cut short", extra={"error": str(error)})
                failing = True
            except Exception:  # the round's outermost frame: a bug with one player must not end the node
                log.exception("a round of matchmaking failed")
            await self._beat.rest()

    async def _round(self) -> None:
        now = asyncio.get_running_loop().time()
        if everyone := now - self._said_at >= RENEW_S:
            self._said_at = now
            await self._listen()
            for pairing in await queue.left_behind(self._store, TAKEN_ON):
                self._meetings.see_to(pairing.room, self._tell)
        await self._pair(list(QUEUES.values()) if everyone else self._queues())
        players, self._doubtful = list(self._seekers) if everyone else list(self._doubtful), set()
        for at in range(0, len(players), ASKED_AT_ONCE):
            asked = map(self._seekers.get, players[at : at + ASKED_AT_ONCE])
            await self._look([seeker for seeker in asked if seeker is not None])
        self._offer()
        for seeker in self._seekers.values():
            if seeker.told is not None and self._meetings.decided(seeker.told):
                self._meetings.see_to(seeker.told, self._tell)

    async def _listen(self) -> None:
        """Hear at once what other nodes do; without, it is heard with the next round."""
        if not self._listens:
            with contextlib.suppress(StoreDown):
                await self._feed.join(keys.QUEUE)
                self._listens = True

    def _queues(self) -> list[Queue]:
        """Return in what queues somebody waits here."""
        return list({seeker.sought.queue for seeker in self._seekers.values() if seeker.room is None})

    async def _pair(self, queues: Sequence[Queue]) -> None:
        now = self._store.clock.now()
        waiting = await queue.waiting(self._store, queues, LOOKED_AT)
        wanted = [
            Wanted(draw_room(), at, pair)
            for at, those in zip(queues, waiting, strict=True)
            for pair in pair_up(those, now)
        ]
        for one, made in zip(wanted, await queue.pair(self._store, wanted), strict=True):
            if made:
                self._doubtful.update(one.players)

    def _offer(self) -> None:
        """Offer a computer player to those who have waited for long."""
        now = self._store.clock.now()
        for seeker in self._seekers.values():
            sought = seeker.sought
            if seeker.room is not None or seeker.offered or sought.queue.rated or sought.since is None:
                continue
            if now - sought.since >= OFFER_MS:
                seeker.offered = True
                seeker.tell(on=True, bot=level_for(sought.rating))

    # -- how it stands

    async def _look(self, seekers: Sequence[Seeker]) -> None:
        """Say that these still seek, and act on how it stands with each."""
        standings = await queue.seeking(self._store, [seeker.sought for seeker in seekers])
        for seeker, standing in zip(seekers, standings, strict=True):
            if self._seekers.get(seeker.player) is seeker:
                await self._learn(seeker, standing)

    async def _learn(self, seeker: Seeker, standing: Standing) -> None:
        match standing:
            case Standing(State.WAITING) if await self._engaged(seeker):  # the store lost the pairing
                await self._unseek(seeker)
            case Standing(State.WAITING):
                self._wait(seeker, standing.since)
            case Standing(State.PAIRED, str(room)) if room != seeker.told and await self._engaged(seeker):
                await self._meetings.refuse(room, seeker.player)
            case Standing(State.PAIRED, str(room)):
                seeker.room = room
                if room != seeker.told:
                    self._meetings.see_to(room, self._tell)
            case Standing(State.TAKEN):
                self._let_go(seeker)
            case Standing(State.GONE):
                await self._resolve(seeker)
            case _:
                raise AssertionError(f"the queue cannot say {standing!r}")

    async def _engaged(self, seeker: Seeker) -> bool:
        """Tell whether a player has a match to come to, or to play, whatever the queue knows."""
        room = None if seeker.told is None else await self._meetings.state_of(seeker.told)
        return room is not None and came(room) is None

    def _wait(self, seeker: Seeker, since: Millis) -> None:
        """Note that a player waits; again, if they came in vain."""
        again = seeker.told is not None
        seeker.sought = seeker.sought._replace(since=since, ahead=seeker.sought.ahead or again)
        seeker.room = seeker.told = None
        if again:
            seeker.offered = False
            seeker.tell(on=True)

    def _let_go(self, seeker: Seeker) -> None:
        del self._seekers[seeker.player]
        seeker.tell(on=False)

    async def _resolve(self, seeker: Seeker) -> None:
        """Find out why the queue does not know a player: what was decided, or was it lost?"""
        player = seeker.player
        if seeker.told is None:
            lost = not await self._meetings.playing(player)
            if self._seekers.get(player) is seeker:
                await self._put_back(seeker) if lost else self._let_go(seeker)
            return
        room = await self._meetings.state_of(seeker.told)
        if self._seekers.get(player) is not seeker:
            return
        if room is None or player in (came(room) or ()):
            await self._put_back(seeker)
        elif room.started_at is not None:
            del self._seekers[player]  # they play
        elif decided(room):
            self._let_go(seeker)

    async def _put_back(self, seeker: Seeker) -> None:
        """Let a player wait again whom the store lost."""
        ahead = seeker.sought.ahead or seeker.told is not None
        standing = await queue.seek(self._store, seeker.sought._replace(ahead=ahead))
        if self._seekers.get(seeker.player) is seeker:
            await self._learn(seeker, standing)
        else:
            await self._unseek(seeker)

    def _tell(self, pairing: Pairing, table: Table) -> None:
        """Say to those of a pairing who seek here where it is."""
        for one in pairing.players:
            seeker = self._seekers.get(one.player)
            if seeker is not None and seeker.room == pairing.room != seeker.told:
                seeker.told = pairing.room
                seeker.listener.send(to_client.Paired(room=pairing.room, code=table.state.code))
