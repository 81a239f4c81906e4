"""Who may come in: path, origin, subprotocol, and how many from one address (RFC 6455, section 4.2).

Everyone is counted from the first byte on. A socket that is not let in yet costs nearly nothing to make, so
there is a bound on them: one more ends the oldest, which is no client that means to get in.
"""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from websockets.datastructures import MultipleValuesError
from websockets.exceptions import InvalidHeader, NegotiationError
from websockets.headers import parse_connection, parse_subprotocol
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from tenmatch.gateway.addresses import Proxies, site
from tenmatch.gateway.connection import Connection, Knocker, Receiver
from tenmatch.gateway.http import Later, Page, path_of, route, say, without_body
from tenmatch.protocol.codec import CODECS, Codec
from tenmatch.protocol.limits import CloseCode

log = logging.getLogger(__name__)

PATH = "/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The limits at the door. 0 lifts a limit."""

    origins: Collection[str]  # allowed beside the server's own, exactly, scheme included
    sockets_per_address: int
    sockets: int
    handshakes: int = 0  # not let in yet, of all addresses
    proxies: Proxies = field(default_factory=Proxies)


class Handshake:
    """Answers everyone who knocks, and counts who is in."""

    def __init__(
        self,
        admission: Admission,
        pages: Mapping[str, Page],
        begin: Callable[[Connection, Codec], Receiver],
    ) -> None:
        """Make the door.

        Args:
            pages: The plain HTTP answers, by path.
            begin: Makes the session behind a connection that was let in.
        """
        self.draining = False
        self.connections: set[Connection] = set()
        self.entered = 0  # connections that were let in so far
        self.turned_away: Counter[int] = Counter()  # who wanted to come in and was not let, by status
        self.closed: Counter[int] = Counter()  # who was let in and closed from here, by code
        self._admission = admission
        self._pages = pages
        self._begin = begin
        self._from: Counter[str] = Counter()  # who is in, by site
        self._knocking: dict[Knocker, str] = {}  # the oldest first, with its site
        self._knocking_from: Counter[str] = Counter()

    def knock(self, knocker: Knocker, address: str) -> bool:
        """Count a socket from its first moment on; return False where it must go."""
        limits = self._admission
        where = site(address)
        crowded = 0 < limits.sockets_per_address <= self._knocking_from[where]
        if crowded and not limits.proxies.trusts(address):
            self.turned_away[HTTPStatus.TOO_MANY_REQUESTS] += 1
            log.debug("too many knock at once", extra={"address": address})
            return False
        if 0 < limits.handshakes <= len(self._knocking):
            oldest = next(iter(self._knocking))
            self._forget(oldest)
            oldest.abort()
        self._knocking[knocker] = where
        self._knocking_from[where] += 1
        return True

    def client(self, knocker: Knocker, request: Request, peer: str) -> str:
        """Return the address that a request comes from, and count its socket there."""
        address = self._admission.proxies.client(peer, request.headers)
        if knocker in self._knocking and address != peer:
            self._forget(knocker)
            where = self._knocking[knocker] = site(address)
            self._knocking_from[where] += 1
        return address

    def answer(self, request: Request, protocol: ServerProtocol, address: str) -> Response | Later:
        """Return what to answer to a request: 101 lets it in, everything else is a plain answer."""
        answer = self._answer(request, protocol, address)
        if request.method == "HEAD":
            answer = without_body(answer)
        return answer

    def _answer(self, request: Request, protocol: ServerProtocol, address: str) -> Response | Later:
        hosts = len(request.headers.get_all("Host"))
        if hosts > 1 or (not hosts and request.protocol == "HTTP/1.1"):  # RFC 9112, section 3.2
            return say(HTTPStatus.BAD_REQUEST, "exactly one Host header belongs into a request")
        if path_of(request) != PATH or not _wants_upgrade(request):
            if path_of(request) == PATH and request.method in ("GET", "HEAD"):
                return _upgrade_required("this is the WebSocket's address: connect with a WebSocket client")
            return route(self._pages, request, address)
        refusal = self._refusal(request, address)
        if refusal is not None:
            self.turned_away[refusal.status_code] += 1
            log.debug("refused at the door", extra={"address": address, "status": refusal.status_code})
            return refusal
        # Chosen below: none offered means JSON, which the library has no word for.
        protocol.available_subprotocols = None
        response = protocol.accept(request)
        if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            codec = _codec(request)
            assert codec is not None
            if _offered(request):
                response.headers["Sec-WebSocket-Protocol"] = codec.name
            protocol.subprotocol = codec.name  # type: ignore[assignment]  # theirs is a NewType of str
        return response

    def enter(self, connection: Connection, protocol: ServerProtocol) -> Receiver:
        """Count a connection in and return the session behind it."""
        codec = CODECS[protocol.subprotocol or ""]
        connection.expect(codec)
        self._forget(connection)
        self.connections.add(connection)
        self.entered += 1
        self._from[site(connection.address)] += 1
        return self._begin(connection, codec)

    @property
    def knocking(self) -> int:
        """How many are not let in yet."""
        return len(self._knocking)

    def closes(self, code: CloseCode) -> None:
        """Count a connection that is closed from here."""
        self.closed[code] += 1

    def gone(self, knocker: Knocker) -> None:
        """Count a socket out again, whether it was let in or not."""
        self._forget(knocker)
        if isinstance(knocker, Connection) and knocker in self.connections:
            self.connections.remove(knocker)
            _count_out(self._from, site(knocker.address))

    def _forget(self, knocker: Knocker) -> None:
        where = self._knocking.pop(knocker, None)
        if where is not None:
            _count_out(self._knocking_from, where)

    def _refusal(self, request: Request, address: str) -> Response | None:
        try:
            if not self._may_come_from(request):
                return say(HTTPStatus.FORBIDDEN, "pages from that origin may not connect here")
            if request.headers.get("Sec-WebSocket-Version", "13") != "13":
                return _upgrade_required("only version 13 of the WebSocket protocol is spoken here")
            if _codec(request) is None:
                names = ", ".join(CODECS)
                return say(HTTPStatus.BAD_REQUEST, f"no subprotocol in common: spoken here are {names}")
        except (MultipleValuesError, InvalidHeader, NegotiationError):
            return say(HTTPStatus.BAD_REQUEST, "a header is malformed or was sent twice")
        limits = self._admission
        if self.draining or (limits.sockets and len(self.connections) >= limits.sockets):
            why = "draining" if self.draining else "full"
            return say(
                HTTPStatus.SERVICE_UNAVAILABLE, f"this server is {why}: try again", {"Retry-After": "2"}
            )
        if limits.sockets_per_address and self._crowded(site(address), limits.sockets_per_address):
            return say(
                HTTPStatus.TOO_MANY_REQUESTS, f"{limits.sockets_per_address} sockets from one address at most"
            )
        return None

    def _crowded(self, where: str, most: int) -> bool:
        inside = self._from[where]
        return inside >= most or inside + self._knocking_from[where] > most  # who asks knocks, too

    def _may_come_from(self, request: Request) -> bool:
        """Tell whether the page is our own or on the list; who sends no origin is no browser."""
        origin = request.headers.get("Origin")
        if origin is None or origin in self._admission.origins:
            return True
        host = request.headers.get("Host")
        return host is not None and origin in (f"http://{host}", f"https://{host}")


def _count_out(counter: Counter[str], where: str) -> None:
    counter[where] -= 1
    if not counter[where]:
        del counter[where]


def _upgrade_required(text: str) -> Response:
    return say(HTTPStatus.UPGRADE_REQUIRED, text, {"Upgrade": "websocket", "Sec-WebSocket-Version": "13"})


def _wants_upgrade(request: Request) -> bool:
    try:
        options = [o for value in request.headers.get_all("Connection") for o in parse_connection(value)]
    except InvalidHeader:
        return True  # refused with the reason further on
    return any(option.lower() == "upgrade" for option in options) or "Upgrade" in request.headers


def _offered(request: Request) -> list[str]:
    return [
        name
        for value in request.headers.get_all("Sec-WebSocket-Protocol")
        for name in parse_subprotocol(value)
    ]


def _codec(request: Request) -> Codec | None:
    """Return the codec for the first subprotocol offered that we speak; JSON for who offers none."""
    offered = _offered(request)
    if not offered:
        return next(codec for codec in CODECS.values() if not codec.binary)
    return next((CODECS[name] for name in offered if name in CODECS), None)
