"""A room as some of its members are shown it: a log, the state it folds to, and who is told."""

from collections import deque
from collections.abc import Sequence
from typing import Final

from tenmatch.game.ids import RoomId
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.fanout import Audience, Member
from tenmatch.gateway.frames import Frames
from tenmatch.gateway.framing import frame, frames
from tenmatch.gateway.held import Held
from tenmatch.protocol import from_client, to_client
from tenmatch.protocol.limits import RESUMED_EVENTS
from tenmatch.protocol.stored import Entry
from tenmatch.store.log import START, Head

SAID: Final = 50
"""Lines of chat that a room remembers as long as it is loaded: who is reported is known by them."""


class Shown(Held):
    """A log, and those who follow it."""

    def __init__(self, room: RoomId, entries: Sequence[Entry], counts: Counts) -> None:
        """Begin without members. Raises whatever `evolve` raises."""
        super().__init__(room, entries)
        self.frames = Frames(self)
        self.audience = Audience(self.frames, counts)
        self.presence: to_client.Presence | None = None  # who is there, on all nodes, as last told
        self.said: deque[to_client.Chat] = deque(maxlen=SAID)

    def say(self, message: to_client.Chat | to_client.Presence) -> None:
        """Say to the members what is in no log."""
        if isinstance(message, to_client.Presence):
            self.presence = message
        else:
            self.said.append(message)
        self.audience.say(frames(message))

    def greet(self, member: Member) -> None:
        """Tell a member who is there, as far as this node knows."""
        if self.presence is not None:
            member.listener.write(frame(member.listener.codec, self.presence))

    def reset(self, entries: Sequence[Entry]) -> None:
        """Hold another log than before: every member gets a `reset` snapshot."""
        self.hold(entries)
        self.frames.forget()
        for member in tuple(self.audience):
            member.sent, member.behind = self.state.seq, False
            member.listener.write(self.frames.snapshot(member, reset=True))

    def standing(self, member: Member, re: int | None, join: from_client.Join | None) -> bytes:
        """Return what a joiner is told: the events it missed, or the whole state."""
        if join is None or join.after is None:
            return self.frames.snapshot(member, re=re)
        if not self.leads_on(join):
            return self.frames.snapshot(member, re=re, reset=True)
        missed = self.entries[join.after :]
        if len(missed) > RESUMED_EVENTS:
            return self.frames.snapshot(member, re=re)
        return self.frames.resumed(member, missed, re=re)

    def leads_on(self, join: from_client.Join) -> bool:
        """Tell whether the log has the event after which the client wants to go on."""
        assert join.after is not None
        assert join.chain is not None, "decoding saw to it that both are there"
        end = Head(join.after, join.chain)
        return end == START or self.ended_at(end)
