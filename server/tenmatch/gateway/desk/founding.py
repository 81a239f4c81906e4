"""Rooms that are made for whoever asks: one of their own, or for their attempt at the daily; and how many."""

from functools import partial

from tenmatch.game.create import found
from tenmatch.game.events import Player
from tenmatch.game.options import BadOptions, choose, mode_named
from tenmatch.gateway.dailies import Dailies, PlayedAlready, TooManyRooms
from tenmatch.gateway.desk.entrance import Entrance
from tenmatch.gateway.draws import draw_room, draw_seed
from tenmatch.gateway.quota import Quota
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.session import Session
from tenmatch.gateway.tables import Tables
from tenmatch.protocol import from_client
from tenmatch.protocol.limits import ErrorCode
from tenmatch.store import players
from tenmatch.store.connect import Store


class Founding:
    """Makes rooms for sessions, and lets these in."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        ratings: Ratings,
        dailies: Dailies,
        entrance: Entrance,
        *,
        quota: Quota,
    ) -> None:
        """Prepare.

        Args:
            quota: How many rooms may be made.
        """
        self._store = store
        self._tables = tables
        self._ratings = ratings
        self._dailies = dailies
        self._entrance = entrance
        self._quota = quota

    async def create(self, session: Session, message: from_client.Create) -> None:
        """Make a room in which the session's player sits, and let the session in.

        Raises:
            NoSuchRoom: (UnreadableRoom) It is there, and cannot be had here.
            StoreDown: It may have been made; with a `key` the same may be asked again.
        """
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
        refusal = await self._quota.refusal(session, room)
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
        await self._entrance.let_in(session, await self._tables.found(room, begin), message.id)

    async def daily(self, session: Session, re: int | None) -> None:
        """Let the session's player begin their attempt at the daily, or go on with it.

        Raises:
            NoSuchRoom: (UnreadableRoom) Its room is there, and cannot be had here.
            StoreDown: Its room may have been made; the same may be asked again.
        """
        player = Player(session.whom.id, session.whom.name)
        try:
            table = await self._dailies.table_of(player, partial(self._quota.refusal, session))
        except PlayedAlready:
            session.fail(ErrorCode.NOT_ALLOWED, "you have played the daily of today", re=re)
        except TooManyRooms as error:
            session.fail(ErrorCode.TOO_MANY_ROOMS, str(error), re=re)
        else:
            await self._entrance.let_in(session, table, re)
