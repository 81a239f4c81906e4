"""What a server has over HTTP: records, ratings, the daily, tournaments (server/protocol.md, "Over HTTP").

Nobody has to connect for it, or be anybody. Each is one small request now and then, for which the standard
library on a thread will do.
"""

import asyncio
import gzip
import ssl
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from typing import Any, Final, Literal, TypeAlias, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPSHandler, OpenerDirector, ProxyHandler, Request, build_opener

import msgspec
from websockets.headers import build_authorization_basic

from tenmatch.client.address import base_of, parsed
from tenmatch.client.errors import Denied, NotOurs, Unreachable
from tenmatch.protocol.pages import (
    DayMap,
    LeaderboardMap,
    PlayerPageMap,
    ReadinessMap,
    RoomsMap,
    TournamentPageMap,
    TournamentsMap,
)
from tenmatch.protocol.record import Record, RecordError, decode
from tenmatch.protocol.tournaments import TournamentLine

_T = TypeVar("_T")
Wishes: TypeAlias = Mapping[str, str | int | None]
"""What is asked for, as the query of an address."""
PATIENCE_S: Final = 10.0
_ASKED: Final = {"Accept-Encoding": "gzip", "User-Agent": "tenmatch-python"}


class Pages:
    """The pages of a server. All methods raise Unreachable, NotOurs, and Denied: `http_404` and the like."""

    def __init__(
        self, url: str, *, tls: ssl.SSLContext | None = None, proxy: str | Literal[True] | None = True
    ) -> None:
        """Be ready to ask.

        Args:
            url: The server's, as `http://127.0.0.1:8765` or `wss://play.example.org`.
            tls: For a server whose certificate is signed by an authority of your own.
            proxy: True: the one of the environment; None: none; else its URL.

        Raises:
            BadUrl: It is no URL of a server.
        """
        base = base_of(url)
        scheme, _, rest = base.partition("://")
        self.url: Final = f"{scheme.replace('ws', 'http', 1)}://{rest.rpartition('@')[2]}"
        self._headers = dict(_ASKED)
        if (user := parsed(base).user_info) is not None:
            self._headers["Authorization"] = build_authorization_basic(*user)
        self._opener = _opener(tls, proxy)

    async def rooms(self) -> RoomsMap:
        """Return the public rooms, and which of them are most worth watching; `Client.lobby` follows them."""
        return await self._json("/v1/rooms", RoomsMap)

    async def record(self, room: str) -> Record:
        """Return the record of a game that is over; `verify` says whether it proves its game."""
        path = f"/v1/records/{quote(room, safe='')}"
        try:
            return decode(await self.fetch(path))
        except RecordError as error:
            raise NotOurs(f"{self.url}{path} is no record that this version can read: {error}") from error

    async def leaderboard(
        self, mode: str = "race", *, period: str = "all", page: int = 1, player: str | None = None
    ) -> LeaderboardMap:
        """Return a page of a leaderboard.

        Args:
            mode: `race`, `turns` or `mirror`.
            period: `all` or `week`.
            page: From 1; there are 50 lines on each.
            player: Whose own line is to come along, as `own`.
        """
        wishes: Wishes = {"period": period, "page": page, "player": player}
        return await self._json(f"/v1/leaderboards/{quote(mode, safe='')}", LeaderboardMap, wishes)

    async def played(self, player: str) -> PlayerPageMap:
        """Return a player's ratings and rated games."""
        return await self._json(f"/v1/players/{quote(player, safe='')}", PlayerPageMap)

    async def day(self, day: str | None = None, *, page: int = 1, player: str | None = None) -> DayMap:
        """Return a day: what it is committed to, its seed once that is told, a page of its board.

        Args:
            day: As `2026-12-01`; without, today (UTC).
            page: From 1; there are 50 lines on each.
            player: Whose own line is to come along, as `own`.
        """
        path = "/v1/daily" if day is None else f"/v1/daily/{quote(day, safe='')}"
        return await self._json(path, DayMap, {"page": page, "player": player})

    async def tournaments(self) -> list[TournamentLine]:
        """Return the tournaments that are public and not over, the newest first."""
        return (await self._json("/v1/tournaments", TournamentsMap))["tournaments"]

    async def tournament(self, tournament: str) -> TournamentPageMap:
        """Return how a tournament stands; `Client.tournament` follows it."""
        return await self._json(f"/v1/tournaments/{quote(tournament, safe='')}", TournamentPageMap)

    async def results(self, tournament: str) -> str:
        """Return the ranking of a tournament as a table (CSV, RFC 4180), its heading first."""
        return (await self.fetch(f"/v1/tournaments/{quote(tournament, safe='')}.csv")).decode()

    async def ready(self) -> ReadinessMap:
        """Return whether a node takes players, and what that rests on. A proxy may not let one ask."""
        return await self._json("/readyz", ReadinessMap, but=HTTPStatus.SERVICE_UNAVAILABLE)

    async def _json(
        self,
        path: str,
        kind: type[_T],
        wishes: Wishes | None = None,
        *,
        but: HTTPStatus | None = None,
    ) -> _T:
        query = urlencode({name: wish for name, wish in (wishes or {}).items() if wish is not None})
        text = await self.fetch(f"{path}?{query}" if query else path, but=but)
        try:
            return msgspec.json.decode(text, type=kind)
        except msgspec.MsgspecError as error:
            raise NotOurs(f"{self.url}{path} is nothing of this protocol: {error}") from error

    async def fetch(self, path: str, *, but: HTTPStatus | None = None) -> bytes:
        """Return what is at a path.

        Args:
            but: This status is fine, too.
        """
        return await asyncio.to_thread(self._fetch, path, but)

    def _fetch(self, path: str, but: HTTPStatus | None) -> bytes:
        asked = Request(self.url + path, headers=self._headers)
        try:
            with self._opener.open(asked, timeout=PATIENCE_S) as answer:
                return _body(answer)
        except HTTPError as error:
            with error:
                body = _body(error)
                if error.code == but:
                    return body
                said = body.decode(errors="replace").strip() if _is_text(error) else error.reason
                raise Denied(f"http_{error.code}", said) from None
        except (URLError, HTTPException, OSError, EOFError) as error:
            why = error.reason if isinstance(error, URLError) else error
            raise Unreachable(f"no server answers at {self.url}: {why}") from error


def _opener(tls: ssl.SSLContext | None, proxy: str | Literal[True] | None) -> OpenerDirector:
    by = (
        ProxyHandler()
        if proxy is True
        else ProxyHandler(dict.fromkeys(("http", "https"), proxy) if proxy else {})
    )
    return build_opener(by, HTTPSHandler(context=tls))


def _body(answer: Any) -> bytes:
    body: bytes = answer.read()
    return gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body


def _is_text(error: HTTPError) -> bool:
    """Tell whether an answer says in a line what is wrong, as a server of ours does; proxies have pages."""
    return str(error.headers.get("Content-Type", "")).startswith("text/plain")
