"""The tournaments that this node has loaded: ask, append, catch up, and what is due.

As with rooms, a copy here can be dropped at any moment and read again; whoever writes first decides, and the
others take what was written. What is due falls to every node that has a tournament loaded; one that none has
is found by the sweep (`upkeep`).
"""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from typing import Final
from weakref import WeakValueDictionary

from tenmatch.game.answers import Denied
from tenmatch.game.ids import Millis, Seq, TournamentId
from tenmatch.game.tournament.decide import Command, decide
from tenmatch.game.tournament.settle import Happened, next_due, settle, shift
from tenmatch.game.tournament.state import Phase, Tournament
from tenmatch.gateway.appending import appended
from tenmatch.gateway.pulse import Pulse
from tenmatch.gateway.reader import Reader
from tenmatch.gateway.tasks import Spawn
from tenmatch.gateway.tournament.held import Held
from tenmatch.protocol.stored import StoredError, TournamentEntry, open_tournament, seal_all
from tenmatch.store import due
from tenmatch.store.committer import Committer
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.feed import Feed
from tenmatch.store.log import START, Appended, Behind, Head, Outcome, Untimely, read

log = logging.getLogger(__name__)

TTL_S: Final = 9 * 86_400  # of a tournament that is not over: one may be announced a week ahead
FOREVER_S: Final = 3_650 * 86_400
LOOKED_AT_MS: Final = 10_000  # a loaded one is looked at by its node; others wait this long before they do
OTHERS_WAIT_S: Final = (0.0, 0.25)  # so that not all nodes settle the same at once
TRIES: Final = 20  # of a command, each beaten by what another node wrote
RETRY_S: Final = 1.0
COPIES: Final = 16  # of tournaments that are not loaded: to fold a long log takes a fifth of a second


class NoSuchTournament(Exception):
    """There is no log under this id."""


class UnreadableTournament(NoSuchTournament):
    """There is a log under this id, but this node cannot read it; another may."""


