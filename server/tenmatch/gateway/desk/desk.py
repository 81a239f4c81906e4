"""Where sessions ask for what has to wait for the store (server/protocol.md).

Each request runs as one task, during which its session takes nothing else; whatever goes wrong becomes an
error for that session alone.
"""

import logging
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import assert_never

from tenmatch.gateway.attendance import Attendance
from tenmatch.gateway.desk.entrance import Entrance
from tenmatch.gateway.desk.founding import Founding
from tenmatch.gateway.desk.seeking import Seeking
from tenmatch.gateway.desk.welcome import Welcome
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.listing import Listing
from tenmatch.gateway.session import UNAVAILABLE, Session
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import NoSuchRoom, Tables, UnreadableRoom
from tenmatch.gateway.talk import Talk
from tenmatch.gateway.tasks import Spawn
from tenmatch.gateway.tournament.desk import TournamentDesk
from tenmatch.protocol import from_client
from tenmatch.protocol.limits import CloseCode, ErrorCode, PeerError
from tenmatch.store.connect import StoreDown

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Desk:
    """Takes what sessions ask for, and hands it to whom it is for."""

    tables: Tables
    attendance: Attendance
    listing: Listing
    talk: Talk
    welcoming: Welcome
    entrance: Entrance
    founding: Founding
    seeking: Seeking
    tournaments: TournamentDesk
    spawn: Spawn
    sessions: set[Session] = field(default_factory=set)  # all of this node that have said hello

    # -- tenmatch.gateway.ends.Desk

    def welcome(self, session: Session, hello: from_client.Hello) -> None:
        """Find the rooms in which the person still sits, and welcome them."""
        self.sessions.add(session)
        self._run(session, hello.id, self.welcoming.greet(session, hello.id))

    def prove(self, session: Session, hello: from_client.Hello) -> None:
        """Find out whose token of another issuer's that is, and welcome them."""
        self._run(session, hello.id, self._prove(session, hello))

    async def _prove(self, session: Session, hello: from_client.Hello) -> None:
        if await self.welcoming.prove(session, hello):
            self.sessions.add(session)
            await self.welcoming.greet(session, hello.id)

    def create(self, session: Session, message: from_client.Create) -> None:
        """Make a room and let the session sit down in it."""
        self._run(session, message.id, self.founding.create(session, message))

    def daily(self, session: Session, message: from_client.Daily) -> None:
        """Let the session's player begin their attempt at the daily, or go on with it."""
        self._run(session, message.id, self.founding.daily(session, message.id))

    def join(self, session: Session, message: from_client.Join) -> None:
        """Let the session into a room."""
        self._run(session, message.id, self.entrance.join(session, message))

    def leave(self, session: Session, table: Table, member: Member, re: int | None) -> None:
        """Take the session out of a room; before the start this frees its seat."""
        self._run(session, re, self.entrance.leave(session, table, member, re))

    def seek(self, session: Session, message: from_client.Seek) -> None:
        """Let the session's player wait for an opponent, or no longer."""
        self._run(session, message.id, self.seeking.seek(session, message))

    def tournament(self, session: Session, message: from_client.AnyTournamentRequest) -> None:
        """Carry out what the session asks of a tournament."""
        self._run(session, message.id, self.tournaments.carry_out(session, message))

    def aside(self, session: Session, table: Table, member: Member, message: from_client.AnyAside) -> None:
        """Take what is said in a room beside the game."""
        match message:
            case from_client.Chat():
                self.talk.say(session, table, member, message)
            case from_client.SendReport():
                self._run(session, message.id, self.talk.report(session, table, member, message))
            case from_client.Focus(on=on):
                self.attendance.looks(table, member, on)
                session.done(message.id)
            case _:
                assert_never(message)

    def follow(self, session: Session, on: bool, re: int | None) -> None:
        """Send the session the list of rooms and its changes, or stop."""
        session.follows = on
        if on:
            self.listing.follow(session, re)
        else:
            self.listing.unfollow(session)
            session.done(re)

    def ended(self, session: Session) -> None:
        """Let a session whose connection is gone out of everything it was in."""
        self.sessions.discard(session)
        self.listing.unfollow(session)
        self.tournaments.leave(session)
        self.seeking.ended(session)
        self.entrance.ended(session)

    # -- one task at a time for a session

    def _run(self, session: Session, re: int | None, work: Awaitable[None]) -> None:
        session.wait()
        self.spawn(self._carry_out(session, re, work))

    async def _carry_out(self, session: Session, re: int | None, work: Awaitable[None]) -> None:
        try:
            await work
        except UnreadableRoom:
            session.fail(ErrorCode.UNAVAILABLE, "this room cannot be had here now: try again", re=re)
        except NoSuchRoom:
            if self.tables.unsure:
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
