"""One room as this node holds it: the log so far, the state it folds to, and one command at a time.

Commands that arrive while an append is under way wait, are judged in their order on the state that the append
leads to, and go together in the next one. Nothing is told to anyone before the log has it, and no answer is
given that does not rest on the log's end: a refusal is an append of nothing, which only compares.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from tenmatch.game.answers import Denied, Logged, Refused, Taken
from tenmatch.game.commands import AnyCommand
from tenmatch.game.decide import decide
from tenmatch.game.events import AnyEvent
from tenmatch.game.ids import Millis, RoomId, Seq
from tenmatch.game.room import Phase, Room, evolve
from tenmatch.game.settle import next_due, rematch_due, settle, shift
from tenmatch.gateway.fanout import Audience, Member
from tenmatch.gateway.framing import frame
from tenmatch.gateway.pulse import Pulse
from tenmatch.protocol import to_client
from tenmatch.protocol.stored import Entry, StoredError, open_all, seal_all
from tenmatch.protocol.viewers import event_map, state_map, view_of
from tenmatch.store.clock import StoreClock
from tenmatch.store.committer import Committer, TooMuchWaits
from tenmatch.store.log import Appended, Behind, Head, Outcome, Untimely

log = logging.getLogger(__name__)

PATIENCE_S = 1.0  # then a player hears that the store is unavailable
OTHERS_WAIT_S = (0.15, 0.4)  # who did not write the last event settles a little later than who did
TTL_S = {Phase.OPEN: 1_800, Phase.STARTING: 86_400, Phase.PLAYING: 86_400, Phase.OVER: 3_600}
FRAMES_KEPT = 64


class Done(NamedTuple):
    """The command was taken; the events it made, if any, are in the log and have been told."""

    events: tuple[AnyEvent, ...]


class Repeated(NamedTuple):
    """This (seat, n) was logged before, as this event."""

    entry: Entry


class Unavailable(NamedTuple):
    """It is not known yet, or not possible now: the same command may be sent again."""


Answer = Done | Repeated | Refused | Denied | Unavailable
Reply = Callable[[Answer], None]


class Asked:
    """A command that waits for its answer."""

    __slots__ = ("arrived", "command", "reply", "since")

    def __init__(self, command: AnyCommand | None, arrived: Millis, since: float, reply: Reply) -> None:
        self.command = command
        self.arrived = arrived
        self.since = since  # seconds, monotonic
        self.reply: Reply | None = reply  # None: answered

    def answer(self, answer: Answer) -> None:
        """Answer once; later answers are nobody's."""
        reply, self.reply = self.reply, None
        if reply is not None:
            reply(answer)


class Batch(NamedTuple):
    """An append under way, and whom to answer when it is known to be in the log."""

    entries: list[Entry]
    room: Room
    answers: list[tuple[Asked, Answer | Logged]]


class Owner(Protocol):
    """Who holds the tables of a node: `tenmatch.gateway.tables.Tables`."""

    def changed(self, table: "Table", before: Room, entries: Sequence[Entry], mine: bool) -> None:
        """Hear that events were added to a room."""

    def busy(self, table: "Table") -> None:
        """Hear that commands wait, so that whoever waits too long is told."""

    def rematch(self, table: "Table") -> None:
        """Make the room of the rematch and name it here."""

    def lost(self, table: "Table", why: str) -> None:
        """Hear that this table can no longer be trusted or its log is gone: unload it."""

    def reload(self, table: "Table") -> None:
        """Read the whole log anew, because it is not the one this table holds."""


