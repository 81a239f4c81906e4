"""The requests that have to wait for the store: create, join, leave, chat and more (server/protocol.md).

Each runs as one task, during which its session takes nothing else; whatever goes wrong becomes an error for
that session alone.
"""

import asyncio
import logging
from collections.abc import Awaitable
from functools import partial
from typing import assert_never

from tenmatch import __version__
from tenmatch.game import commands
from tenmatch.game.create import found
from tenmatch.game.events import Level, Player
from tenmatch.game.ids import PlayerId, RoomCode, RoomId, SeatNumber
from tenmatch.game.options import BadOptions, choose, mode_named
from tenmatch.game.room import Phase
from tenmatch.gateway.asked import Answer, Done, Holder, NotMade, Unavailable
from tenmatch.gateway.attendance import Attendance
from tenmatch.gateway.credits import Credits
from tenmatch.gateway.dailies import Dailies, PlayedAlready, TooManyRooms
from tenmatch.gateway.draws import draw_bot, draw_room, draw_seed
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.keyset import KeysUnavailable
from tenmatch.gateway.listing import Listing
from tenmatch.gateway.matchmaking import Matchmaking
from tenmatch.gateway.meetings import options_of
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.session import UNAVAILABLE, Session
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import NoSuchRoom, Tables, UnreadableRoom
from tenmatch.gateway.talk import Talk
from tenmatch.gateway.tasks import Spawn
from tenmatch.gateway.tournament.desk import TournamentDesk
from tenmatch.protocol import from_client, to_client
from tenmatch.protocol.limits import FRAME_BYTES, CloseCode, ErrorCode, PeerError
from tenmatch.protocol.maps import LimitsMap, PersonMap
from tenmatch.store import players
from tenmatch.store.codes import room_of
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.queue import Queue

log = logging.getLogger(__name__)


