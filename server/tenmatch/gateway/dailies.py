"""The dailies: their seeds, drawn a day ahead; players' attempts; and what is told of them over HTTP.

server/protocol.md, "Daily". A seed is drawn once, whichever node is the first to think of it. An attempt is a
room, noted for its player and day before it is made: whoever asks again gets the same, so a node that dies
in between costs nothing; and one in which play never began gives way to another.
"""

import logging
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from http import HTTPStatus
from typing import Final, TypedDict
from urllib.parse import parse_qs

import msgspec
from websockets.http11 import Request, Response

from tenmatch.game import daily
from tenmatch.game.create import found_paired
from tenmatch.game.daily import attempt, revealed_at
from tenmatch.game.days import after, begins_at, day_named, day_of
from tenmatch.game.events import Player
from tenmatch.game.ids import PLAYER_ID_LENGTH, Day, PlayerId, RoomId
from tenmatch.game.room import Phase
from tenmatch.gateway.draws import draw_room, draw_seed
from tenmatch.gateway.http import Later, path_of, say, tell
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import NoSuchRoom, Tables, UnreadableRoom
from tenmatch.gateway.tasks import Spawn
from tenmatch.protocol.maps import PersonMap
from tenmatch.rules.deal import commitment
from tenmatch.store import daily as kept
from tenmatch.store.boards import Placed
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.daily import Seed

log = logging.getLogger(__name__)

PAGE: Final = 50  # lines
FOR_ANYONE: Final = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache"}
_PLAYER: Final = re.compile(rf"[a-z0-9]{{{PLAYER_ID_LENGTH}}}")
_PAGE: Final = re.compile("[1-9][0-9]{0,5}")
_AHEAD_S: Final = 2 * 86_400  # a seed is drawn so long before its day is over


class PlayedAlready(Exception):
    """A player's attempt at the daily is over, and can be seen here no more."""


class TooManyRooms(Exception):
    """A player, or others of the same address, have made too many rooms to found another."""


class Result(msgspec.Struct, frozen=True, array_like=True):
    """What an attempt came to, as it is kept."""

    name: str
    cleared: bool
    points: int
    time_ms: int
    room: RoomId


class LineMap(TypedDict):
    """A line of a day's board."""

    place: int
    player: PersonMap
    cleared: bool
    points: int
    time_ms: int
    room: RoomId | None  # whose record can be had; null before the seed is told


_decode: Final = msgspec.msgpack.Decoder(Result).decode
_encode: Final = msgspec.msgpack.Encoder().encode


