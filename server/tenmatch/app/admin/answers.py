"""What the operator's page asks for, and, unless it is to look only, what it may be told to do."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from websockets.http11 import Request, Response

from tenmatch.app.admin.access import PRIVATE, Access
from tenmatch.app.node import Node
from tenmatch.app.operating.command import Failed, find_room
from tenmatch.app.operating.finding import Found, find, going_on
from tenmatch.app.operating.hand import Hand
from tenmatch.app.operating.inspecting import told
from tenmatch.app.operating.listing import line
from tenmatch.app.operating.nodes import announce_on, drain_on
from tenmatch.app.registry import Registry
from tenmatch.game.commands import Close, PutOut
from tenmatch.game.ids import SeatNumber
from tenmatch.gateway.http import Addressed, Later, Page, path_of, tell
from tenmatch.gateway.tasks import Spawn
from tenmatch.store.connect import StoreDown
from tenmatch.store.histogram import SECONDS

log = logging.getLogger(__name__)

MOST: Final = 200  # rooms in the list: reading them takes time from those who play on this node
AT_ONCE: Final = 4  # of them, some 5 ms of work, before others have their turn
EVENTS: Final = 60  # of a room's log

Work = Callable[[Request], Awaitable[object]]


class Admin:
    """The answers of one node."""

    def __init__(self, node: Node, registry: Registry, access: Access, *, writes: bool, spawn: Spawn) -> None:
        """Answer for *node*; *writes*: do, too, what one is told."""
        self._node = node
        self._registry = registry
        self._access = access
        self._writes = writes
        self._spawn = spawn
        self._hand = Hand(node.store, node.tables)

    def pages(self) -> Mapping[str, Page]:
        """Return the answers by path; those to a POST by that word and the path."""
        looks: dict[str, Work] = {
            "/admin/api/me": self._me,
            "/admin/api/nodes": self._nodes,
            "/admin/api/rooms": self._rooms,
            "/admin/api/rooms/*": self._room,
        }
        does: dict[str, Work] = {
            "POST /admin/api/kick/*": self._kick,
            "POST /admin/api/close/*": self._close,
            "POST /admin/api/announce": self._announce,
            "POST /admin/api/drain/*": self._drain,
        }
        return {
            **{path: self._page(work) for path, work in (looks | (does if self._writes else {})).items()},
            "POST /admin/api/login": self._page(self._me, lambda: self._access.cookie()),
            "POST /admin/api/logout": self._page(self._me, lambda: self._access.no_cookie()),
        }

    def _page(self, work: Work, cookie: Callable[[], str] | None = None) -> Page:
        def answer(request: Request, address: str) -> Response | Later:
            refusal = self._access.refusal(request, address)
            return refusal or Later(lambda: self._answer(work, request, cookie), self._spawn)

        return Addressed(answer)

    async def _answer(self, work: Work, request: Request, cookie: Callable[[], str] | None) -> Response:
        extra = {**PRIVATE, **({"Set-Cookie": cookie()} if cookie is not None else {})}
        try:
            return tell(HTTPStatus.OK, await work(request), extra)
        except Failed as error:
            return tell(HTTPStatus.CONFLICT, {"error": str(error)}, PRIVATE)
        except StoreDown as error:
            log.warning("an operator was not answered", extra={"error": str(error)})
            return tell(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "the store cannot be reached"}, PRIVATE)

    # -- to look at

    async def _me(self, _: Request) -> object:
        return {"node": self._node.name, "writes": self._writes}

    async def _nodes(self, _: Request) -> object:
        return {"bounds": SECONDS, "nodes": self._registry.nodes, "time": self._node.store.clock.now()}

    async def _rooms(self, _: Request) -> object:
        lines: list[dict[str, Any]] = []
        async for one in going_on(self._node.store, at_once=AT_ONCE):
            if len(lines) == MOST:
                return {"rooms": lines, "more": True}
            if isinstance(one, Found):
                lines.append(line(one))
        return {"rooms": lines, "more": False}

    async def _room(self, request: Request) -> object:
        found = await find(self._node.store, _last(request))
        return told(found, found.entries[max(0, len(found.entries) - EVENTS) :])

    # -- to do

    async def _kick(self, request: Request) -> object:
        room, _, seat = _last(request).partition(":")
        if not (seat.isascii() and seat.isdecimal() and len(seat) < 4):
            raise Failed("which seat?")
        return await self._order(room, PutOut(SeatNumber(int(seat))))

    async def _close(self, request: Request) -> object:
        return await self._order(_last(request), Close())

    async def _order(self, room: str, command: PutOut | Close) -> object:
        found = await find_room(self._node.store, room)
        log.info("told by an operator", extra={"room": found, "command": repr(command)})
        return {"events": await self._hand.order(found, command)}

    async def _announce(self, request: Request) -> object:
        text = parse_qs(urlsplit(request.path).query).get("text", [""])[0]
        return {"nodes": await announce_on(self._node.store, text)}

    async def _drain(self, request: Request) -> object:
        await drain_on(self._node.store, _last(request))
        return {}


def _last(request: Request) -> str:
    return path_of(request).rpartition("/")[2]
