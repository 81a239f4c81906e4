"""What is said in rooms, to everyone there on all nodes, and what is reported of players to the organiser."""

from typing import Final

import msgspec

from tenmatch.game.ids import PlayerId, RoomId
from tenmatch.game.room import Phase
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.readable import clean
from tenmatch.gateway.session import UNAVAILABLE, Session
from tenmatch.gateway.shown import Shown
from tenmatch.gateway.table import Table
from tenmatch.protocol import from_client, to_client
from tenmatch.protocol.limits import ErrorCode
from tenmatch.protocol.maps import PersonMap
from tenmatch.protocol.phrases import PHRASES
from tenmatch.protocol.report import SAID, Report, Said, encode
from tenmatch.store import reports
from tenmatch.store.connect import Store
from tenmatch.store.feed import Feed

CHAT_NOTE: Final = 2


class Talk:
    """Says things in rooms, and keeps reports."""

    def __init__(self, store: Store, feed: Feed, *, on: bool, reports_per_day: int, reports_ttl: int) -> None:
        """Prepare.

        Args:
            on: Whether anybody talks on this server.
            reports_per_day: Reports that a player may send within 24 hours; 0: any number.
            reports_ttl: Seconds for which a report is kept; 0: for ever.
        """
        self.on = on
        self._store = store
        self._feed = feed
        self._per_day = reports_per_day
        self._ttl = reports_ttl

    # -- chat

    def say(self, session: Session, table: Table, member: Member, message: from_client.Chat) -> None:
        """Say something to a room, on all nodes."""
        why = self._why_silent(table, member)
        if why:
            session.fail(ErrorCode.NOT_ALLOWED, why, re=message.id)
            return
        text = PHRASES.get(message.phrase, "") if message.phrase else clean(message.text or "")
        if not text:
            self._say_nothing(session, message)
        elif not session.may_talk():
            text = f"{session.limits.chats_per_minute:g} lines of chat a minute at most: wait a moment"
            session.fail(ErrorCode.RATE_LIMITED, text, re=message.id)
        else:
            self._publish(session, table.room, text, message)

    def _why_silent(self, table: Table, member: Member) -> str:
        """Say why a member may not talk here now; nothing where they may."""
        if not self.on:
            return "nobody talks on this server"
        shown = table.shown_to(None)
        if not table.state.options.talks:
            return "nobody talks in this room"
        if member.seat is None and shown.state.options.rated and shown.state.phase is not Phase.OVER:
            return "who watches a rated game cannot talk to its players before it is over"
        return ""

    def _say_nothing(self, session: Session, message: from_client.Chat) -> None:
        if message.phrase:
            text, field = f"a phrase is one of: {', '.join(PHRASES)}", "phrase"
        else:
            text, field = "there is nothing to read in it", "text"
        session.fail(ErrorCode.BAD_MESSAGE, text, re=message.id, field=field)

    def _publish(self, session: Session, room: RoomId, text: str, message: from_client.Chat) -> None:
        person = session.whom
        said = to_client.Chat(
            room=room,
            player=PersonMap(id=person.id, name=person.name),
            text=text,
            phrase=message.phrase,
            at=self._store.clock.now(),
        )

        def told(taken: bool) -> None:
            if taken:
                session.done(message.id)
            else:
                session.fail(ErrorCode.UNAVAILABLE, UNAVAILABLE, re=message.id)

        self._feed.publish(room, CHAT_NOTE, msgspec.msgpack.encode(said), told)

    # -- reports

    async def report(
        self, session: Session, table: Table, member: Member, message: from_client.SendReport
    ) -> None:
        """Keep a report on somebody who sits in the room, or has talked there.

        Raises:
            StoreDown: It may be kept or not; sending it again does no harm.
        """
        person, shown = session.whom, table.shown_to(member.seat)
        about = _person_in(shown, message.player)
        if about is None or about["id"] == person.id:
            text = "one reports another person who sits in the room, or has said something there"
            session.fail(ErrorCode.NOT_ALLOWED, text, re=message.id, field="player")
            return
        report = Report(
            at=self._store.clock.now(),
            room=table.room,
            mode=table.state.mode.value,
            about=about,
            seat=shown.state.seat_of(message.player),
            by=PersonMap(id=person.id, name=person.name),
            reason=message.reason,
            text=clean(message.text or "") or None,
            said=tuple(
                Said(at=line.at, text=line.text) for line in shown.said if line.player["id"] == about["id"]
            )[-SAID:],
        )
        kept = await reports.keep(
            self._store,
            encode(report),
            room=table.room,
            by=person.id,
            site=session.site,
            about=about["id"],
            most=self._per_day,
            ttl=self._ttl,
        )
        if kept:
            session.done(message.id)
        else:
            text = f"{self._per_day} reports a day at most, and {reports.SENDERS} times that from one address"
            session.fail(ErrorCode.RATE_LIMITED, text, re=message.id)


def _person_in(shown: Shown, player: PlayerId) -> PersonMap | None:
    """Return who that is, if they sit in the room or have talked there; None also for computer players."""
    seat = shown.state.seat_of(player)
    if seat is not None:
        sitting = shown.state.seated(seat).player
        return None if sitting.bot else PersonMap(id=sitting.id, name=sitting.name)
    return next((line.player for line in reversed(shown.said) if line.player["id"] == player), None)
