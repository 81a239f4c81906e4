"""Plain HTTP answers on the WebSocket's port: one request a connection, no bodies in.

GET and HEAD are answered everywhere, POST only where a page is there for it.
"""

import email.utils
import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

import msgspec
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from tenmatch.gateway.tasks import Spawn
from tenmatch.store.connect import StoreDown

log = logging.getLogger(__name__)

FOR_ANYONE: Final = {"Access-Control-Allow-Origin": "*"}
AS_IT_IS_NOW: Final = {**FOR_ANYONE, "Cache-Control": "no-cache"}


class Later:
    """An answer that has to be fetched first."""

    def __init__(self, fetch: Callable[[], Awaitable[Response]], spawn: Spawn) -> None:
        """Prepare; nothing is fetched before `reply_to`."""
        self._fetch = fetch
        self._spawn = spawn

    def reply_to(self, reply: Callable[[Response], None]) -> None:
        """Fetch the answer and hand it to *reply*, which is called once, or never if that fails."""
        self._spawn(self._reply_to(reply))

    async def _reply_to(self, reply: Callable[[Response], None]) -> None:
        reply(await self._fetch())

    def without_body(self) -> "Later":
        """Return the same answer with its head only."""

        async def fetch() -> Response:
            response = await self._fetch()
            response.body = b""
            return response

        return Later(fetch, self._spawn)


def read_for(what: str, work: Callable[[], Awaitable[Response]], spawn: Spawn) -> Later:
    """Return the answer that *work* makes of what is in the store; where that is away, try again soon.

    Args:
        what: Is read, as one says it: "record".
    """

    async def fetch() -> Response:
        try:
            return await work()
        except StoreDown as error:
            log.warning("an answer was not read", extra={"what": what, "error": str(error)})
            return say(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"no {what} can be read now",
                {**FOR_ANYONE, "Retry-After": "1"},
            )

    return Later(fetch, spawn)


class Addressed:
    """A page that has to know from which address it is asked for."""

    def __init__(self, answer: "Callable[[Request, str], Response | Later]") -> None:
        """Answer with what *answer* makes of a request and its address."""
        self.answer = answer

    def __call__(self, request: Request) -> "Response | Later":
        """Answer a request from nobody knows where."""
        return self.answer(request, "?")


Page = Callable[[Request], Response | Later]
"""Answers a GET; for a HEAD the body is dropped afterwards (`tenmatch.gateway.handshake`)."""


def respond(
    status: HTTPStatus, body: bytes, content_type: str, extra: Mapping[str, str] | None = None
) -> Response:
    """Return a whole answer, after which the connection closes."""
    headers = Headers(
        [
            ("Date", email.utils.formatdate(usegmt=True)),
            ("Connection", "close"),
            ("X-Content-Type-Options", "nosniff"),
            *(extra or {}).items(),
        ]
    )
    if status is not HTTPStatus.NOT_MODIFIED:  # which would tell of a body that it does not have
        headers["Content-Length"] = str(len(body))
        headers["Content-Type"] = content_type
    return Response(status.value, status.phrase, headers, body)


def say(status: HTTPStatus, text: str, extra: Mapping[str, str] | None = None) -> Response:
    """Return a short answer for people."""
    return respond(status, f"{text}\n".encode(), "text/plain; charset=utf-8", extra)


def tell(status: HTTPStatus, value: object, extra: Mapping[str, str] | None = None) -> Response:
    """Return an answer in JSON."""
    return respond(status, msgspec.json.encode(value), "application/json", extra)


def path_of(request: Request) -> str:
    """Return the path that was asked for, without its query."""
    return request.path.partition("?")[0]


def query_of(request: Request, *names: str) -> list[str]:
    """Return what the query says under these names, the last where it says more; "" where nothing."""
    query = parse_qs(request.path.partition("?")[2], keep_blank_values=True)
    return [query.get(name, [""])[-1] for name in names]


def without_body(answer: Response | Later) -> Response | Later:
    """Return an answer to a HEAD."""
    if isinstance(answer, Later):
        return answer.without_body()
    answer.body = b""
    return answer


def listed(request: Request, header: str) -> set[str]:
    """Return what a header lists, without parameters and marks of weakness; it may be sent in parts."""
    items = [item for value in request.headers.get_all(header) for item in value.split(",")]
    parted = (item.strip().removeprefix("W/").partition(";") for item in items)
    return {name.strip() for name, _, parameters in parted if parameters.replace(" ", "") != "q=0"}


def takes_gzip(request: Request) -> bool:
    """Tell whether an answer may be packed."""
    return "gzip" in listed(request, "Accept-Encoding")


def route(pages: Mapping[str, Page], request: Request, address: str = "?") -> Response | Later:
    """Answer a plain request from the page under its path.

    Or from the one for all that is in its folder (`/a/b/*`), or for what is deeper in the first (`/a/**`).
    Pages that answer a POST stand under that word and their path.
    """
    path = path_of(request)
    looks = request.method in ("GET", "HEAD")
    name = path if looks else f"{request.method} {path}"
    page = pages.get(name) or pages.get(f"{name.rpartition('/')[0]}/*")
    if page is None and looks and path.count("/") > 2:
        page = pages.get(f"/{path.split('/')[1]}/**")
    if page is None and not looks:
        return say(
            HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD are answered here", {"Allow": "GET, HEAD"}
        )
    if page is None:
        return say(HTTPStatus.NOT_FOUND, f"nothing is at {path!r}")
    return page.answer(request, address) if isinstance(page, Addressed) else page(request)
