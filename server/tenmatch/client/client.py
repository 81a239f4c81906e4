"""A player's connection to a server: the rooms one is in, quick match, the list of rooms, tournaments."""

import asyncio
import secrets
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Literal, Self, TypeVar

from tenmatch import __version__
from tenmatch.client.address import base_of, named
from tenmatch.client.errors import ClientError, Closed, Detached
from tenmatch.client.heard import CODECS, Event, Failure, Heard, TournamentEvent, TournamentHeard
from tenmatch.client.link import BY_US, Ending, Link, Status
from tenmatch.client.lobby import Lobby
from tenmatch.client.pages import Pages
from tenmatch.client.requests import Requests
from tenmatch.client.room import Room
from tenmatch.client.seeking import Seeking
from tenmatch.client.tournament import Tournament
from tenmatch.game.ids import Millis, PlayerId, RoomId, SeatNumber, TournamentId
from tenmatch.protocol import from_client, to_client
from tenmatch.protocol.from_client import (
    Create,
    CreateTournament,
    Daily,
    FromClient,
    Hello,
    Invited,
    Join,
    OptionValue,
    Request,
    Seek,
    WatchTournament,
)
from tenmatch.protocol.maps import LimitsMap, PersonMap, RoomLine
from tenmatch.protocol.to_client import (
    Announcement,
    Paired,
    Queued,
    Rooms,
    Snapshot,
    TournamentResumed,
    Welcome,
)

_T = TypeVar("_T")
AGENT: Final = f"tenmatch-python/{__version__}"


