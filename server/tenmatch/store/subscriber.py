"""One connection that hears what is published on one shard, and the watch over it.

Redis pub/sub fails silently, so nothing here is taken on trust. One task owns the connection and alone
subscribes on it. It pings when nothing was heard for a second and gives the connection up after three; a new
one is made with back-off, and each acknowledgement on it is a doubt: the room may have gone on meanwhile. A
probe that travels through the primary and back shows that messages arrive at all. What arrives is handed over
at once and never waited for.
"""

import asyncio
import logging
import random
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from typing import Final, Protocol

from redis.exceptions import RedisError

from tenmatch.game.ids import RoomId, Seq
from tenmatch.store import keys, published
from tenmatch.store.connect import Store
from tenmatch.store.link import ErrorReply, Link, Reply, StoreDown, pack
from tenmatch.store.notes import Notes
from tenmatch.store.shard import Shard

log = logging.getLogger(__name__)

SUBSCRIBED_AT_ONCE: Final = 500
READ_AT_ONCE: Final = 100  # messages handed over before others have their turn


class Listener(Protocol):
    """Who is told what arrives; called by the event loop, one message after the other."""

    def on_entries(self, room: RoomId, first_seq: Seq, entries: tuple[bytes, ...]) -> None:
        """Take entries that were appended; a hint that may come late, twice or never."""

    def on_note(self, room: RoomId, kind: int, payload: bytes) -> None:
        """Take a note, also one of this node's own."""

    def on_doubt(self, room: RoomId) -> None:
        """Learn that messages may have been lost: compare the room with its log."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the feed waits for what; all in seconds."""

    ping: float = 1.0  # of silence, then it asks whether the server is there
    dead: float = 3.0  # of silence, then the connection is given up
    probe: float = 1.0  # between two probes
    deaf: float = 4.0  # without a probe that came back, then the feed is not healthy and begins anew
    acknowledgement: float = 1.0  # for a subscription, then `join` fails and the feed is not healthy
    retry: tuple[float, float] = (0.05, 1.0)  # shortest and longest wait before a new connection
    survey: float = 1.0  # between two questions which servers are primaries


PATIENCE: Final = Patience()


class _Phase(Enum):
    """How far a channel is on the connection there is; one it was not asked for has none."""

    ASKED = 1
    HEARD = 2
    LEAVING = 3


@dataclass(slots=True)
class Wanted:
    """A room that this node listens to, whatever becomes of connections."""

    at: "Subscriber"
    since: float  # when it was first asked for there, or lost after it had been heard
    acknowledged: bool = False  # on this or an earlier connection
    joiners: list["asyncio.Future[None]"] = field(default_factory=list)


