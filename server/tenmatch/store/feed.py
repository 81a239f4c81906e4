"""What is published in the rooms of this node, as it is published: a subscriber at each shard, and one face.

Every second it is asked anew which servers are primaries: a subscriber at one that was replaced would
hear nothing more, and nobody would tell it so.
"""

import asyncio
import logging
from collections.abc import Callable

from tenmatch.game.ids import RoomId
from tenmatch.store import keys, published
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.notes import ignore
from tenmatch.store.shard import Shard
from tenmatch.store.subscriber import PATIENCE, Listener, Patience, Subscriber, Wanted

log = logging.getLogger(__name__)


class Feed:
    """Listens to rooms, wherever they lie, and publishes notes there."""

    def __init__(self, store: Store, node: str, listener: Listener, patience: Patience = PATIENCE) -> None:
        """Build on *store*; *node* is the name of this node, unlike that of any other."""
        self._store = store
        self._node = node
        self._listener = listener
        self._patience = patience
        self._subscribers: dict[Shard, Subscriber] = {}
        self._running: dict[Shard, asyncio.Task[None]] = {}
        self._wanted: dict[RoomId, Wanted] = {}

    @property
    def healthy(self) -> bool:
        """Tell whether messages do come through from every shard, and those of all rooms that are wanted."""
        return all(subscriber.healthy for subscriber in map(self._at, self._store.shards))

    @property
    def silence(self) -> float:
        """Return for how many seconds no probe came back from some shard."""
        return max(subscriber.silence for subscriber in map(self._at, self._store.shards))

    @property
    def messages(self) -> int:
        """Return how many messages were heard in rooms so far."""
        return sum(subscriber.messages for subscriber in self._subscribers.values())

    @property
    def connections(self) -> int:
        """Return how many connections the shards made; more than one each means that some were lost."""
        return sum(subscriber.connections for subscriber in self._subscribers.values())

    @property
    def notes_dropped(self) -> int:
        """Return how many notes, probes included, the shards have not taken so far."""
        return sum(subscriber.notes.dropped for subscriber in self._subscribers.values())

    def hears(self, room: RoomId) -> bool:
        """Tell whether the server has acknowledged that this node listens to *room*."""
        wanted = self._wanted.get(room)
        return wanted is not None and wanted.at.hears(room)

    async def join(self, room: RoomId) -> None:
        """Listen to a room: what is published once this has returned will be heard, or doubted.

        Raises:
            StoreDown: It was not acknowledged in time, and the room is not listened to unless it was before;
                or the room was left meanwhile.
        """
        wanted = self._wanted.get(room) or self._want(room)
        if wanted.at.hears(room):
            wanted.acknowledged = True
            return
        joiner = asyncio.get_running_loop().create_future()
        wanted.joiners.append(joiner)
        try:
            async with asyncio.timeout(self._patience.acknowledgement):
                await joiner
        except TimeoutError as error:
            raise StoreDown(
                f"no subscription to room {room} in {self._patience.acknowledgement} s"
            ) from error
        finally:
            wanted.joiners.remove(joiner)
            if not wanted.acknowledged and not wanted.joiners and self._wanted.get(room) is wanted:
                self.leave(room)

    def _want(self, room: RoomId) -> Wanted:
        subscriber = self._at(self._store.shard_of(keys.feed(room)))
        wanted = self._wanted[room] = Wanted(subscriber, self._store.clock.monotonic())
        subscriber.want(room, wanted)
        return wanted

    def leave(self, room: RoomId) -> None:
        """Listen to a room no longer."""
        wanted = self._wanted.pop(room, None)
        if wanted is None:
            return
        wanted.at.drop(room)
        for joiner in wanted.joiners:
            if not joiner.done():
                joiner.set_exception(StoreDown(f"room {room} was left while it was joined"))

    def publish(self, room: RoomId, kind: int, payload: bytes, told: Callable[[bool], None] = ignore) -> None:
        """Send a note to all nodes that listen to a room, this one included; it is not kept anywhere.

        Args:
            kind: 2 … 255.
            told: Called once, by the event loop: whether the server took it.
        """
        channel = keys.feed(room)
        self._at(self._store.shard_of(channel)).notes.publish(channel, published.note(kind, payload), told)

    async def run(self) -> None:
        """Hear and publish, until cancelled."""
        async with asyncio.TaskGroup() as tasks:

            def follow() -> None:
                self._follow(tasks)

            self._store.followers.add(follow)
            try:
                follow()
                await self._survey()
            finally:
                self._store.followers.discard(follow)

    async def _survey(self) -> None:
        while True:
            await asyncio.sleep(self._patience.survey)
            try:
                await self._store.survey()
            except StoreDown as error:  # who needs them says so, louder
                log.debug("primaries not found", extra={"error": str(error)})

    # Shards come and go

    def _at(self, shard: Shard) -> Subscriber:
        if shard not in self._subscribers:
            self._subscribers[shard] = Subscriber(
                self._store, shard, self._node, self._listener, self._patience
            )
        return self._subscribers[shard]

    def _follow(self, tasks: asyncio.TaskGroup) -> None:
        """Have a subscriber run at each shard and at no other, and each room at its own."""
        shards = self._store.shards
        for shard in shards:
            if shard not in self._running:
                self._running[shard] = tasks.create_task(self._at(shard).run())
        for room, wanted in self._wanted.items():
            subscriber = self._at(self._store.shard_of(keys.feed(room)))
            if subscriber is not wanted.at:
                wanted.at.drop(room)
                wanted.at, wanted.since = subscriber, self._store.clock.monotonic()
                subscriber.want(room, wanted)
        for shard in self._running.keys() - shards:
            self._running.pop(shard).cancel()
            del self._subscribers[shard]
