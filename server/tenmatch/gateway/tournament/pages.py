"""Plain HTTP answers about tournaments: how one stands, its results as a table (RFC 4180), and the list."""

import csv
import io
import re
from http import HTTPStatus
from typing import Final

import msgspec
from websockets.http11 import Request, Response

from tenmatch.game.ids import TOURNAMENT_ID_LENGTH, RoomId, TournamentId
from tenmatch.game.tournament.state import Tournament
from tenmatch.gateway.http import AS_IT_IS_NOW, Later, path_of, read_for, respond, say, tell
from tenmatch.gateway.kept import Kept
from tenmatch.gateway.tasks import Spawn
from tenmatch.gateway.tournament.tournaments import NoSuchTournament, Tournaments
from tenmatch.protocol.pages import TournamentPageMap, TournamentsMap
from tenmatch.protocol.tournaments import TournamentLine, results, tournament_map
from tenmatch.store import lobby
from tenmatch.store.connect import Store

LIST_S: Final = 1.0  # for which the list is not read again
_NAMED: Final = re.compile(rf"([a-z0-9]{{{TOURNAMENT_ID_LENGTH}}})(\.csv)?")
_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""With these, some in both widths, a spreadsheet takes a text for a formula; no name begins with a space."""


class TournamentPages:
    """Answers under /v1/tournaments."""

    def __init__(self, store: Store, tournaments: Tournaments, *, spawn: Spawn) -> None:
        self._store = store
        self._tournaments = tournaments
        self._spawn = spawn
        self._list = Kept(self._listed, LIST_S, spawn=spawn)

    def one(self, request: Request) -> Response | Later:
        """Answer a request for a tournament, or with .csv behind its id for its results."""
        named = _NAMED.fullmatch(path_of(request).rpartition("/")[2])
        if named is None:
            return _unknown()
        id, as_table = TournamentId(RoomId(named[1])), named[2] is not None
        return read_for("tournament", lambda: self._one(id, as_table=as_table), self._spawn)

    async def _one(self, id: TournamentId, *, as_table: bool) -> Response:
        try:
            tournament = (await self._tournaments.look(id)).state
        except NoSuchTournament:
            return _unknown()
        if not as_table:
            page = TournamentPageMap(tournament=id, **tournament_map(tournament))
            return tell(HTTPStatus.OK, page, AS_IT_IS_NOW)
        headers = {**AS_IT_IS_NOW, "Content-Disposition": f'attachment; filename="tournament-{id}.csv"'}
        return respond(HTTPStatus.OK, as_csv(tournament), "text/csv; charset=utf-8", headers)

    def all(self, request: Request) -> Response | Later:
        """Answer a request for the list: those that can be entered or are played, the newest first."""
        return read_for("tournament", self._all, self._spawn)

    async def _all(self) -> Response:
        return respond(HTTPStatus.OK, await self._list.get(), "application/json", AS_IT_IS_NOW)

    async def _listed(self) -> bytes:
        lines = (await lobby.newest(self._store, at=lobby.TOURNAMENTS)).lines
        told = [msgspec.json.decode(line, type=TournamentLine) for _, line in lines or ()]
        return msgspec.json.encode(TournamentsMap(tournaments=told))


def as_csv(tournament: Tournament) -> bytes:
    """Return the results as a table. No name in it can act as a formula."""
    written = io.StringIO()
    writer = csv.writer(written)
    for line in results(tournament):
        writer.writerow([_harmless(cell) if isinstance(cell, str) else cell for cell in line])
    return written.getvalue().encode()


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _unknown() -> Response:
    return say(HTTPStatus.NOT_FOUND, "no tournament is known by this id", AS_IT_IS_NOW)
