"""A tournament that one follows: how it stands, by the server's own rules, and the games one is called to."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final, Protocol, TypeVar

from tenmatch.client.comeback import PASSING, back_off
from tenmatch.client.errors import ClientError, Denied, Disconnected, NotOurs, TimedOut
from tenmatch.client.heard import TournamentHeard
from tenmatch.client.room import Room
from tenmatch.client.standing import TournamentState, begin, follow
from tenmatch.game.ids import PlayerId, Seq, TournamentId
from tenmatch.game.tournament.state import Phase
from tenmatch.protocol import to_client
from tenmatch.protocol.from_client import (
    EnterTournament,
    KickFromTournament,
    LeaveTournament,
    Request,
    StartTournament,
    WatchTournament,
)
from tenmatch.protocol.maps import EventMap, PersonMap
from tenmatch.protocol.to_client import Ok, TournamentResumed

_T = TypeVar("_T")
_ANSWERS: Final[Any] = to_client.Tournament | TournamentResumed  # to whoever watches; a union is no `type`
PAUSE_S: Final = 0.5  # the least before asking again


class Wire(Protocol):
    """What a tournament needs of its client."""

    player: PersonMap | None

    async def ask(self, message: Request, answer: type[_T], *, again: bool = False) -> _T:
        """Send a request and return its answer."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Run something beside."""

    async def join(self, room: str) -> Room:
        """Enter a room."""

    def unfollowed(self, tournament: TournamentId) -> None:
        """Forget a tournament: it is not followed any more."""


class Tournament:
    """A tournament that one follows: iterate over it for how it stands now, and after each change.

    Never made by hand, but by `Client.tournament` and `Client.create_tournament`. Requests return when they
    were carried out, and raise Denied, TimedOut, Disconnected or Closed.
    """

    def __init__(self, snapshot: to_client.Tournament, wire: Wire) -> None:
        """Begin with the tournament as it is. Raises NotOurs."""
        self.id: Final = snapshot.tournament
        self.state: TournamentState = begin(snapshot)
        self._wire = wire
        self._entered: set[int] = set()  # games to which one was called and went
        self._news = asyncio.Event()
        self._over = False  # not followed any more
        self._end: ClientError | None = None  # why, where that was not our wish
        self._catching_up: asyncio.Task[None] | None = None
        self._behind = False  # it may have gone on without us
        self._fresh = False  # what is held here is wrong: catch up with all of it

    async def enter(self) -> None:
        """Take part."""
        await self._wire.ask(EnterTournament(tournament=self.id), Ok)

    async def leave(self) -> None:
        """Play no further games."""
        await self._wire.ask(LeaveTournament(tournament=self.id), Ok)

    async def start(self) -> None:
        """Let the games begin (host)."""
        await self._wire.ask(StartTournament(tournament=self.id), Ok)

    async def kick(self, player: str) -> None:
        """Put a player, given by their id, out for good (host)."""
        await self._wire.ask(KickFromTournament(tournament=self.id, player=PlayerId(player)), Ok)

    async def close(self) -> None:
        """Follow it no longer; whoever takes part still does."""
        if not self._over:
            self.quit(None)
            await self._wire.ask(WatchTournament(tournament=self.id, on=False), Ok)

    async def next_game(self) -> Room | None:
        """Wait until one is called to a game, and return its room, in which one is ready; each comes once.

        Returns:
            None: The tournament is over.
        """
        assert self._wire.player is not None
        async for state in self:
            game = state.called(self._wire.player["id"])
            if state.phase is Phase.OVER:
                return None
            if game is not None and game.room is not None and game.number not in self._entered:
                self._entered.add(game.number)
                return await self._wire.join(game.room)
        return None

    async def __aiter__(self) -> AsyncIterator[TournamentState]:
        """Yield how it stands, now and whenever that has changed. Raises what ended it."""
        shown: TournamentState | None = None
        while not self._over:
            if shown is not self.state:
                yield (shown := self.state)
            else:
                await self._news.wait()
        if self._end is not None:
            raise self._end

    async def until(self, true: Callable[[TournamentState], bool]) -> TournamentState:
        """Return how it stands as soon as something is true of that. Raises what ended it."""
        async for state in self:
            if true(state):
                return state
        raise Denied("not_followed", "this tournament is not followed any more")

    # -- what the client does with it

    def connected(self) -> None:
        """The connection is there again."""
        if self._catching_up is not None:
            self._catching_up.cancel()
            self._catching_up = None
        self._catch_up()

    def quit(self, error: ClientError | None) -> None:
        """End following it; with an error where that was not our wish."""
        if self._over:
            return
        self._over, self._end = True, error
        if self._catching_up is not None:
            self._catching_up.cancel()
        self._tell()
        self._wire.unfollowed(self.id)

    def receive(self, message: TournamentHeard) -> None:
        """Take a message that names this tournament."""
        match message:
            case to_client.Tournament():
                self.state = begin(message)
                self._behind = self._fresh = False
                self._tell()
            case TournamentResumed(events=events):
                if not self._fresh:  # else it continues what is known to be wrong
                    self._behind = False
                    self._take(events)
            case _:
                self._take([message.fields])

    def _take(self, events: list[EventMap]) -> None:
        for event in events:
            try:
                state = follow(self.state, event)
            except NotOurs:
                self._fresh = True
                self._catch_up()
                return
            if state is None:
                self._catch_up()
                return
            self.state = state
        self._tell()

    def _catch_up(self) -> None:
        self._behind = True
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = self._wire.spawn(self._watch_again())

    async def _watch_again(self) -> None:
        """Ask until nothing is missing: an answer may not fit what is held either."""
        tries = 0
        while self._behind:
            if tries:
                await asyncio.sleep(PAUSE_S + back_off(tries))
            tries += 1
            after, chain = (None, None) if self._fresh else (Seq(self.state.seq), self.state.chain)
            watch = WatchTournament(tournament=self.id, on=True, after=after, chain=chain)
            try:
                await self._wire.ask(watch, _ANSWERS)
            except Denied as error:
                if error.code not in PASSING:
                    self.quit(error)
                    return
            except TimedOut:
                pass
            except Disconnected:
                return  # the next connection asks again

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()
