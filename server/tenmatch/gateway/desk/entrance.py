"""Into a room and out of it: who sits down, who watches, which place on which connection."""

import asyncio

from tenmatch.game import commands
from tenmatch.game.events import Player
from tenmatch.game.ids import RoomCode, RoomId, SeatNumber
from tenmatch.game.room import Phase
from tenmatch.gateway.asked import Done, Holder, NotMade, Unavailable, asked
from tenmatch.gateway.attendance import Attendance
from tenmatch.gateway.credits import Credits
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.session import Session
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import NoSuchRoom, Tables
from tenmatch.protocol import from_client
from tenmatch.protocol.limits import ErrorCode
from tenmatch.store.codes import room_of
from tenmatch.store.connect import Store, StoreDown


class Entrance:
    """Lets sessions into rooms and out of them."""

    def __init__(self, store: Store, tables: Tables, attendance: Attendance, ratings: Ratings) -> None:
        self._store = store
        self._tables = tables
        self._attendance = attendance
        self._ratings = ratings

    # -- in

    async def join(self, session: Session, message: from_client.Join) -> None:
        """Let a session into the room that it names.

        Raises:
            NoSuchRoom: There is none, or (UnreadableRoom) it cannot be had here.
            StoreDown: The player may sit there by now; the same may be asked again.
        """
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
        await self.let_in(session, table, message.id, message)

    async def _room(self, message: from_client.Join) -> RoomId:
        if message.room is not None:
            return message.room
        assert message.code is not None, "decoding saw to it that there is one of both"
        room = await room_of(self._store, RoomCode(message.code.lower()))
        if room is None:
            raise NoSuchRoom(message.code)
        return room

    async def let_in(
        self, session: Session, table: Table, re: int | None, join: from_client.Join | None = None
    ) -> None:
        """Give a session the place that its player has in a room: their seat, or else one to watch from.

        Whoever was expected there, in a quick match or a daily, is ready by coming.

        Args:
            join: The request, where it may say how much of the room the client holds.

        Raises:
            StoreDown: The seat may be this connection's; the same may be asked again.
        """
        seat = table.state.seat_of(session.whom.id)
        if seat is not None and table.state.join_by is not None and table.state.phase is Phase.OPEN:
            answer = await asked(table, commands.GetReady(seat, True), Holder(seat, session.whom.id))
            if isinstance(answer, Unavailable):
                session.answer_request(re, answer)
                return
        await self._enter(session, table, re, seat=seat, join=join)

    async def _enter(
        self,
        session: Session,
        table: Table,
        re: int | None,
        *,
        seat: SeatNumber | None,
        join: from_client.Join | None,
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
        self._place(session, table, re, seat, number, join)

    def _place(
        self,
        session: Session,
        table: Table,
        re: int | None,
        seat: SeatNumber | None,
        number: int,
        join: from_client.Join | None,
    ) -> None:
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

    # -- out

    async def leave(self, session: Session, table: Table, member: Member, re: int | None) -> None:
        """Let a session out of a room; before the start this frees its seat."""
        nothing_changes = table.state.phase is Phase.OVER and table.still  # nor is an answer still to come
        if member.seat is not None and not nothing_changes:
            holder = Holder(member.seat, member.player)
            answer = await asked(table, commands.Leave(member.seat), holder)
            seat_stays = table.state.phase in (Phase.PLAYING, Phase.OVER)
            if not isinstance(answer, Done | NotMade) and not seat_stays:
                session.answer_request(re, answer)
                return
        self._vacate(session, table, member)
        session.done(re)

    def ended(self, session: Session) -> None:
        """Let a session whose connection is gone out of every room it was in."""
        for table, member in list(session.rooms.values()):
            self._vacate(session, table, member)

    def _vacate(self, session: Session, table: Table, member: Member) -> None:
        if session.rooms.get(table.room, (None, None))[1] is member:
            del session.rooms[table.room]
        table.leave(member)
        self._attendance.depart(table, member.seat, member.number)