class Desk:
    """Carries out what sessions ask for that is not a matter of one loaded room alone."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        attendance: Attendance,
        listing: Listing,
        ratings: Ratings,
        matchmaking: Matchmaking,
        talk: Talk,
        dailies: Dailies,
        tournament_desk: TournamentDesk,
        *,
        node: str,
        spawn: Spawn,
        rooms_per_player: int,
        rooms_per_address: int = 0,
    ) -> None:
        """Make the desk of a node.

        Args:
            node: The name of this node.
            rooms_per_player: Rooms that one player made and that are not over, at most; 0 lifts it.
            rooms_per_address: Rooms made from one address within an hour, at most; 0 lifts it.
        """
        self.sessions: set[Session] = set()
        self._store = store
        self._node = node
        self._tables = tables
        self._attendance = attendance
        self._listing = listing
        self._ratings = ratings
        self._matchmaking = matchmaking
        self._talk = talk
        self._dailies = dailies
        self._tournament_desk = tournament_desk
        self._spawn = spawn
        self._rooms_per_player = rooms_per_player
        self._rooms_per_address = rooms_per_address

    # -- welcome

    def welcome(self, session: Session, hello: from_client.Hello) -> None:
        """Find the rooms in which the person still sits, and welcome them."""
        self.sessions.add(session)
        self._run(session, hello.id, self._greet(session, hello.id))

    def prove(self, session: Session, hello: from_client.Hello) -> None:
        """Find out whose token of another issuer's that is, and welcome them."""
        self._run(session, hello.id, self._prove(session, hello))

    async def _prove(self, session: Session, hello: from_client.Hello) -> None:
        try:
            proof = await session.prove(hello)
        except KeysUnavailable:
            session.fail(ErrorCode.UNAVAILABLE, "the issuer of the token cannot be asked now", re=hello.id)
            return
        if not session.over and session.become(hello, proof):
            self.sessions.add(session)
            await self._greet(session, hello.id)

    async def _greet(self, session: Session, re: int | None) -> None:
        person = session.whom
        seated = [
            room for room in await players.seated(self._store, person.id) if await self._sits(room, person.id)
        ]
        limits = session.limits
        session.send(
            to_client.Welcome(
                re=re,
                player=PersonMap(id=person.id, name=person.name),
                token=session.sign(),
                seated=seated,
                node=self._node,
                version=__version__,
                time=self._store.clock.now(),
                limits=LimitsMap(
                    frame=FRAME_BYTES,
                    messages_per_s=int(limits.messages_per_s),
                    matches_per_s=int(limits.matches_per_s),
                ),
                chat=self._talk.on,
            )
        )

    async def _sits(self, room: RoomId, player: PlayerId) -> bool:
        """Ask the room itself: the index of seats may lag behind."""
        try:
            table = await self._tables.open(room)
        except UnreadableRoom:
            return False
        except NoSuchRoom:
            await players.unseat(self._store, player, room)
            return False
        return table.state.phase is not Phase.OVER and table.state.seat_of(player) is not None

    # -- create

    def create(self, session: Session, message: from_client.Create) -> None:
        """Make a room and let the session sit down in it."""
        self._run(session, message.id, self._create(session, message))

    async def _create(self, session: Session, message: from_client.Create) -> None:
        try:
            mode = mode_named(message.mode)
            options, seed = choose(mode, message.options or {})
        except BadOptions as error:
            session.fail(ErrorCode.BAD_OPTIONS, error.text, re=message.id, field=error.field)
            return
        person = session.whom
        room = draw_room()
        if message.key is not None:
            room = await players.made(self._store, person.id, message.key, room)
        refusal = await self._too_many_rooms(session, room)
        if refusal is not None:
            session.fail(ErrorCode.TOO_MANY_ROOMS, refusal, re=message.id)
            return
        skills = await self._ratings.skills_for([person.id], mode, options)
        begin = partial(
            found,
            mode=mode,
            options=options,
            private=bool(message.private),
            player=Player(person.id, person.name),
            skill=skills.get(person.id),
            seed=seed or draw_seed(options),
        )
        table = await self._tables.found(room, begin)
        await self._enter(session, table, message.id, seat=table.state.seat_of(person.id))

    async def _too_many_rooms(self, session: Session, room: RoomId) -> str | None:
        """Count a room that is to be made; return why it may not be, if so."""
        store, player = self._store, session.whom.id
        limit = self._rooms_per_player
        if limit and not await players.may_make(store, player, room, limit):
            return f"{limit} rooms that are not over are all one player may have made"
        limit = self._rooms_per_address
        if limit and not await players.may_make_from(store, session.site, room, limit):
            await players.forget(store, player, room)
            return f"{limit} rooms within an hour are all that may be made from one address"
        return None

    # -- join and leave

    def join(self, session: Session, message: from_client.Join) -> None:
        """Let the session into a room."""
        self._run(session, message.id, self._join(session, message))

    async def _join(self, session: Session, message: from_client.Join) -> None:
        table = await self._tables.open(await self._room(message))
        who = session.whom
        seat = table.state.seat_of(who.id)
        command = None
        wants = message.seat is not None and seat is not None
        if (seat is None and not message.watch) or wants:
            skills = await self._ratings.skills_for([who.id], table.state.mode, table.state.options)
            command = commands.Sit(Player(who.id, who.name), skills.get(who.id), message.seat)
        unwanted = seat is None and message.watch and not table.state.options.spectators
        unknown = message.after is not None and not table.leads_on(message)
        if command or unwanted or unknown:  # we may be the one who is behind: the log decides
            answer = await asked(table, command)
            if not isinstance(answer, Done):
                session.answer_request(message.id, answer)
                return
            seat = table.state.seat_of(who.id)
            if seat is None and unwanted:
                session.fail(ErrorCode.NOT_ALLOWED, "this room wants no spectators", re=message.id)
                return
        if seat is not None and table.state.join_by is not None and table.state.phase is Phase.OPEN:
            answer = await asked(table, commands.GetReady(seat, True), Holder(seat, who.id))
            if isinstance(answer, Unavailable):
                session.answer_request(message.id, answer)
                return
        await self._enter(session, table, message.id, seat=seat, join=message)

    async def _room(self, message: from_client.Join) -> RoomId:
        if message.room is not None:
            return message.room
        assert message.code is not None, "decoding saw to it that there is one of both"
        room = await room_of(self._store, RoomCode(message.code.lower()))
        if room is None:
            raise NoSuchRoom(message.code)
        return room

    async def _enter(
        self,
        session: Session,
        table: Table,
        re: int | None,
        *,
        seat: SeatNumber | None,
        join: from_client.Join | None = None,
    ) -> None:
        """Give the session its place and tell it how things stand; from here on it is sent every event."""
        if session.over:
            return  # it must not take the seat from a newer connection of the same player
        held = session.rooms.get(table.room)
        number = 0
        if seat is not None:
            keeps = held is not None and held[1].seat == seat
            number = held[1].number if held and keeps else await self._attendance.arrive(table, seat)
        if session.over:
            self._attendance.depart(table, seat, number)
            return
        if self._tables.loaded.get(table.room) is not table:
            raise StoreDown("the room was unloaded while it was joined")
        if seat is not None and not Holder(seat, session.whom.id).sits(table.state):
            self._attendance.depart(table, seat, number)
            session.fail(ErrorCode.NOT_ALLOWED, "your seat was freed while you joined", re=re)
            return
        if held is not None:
            table.leave(held[1])
            if held[1].seat != seat:
                self._attendance.depart(table, held[1].seat, held[1].number)
        rate, shown = session.limits.matches_per_s, table.shown_to(seat)
        member = Member(
            session,
            session.whom.id,
            seat,
            number=number,
            sent=shown.state.seq,
            matches=Credits(rate, max(rate, 1), asyncio.get_running_loop().time()),
        )
        session.write(shown.standing(member, re, join))
        session.rooms[table.room] = (table, member)
        shown.audience.enter(member)
        self._attendance.greet(table, member)
        if seat is not None:
            # Answers of the store may overtake each other: the highest number may be another's.
            highest = max(m.number for m in table.audience.players if m.seat == seat)
            self._attendance.supersede(table, seat, highest)

    def leave(self, session: Session, table: Table, member: Member, re: int | None) -> None:
        """Take the session out of a room; before the start this frees its seat."""
        self._run(session, re, self._leave(session, table, member, re))

    async def _leave(self, session: Session, table: Table, member: Member, re: int | None) -> None:
        if member.seat is not None:
            holder = Holder(member.seat, member.player)
            answer = await asked(table, commands.Leave(member.seat), holder)
            seat_stays = table.state.phase in (Phase.PLAYING, Phase.OVER)
            if not isinstance(answer, Done | NotMade) and not seat_stays:
                session.answer_request(re, answer)
                return
        self._vacate(session, table, member)
        session.done(re)

    def _vacate(self, session: Session, table: Table, member: Member) -> None:
        if session.rooms.get(table.room, (None, None))[1] is member:
            del session.rooms[table.room]
        table.leave(member)
        self._attendance.depart(table, member.seat, member.number)

    def ended(self, session: Session) -> None:
        """Let a session whose connection is gone out of everything it was in."""
        self.sessions.discard(session)
        self._listing.unfollow(session)
        self._tournament_desk.leave(session)
        if session.person is not None:
            self._matchmaking.ended(session, session.person.id)
        for table, member in list(session.rooms.values()):
            self._vacate(session, table, member)

    # -- daily

    def daily(self, session: Session, message: from_client.Daily) -> None:
        """Let the session's player begin their attempt at the daily, or go on with it."""
        self._run(session, message.id, self._daily(session, message.id))

    async def _daily(self, session: Session, re: int | None) -> None:
        who = session.whom
        try:
            player = Player(who.id, who.name)
            table = await self._dailies.table_of(player, lambda room: self._too_many_rooms(session, room))
        except PlayedAlready:
            session.fail(ErrorCode.NOT_ALLOWED, "you have played the daily of today", re=re)
            return
        except TooManyRooms as error:
            session.fail(ErrorCode.TOO_MANY_ROOMS, str(error), re=re)
            return
        seat = table.state.seat_of(who.id)
        if seat is not None and table.state.phase is Phase.OPEN:
            answer = await asked(table, commands.GetReady(seat, True), Holder(seat, who.id))
            if isinstance(answer, Unavailable):
                session.answer_request(re, answer)
                return
        await self._enter(session, table, re, seat=seat)

    # -- queue

    def seek(self, session: Session, message: from_client.Seek) -> None:
        """Let the session's player wait for an opponent, or no longer."""
        self._run(session, message.id, self._seek(session, message))

    async def _seek(self, session: Session, message: from_client.Seek) -> None:
        try:
            at = Queue(mode_named(message.mode), bool(message.rated))
            options_of(at)
            if at.rated and message.bot:
                raise BadOptions("bot", "computer players do not play for a rating")
        except BadOptions as error:
            session.fail(ErrorCode.BAD_OPTIONS, error.text, re=message.id, field=error.field)
            return
        if not message.on:
            await self._seek_no_longer(session, at, message.id)
        elif await self._matchmaking.playing(session.whom.id):
            text = "your last quick match is not over: play on, or give up"
            session.fail(ErrorCode.NOT_ALLOWED, text, re=message.id)
        elif not session.over:
            person = session.whom
            await self._matchmaking.seek(session, person.id, person.name, at, with_computer=bool(message.bot))
            session.done(message.id)

    async def _seek_no_longer(self, session: Session, at: Queue, re: int | None) -> None:
        player = session.whom.id
        table = await self._matchmaking.stop(session, player, at)
        seat = None if table is None else table.state.seat_of(player)
        if table is None or seat is None:
            session.done(re)
        else:  # there is an opponent already, who is told so
            answer = await asked(table, commands.Leave(seat), Holder(seat, player))
            session.answer_request(re, answer)

    # -- tournaments

    def tournament(self, session: Session, message: from_client.AnyTournamentRequest) -> None:
        """Carry out what the session asks of a tournament."""
        self._run(session, message.id, self._tournament_desk.carry_out(session, message))

    # -- the rest

    def aside(self, session: Session, table: Table, member: Member, message: from_client.AnyAside) -> None:
        """Take what is said in a room beside the game."""
        match message:
            case from_client.Chat():
                self._talk.say(session, table, member, message)
            case from_client.SendReport():
                self._run(session, message.id, self._talk.report(session, table, member, message))
            case from_client.Focus(on=on):
                self._attendance.looks(table, member, on)
                session.done(message.id)
            case _:
                assert_never(message)

    def follow(self, session: Session, on: bool, re: int | None) -> None:
        """Send the session the list of rooms and its changes, or stop."""
        session.follows = on
        if on:
            self._listing.follow(session, re)
        else:
            self._listing.unfollow(session)
            session.done(re)

    def bot(self, level: Level) -> Player:
        """Return a computer player of that level with an id and a name of its own."""
        return draw_bot(level)

    # -- one task at a time for a session

    def _run(self, session: Session, re: int | None, work: Awaitable[None]) -> None:
        session.wait()
        self._spawn(self._carry_out(session, re, work))

    async def _carry_out(self, session: Session, re: int | None, work: Awaitable[None]) -> None:
        try:
            await work
        except UnreadableRoom:
            session.fail(ErrorCode.UNAVAILABLE, "this room cannot be had here now: try again", re=re)
        except NoSuchRoom:
            if self._tables.unsure:
                session.fail(ErrorCode.UNAVAILABLE, UNAVAILABLE, re=re)
            else:
                session.fail(ErrorCode.NO_SUCH_ROOM, "there is no such room, or it has ended long ago", re=re)
        except PeerError as error:
            session.close(error.code, error.reason)
        except StoreDown as error:
            extra = {**session.fields, "error": str(error)}
            log.debug("a request failed", extra=extra)  # that the store is away, others say
            session.fail(ErrorCode.UNAVAILABLE, UNAVAILABLE, re=re)
        except Exception:  # the outermost frame: a bug of ours ends this connection, and is on record
            log.exception("a request could not be carried out", extra=session.fields)
            session.close(CloseCode.OUR_BUG, "internal error")
        finally:
            session.go_on()


async def asked(table: Table, command: commands.AnyCommand | None, holder: Holder | None = None) -> Answer:
    """Return a room's answer to a command; None asks only whether this node is at the log's end."""
    answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    table.ask(command, lambda given: None if answer.done() else answer.set_result(given), holder)
    return await answer