class Dailies:
    """The dailies, as this node sees to them."""

    def __init__(self, store: Store, tables: Tables, *, ttl: int, spawn: Spawn) -> None:
        """Make them.

        Args:
            ttl: Seconds for which what was played is kept, as records are; 0: for ever.
        """
        self._store = store
        self._tables = tables
        self._ttl = ttl and ttl + _AHEAD_S
        self._spawn = spawn

    # -- seeds

    async def draw(self) -> None:
        """See to it that the seeds of today and of tomorrow are there. Raises StoreDown."""
        today = day_of(self._store.clock.now())
        for day in (today, after(today)):
            await self._seed(day)

    async def _seed(self, day: Day) -> Seed:
        seed = draw_seed(daily.OPTIONS)
        assert seed is not None, "only the classic deal has none"
        return await kept.seed(self._store, day, Seed(seed, self._store.clock.now()), self._ttl)

    # -- attempts

    async def table_of(self, player: Player, may_found: Callable[[RoomId], Awaitable[str | None]]) -> Table:
        """Return the table of a player's attempt at today's deal; its room is founded unless it is.

        Args:
            may_found: Counts a room that is to be founded; returns why it may not be, if so.

        Raises:
            PlayedAlready: It is over, and its room has expired.
            TooManyRooms: It may not be founded; the exception says why.
            NoSuchRoom: (UnreadableRoom) This node can make nothing of it.
            StoreDown: It may have been founded; asking again does no harm.
        """
        given_up: RoomId | None = None
        while True:
            day = day_of(self._store.clock.now())
            begun = await kept.attempt(self._store, day, player.id, draw_room(), self._ttl, given_up)
            try:
                table = await self._tables.open(begun.room)
            except UnreadableRoom:
                raise
            except NoSuchRoom:
                if begun.played:
                    raise PlayedAlready from None
                refusal = await may_found(begun.room)
                if refusal is not None:
                    raise TooManyRooms(refusal) from None
                table = await self._found(begun.room, day, player)
            if begun.played or table.state.phase is not Phase.OVER or table.state.started_at is not None:
                return table
            given_up = begun.room

    async def _found(self, room: RoomId, day: Day, player: Player) -> Table:
        begin = partial(
            found_paired,
            mode=daily.MODE,
            options=daily.OPTIONS,
            players=[player],
            daily=day,
            seed=(await self._seed(day)).seed,
        )
        return await self._tables.found(room, begin)

    async def keep(self, tables: Collection[Table]) -> set[Table]:
        """Enter what attempts that are over came to; return the rooms that need not be seen to any more.

        Raises:
            StoreDown: Some may be entered; entering them again does no harm.
        """
        for table in tables:
            over = table.state.phase is Phase.OVER  # the end may have been taken back
            played = attempt([entry.event for entry in table.entries]) if over else None
            if played is not None:
                result = Result(played.player.name, played.cleared, played.points, played.time_ms, table.room)
                await kept.enter(
                    self._store,
                    played.day,
                    played.player.id,
                    worth=played.worth,
                    result=_encode(result),
                    ttl=self._ttl,
                )
        return set(tables)

    # -- over HTTP

    def page(self, request: Request) -> Response | Later:
        """Answer a request for the day that its path ends with, or for today."""
        name = path_of(request).removeprefix("/v1/daily").removeprefix("/")
        query = parse_qs(request.path.partition("?")[2])
        page, player = query.get("page", ["1"])[-1], query.get("player", [""])[-1]
        day = day_named(name) if name else day_of(self._store.clock.now())
        if day is None:
            return say(HTTPStatus.NOT_FOUND, "a day is named as 2026-12-01", FOR_ANYONE)
        if not _PAGE.fullmatch(page):
            return say(HTTPStatus.BAD_REQUEST, "page is a number from 1", FOR_ANYONE)
        if player and not _PLAYER.fullmatch(player):
            return say(HTTPStatus.BAD_REQUEST, "player is a player's id", FOR_ANYONE)
        return Later(lambda: self._answer(day, int(page), PlayerId(player) if player else None), self._spawn)

    async def _answer(self, day: Day, page: int, player: PlayerId | None) -> Response:
        try:
            return await self._told(day, page, player)
        except StoreDown as error:
            log.warning("a daily was not read", extra={"day": day, "error": str(error)})
            return say(HTTPStatus.SERVICE_UNAVAILABLE, "no daily can be read now", {"Retry-After": "1"})

    async def _told(self, day: Day, page: int, player: PlayerId | None) -> Response:
        now = self._store.clock.now()
        ahead = day in (day_of(now), after(day_of(now)))
        seed = await self._seed(day) if ahead else await kept.seed_of(self._store, day)
        if seed is None:
            return say(HTTPStatus.NOT_FOUND, "nothing is known of that day", FOR_ANYONE)
        revealed = now >= revealed_at(day)
        board = await kept.board(self._store, day, first=PAGE * (page - 1), many=PAGE, player=player)
        lines = await self._lines(day, board.lines, revealed)
        own = await self._lines(day, [board.own] if board.own else [], revealed)
        told = {
            "day": day,
            "begins_at": begins_at(day),
            "ends_at": begins_at(after(day)),
            "revealed_at": revealed_at(day),
            "drawn_at": seed.drawn_at,
            "commit": commitment(seed.seed),
            "seed": seed.seed.hex() if revealed else None,
            "players": board.players,
            "page": page,
            "pages": max(1, -(-board.players // PAGE)),
            "lines": lines,
            "own": own[0] if own else None,
        }
        return tell(HTTPStatus.OK, told, FOR_ANYONE)

    async def _lines(self, day: Day, placed: Sequence[Placed], revealed: bool) -> list[LineMap]:
        found = await kept.results(self._store, day, [each.player for each in placed])
        return [
            _line(each, _decode(result), revealed)
            for each, result in zip(placed, found, strict=True)
            if result is not None  # it expires a moment before the board does
        ]


def _line(placed: Placed, result: Result, revealed: bool) -> LineMap:
    return LineMap(
        place=placed.place,
        player=PersonMap(id=placed.player, name=result.name),
        cleared=result.cleared,
        points=result.points,
        time_ms=result.time_ms,
        room=result.room if revealed else None,
    )