class Client:
    """One player, connected; it comes back by itself, and loses nothing.

    `async with Client("http://127.0.0.1:8765", name="Ann") as client:` connects, and says goodbye at its end.
    """

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        token: str | None = None,
        codec: Literal["msgpack", "json"] = "msgpack",
        agent: str = AGENT,
        tls: ssl.SSLContext | None = None,
        proxy: str | Literal[True] | None = True,
        on_status: Callable[[Status, Ending | None], None] | None = None,
        on_announcement: Callable[[Announcement], None] | None = None,
    ) -> None:
        """Be ready to connect.

        Args:
            url: The server's, as `http://127.0.0.1:8765` or `wss://play.example.org`.
            name: Of a new guest, 1 to 24 characters; one with a token keeps theirs.
            token: Who one is, from an earlier `token`; without, a new guest.
            agent: Names your program to the server.
            tls: For a server whose certificate is signed by an authority of your own.
            proxy: As `websockets.connect` has it: True, the one of the environment.
            on_status: Hears how the connection stands, and how the one before ended.
            on_announcement: Hears what those who run the server say to everyone.

        Raises:
            BadUrl: It is no URL of a server.
        """
        self.url = base_of(url)
        self.token = token
        self.player: PersonMap | None = None
        self.seated: list[RoomId] = []  # where one has a seat in a game not over, as of the last welcome
        self.limits: LimitsMap | None = None
        self.node = self.version = ""  # of the server
        self.talks = True  # whether people talk to each other on this server
        self.rooms: dict[RoomId, Room] = {}  # those that one is in
        self.tournaments: dict[TournamentId, Tournament] = {}  # those that one follows
        self.muted: set[str] = set()  # players, by id, of whose chat rooms tell nothing
        self.pages: Final = Pages(url, tls=tls, proxy=proxy)  # what is had without a connection
        self._name = name
        self._agent = agent
        self._on_status = on_status or (lambda status, ending: None)
        self._on_announcement = on_announcement or (lambda announcement: None)
        self._link = Link(self.url, CODECS[codec], self, tls=tls, proxy=proxy)
        self._requests = Requests(self._link.send)
        self._lobby = Lobby()
        self._seeking = Seeking()
        self._tasks: asyncio.TaskGroup
        self._life: asyncio.Task[None] | None = None

    # -- the connection

    async def __aenter__(self) -> Self:
        """Connect. Raises Unreachable, Closed, NotOurs."""
        await self.connect()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Say goodbye."""
        await self.close()

    @property
    def status(self) -> Status:
        """How the connection stands."""
        return self._link.status

    @property
    def latency(self) -> float | None:
        """Round trip to the server in ms, once it is known."""
        return self._link.clock.latency

    @property
    def retry_in(self) -> float | None:
        """How many seconds it is to the next attempt to connect; None where none is waited for."""
        due = self._link.retry_at
        return None if due is None else max(0.0, due - asyncio.get_running_loop().time())

    def now(self) -> Millis:
        """Return the server's time, estimated."""
        return self._link.clock.now()

    async def connect(self) -> None:
        """Connect, and stay connected.

        Raises:
            Unreachable: Nobody answers there, or will not have us now.
            Closed: The server does not want us, as with a token that is not good.
            NotOurs: What answers there is something else.
        """
        if self._life is not None and not self._life.done():
            return
        let_in = asyncio.Event()
        life = self._life = asyncio.create_task(self._live(let_in))
        waiting = asyncio.create_task(let_in.wait())
        try:
            await asyncio.wait({life, waiting}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            life.cancel()  # whoever waits no longer wants no connection later on
            raise
        finally:
            waiting.cancel()
        if not let_in.is_set():
            await life

    async def close(self) -> None:
        """Say goodbye, and be in no room any more; seats in a game that goes on stay one's own."""
        if self._life is None:
            return
        life, self._life = self._life, None
        await self._link.close()
        life.cancel()
        with suppress(asyncio.CancelledError, ClientError):
            await life

    async def _live(self, let_in: asyncio.Event) -> None:
        ending = BY_US
        try:
            async with asyncio.TaskGroup() as self._tasks:
                ending = await self._link.stay(let_in.set)
                self._stop(ending)
        except ExceptionGroup as group:
            raise group.exceptions[0] from group  # a bug of a room's, or the first attempt's failure
        finally:
            self._stop(ending)
        if not let_in.is_set():
            raise Closed(*ending)

    def _stop(self, ending: Ending) -> None:
        """Nothing comes any more: whoever waits is to know."""
        error = Closed(*ending)
        self._requests.stop(error)
        self._lobby.end(error)
        self._seeking.end(error)
        for room in tuple(self.rooms.values()):
            room.quit(error)
        for tournament in tuple(self.tournaments.values()):
            tournament.quit(error)

    # -- rooms

    async def create(
        self, mode: str = "race", *, private: bool = False, key: str | None = None, **options: OptionValue
    ) -> Room:
        """Make a room and sit on its first seat.

        Args:
            mode: `race`, `turns` or `mirror`.
            private: Not in the list; whoever has its id or code may come.
            key: The same within ten minutes is the same room. Without, a new one is made up.
            options: server/protocol.md, "Options".

        Raises:
            Denied: The server will not have it, as with an option out of range, which `field` names.
        """
        key = key or secrets.token_hex(16)
        return await self._enter(Create(mode=mode, options=options, private=private, key=key))

    async def join(self, room: str, *, seat: int | None = None) -> Room:
        """Enter a room, given by its id or code: on one's own seat, else on a free one. Raises Denied.

        Args:
            seat: The free one that is wanted, as in teams; else it is the lowest.
        """
        wanted = None if seat is None else SeatNumber(seat)
        return await self._enter(Join(**named(room), seat=wanted))  # type: ignore[arg-type]  # a room or a code

    async def watch(self, room: str) -> Room:
        """Enter a room, given by its id or code, and watch; who has a seat there takes it. Raises Denied."""
        return await self._enter(Join(**named(room), watch=True))  # type: ignore[arg-type]  # a room or a code

    async def daily(self) -> Room:
        """Begin one's attempt at the deal of the day, or go on with it; there is one a day. Raises Denied."""
        return await self._enter(Daily())

    async def quick_match(self, mode: str = "race", *, rated: bool = False, computer: bool = False) -> Room:
        """Wait for an opponent of one's strength, however long it takes, and return the room to play in.

        Args:
            computer: A computer player will do as soon as one is on offer, which takes some seconds.

        Raises:
            Denied: There is no such queue; or one was taken out of it, as where one looks from elsewhere too.
        """
        try:
            wish = Seek(mode=mode, rated=rated, on=True)
            return await self.join(await self._seeking.find(wish, self._requests, computer=computer))
        except asyncio.CancelledError:
            self._link.send(Seek(mode=mode, on=False))
            raise

    async def lobby(self) -> AsyncIterator[Mapping[RoomId, RoomLine]]:
        """Yield the public rooms, now and whenever they change. Raises Closed."""
        with self._lobby:
            await self._requests.ask(from_client.Lobby(on=True), Rooms, again=True)
            try:
                while True:
                    yield await self._lobby.changed()
            finally:
                self._link.send(from_client.Lobby(on=False))

    @property
    def featured(self) -> list[RoomId]:
        """Of the rooms that `lobby` yielded last the games most worth watching, the best first."""
        return self._lobby.featured

    # -- tournaments

    async def tournament(self, tournament: str) -> Tournament:
        """Follow a tournament, given by its id. Raises Denied."""
        id = TournamentId(RoomId(tournament))
        if id in self.tournaments:
            return self.tournaments[id]
        return await self._follow(WatchTournament(tournament=id, on=True))

    async def create_tournament(
        self,
        title: str,
        format: str = "knockout",
        mode: str = "race",
        *,
        private: bool = False,
        enter: bool = False,
        most: int | None = None,
        join_s: int | None = None,
        minutes: int | None = None,
        starts_in_s: int | None = None,
        players: Mapping[str, str] | None = None,
        key: str | None = None,
        **options: OptionValue,
    ) -> Tournament:
        """Announce a tournament, be its host, and follow it.

        Args:
            title: What it is called, 1 to 40 characters.
            format: `knockout` or `arena`.
            private: Not in the list; whoever has its id may come.
            enter: The host plays, too.
            most: So many can play.
            join_s: Seconds in which who is called has to come.
            minutes: Of an arena.
            starts_in_s: Seconds until it begins; without, its host says when.
            players: Names by id: these are invited, and nobody else may sign up. Without, anybody may.
            key: The same within ten minutes is the same tournament. Without, a new one is made up.
            options: Of the games' rooms: server/protocol.md, "Options".

        Raises:
            Denied: The server will not have it, as with an option out of range, which `field` names.
        """
        invited = [Invited(id=PlayerId(id), name=name) for id, name in (players or {}).items()]
        wanted = CreateTournament(
            title=title,
            format=format,
            mode=mode,
            options=options,
            private=private,
            enter=enter,
            most=most,
            join_s=join_s,
            minutes=minutes,
            starts_in_s=starts_in_s,
            players=None if players is None else invited,
            key=key or secrets.token_hex(16),
        )
        return await self._follow(wanted)

    async def _follow(self, request: Request) -> Tournament:
        told = await self._requests.ask(request, to_client.Tournament, again=True)
        return self.tournaments[told.tournament]

    # -- oneself

    async def rename(self, name: str) -> PersonMap:
        """Take another name. Raises Denied."""
        welcome = await self._requests.ask(Hello(token=self.token, name=name, agent=self._agent), Welcome)
        return welcome.player

    async def _enter(self, request: Request) -> Room:
        snapshot = await self._requests.ask(request, Snapshot, again=True)
        if (room := self.rooms.get(snapshot.room)) is None:
            raise Detached(snapshot.room, "closed")
        return room

    # -- Owner of the link

    def hello(self) -> Hello:
        """Say who one is."""
        name = None if self.token else self._name
        return Hello(token=self.token, name=name, agent=self._agent)

    def welcomed(self, welcome: Welcome) -> None:
        """Be who the server says, and go on where one was."""
        self._known(welcome)
        self._requests.flush()
        if self._lobby.on:
            self._link.send(from_client.Lobby(on=True))
        if self._seeking.wish is not None:
            self._link.send(self._seeking.wish)
        for room in tuple(self.rooms.values()):
            room.connected()
        for tournament in tuple(self.tournaments.values()):
            tournament.connected()

    def _known(self, welcome: Welcome) -> None:
        self.player, self.token, self.seated = welcome.player, welcome.token, welcome.seated
        self.node, self.version, self.limits = welcome.node, welcome.version, welcome.limits
        self.talks = welcome.chat

    def received(self, message: Heard) -> None:
        """Take a message, to whom it is for; then settle the request that it answers."""
        match message:
            case Welcome():
                self._known(message)
            case Snapshot():
                self._snapshot(message)
            case Rooms():
                self._lobby.told(message)
            case Paired() | Queued():
                self._seeking.told(message)
            case to_client.Tournament() | TournamentResumed() | TournamentEvent():
                self._to_tournament(message)
            case Announcement():
                self._on_announcement(message)
            case Failure(re=None) | Event() | to_client.Resumed() | to_client.Refused():
                self._to_room(message)
            case to_client.Presence() | to_client.Chat() | to_client.Detached():
                self._to_room(message)
        self._requests.answered(message)

    def changed(self, status: Status, ending: Ending | None) -> None:
        """Hear how the connection stands."""
        if status in (Status.RECONNECTING, Status.CLOSED):
            self._requests.lost()
            for room in tuple(self.rooms.values()):
                room.disconnected()
        self._on_status(status, ending)

    def _snapshot(self, snapshot: Snapshot) -> None:
        room = self.rooms.get(snapshot.room)
        if room is not None:
            room.receive(snapshot)
        elif self._requests.is_asked(snapshot.re, Create, Daily, Join):
            self.rooms[snapshot.room] = Room(snapshot, self)

    def _to_tournament(self, message: TournamentHeard) -> None:
        tournament = self.tournaments.get(message.tournament)
        if tournament is not None:
            tournament.receive(message)
        elif isinstance(message, to_client.Tournament) and self._requests.is_asked(
            message.re, WatchTournament, CreateTournament
        ):
            self.tournaments[message.tournament] = Tournament(message, self)

    def _to_room(self, message: Heard) -> None:
        room = self.rooms.get(getattr(message, "room", None) or RoomId(""))
        if room is not None:
            room.receive(message)

    # -- Wire of the rooms and tournaments

    def send(self, message: FromClient) -> bool:
        """Send a message; False where there is no connection."""
        return self._link.send(message)

    async def ask(self, message: Request, answer: type[_T], *, again: bool = False) -> _T:
        """Send a request and return its answer."""
        return await self._requests.ask(message, answer, again=again)

    def spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Run something beside, as long as there is a connection to come back to."""
        return self._tasks.create_task(work)

    def is_open(self) -> bool:
        """Tell whether there is a connection."""
        return self.status is Status.OPEN

    def left(self, room: RoomId) -> None:
        """Forget a room."""
        self.rooms.pop(room, None)

    def unfollowed(self, tournament: TournamentId) -> None:
        """Forget a tournament."""
        self.tournaments.pop(tournament, None)
