"""One room as this node holds it: the log so far, the state it folds to, and one command at a time.

Commands that arrive while an append is under way wait, are judged in their order on the state that the append
leads to, and go together in the next one. Nothing is told to anyone before the log has it, and no answer is
given that does not rest on the log's end: a refusal is an append of nothing, which only compares.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from msgspec import Struct

from tenmatch.game.answers import Logged
from tenmatch.game.commands import AnyCommand
from tenmatch.game.ids import Millis, RoomId, SeatNumber, Seq
from tenmatch.game.room import Phase, Room
from tenmatch.game.settle import rematch_due
from tenmatch.gateway.asked import Answer, Asked, Done, Holder, Repeated, Reply, Unavailable
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.onlooker import Onlooker, Way
from tenmatch.gateway.past import Past
from tenmatch.gateway.pulse import Pulse
from tenmatch.gateway.ruling import Ruling
from tenmatch.gateway.shown import Shown
from tenmatch.protocol import to_client
from tenmatch.protocol.stored import Entry, StoredError, seal_all
from tenmatch.store.clock import StoreClock
from tenmatch.store.committer import Committer, TooMuchWaits
from tenmatch.store.log import Appended, Behind, Head, Outcome, Untimely

log = logging.getLogger(__name__)

PATIENCE_S = 0.8  # then a player hears that the store is unavailable: with the round that looks, within 1 s
OTHERS_WAIT_MS = (150, 400)  # who did not write the last event settles a little later than who did
TTL_S = {Phase.OPEN: 1_800, Phase.STARTING: 86_400, Phase.PLAYING: 86_400, Phase.OVER: 3_600}
REST_S = 0.1  # when trying again at once would come to the same


class Batch(Struct, frozen=True):
    """An append under way, and whom to answer when it is known to be in the log."""

    entries: list[Entry]
    room: Room
    answers: list[tuple[Asked, Answer | Logged]]
    doubted: bool = False  # whether the log is as it is held here


class Owner(Protocol):
    """Who holds the tables of a node: `tenmatch.gateway.tables.Tables`."""

    def changed(self, table: "Table", before: Room, entries: Sequence[Entry], mine: bool) -> None:
        """Hear that events were added to a room."""

    def moved(self, table: "Table") -> None:
        """Hear that a room's watchers are shown something new."""

    def busy(self, table: "Table") -> None:
        """Hear that commands wait, so that whoever waits too long is told."""

    def rematch(self, table: "Table") -> None:
        """Make the room of the rematch and name it here."""

    def lost(self, table: "Table", why: str) -> None:
        """Hear that this table can no longer be trusted or its log is gone: unload it."""

    def reload(self, table: "Table") -> None:
        """Read the whole log anew, because it is not the one this table holds."""


