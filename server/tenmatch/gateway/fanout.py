"""An event to everyone in a room: players first, watchers in slices, nobody waited for.

Each member knows the last event it was sent, so being told is always the same thing: everything after that.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from tenmatch.game.ids import PlayerId, RoomId, SeatNumber, Seq
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.credits import Credits
from tenmatch.gateway.reader import Reader
from tenmatch.protocol.stored import Entry

SLICE = 200  # watchers told before the loop may breathe
FAR_BEHIND = 64  # events that a watcher has not been sent, above which the state tells it all


class Listener(Reader, Protocol):
    """The client at the other end of a membership."""

    def detached(self, room: RoomId, reason: str) -> None:
        """Be put out of a room."""


class Member:
    """One client's place in one room: a seat, or a place among the watchers."""

    __slots__ = ("behind", "kind", "listener", "matches", "number", "player", "seat", "sent")

    def __init__(
        self,
        listener: Listener,
        player: PlayerId,
        seat: SeatNumber | None,
        *,
        number: int,
        sent: Seq,
        matches: Credits,
    ) -> None:
        self.listener = listener
        self.player = player
        self.seat = seat  # None: a watcher
        self.kind = (listener.codec.name, seat)  # members of a kind are sent the same bytes
        self.number = number  # of this connection among those of the seat; the highest plays
        self.sent = sent  # the last event that this client was sent
        self.matches = matches  # how fast this seat may claim
        self.behind = False  # events were left out because the client reads too slowly: a snapshot is due


class Frames(Protocol):
    """Where the bytes come from: `tenmatch.gateway.frames.Frames`."""

    @property
    def entries(self) -> Sequence[Entry]:
        """The log, as far as this node holds it."""

    def frame(self, entry: Entry, member: Member) -> bytes:
        """Return the event as a frame for this kind of member, made once for all of the kind."""

    def snapshot(self, member: Member) -> bytes:
        """Return the whole state as a frame for this member."""


class Audience:
    """Who is in a room on this node, and what each of them has been sent."""

    def __init__(self, frames: Frames, counts: Counts | None = None) -> None:
        """Start with nobody."""
        self._frames = frames
        self._counts = counts or Counts()
        self._players: list[Member] = []
        self._watchers: dict[Member, None] = {}
        self._queue: deque[Member] = deque()  # watchers still to be told
        self._telling = False

    def __iter__(self) -> Iterator[Member]:
        yield from self._players
        yield from self._watchers

    def __len__(self) -> int:
        return len(self._players) + len(self._watchers)

    @property
    def players(self) -> Sequence[Member]:
        """Those who hold a seat."""
        return self._players

    @property
    def watching(self) -> int:
        """How many watch."""
        return len(self._watchers)

    def enter(self, member: Member) -> None:
        """Take a member in; its `sent` says from where on it wants events."""
        if member.seat is None:
            self._watchers[member] = None
        else:
            self._players.append(member)

    def leave(self, member: Member) -> None:
        """Let a member go, if it is here."""
        self._watchers.pop(member, None)
        if member in self._players:
            self._players.remove(member)

    def tell(self) -> None:
        """Send everyone what they have not been sent yet: players now, watchers as the loop breathes."""
        self._bring_up(tuple(self._players))
        self._counts.told_players += len(self._players)
        if not self._watchers:
            return
        # Who has not been reached since the last event comes first: a quick game must not leave anybody out.
        waiting = dict.fromkeys(self._queue)
        self._queue = deque({**waiting, **self._watchers} if waiting else self._watchers)
        if not self._telling:
            self._tell_watchers()

    def say(self, frames: Mapping[str, bytes]) -> None:
        """Send what is in no log, a frame for each codec by name, to everyone who reads fast enough."""
        for member in tuple(self._players):
            _say(member, frames)
        self._say_to_watchers(frames, deque(self._watchers))

    def drained(self, member: Member) -> None:
        """Give a member that fell behind one fresh snapshot instead of what it missed."""
        if member.behind:
            member.behind = False
            self._counts.coalesced += 1
            member.sent = Seq(len(self._frames.entries))
            member.listener.write(self._frames.snapshot(member))

    def _tell_watchers(self) -> None:
        self._telling = False
        queue = self._queue
        told = min(SLICE, len(queue))
        skipped = self._counts.skipped
        next_ones = (queue.popleft() for _ in range(told))
        self._bring_up([member for member in next_ones if member in self._watchers])
        self._counts.told_watchers += told - (self._counts.skipped - skipped)
        if queue:
            self._telling = True
            asyncio.get_running_loop().call_soon(self._tell_watchers)

    def _say_to_watchers(self, frames: Mapping[str, bytes], queue: deque[Member]) -> None:
        for _ in range(min(SLICE, len(queue))):
            member = queue.popleft()
            if member in self._watchers:
                _say(member, frames)
        if queue:
            asyncio.get_running_loop().call_soon(self._say_to_watchers, frames, queue)

    def _bring_up(self, members: Iterable[Member]) -> None:
        """Send members what they have not been sent."""
        entries = self._frames.entries
        head = Seq(len(entries))
        newest: dict[object, bytes] = {}  # the last event by kind, as far as made
        for member in members:
            listener, missed = member.listener, head - member.sent
            if member.seat is None and listener.slow:
                member.behind = True
                self._counts.skipped += 1
                continue
            if missed == 1:
                frame = newest.get(member.kind)
                if frame is None:
                    frame = newest[member.kind] = self._frames.frame(entries[-1], member)
                listener.write(frame)
            elif missed > FAR_BEHIND and member.seat is None:
                self._counts.coalesced += 1
                listener.write(self._frames.snapshot(member))  # what waits for a watcher stays short
            elif missed > 0:
                listener.write(
                    b"".join(self._frames.frame(entry, member) for entry in entries[member.sent :])
                )
            member.sent = head


def _say(member: Member, frames: Mapping[str, bytes]) -> None:
    if not member.listener.slow:
        member.listener.write(frames[member.listener.codec.name])
