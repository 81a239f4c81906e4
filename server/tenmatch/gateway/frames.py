"""What members of a room are sent of it: an event, the events they missed, the whole state.

server/protocol.md, "Server to client": `event`, `resumed`, `snapshot`.
"""

from collections.abc import Sequence
from typing import cast

from msgspec import Raw

from tenmatch.game.ids import Seq
from tenmatch.game.room import Room
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.framing import frame
from tenmatch.gateway.held import Held
from tenmatch.protocol import to_client
from tenmatch.protocol.codec import Codec
from tenmatch.protocol.maps import EventMap, StateMap
from tenmatch.protocol.progress import Course
from tenmatch.protocol.stored import Entry
from tenmatch.protocol.telling import event_message
from tenmatch.protocol.viewers import View, event_map, hides, progress_map, state_map, view_of

KEPT = 64


class Frames:
    """One room, as frames for its members."""

    def __init__(self, held: Held) -> None:
        """Tell of what *held* holds, as it is when it is asked."""
        self._held = held
        self._events: dict[tuple[Seq, str, bool], bytes] = {}
        self._course = Course()
        self._states: dict[tuple[str, object], Raw] = {}  # encoded, of the room as it was last shown
        self._shown: Room | None = None

    @property
    def entries(self) -> Sequence[Entry]:
        """The log, as far as this node holds it."""
        return self._held.entries

    def forget(self) -> None:
        """Drop what was made of a log that turned out to be another."""
        self._events.clear()
        self._course = Course()

    def frame(self, entry: Entry, member: Member) -> bytes:
        """Return the event as a frame for this kind of member, made once for all of the kind."""
        codec = member.listener.codec
        state = self._held.state
        hidden = state.own_boards and hides(state, entry.event, member.seat)
        key = (entry.seq, codec.name, hidden)
        made = self._events.get(key)
        if made is None:
            if len(self._events) >= KEPT:
                self._events.clear()
            room = self._held.room
            event = to_client.event(room, self._told(entry, hidden)) if hidden else event_message(room, entry)
            made = self._events[key] = frame(codec, event)
        return made

    def _told(self, entry: Entry, hidden: bool) -> EventMap:
        """Return what is told of an event: all of it, or the progress alone."""
        if hidden:
            return progress_map(entry, self._course.after(entry, self._held.entries))
        return event_map(entry)

    def resumed(self, member: Member, missed: Sequence[Entry], *, re: int | None) -> bytes:
        """Return the events that a member missed, and where it sits, as a frame."""
        state, seat = self._held.state, member.seat
        return frame(
            member.listener.codec,
            to_client.Resumed(
                re=re,
                room=self._held.room,
                seq=state.seq,
                seat=seat,
                events=[self._told(entry, hides(state, entry.event, seat)) for entry in missed],
            ),
        )

    def snapshot(self, member: Member, *, re: int | None = None, reset: bool = False) -> bytes:
        """Return the whole state as a frame for this member."""
        state, last, codec = self._held.state, self._held.entries[-1], member.listener.codec
        return frame(
            codec,
            to_client.Snapshot(
                re=re,
                room=self._held.room,
                code=state.code,
                seq=last.seq,
                chain=last.chain,
                seat=member.seat,
                state=cast("StateMap", self._state(codec, view_of(state, member.seat))),
                reset=reset,
            ),
        )

    def _state(self, codec: Codec, view: View) -> Raw:
        """Return the state as it is written, made once for all who are shown it: they may come together."""
        state = self._held.state
        if self._shown is not state:
            self._states.clear()
            self._shown = state
        made = self._states.get((codec.name, view))
        if made is None:
            made = self._states[codec.name, view] = Raw(codec.encode(state_map(state, view)))
        return made
