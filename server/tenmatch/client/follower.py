"""Following one room's log over a connection that may break: what is missed or differs is asked for again."""

import asyncio
from collections.abc import Callable, Coroutine
from enum import StrEnum
from typing import Any, Final, Protocol, TypeVar
from weakref import WeakSet

from msgspec.structs import replace

from tenmatch.client.comeback import PASSING, back_off
from tenmatch.client.errors import ClientError, Denied, Detached, Disconnected, TimedOut
from tenmatch.client.happenings import Happening, Happenings, Shown, Step
from tenmatch.client.heard import Event, Failure, Heard, Told, told
from tenmatch.client.moves import Moves
from tenmatch.client.pages import Pages
from tenmatch.client.state import Differs, State, begin, follow
from tenmatch.game.ids import RoomId, SeatNumber
from tenmatch.protocol import to_client
from tenmatch.protocol.from_client import FromClient, Join, Request
from tenmatch.protocol.to_client import Chat, Presence, Refused, Resumed, Snapshot

_T = TypeVar("_T")
PAUSE_S: Final = 0.5  # the least before joining again
SEATLESS: Final = frozenset({"room_full", "game_started", "not_allowed"})
"""Errors by which a seat is lost, while one may still watch."""


class RoomStatus(StrEnum):
    """How well a room is followed."""

    LIVE = "live"
    RESUMING = "resuming"  # the connection is lost, or something was missed
    GONE = "gone"


class Wire(Protocol):
    """What a room needs of its client."""

    muted: set[str]  # players, by id, of whom nothing is heard

    @property
    def pages(self) -> Pages:
        """What is had without a connection."""

    def send(self, message: FromClient) -> bool:
        """Send a message; False where there is no connection."""

    async def ask(self, message: Request, answer: type[_T], *, again: bool = False) -> _T:
        """Send a request and return its answer."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Run something beside."""

    def is_open(self) -> bool:
        """Tell whether there is a connection."""

    def left(self, room: RoomId) -> None:
        """Forget a room: it is not followed any more."""