class Subscriber:
    """Subscribes at one shard, hears, and knows how well that works."""

    def __init__(self, store: Store, shard: Shard, node: str, listener: Listener, patience: Patience) -> None:
        """Build on a *shard* of *store*."""
        self.notes = Notes(shard)
        self.connections = 0  # made so far; more than one means that some were lost
        self.messages = 0  # heard in rooms so far
        self._store = store
        self._shard = shard
        self._node = node
        self._listener = listener
        self._patience = patience
        self._monotonic = store.clock.monotonic
        self._probe = ""  # its channel, once it is known which ones lie at this shard
        self._wanted: dict[RoomId, Wanted] = {}
        self._unheard: set[RoomId] = set()  # those wanted to which we do not listen yet, or no longer
        self._phases: dict[RoomId, _Phase] = {}
        self._changed: set[RoomId] = set()  # rooms whose phase may not be the one wanted
        self._wake = asyncio.Event()
        self._heard_at = self._probed_at = float("-inf")

    @property
    def healthy(self) -> bool:
        """Tell whether messages do come through, and those of all rooms that are wanted."""
        now = self._monotonic()
        return now - self._probed_at <= self._patience.deaf and not self._unacknowledged(
            before=now - self._patience.acknowledgement
        )

    @property
    def silence(self) -> float:
        """Return for how many seconds no probe came back."""
        return self._monotonic() - self._probed_at

    def _unacknowledged(self, *, before: float) -> bool:
        return any(self._wanted[room].since < before for room in self._unheard)

    def hears(self, room: RoomId) -> bool:
        """Tell whether the server has acknowledged that we listen to *room*."""
        return self._phases.get(room) is _Phase.HEARD

    def want(self, room: RoomId, wanted: Wanted) -> None:
        """Listen to a room, and note in *wanted* how that goes."""
        self._wanted[room] = wanted
        if not self.hears(room):
            self._unheard.add(room)
        self._reconsider(room)

    def drop(self, room: RoomId) -> None:
        """Listen to a room no longer."""
        del self._wanted[room]
        self._unheard.discard(room)
        self._reconsider(room)

    async def run(self) -> None:
        """Keep the connection, publish notes and send probes, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep_connected())
            tasks.create_task(self.notes.run())
            tasks.create_task(self._send_probes())

    async def _send_probes(self) -> None:
        while True:
            if self._probe:
                self.notes.publish(self._probe, b"")
            await asyncio.sleep(self._patience.probe)

    # The connection

    async def _keep_connected(self) -> None:
        shortest, longest = self._patience.retry
        wait = shortest
        while True:
            link = self._shard.link()
            begun = self._monotonic()
            try:
                await self._hold(link)
            except (RedisError, OSError, StoreDown) as error:  # TimeoutError is an OSError
                why = f"{type(error).__name__} {error}"
                log.warning("feed lost", extra={"shard": str(self._shard), "error": why})
            finally:
                link.abort()
                self._lose()
            wait = shortest if self._monotonic() - begun > 2 * wait else min(longest, 2 * wait)
            await asyncio.sleep(wait * random.uniform(0.5, 1.0))

    async def _hold(self, link: Link) -> None:
        """Make a connection and keep it until it fails; ends by raising only."""
        async with asyncio.timeout(self._patience.dead):
            await link.open()
            self._stay_with(link)
            self._choose_probe()
            await link.send([pack("SSUBSCRIBE", self._probe)])
        begun = pinged_at = self._heard_at = self._monotonic()
        reader = asyncio.create_task(self._read(link))
        reader.add_done_callback(lambda _: self._wake.set())
        try:
            while not reader.done():
                self._wake.clear()
                async with asyncio.timeout(self._patience.dead):  # a frozen server may not even take bytes
                    await self._reconcile(link)
                    if self._monotonic() - max(self._heard_at, pinged_at) > self._patience.ping:
                        pinged_at = self._monotonic()
                        await link.send([pack("PING")])
                self._stay_with(link)
                self._watch(begun)
                await self._rest()
            await reader
        finally:
            reader.cancel()
            await asyncio.wait([reader])

    def _stay_with(self, link: Link) -> None:
        """Look whether this is the primary still: one that was replaced may go on, and say nothing."""
        if link.strayed:
            raise StoreDown("another server is the primary now")

    def _choose_probe(self) -> None:
        """Choose a channel that lies on the server that the shard's lowest slot has led to."""
        channels = (keys.probe(self._node, number) for number in count())
        self._probe = next(
            channel for channel in channels if self._store.shard_of(channel).server == self._shard.server
        )

    def _watch(self, begun: float) -> None:
        now = self._monotonic()
        if now - self._heard_at > self._patience.dead:
            raise StoreDown(f"heard nothing for {self._patience.dead} s")
        if now - max(self._probed_at, begun) > self._patience.deaf:
            raise StoreDown(f"the server answers, but no probe came back for {self._patience.deaf} s")
        begun_before = now - self._patience.dead
        if begun < begun_before and self._unacknowledged(before=begun_before):
            raise StoreDown(f"the server answers, but not to a subscription, for {self._patience.dead} s")

    async def _rest(self) -> None:
        """Wait for something to do, or until it is time to look again how long it has been silent."""
        try:
            async with asyncio.timeout(self._patience.ping / 2):
                await self._wake.wait()
        except TimeoutError:
            pass

    async def _reconcile(self, link: Link) -> None:
        """Ask the server for what is wanted; what was asked and is not acknowledged is left until it is."""
        while self._changed:
            commands = []
            for room in [self._changed.pop() for _ in range(min(len(self._changed), SUBSCRIBED_AT_ONCE))]:
                phase = self._phases.get(room)
                if room in self._wanted and phase is None:
                    self._phases[room] = _Phase.ASKED
                    commands.append(pack("SSUBSCRIBE", keys.feed(room)))
                elif room not in self._wanted and phase is _Phase.HEARD:
                    self._phases[room] = _Phase.LEAVING
                    commands.append(pack("SUNSUBSCRIBE", keys.feed(room)))
            await link.send(commands)

    def _reconsider(self, room: RoomId) -> None:
        self._changed.add(room)
        self._wake.set()

    def _lose(self) -> None:
        """Forget what the connection knew; all that is wanted must be asked for again."""
        for room, wanted in self._wanted.items():
            if self.hears(room):
                wanted.since = self._monotonic()
        self._phases.clear()
        self._changed, self._unheard = set(self._wanted), set(self._wanted)

    # What arrives

    async def _read(self, link: Link) -> None:
        while True:
            for _ in range(READ_AT_ONCE):
                reply = await link.reply()
                self._heard_at = self._monotonic()
                self._take(reply)
            await asyncio.sleep(0)  # what is in the buffer already is read without a pause

    def _take(self, reply: Reply) -> None:
        match reply:
            case [b"smessage", channel, message]:
                self._take_message(channel, message)
            case [b"ssubscribe", channel, _]:
                self._take_acknowledgement(channel)
            case [b"sunsubscribe", channel, _]:
                if channel == self._probe.encode():
                    raise StoreDown("the server gave up the channel of the probe")
                room = keys.room_of_feed(channel)
                self._phases.pop(room, None)  # as we asked, or by its own decision
                if room in self._wanted:
                    self._unheard.add(room)
                self._reconsider(room)
            case ErrorReply():
                raise reply
            case _:
                pass  # a PONG, which has done its work

    def _take_message(self, channel: bytes, message: bytes) -> None:
        if channel == self._probe.encode():
            self._probed_at = self._monotonic()
            return
        room = keys.room_of_feed(channel)
        if room not in self._wanted:
            return
        self.messages += 1
        call = asyncio.get_running_loop().call_soon  # what goes wrong in one room must not end the feed
        match published.read(message):
            case published.Entries(first_seq, entries):
                call(self._listener.on_entries, room, first_seq, entries)
            case published.Note(kind, payload):
                call(self._listener.on_note, room, kind, payload)
            case None:
                call(self._listener.on_doubt, room)

    def _take_acknowledgement(self, channel: bytes) -> None:
        if channel == self._probe.encode():
            self.connections += 1
            fields = {"connection": self.connections, "rooms": len(self._wanted)}
            log.info("feed established", extra={"shard": str(self._shard), **fields})
            self.notes.publish(self._probe, b"")  # nobody has to wait for the next to know that all is well
            return
        room = keys.room_of_feed(channel)
        self._phases[room] = _Phase.HEARD
        self._unheard.discard(room)
        wanted = self._wanted.get(room)
        if wanted is None:
            self._reconsider(room)  # left while it was asked for
            return
        if wanted.acknowledged:
            asyncio.get_running_loop().call_soon(self._listener.on_doubt, room)
        wanted.acknowledged = True
        for joiner in wanted.joiners:
            if not joiner.done():
                joiner.set_result(None)
