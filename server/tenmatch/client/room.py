"""A room as a program uses it: what it is, moves, requests."""

from typing import Final

from tenmatch.client.errors import Detached
from tenmatch.client.follower import Follower, RoomStatus
from tenmatch.client.heard import Told, told
from tenmatch.client.moves import Answer
from tenmatch.game.events import Level
from tenmatch.game.ids import MoveNumber, PlayerId, SeatNumber, Seq
from tenmatch.protocol.from_client import (
    Add,
    AnyMove,
    CallNoPair,
    Chat,
    Focus,
    Join,
    Kick,
    Leave,
    Match,
    Pass,
    Ready,
    Request,
    Resign,
    SeatBot,
    SendReport,
    Start,
    WantRematch,
)
from tenmatch.protocol.record import Record
from tenmatch.protocol.report import Reason
from tenmatch.protocol.to_client import Ok, Refused, Resumed
from tenmatch.rules.board import NumberId

_FIRST: Final = MoveNumber(1)  # of a move that has no number yet


class Room(Follower):
    """A room that one is in: iterate over it to hear what happens, ask it, and move.

    `state` is the room as far as it is known here, and is replaced with each event. Never made by hand, but
    by `Client.create`, `join`, `watch` and `quick_match`.

    Moves return the event that they became (`Matched`, `Mistaken` …) or `Refused`, which costs nothing. They
    are made exactly once, whatever happens to the connection. Requests return when they were carried out. All
    raise Denied, TimedOut, Disconnected, Detached or Closed.
    """

    @property
    def code(self) -> str:
        """What to tell a friend who is to come."""
        return self.state.code

    @property
    def seat(self) -> SeatNumber | None:
        """One's own seat; None for a watcher."""
        return self.state.viewer

    # -- moves

    async def match(self, a: int, b: int) -> Answer:
        """Claim that two numbers, given by their ids, are a pair."""
        return await self._move(
            Match(room=self.id, n=_FIRST, a=NumberId(a), b=NumberId(b), seen=Seq(self.state.seq))
        )

    async def call(self) -> Answer:
        """Call "no pair left" (race)."""
        return await self._move(CallNoPair(room=self.id, n=_FIRST, seen=Seq(self.state.seq)))

    async def add(self) -> Answer:
        """Add on one's own board (mirror)."""
        return await self._move(Add(room=self.id, n=_FIRST))

    async def pass_turn(self) -> Answer:
        """Let one's turn go (turns)."""
        return await self._move(Pass(room=self.id, n=_FIRST))

    async def resign(self) -> Answer:
        """Give up."""
        return await self._move(Resign(room=self.id, n=_FIRST))

    async def _move(self, message: AnyMove) -> Answer:
        if self.status is RoomStatus.GONE:
            raise self._end or Detached(self.id, "left")
        if self.seat is None:
            return Refused(room=self.id, n=_FIRST, seq=self.state.seq, code="not_seated")
        return await self._moves.make(message, self.last_n(), self.state.board)

    # -- requests

    async def ready(self, ready: bool = True) -> None:
        """Be ready to start, or no longer."""
        await self._ask(Ready(room=self.id, ready=ready))

    async def start(self) -> None:
        """Start with those who sit here (host)."""
        await self._ask(Start(room=self.id))

    async def bot(self, level: str = "medium", *, seat: int | None = None) -> None:
        """Give a seat, the lowest free one unless another is named, to a computer player (host).

        Args:
            level: `easy` `medium` `hard`.
        """
        wanted = None if seat is None else SeatNumber(seat)
        await self._ask(SeatBot(room=self.id, level=Level(level), seat=wanted))

    async def kick(self, seat: int) -> None:
        """Send somebody away before the start (host)."""
        await self._ask(Kick(room=self.id, seat=SeatNumber(seat)))

    async def rematch(self, want: bool = True) -> None:
        """Want a rematch, or no longer. When there is one, `state.rematch` names its room: join it."""
        await self._ask(WantRematch(room=self.id, want=want))

    async def chat(self, text: str) -> None:
        """Say something to the room: 1 to 200 characters."""
        await self._ask(Chat(room=self.id, text=text))

    async def say(self, phrase: str) -> None:
        """Say what all read in their own language, by its key in `PHRASES`, as `good_game`."""
        await self._ask(Chat(room=self.id, phrase=phrase))

    async def report(self, player: str, reason: str, text: str | None = None) -> None:
        """Report another player in the room to the organiser: `abuse` `cheating` `stalling` `other`."""
        about, why = PlayerId(player), Reason(reason)
        await self._ask(SendReport(room=self.id, player=about, reason=why, text=text))

    async def focus(self, on: bool) -> None:
        """Say that the player sees the game, or no longer: the organiser may want to know."""
        await self._ask(Focus(room=self.id, on=on))

    async def leave(self) -> None:
        """Leave: before the start that frees the seat; in play the seat stays one's own."""
        gone, told = self.status is RoomStatus.GONE, self._wire.is_open()
        self.quit(None)
        if told and not gone:
            await self._wire.ask(Leave(room=self.id), Ok)

    async def history(self) -> list[Told]:
        """Return every event so far, from the first, also those that this client did not see.

        Raises:
            NotOurs: There are more than a server resumes at once; the record has them when the game is over.
        """
        await self.until_live()
        watch = True if self.seat is None else None
        join = Join(room=self.id, watch=watch, after=Seq(0), chain=0)
        resumed = await self._wire.ask(join, Resumed)
        return [told(event) for event in resumed.events]

    async def record(self) -> Record:
        """Return the record of the game, once it is over and its watchers have seen that; `verify` proves it.

        Raises:
            Denied: (`http_404`) There is none yet.
            Unreachable: It cannot be had now.
        """
        return await self._wire.pages.record(self.id)

    async def _ask(self, message: Request) -> None:
        await self.until_live()
        await self._wire.ask(message, Ok)
