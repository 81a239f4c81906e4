"""Quick match, as a client asks for it: wait for an opponent, or no longer."""

from tenmatch.game import commands
from tenmatch.game.options import BadOptions, mode_named
from tenmatch.gateway.asked import Holder, asked
from tenmatch.gateway.matchmaking import Matchmaking
from tenmatch.gateway.meetings import options_of
from tenmatch.gateway.session import Session
from tenmatch.protocol import from_client
from tenmatch.protocol.limits import ErrorCode
from tenmatch.store.queue import Queue


class Seeking:
    """Puts players into the queue and takes them out."""

    def __init__(self, matchmaking: Matchmaking) -> None:
        self._matchmaking = matchmaking

    async def seek(self, session: Session, message: from_client.Seek) -> None:
        """Let the session's player wait for an opponent, or no longer.

        Raises:
            UnreadableRoom: They are expected in a room that cannot be had here.
            StoreDown: They may wait or not; the same may be asked again.
        """
        try:
            at = Queue(mode_named(message.mode), bool(message.rated))
            options_of(at)
            if at.rated and message.bot:
                raise BadOptions("bot", "computer players do not play for a rating")
        except BadOptions as error:
            session.fail(ErrorCode.BAD_OPTIONS, error.text, re=message.id, field=error.field)
            return
        if not message.on:
            await self._no_longer(session, at, message.id)
        elif await self._matchmaking.playing(session.whom.id):
            text = "your last quick match is not over: play on, or give up"
            session.fail(ErrorCode.NOT_ALLOWED, text, re=message.id)
        elif not session.over:
            person = session.whom
            await self._matchmaking.seek(session, person.id, person.name, at, with_computer=bool(message.bot))
            session.done(message.id)

    async def _no_longer(self, session: Session, at: Queue, re: int | None) -> None:
        player = session.whom.id
        table = await self._matchmaking.stop(session, player, at)
        seat = None if table is None else table.state.seat_of(player)
        if table is None or seat is None:
            session.done(re)
        else:  # there is an opponent already, who is told so
            answer = await asked(table, commands.Leave(seat), Holder(seat, player))
            session.answer_request(re, answer)

    def ended(self, session: Session) -> None:
        """Let a player wait no longer through a session whose connection is gone."""
        if session.person is not None:
            self._matchmaking.ended(session, session.person.id)