class Follower:
    """The part of a room that keeps it current."""

    def __init__(self, snapshot: Snapshot, wire: Wire) -> None:
        """Begin with the room as it is. Raises NotOurs."""
        self.id = snapshot.room
        self.status = RoomStatus.LIVE
        self.state: State = begin(snapshot)
        self.online: list[bool | None] = []  # by seat; None: empty
        self.watching = 0
        self._wire = wire
        self._moves = Moves(lambda message: self.status is RoomStatus.LIVE and wire.send(message))
        self._readers: WeakSet[Happenings] = WeakSet()
        self._catching_up: asyncio.Task[None] | None = None
        self._fresh = False  # what is held here is wrong: catch up with a snapshot
        self._end: ClientError | None = None
        self._live = asyncio.Event()
        self._live.set()

    # -- what the client does with it

    def connected(self) -> None:
        """The connection is there again."""
        if self.status is not RoomStatus.GONE:
            self._catch_up()

    def disconnected(self) -> None:
        """The connection broke."""
        if self.status is RoomStatus.GONE:
            return
        self._become(RoomStatus.RESUMING)
        self._moves.pause()
        if self._catching_up is not None:
            self._catching_up.cancel()
            self._catching_up = None

    def quit(self, error: ClientError | None) -> None:
        """End following it; with an error where that was not our wish."""
        if self.status is RoomStatus.GONE:
            return
        self.disconnected()
        self._become(RoomStatus.GONE)
        self._live.set()  # who waits is to find out
        self._end = error
        self._moves.stop(error or Detached(self.id, "left"))
        for reader in tuple(self._readers):
            reader.end(error)
        self._wire.left(self.id)

    def receive(self, message: Heard) -> None:
        """Take a message that names this room."""
        match message:
            case Event(told=told):
                self._event(told)
            case Snapshot():
                self._snapshot(message)
            case Resumed():
                self._resumed(message)
            case Refused():
                self._moves.refused(message)
            case Failure():
                self._moves.failed(message)
            case Presence(online=online, watching=watching):
                self.online, self.watching = online, watching
                self._tell(message)
            case Chat(player=player):
                if player["id"] not in self._wire.muted:
                    self._tell(message)
            case to_client.Detached(reason=reason):
                self.quit(Detached(self.id, reason))

    # -- what comes in

    def _snapshot(self, snapshot: Snapshot) -> None:
        self.state = begin(snapshot)
        self._fresh = False
        self._tell(Shown(self.state, snapshot.reset))
        self._now_live()

    def _resumed(self, resumed: Resumed) -> None:
        if self._fresh:
            return  # it continues what is known to be wrong
        self.state = _seen_by(self.state, resumed.seat)
        for event in resumed.events:
            if not self._take(told(event)):
                return
        self._now_live()

    def _event(self, told: Told) -> None:
        if not self._take(told) and self.status is RoomStatus.LIVE:
            self._become(RoomStatus.RESUMING)
            self._catch_up()

    def _take(self, told: Told) -> bool:
        """Take an event in; return False where something was missed, or is wrong."""
        fits = self._apply(told)
        seat = getattr(told.event, "seat", None)
        if seat is not None and seat == self.state.viewer:
            self._moves.heard(getattr(told.event, "n", None), told.event)
        return fits

    def _apply(self, told: Told) -> bool:
        held = self.state
        if told.seq < held.seq:
            return True  # as the answer to a move that was logged before
        if told.seq == held.seq:
            return told.chain == held.chain  # another: the log lost its end and went on without it
        if told.seq > held.seq + 1:
            return False
        try:
            self.state = follow(held, told)
        except Differs:
            self._fresh = True
            return False
        self._tell(Step(told.seq, told.event, held, self.state))
        return True

    def _now_live(self) -> None:
        self._become(RoomStatus.LIVE)
        self._moves.resume(self.last_n(), self.state.board)

    def last_n(self) -> int:
        """Return the highest move number of one's own seat known to be in the log."""
        return self.state.me.last_n if self.state.me else 0

    # -- catching up

    def _catch_up(self) -> None:
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = self._wire.spawn(self._join_again())

    async def refresh(self) -> State:
        """Ask for the room as it is, whatever is held here; after a mirror game that shows all boards."""
        self._fresh = True
        if self.status is RoomStatus.LIVE:
            self._become(RoomStatus.RESUMING)
        if self._wire.is_open():
            self._catch_up()
        await self.until_live()
        return self.state

    async def _join_again(self) -> None:
        """Join until the room is live, or cannot be."""
        watch, tries = self.state.viewer is None, 0
        while self.status is RoomStatus.RESUMING:
            if tries:
                await asyncio.sleep(PAUSE_S + back_off(tries))
            tries += 1
            try:
                answers: Any = Snapshot | Resumed  # a union is no `type`
                await self._wire.ask(self._join(watch), answers)
            except Denied as error:
                if error.code in SEATLESS and not watch:
                    watch = True
                elif error.code not in PASSING:
                    self.quit(Detached(self.id, error.code))
            except TimedOut:
                pass
            except Disconnected:
                return  # the next connection joins again

    def _join(self, watch: bool) -> Join:
        join = Join(room=self.id, watch=watch or None)
        return join if self._fresh else replace(join, after=self.state.seq, chain=self.state.chain)

    async def until_live(self) -> None:
        """Return when the room is followed. Raises Detached, or what ended it."""
        while True:
            if self.status is RoomStatus.GONE:
                raise self._end or Detached(self.id, "left")
            if self.status is RoomStatus.LIVE:
                return
            await self._live.wait()

    # -- who listens

    def __aiter__(self) -> Happenings:
        """Iterate over what happens, from the room as it is now on."""
        reader = Happenings(self.state)
        if self.status is RoomStatus.GONE:
            reader.end(self._end)
        else:
            self._readers.add(reader)
        return reader

    async def until(self, true: Callable[[State], bool]) -> State:
        """Return the room as soon as something is true of it, and as it was then. Raises Detached, Closed.

        No state is passed over: a game that is soon over was in play, too.
        """
        async for happening in self:
            if isinstance(happening, Step | Shown) and true(happening.after):
                return happening.after
        raise Detached(self.id, "left")

    async def beyond(self, seq: int) -> State:
        """Return the room as it is once more has happened than the event *seq*. Raises Detached, Closed."""
        await self.until(lambda state: state.seq > seq)
        return self.state

    def _tell(self, happening: Happening) -> None:
        for reader in tuple(self._readers):
            reader.put(happening)

    def _become(self, status: RoomStatus) -> None:
        self.status = status
        if status is RoomStatus.LIVE:
            self._live.set()
        else:
            self._live.clear()


def _seen_by(state: State, seat: SeatNumber | None) -> State:
    return state if state.viewer == seat else replace(state, viewer=seat)