class Table:
    """One loaded room."""

    def __init__(
        self,
        room: RoomId,
        entries: Sequence[Entry],
        *,
        owner: Owner,
        committer: Committer,
        clock: StoreClock,
        pulse: Pulse,
        player_bytes: int,
    ) -> None:
        """Fold a log of at least one entry."""
        self.room = room
        self.audience = Audience(self, player_bytes)
        self._owner = owner
        self._committer = committer
        self._clock = clock
        self._pulse = pulse
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Asked] = []
        self._under_way: Batch | None = None
        self._hints: list[tuple[Seq, Sequence[bytes]]] = []  # from the feed, while an append is under way
        self._doubtful = False  # the log may have gone on without us
        self._mine = False  # this node wrote the last event
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._frames: dict[tuple[Seq, str, object], bytes] = {}
        self._closed = False
        self.watching = 0  # on all nodes, as last heard
        self.entries, self.state = list(entries), _fold(None, entries)

    @property
    def head(self) -> Head:
        """Where the log ends, as far as this node knows."""
        last = self.entries[-1]
        return Head(last.seq, last.chain)

    # -- commands

    def ask(self, command: AnyCommand | None, reply: Reply) -> None:
        """Judge a command as soon as its turn comes; *reply* is called once, with what the log confirmed.

        Without a command nothing is judged: the answer says that this node stands at the log's end.
        """
        asked = Asked(command, self._clock.now(), self._loop.time(), reply)
        if self._closed or not self._pulse.fresh:
            asked.answer(Unavailable())
            return
        self._waiting.append(asked)
        self._owner.busy(self)
        self.advance()

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
        if self._under_way is not None or self._closed or not self._pulse.fresh:
            return
        try:
            batch = self._judge()
        except Exception:  # the room's outermost frame: a bug in it must not cost the node
            log.exception("a room could not be judged", extra={"room": self.room, "seq": self.state.seq})
            self._owner.lost(self, "bug")
            return
        if batch is None:
            self._set_timer()
            return
        by_player = any(asked.reply is not None for asked, _ in batch.answers)
        try:
            self._committer.append(
                self.room,
                self.head,
                [entry.raw for entry in batch.entries],
                at=batch.room.at if batch.entries else None,
                by_player=by_player and bool(batch.entries),
                ttl=TTL_S[batch.room.phase],
                outcome=self._learn,
            )
        except TooMuchWaits:
            for asked, _ in batch.answers:
                asked.answer(Unavailable())
        else:
            self._under_way = batch

    def _judge(self) -> Batch | None:
        """Return the next append, or None where nothing waits, nothing is due and nothing is doubted."""
        now = self._clock.now()
        waiting, self._waiting = self._waiting, []
        events: list[AnyEvent] = []
        answers: list[tuple[Asked, Answer | Logged]] = []
        room = self._after_being_away(now, events)
        for asked in waiting:
            at = Millis(max(asked.arrived, room.at))
            room = _note(settle(room, at), events)
            if asked.command is None:
                answers.append((asked, Done(())))
                continue
            decision = decide(room, asked.command, at)
            if isinstance(decision, Taken):
                room = _note(decision, events)
                answers.append((asked, Done(decision.events)))
            else:
                answers.append((asked, decision))
        if not waiting:
            room = _note(settle(room, Millis(max(now, room.at))), events)
        if not (events or answers or self._doubtful):
            return None
        self._doubtful = False
        seq, chain = self.head
        return Batch(seal_all(events, seq, chain, bytes.fromhex(room.salt)), room, answers)

    def _after_being_away(self, now: Millis, events: list[AnyEvent]) -> Room:
        away = self._pulse.away(self.state.at)
        if away and self.state.phase in (Phase.STARTING, Phase.PLAYING):
            return _note(shift(self.state, away, Millis(max(now, self.state.at))), events)
        return self.state

    # -- outcomes

    def _learn(self, outcome: Outcome) -> None:
        """Act on what became of the append that was under way."""
        batch, self._under_way = self._under_way, None
        assert batch is not None
        if self._closed:
            return
        match outcome:
            case Appended():
                if batch.entries:
                    self._take(batch.entries, batch.room, mine=True)
                self._answer(batch.answers)
            case Behind():
                self._waiting = [asked for asked, _ in batch.answers if asked.reply] + self._waiting
                self._catch_up(outcome)
            case Untimely():
                for asked, _ in batch.answers:
                    asked.arrived = self._clock.now()  # the estimate was off, and is corrected now
                self._waiting = [asked for asked, _ in batch.answers if asked.reply] + self._waiting
        self._heed_hints()
        self.advance()

    def _answer(self, answers: Sequence[tuple[Asked, Answer | Logged]]) -> None:
        for asked, answer in answers:
            if isinstance(answer, Logged):
                asked.answer(Repeated(self.entries[answer.seq - 1]))
            else:
                asked.answer(answer)

    def _catch_up(self, behind: Behind) -> None:
        """Fold what others wrote; where the log is not the one we hold, restore its tail or read it anew."""
        seq, chain = self.head
        if behind.missed and not behind.forked:
            try:
                self.fold(open_all(behind.missed, seq, chain, bytes.fromhex(self.state.salt)), mine=False)
            except StoredError:
                self._owner.reload(self)
            return
        if behind.end.seq == 0 and self.state.phase is Phase.OVER:
            self._owner.lost(self, "expired")
            return
        self._owner.reload(self)

    # -- the log goes on

    def fold(self, entries: Sequence[Entry], *, mine: bool = False) -> None:
        """Take entries that continue the log. Raises whatever `evolve` raises."""
        if entries:
            self._take(entries, _fold(self.state, entries), mine=mine)

    def replace(self, entries: Sequence[Entry]) -> None:
        """Hold another log than before: everyone gets a `reset` snapshot."""
        self.entries, self.state = list(entries), _fold(None, entries)
        self._frames.clear()
        for member in tuple(self.audience):
            member.sent = self.state.seq
            member.listener.write(self.snapshot(member, reset=True))
        self.advance()

    def hint(self, first: Seq, raws: Sequence[bytes]) -> None:
        """Take entries that the feed brought: early news, which the chain proves or the log corrects."""
        if self._under_way is not None:
            self._hints.append((first, raws))
            return
        self._heed(first, raws)
        self.advance()

    def _heed_hints(self) -> None:
        hints, self._hints = self._hints, []
        for first, raws in hints:
            self._heed(first, raws)

    def _heed(self, first: Seq, raws: Sequence[bytes]) -> None:
        seq, chain = self.head
        fresh = raws[max(0, seq + 1 - first) :]
        if not fresh:
            return  # known already, or told about once more
        if first > seq + 1:
            self._doubtful = True
            return
        try:
            self.fold(open_all(fresh, seq, chain, bytes.fromhex(self.state.salt)))
        except StoredError:
            self._doubtful = True

    def _take(self, entries: Sequence[Entry], room: Room, *, mine: bool) -> None:
        """Make the log's new end ours, and tell everyone."""
        before, self.state = self.state, room
        self.entries.extend(entries)
        self._mine = mine
        if len(self._frames) > FRAMES_KEPT:
            self._frames.clear()
        self.audience.tell()
        self._owner.changed(self, before, entries, mine)

    # -- what is due

    def _set_timer(self) -> None:
        due = next_due(self.state)
        if due is None:
            return
        delay = max((due - self._clock.now()) / 1000, 0.0)
        if not self._mine:
            delay += random.uniform(*OTHERS_WAIT_S)
        when = self._loop.time() + delay
        if self._timer is not None:
            if self._timer_at <= when:
                return  # it fires early, looks, and is set anew: cheaper than moving it at each event
            self._timer.cancel()
        self._timer_at = when
        self._timer = self._loop.call_at(when, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if rematch_due(self.state, self._clock.now()):
            self._owner.rematch(self)
            return
        self._mine = True  # our own random wait is over
        self.advance()

    def close(self) -> None:
        """Stop: answer who waits, and touch nothing any more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        for asked in self._all_asked():
            asked.answer(Unavailable())

    def _all_asked(self) -> list[Asked]:
        under_way = [asked for asked, _ in self._under_way.answers] if self._under_way else []
        return under_way + self._waiting

    # -- what members are sent

    def frame(self, entry: Entry, member: Member) -> bytes:
        """Return the event as a frame for this kind of member, made once for all of the kind."""
        codec = member.listener.codec
        view = view_of(self.state, member.seat)
        key = (entry.seq, codec.name, view)
        made = self._frames.get(key)
        if made is None:
            made = self._frames[key] = frame(codec, to_client.event(self.room, event_map(entry, view)))
        return made

    def resumed(self, member: Member, missed: Sequence[Entry], *, re: int | None) -> bytes:
        """Return the events that a member missed, and where it sits, as a frame."""
        view = view_of(self.state, member.seat)
        events = [event_map(entry, view) for entry in missed]
        return frame(
            member.listener.codec,
            to_client.Resumed(re=re, room=self.room, seq=self.state.seq, seat=member.seat, events=events),
        )

    def snapshot(self, member: Member, *, re: int | None = None, reset: bool = False) -> bytes:
        """Return the whole state as a frame for this member."""
        seq, chain = self.head
        return frame(
            member.listener.codec,
            to_client.Snapshot(
                re=re,
                room=self.room,
                code=self.state.code,
                seq=seq,
                chain=chain,
                seat=member.seat,
                state=state_map(self.state, view_of(self.state, member.seat)),
                reset=reset,
            ),
        )


def _fold(room: Room | None, entries: Sequence[Entry]) -> Room:
    for entry in entries:
        room = evolve(room, entry.event)
    assert room is not None, "a log has at least one entry"
    return room


def _note(taken: Taken, events: list[AnyEvent]) -> Room:
    """Collect the events and return the room after them."""
    events.extend(taken.events)
    return taken.room