class Tournaments:
    """All tournaments of a node."""

    def __init__(
        self,
        store: Store,
        committer: Committer,
        feed: Feed,
        *,
        pulse: Pulse,
        spawn: Spawn,
        ttl: int,
    ) -> None:
        """Start with none loaded.

        Args:
            ttl: Seconds for which a tournament that is over is kept; 0: for ever.
        """
        self.loaded: dict[TournamentId, Held] = {}
        self.moved: Callable[[Held], None] = lambda held: None
        """Hears of each that was loaded or has gone on."""
        self._store = store
        self._committer = committer
        self._feed = feed
        self._pulse = pulse
        self._spawn = spawn
        self._ttl = ttl or FOREVER_S
        self._opening: WeakValueDictionary[TournamentId, asyncio.Lock] = WeakValueDictionary()
        self._copies: dict[TournamentId, Held] = {}  # as they were when last looked at, the latest last

    # -- load and unload

    async def open(self, id: TournamentId) -> Held:
        """Return a tournament, loaded if need be.

        Raises:
            NoSuchTournament: There is none, or (UnreadableTournament) none that can be read.
            StoreDown: The store cannot be reached.
        """
        async with self._one_by_one(id):
            held = self.loaded.get(id) or await self._load(id)
            held.used = asyncio.get_running_loop().time()
            return held

    async def look(self, id: TournamentId) -> Held:
        """Return a tournament as it is now, without loading it. Raises as `open` does."""
        async with self._one_by_one(id):
            return self.loaded.get(id) or await self._copy(id)

    def _one_by_one(self, id: TournamentId) -> asyncio.Lock:
        """Return the lock of a tournament, the same for all who hold it or wait for it."""
        return self._opening.setdefault(id, asyncio.Lock())

    async def _load(self, id: TournamentId) -> Held:
        await self._feed.join(id)  # first listen, then read: nothing falls between
        try:
            held = await self._copy(id)
        except (NoSuchTournament, StoreDown):
            self._feed.leave(id)
            raise
        self.loaded[id] = held
        self._copies.pop(id, None)
        log.info("tournament loaded", extra={"tournament": id, "seq": held.state.seq})
        self._follow_up(held)
        return held

    async def _copy(self, id: TournamentId) -> Held:
        held = self._copies.get(id)
        try:
            if held is None or not await self._read_on(held):
                held = Held(id, await self._read(id))
        except (NoSuchTournament, StoreDown):
            raise
        except Exception as error:  # a bug met while folding costs this tournament only
            log.exception("a tournament could not be loaded", extra={"tournament": id})
            raise UnreadableTournament(id) from error
        self._remember(held)
        return held

    def _remember(self, held: Held) -> None:
        self._copies.pop(held.id, None)
        self._copies[held.id] = held
        if len(self._copies) > COPIES:
            del self._copies[next(iter(self._copies))]

    async def _read_on(self, held: Held) -> bool:
        """Bring a copy up to date; return False where it is one of another log."""
        last = held.entries[-1]
        raws = (await read(self._store, held.id, Seq(last.seq - 1))).entries
        if not raws or raws[0] != last.raw:
            return False
        try:
            held.go_on(held.opened(raws[1:]))
        except StoredError:
            return False
        return True

    async def _read(self, id: TournamentId) -> Sequence[TournamentEntry]:
        raws = (await read(self._store, id)).entries
        if not raws:
            raise NoSuchTournament(id)
        try:
            return open_tournament(raws, 0, 0)
        except StoredError as error:
            log.error("a log cannot be read", extra={"tournament": id, "error": str(error)})
            raise UnreadableTournament(id) from error

    def unload(self, held: Held) -> None:
        """Let a tournament go; its log stays."""
        if self.loaded.pop(held.id, None) is held:
            if held.timer is not None:
                held.timer.cancel()
            self._feed.leave(held.id)
            held.followers.clear()
            self._remember(held)

    def revive(self) -> None:
        """Go on where the node was cut off: an arena is given back the time in which all were away."""
        for id in tuple(self.loaded):
            self.on_doubt(id)

    def close(self) -> None:
        """Let all go, at the end of the node."""
        for held in tuple(self.loaded.values()):
            self.unload(held)

    async def found(self, id: TournamentId, happened: Happened) -> Held:
        """Write a new tournament's first events, unless that was done, and return it.

        Raises:
            NoSuchTournament: (UnreadableTournament) What was written before cannot be read.
            StoreDown: It is not known whether they were written; the same call may be made again.
        """
        salt = bytes.fromhex(happened.tournament.salt)
        await due.mark(self._store, {id: Millis(self._store.clock.now() + LOOKED_AT_MS)})
        entries = seal_all(happened.events, 0, 0, salt)
        outcome = await self._append(id, START, entries, happened.tournament, at=happened.tournament.at)
        if isinstance(outcome, Untimely):
            raise StoreDown("this node's clock was off; it is corrected now")
        return await self.open(id)

    # -- ask

    async def ask(self, held: Held, command: Command | None) -> Denied | None:
        """Carry out a command, and what is due before it; return why it was not carried out, if so.

        The answer rests on the log's end. Without a command only what is due happens.

        Raises:
            NoSuchTournament: The log is gone.
            StoreDown: It is not known what became of it; the same call may be made again.
        """
        async with held.busy:
            for _ in range(TRIES):
                if not self._pulse.fresh:
                    self._pulse.hurry()
                    raise StoreDown("this node has not heard from the store lately")
                now = self._store.clock.now()
                happened = shift(held.state, self._pulse.away(held.state.at), now)
                happened = happened.and_then(settle(happened.tournament, now))
                answer = decide(happened.tournament, command, now) if command else None
                if isinstance(answer, Happened):
                    happened = happened.and_then(answer)
                if await self._write(held, happened):
                    return answer if isinstance(answer, Denied) else None
        raise StoreDown("others always were faster")

    async def _write(self, held: Held, happened: Happened) -> bool:
        """Write events after the head; return False where the log had gone on, and now we with it."""
        head = held.head
        entries = seal_all(happened.events, head.seq, head.chain, held.salt)
        at = happened.tournament.at if entries else None
        outcome = await self._append(held.id, head, entries, happened.tournament, at=at)
        if isinstance(outcome, Appended):
            self._take(held, entries)
            return True
        if isinstance(outcome, Behind):
            await self._catch_up(held, outcome)
        return False

    async def _append(
        self,
        id: TournamentId,
        head: Head,
        entries: Sequence[TournamentEntry],
        state: Tournament,
        *,
        at: Millis | None,
    ) -> Outcome:
        ttl = self._ttl if state.phase is Phase.OVER else TTL_S
        return await appended(self._committer, id, head, entries, at=at, ttl=ttl)

    # -- the log goes on

    def _take(self, held: Held, entries: Sequence[TournamentEntry]) -> None:
        if entries:
            held.go_on(entries)
            self._follow_up(held)

    async def _catch_up(self, held: Held, behind: Behind) -> None:
        """Take what others wrote; put back what the log lost; where it is another, read it anew."""
        if behind.missed and not behind.forked:
            try:
                self._take(held, held.opened(behind.missed))
            except StoredError:
                await self._reload(held)
        elif behind.end.seq < held.head.seq and held.ended_at(behind.end):
            log.warning("a log lost its tail", extra={"tournament": held.id, "seq": behind.end.seq})
            await self._append(held.id, behind.end, held.entries[behind.end.seq :], held.state, at=None)
        else:
            await self._reload(held)

    async def _reload(self, held: Held) -> None:
        try:
            entries = await self._read(held.id)
        except NoSuchTournament:
            self.unload(held)
            raise
        held.hold(entries)
        held.tell_anew()
        self._follow_up(held)

    def on_entries(self, id: TournamentId, first: Seq, raws: Sequence[bytes]) -> None:
        """Take what the feed brought: early news, which the chain proves or the log corrects."""
        held = self.loaded.get(id)
        if held is None:
            return
        if held.busy.locked():
            self.on_doubt(id)
            return
        try:
            self._take(held, held.opened(held.news(first, raws)))
        except StoredError:
            self.on_doubt(id)

    def on_doubt(self, id: TournamentId) -> None:
        """Compare with the log: something may have been missed."""
        held = self.loaded.get(id)
        if held is not None:
            self.look_after(held)

    # -- what is due

    def _follow_up(self, held: Held) -> None:
        if self.loaded.get(held.id) is not held:
            return
        self._set_timer(held)
        self.moved(held)

    def _set_timer(self, held: Held) -> None:
        if held.timer is not None:
            held.timer.cancel()
            held.timer = None
        at = next_due(held.state)
        if at is not None:
            wait = max((at - self._store.clock.now()) / 1000, 0) + random.uniform(*OTHERS_WAIT_S)
            held.timer = asyncio.get_running_loop().call_later(min(wait, 3600), self.look_after, held)

    def look_after(self, held: Held) -> None:
        """Let happen what is due."""
        self._spawn(self.advance(held))

    async def advance(self, held: Held) -> None:
        """Let happen what is due, or hear that this has happened; when the store is away, a moment later."""
        if self.loaded.get(held.id) is not held:
            return
        try:
            await self.ask(held, None)
            self._set_timer(held)
        except NoSuchTournament:
            log.warning("a tournament's log is gone", extra={"tournament": held.id})
        except StoreDown:
            asyncio.get_running_loop().call_later(RETRY_S, self.on_doubt, held.id)

    def leave(self, follower: Reader) -> None:
        """Let somebody watch nothing any more."""
        for held in self.loaded.values():
            held.followers.discard(follower)
