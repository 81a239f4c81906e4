"""Plain HTTP answers about the dailies: a day, and what came of its deal (server/protocol.md, "Daily")."""

from collections.abc import Sequence
from http import HTTPStatus

from websockets.http11 import Request, Response

from tenmatch.game.daily import revealed_at
from tenmatch.game.days import after, begins_at, day_named, day_of
from tenmatch.game.ids import Day
from tenmatch.gateway.boardpart import LINES, Part, pages, part_of
from tenmatch.gateway.dailies import Dailies, Result
from tenmatch.gateway.http import AS_IT_IS_NOW, Later, path_of, read_for, say, tell
from tenmatch.gateway.tasks import Spawn
from tenmatch.protocol.maps import PersonMap
from tenmatch.protocol.pages import DayLineMap, DayMap
from tenmatch.rules.deal import commitment
from tenmatch.store import daily
from tenmatch.store.boards import Placed
from tenmatch.store.connect import Store


class DailyBoards:
    """The days' boards."""

    def __init__(self, store: Store, dailies: Dailies, *, spawn: Spawn) -> None:
        self._store = store
        self._dailies = dailies
        self._spawn = spawn

    def page(self, request: Request) -> Response | Later:
        """Answer a request for the day that its path ends with, or for today."""
        name = path_of(request).removeprefix("/v1/daily").removeprefix("/")
        day = day_named(name) if name else day_of(self._store.clock.now())
        if day is None:
            return say(HTTPStatus.NOT_FOUND, "a day is named as 2026-12-01", AS_IT_IS_NOW)
        part = part_of(request)
        if isinstance(part, str):
            return say(HTTPStatus.BAD_REQUEST, part, AS_IT_IS_NOW)
        return read_for("daily", lambda: self._told(day, part), self._spawn)

    async def _told(self, day: Day, part: Part) -> Response:
        now = self._store.clock.now()
        seed = await self._dailies.known_seed(day)
        if seed is None:
            return say(HTTPStatus.NOT_FOUND, "nothing is known of that day", AS_IT_IS_NOW)
        revealed = now >= revealed_at(day)
        board = await daily.board(self._store, day, first=part.first, many=LINES, player=part.player)
        lines = await self._lines(day, board.lines, revealed)
        own = await self._lines(day, [board.own] if board.own else [], revealed)
        told = DayMap(
            day=day,
            begins_at=begins_at(day),
            ends_at=begins_at(after(day)),
            revealed_at=revealed_at(day),
            drawn_at=seed.drawn_at,
            commit=commitment(seed.seed),
            seed=seed.seed.hex() if revealed else None,
            players=board.players,
            page=part.page,
            pages=pages(board.players),
            lines=lines,
            own=own[0] if own else None,
        )
        return tell(HTTPStatus.OK, told, AS_IT_IS_NOW)

    async def _lines(self, day: Day, placed: Sequence[Placed], revealed: bool) -> list[DayLineMap]:
        found = await self._dailies.results(day, [each.player for each in placed])
        return [
            _line(each, result, revealed)
            for each, result in zip(placed, found, strict=True)
            if result is not None  # it expires a moment before the board does
        ]


def _line(placed: Placed, result: Result, revealed: bool) -> DayLineMap:
    return DayLineMap(
        place=placed.place,
        player=PersonMap(id=placed.player, name=result.name),
        cleared=result.cleared,
        points=result.points,
        time_ms=result.time_ms,
        room=result.room if revealed else None,
    )