class Table(Shown):
    """One loaded room. It is shown as it is to who sits there; to who watches, perhaps, as it was."""

    def __init__(
        self,
        room: RoomId,
        entries: Sequence[Entry],
        *,
        owner: Owner,
        committer: Committer,
        clock: StoreClock,
        pulse: Pulse,
        counts: Counts,
        onlooker: Onlooker | None,
    ) -> None:
        """Fold a log of at least one entry."""
        super().__init__(room, entries, counts)
        self._counts = counts
        self._onlooker = onlooker
        self._judged = 0.0  # when the append under way was, where somebody looks on
        self._owner = owner
        self._committer = committer
        self._clock = clock
        self._pulse = pulse
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Asked] = []
        self._under_way: Batch | None = None
        self._hints: list[tuple[Seq, Sequence[bytes]]] = []  # from the feed, while an append is under way
        self._doubtful = False  # the log may have gone on without us
        self._resting = False  # for a moment nothing is judged
        self._reloading = False  # the log is another than ours, and is being read
        self._restored = Seq(-1)  # where the log ended when we last put back what it had lost
        self._untimely = False  # the latest append was too far from the store's time
        self._mine = False  # this node wrote the last event
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = Millis(0)
        self._closed = False
        self.listed = False  # this node wrote its line in the public list
        delay_ms = self.state.options.spectator_delay_ms
        self._past: Past | None = None
        if delay_ms:
            tell = partial(owner.moved, self)
            self._past = Past(self, delay_ms, clock, counts=counts, moved=tell, gone_wrong=self._gone_wrong)

    # -- commands

    def ask(self, command: AnyCommand | None, reply: Reply, holder: Holder | None = None) -> None:
        """Judge a command as soon as its turn comes; *reply* is called once, with what the log confirmed.

        Without a command nothing is judged: the answer says that this node stands at the log's end.

        Args:
            holder: Refuse the command if by then the seat is no longer this player's.
        """
        asked = Asked(command, reply, holder=holder, arrived=self._clock.now(), since=self._loop.time())
        if self._closed or not self._pulse.fresh:
            self._pulse.hurry()
            asked.answer(Unavailable())
            return
        self._waiting.append(asked)
        self._owner.busy(self)
        self.advance()

    @property
    def still(self) -> bool:
        """Whether nothing waits here for its answer, and nothing is being written."""
        return not self._waiting and self._under_way is None

    def doubt(self) -> None:
        """Compare with the log at the next chance: something may have been missed."""
        self._doubtful = True
        self.advance()

    def expire(self, now: float) -> bool:
        """Tell those who have waited too long; return whether anybody still waits."""
        late = [asked for asked in self._all_asked() if now - asked.since >= PATIENCE_S]
        for asked in late:
            asked.answer(Unavailable())
        self._waiting = [asked for asked in self._waiting if asked.reply is not None]
        return any(asked.reply is not None for asked in self._all_asked())

    def advance(self) -> None:
        """Judge what waits and what is due, unless an append is under way."""
        held = self._under_way is not None or self._resting or self._reloading
        if held or self._closed or not self._pulse.fresh:
            return
        try:
            head = self.head
            if self._onlooker is not None:
                self._judged = self._loop.time()
            self._under_way = batch = self._judge(head)
            if batch is None:
                self._set_timer()
            else:
                at = batch.room.at if batch.entries else None
                self._append(head, batch, at, bool(batch.entries and batch.answers), self._learn)
        except Exception as error:  # the outermost frame of a room's doings
            self._gone_wrong(error)

    def _append(
        self, head: Head, batch: Batch, at: Millis | None, by_player: bool, outcome: Callable[[Outcome], None]
    ) -> None:
        try:
            self._committer.append(
                self.room,
                head,
                [entry.raw for entry in batch.entries],
                at=at,
                by_player=by_player,
                ttl=TTL_S[batch.room.phase],
                outcome=outcome,
            )
        except TooMuchWaits:
            for asked, _ in batch.answers:
                asked.answer(Unavailable())
            self._under_way = None
            self._doubtful = True  # what was due still is
            self._rest()

    def _rest(self) -> None:
        """Judge nothing for a moment."""
        self._resting = True
        self._loop.call_later(REST_S, self._rested)

    def _rested(self) -> None:
        self._resting = False
        self.advance()

    def _gone_wrong(self, error: Exception) -> None:
        """Give this room up on this node: there is a bug in it, which must not cost the others."""
        extra = {"room": self.room, "seq": self.state.seq}
        log.error("a room went wrong", exc_info=error, extra=extra)
        self._owner.lost(self, "bug")

    def _judge(self, head: Head) -> Batch | None:
        """Return the next append, or None where nothing waits, nothing is due and nothing is doubted."""
        ruling = Ruling(self)
        if away := self._pulse.away(self.state.at):
            ruling.shift(away, self._clock.now())
        if self._waiting:
            ruling.answer(self._waiting)
        else:
            ruling.settle(self._clock.now())
        if not (ruling.events or ruling.answers or self._doubtful):
            return None
        self._waiting = []
        doubted, self._doubtful = self._doubtful, False
        entries = seal_all(ruling.events, head.seq, head.chain, self.salt)
        return Batch(entries, ruling.room, ruling.answers, doubted)

    # -- outcomes

    def _learn(self, outcome: Outcome) -> None:
        """Act on what became of the append that was under way."""
        if self._closed:
            return
        batch = self._under_way
        assert batch is not None
        known = self._loop.time() if self._onlooker is not None else 0.0
        try:
            match outcome:
                case Appended():
                    if batch.entries:
                        self._take(batch.entries, batch.room, mine=True)
                    self._under_way = None
                    self._restored, self._untimely = Seq(-1), False
                    self._answer(batch.answers)
                    if self._onlooker is not None and batch.entries:
                        came = [one.since for one, answer in batch.answers if isinstance(answer, Done)]
                        way = Way(came, self._judged, known, self._loop.time())
                        self._onlooker.wrote(self.room, batch.entries, way)
                case Behind():
                    self._wait_again(batch)
                    self._catch_up(outcome, batch.doubted)
                case Untimely():
                    for asked, _ in batch.answers:
                        asked.arrived = self._clock.now()  # the estimate was off, and is corrected now
                    self._wait_again(batch)
                    if self._untimely:  # the store's clock went back: it has to get there again
                        self._rest()
                    self._untimely = True
            if self._hints:
                self._heed_hints()
        except Exception as error:  # the outermost frame of a room's doings
            self._gone_wrong(error)
        if self._waiting or self._doubtful:
            self.advance()
        elif not self._closed:
            self._set_timer()

    def _wait_again(self, batch: Batch) -> None:
        """Let what came to nothing be judged once more, before what came later."""
        self._under_way = None
        self._waiting = [asked for asked, _ in batch.answers if asked.reply] + self._waiting

    def _answer(self, answers: Sequence[tuple[Asked, Answer | Logged]]) -> None:
        now = self._loop.time()
        for asked, answer in answers:
            if isinstance(answer, Logged):
                asked.answer(Repeated(self.entries[answer.seq - 1]))
            else:
                if isinstance(answer, Done):
                    self._counts.delivery.observe(now - asked.since)
                asked.answer(answer)

    def _catch_up(self, behind: Behind, doubted: bool) -> None:
        """Fold what others wrote; where the log is not the one we hold, restore its tail or read it anew.

        Args:
            doubted: It is no news that this may be so: messages were lost.
        """
        seq = self.state.seq
        if behind.missed and not behind.forked:
            if doubted:
                self._counts.repairs["missed"] += 1
            else:
                self._counts.races += 1
            try:
                self.fold(self.opened(behind.missed))
            except StoredError:
                self._reload()
        elif behind.end.seq == 0 and self.state.phase is Phase.OVER:
            self._owner.lost(self, "expired")
        elif self._restored < behind.end.seq < seq and self.ended_at(behind.end):
            self._restore(behind.end)
        else:
            self._reload()

    def _restore(self, end: Head) -> None:
        """Put back what the log lost, once: a failover can cost it its tail."""
        log.warning("a log lost its tail", extra={"room": self.room, "seq": end.seq, "had": self.state.seq})
        self._counts.repairs["restored"] += 1
        self._restored = end.seq
        self._under_way = Batch(self.entries[end.seq :], self.state, [])
        self._append(end, self._under_way, None, False, self._learn_restored)

    def _learn_restored(self, outcome: Outcome) -> None:
        """Look whether the log is ours again."""
        self._under_way = None
        self.doubt()

    def _reload(self) -> None:
        self._counts.repairs["reloaded"] += 1
        self._reloading = True
        self._hints.clear()
        self._owner.reload(self)

    # -- the log goes on

    def fold(self, entries: Sequence[Entry]) -> None:
        """Take entries that others wrote after the head. Raises whatever `evolve` raises."""
        if entries:
            self._take(entries, self.folded(entries), mine=False)

    def replace(self, entries: Sequence[Entry]) -> None:
        """Hold another log than before: everyone gets a `reset` snapshot."""
        self._reloading = False
        try:
            self.reset(entries)
            if self._past is not None:
                self._past.begin_anew()
        except Exception as error:  # the outermost frame of a room's doings
            self._gone_wrong(error)
        self.advance()

    def hint(self, first: Seq, raws: Sequence[bytes]) -> None:
        """Take entries that the feed brought: early news, which the chain proves or the log corrects."""
        if self._reloading or self._closed:
            return
        if self._under_way is not None:
            self._hints.append((first, raws))
            return
        try:
            self._heed(first, raws)
        except Exception as error:  # the outermost frame of a room's doings
            self._gone_wrong(error)
        self.advance()

    def _heed_hints(self) -> None:
        hints, self._hints = self._hints, []
        for first, raws in hints:
            self._heed(first, raws)

    def _heed(self, first: Seq, raws: Sequence[bytes]) -> None:
        came = self._loop.time() if self._onlooker is not None else 0.0
        try:
            entries = self.opened(self.news(first, raws))
            self.fold(entries)
        except StoredError:
            self._counts.gaps += 1
            self._doubtful = True
            return
        if self._onlooker is not None and entries:
            self._onlooker.heard(self.room, entries, came, self._loop.time())

    def _take(self, entries: Sequence[Entry], room: Room, *, mine: bool) -> None:
        """Make the log's new end ours, and tell everyone."""
        before, self.state = self.state, room
        self.entries.extend(entries)
        self._mine = mine
        if mine:
            self._counts.events += len(entries)
        else:
            self._counts.foreign_events += len(entries)
        self.audience.tell()
        if self._past is not None:
            self._past.follow()
        self._owner.changed(self, before, entries, mine)

    # -- what is due

    def _set_timer(self) -> None:
        due = self.next_due()
        if due is None:
            return
        at = due if self._mine else Millis(due + random.randint(*OTHERS_WAIT_MS))
        if self._timer is not None:
            if self._timer_at <= at:
                return  # it fires early, looks, and is set anew: cheaper than moving it at each event
            self._timer.cancel()
        self._timer_at = at
        self._timer = self._loop.call_later(max((at - self._clock.now()) / 1000, 0), self._ring)

    def _ring(self) -> None:
        self._timer = None
        try:
            if rematch_due(self.state, self._clock.now()):
                self._owner.rematch(self)
                return
        except Exception as error:  # the outermost frame of a room's doings
            self._gone_wrong(error)
        self._mine = True  # our own random wait is over
        self.advance()

    def close(self) -> None:
        """Stop: answer who waits, and touch nothing any more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._past is not None:
            self._past.close()
        for asked in self._all_asked():
            asked.answer(Unavailable())

    def _all_asked(self) -> list[Asked]:
        under_way = [asked for asked, _ in self._under_way.answers] if self._under_way else []
        return under_way + self._waiting

    # -- members

    def shown_to(self, seat: SeatNumber | None) -> Shown:
        """Return the room as it is shown to a seat, or to watchers and the public where that is None."""
        return self._past if seat is None and self._past is not None else self

    def members(self) -> list[Member]:
        """Return who is here on this node."""
        return [*self.audience, *(self._past.audience if self._past is not None else ())]

    def leave(self, member: Member) -> None:
        """Let a member go, if it is here."""
        self.shown_to(member.seat).audience.leave(member)

    def announce(self, message: to_client.Chat | to_client.Presence) -> None:
        """Say to everyone what is in no log."""
        self.say(message)
        if self._past is not None:
            self._past.say(message)
