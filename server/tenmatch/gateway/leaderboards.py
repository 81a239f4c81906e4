"""Plain HTTP answers about ratings: leaderboards, and players' games (server/protocol.md, "Ratings")."""

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from itertools import pairwise
from typing import Final

from websockets.http11 import Request, Response

from tenmatch.game.history import Outcome, Participant, Standing
from tenmatch.game.ids import PlayerId
from tenmatch.game.options import Mode
from tenmatch.game.rating import NEW_RATING, rating
from tenmatch.gateway.boardpart import LINES, Part, pages, part_of, player_named
from tenmatch.gateway.http import AS_IT_IS_NOW, Later, path_of, query_of, read_for, say, tell
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.tasks import Spawn
from tenmatch.protocol.maps import PersonMap
from tenmatch.protocol.pages import (
    PERIODS,
    LeaderboardMap,
    LeaderMap,
    PlayedMap,
    PlayerPageMap,
    ResultMap,
    RivalMap,
)
from tenmatch.store import boards
from tenmatch.store.boards import Placed
from tenmatch.store.connect import Store

RESULTS: Final = 50  # games of a player that are told of one by one


class Leaderboards:
    """The leaderboards, and players' pages."""

    def __init__(self, store: Store, ratings: Ratings, *, spawn: Spawn) -> None:
        self._store = store
        self._ratings = ratings
        self._spawn = spawn

    def board(self, request: Request) -> Response | Later:
        """Answer a request for the leaderboard of the mode that its path ends with."""
        name = path_of(request).rpartition("/")[2]
        if name not in tuple(Mode):
            return say(HTTPStatus.NOT_FOUND, f"the modes are: {', '.join(Mode)}", AS_IT_IS_NOW)
        [period], part = query_of(request, "period"), part_of(request)
        if period not in ("", *PERIODS):
            return say(HTTPStatus.BAD_REQUEST, f"period is {' or '.join(PERIODS)}", AS_IT_IS_NOW)
        if isinstance(part, str):
            return say(HTTPStatus.BAD_REQUEST, part, AS_IT_IS_NOW)
        return read_for("ratings", lambda: self._board(Mode(name), period == "week", part), self._spawn)

    async def _board(self, mode: Mode, of_the_week: bool, part: Part) -> Response:
        week = boards.week_of(self._store.clock.now()) if of_the_week else None
        board = await boards.read(
            self._store, mode.value, week, first=part.first, many=LINES, player=part.player
        )
        own = [board.own] if board.own else []
        lines = await self._lines([*board.lines, *own], mode)
        told = LeaderboardMap(
            mode=mode.value,
            period="week" if of_the_week else "all",
            week=week,
            players=board.players,
            page=part.page,
            pages=pages(board.players),
            lines=[line for line in lines[: len(board.lines)] if line],
            own=lines[-1] if own else None,
        )
        return tell(HTTPStatus.OK, told, AS_IT_IS_NOW)

    async def _lines(self, placed: Sequence[Placed], mode: Mode) -> list[LeaderMap | None]:
        standings = await self._ratings.standings([(each.player, mode) for each in placed])
        return [_line(each, standing) for each, standing in zip(placed, standings, strict=True)]

    def player(self, request: Request) -> Response | Later:
        """Answer a request for what the player has played whose id its path ends with."""
        player = player_named(path_of(request).rpartition("/")[2])
        if player is None:
            return _unknown_player()
        return read_for("ratings", lambda: self._player(player), self._spawn)

    async def _player(self, player: PlayerId) -> Response:
        standings = await self._ratings.standings([(player, mode) for mode in Mode])
        found = {mode: standing for mode, standing in zip(Mode, standings, strict=True) if standing}
        if not found:
            return _unknown_player()
        latest = max(found.values(), key=lambda standing: standing.at)
        modes = {mode.value: await self._mode(player, mode, standing) for mode, standing in found.items()}
        told = PlayerPageMap(player=PersonMap(id=player, name=latest.name), modes=modes)
        return tell(HTTPStatus.OK, told, AS_IT_IS_NOW)

    async def _mode(self, player: PlayerId, mode: Mode, standing: Standing) -> PlayedMap:
        history = await self._ratings.history(player, mode)
        board = await boards.read(self._store, mode.value, None, first=0, many=1, player=player)
        return PlayedMap(
            rating=standing.rating,
            games=standing.games,
            place=board.own.place if board.own else None,
            players=board.players,
            curve=[(outcome.at, rating(outcome.skill)) for outcome in history],
            results=list(_results(history))[: -RESULTS - 1 : -1],
        )


def _unknown_player() -> Response:
    return say(HTTPStatus.NOT_FOUND, "no rated game of a player with this id is known", AS_IT_IS_NOW)


def _line(placed: Placed, standing: Standing | None) -> LeaderMap | None:
    if standing is None:  # it has just expired, and the board is told of that with its next change
        return None
    return LeaderMap(
        place=placed.place,
        player=PersonMap(id=placed.player, name=standing.name),
        rating=placed.rating,
        games=standing.games,
    )


def _results(history: Sequence[Outcome]) -> Iterator[ResultMap]:
    """Tell of games, the first of them against the rating that everyone begins with."""
    ratings = [NEW_RATING, *(rating(outcome.skill) for outcome in history)]
    for outcome, (before, after) in zip(history, pairwise(ratings), strict=True):
        told = ResultMap(
            room=outcome.room,
            at=outcome.at,
            place=outcome.place,
            rating=after,
            change=after - before,
            counted=outcome.counted > 0,
            rivals=list(map(_rival, outcome.rivals)),
        )
        if outcome.mates:
            told["mates"] = list(map(_rival, outcome.mates))
        yield told


def _rival(rival: Participant) -> RivalMap:
    return RivalMap(id=rival.id, name=rival.name, place=rival.place, rating=rating(rival.skill))
