"""Plain HTTP answers on the WebSocket's port: one request a connection, GET and HEAD only, no bodies in."""

import email.utils
from collections.abc import Callable, Mapping
from http import HTTPStatus

import msgspec
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

Page = Callable[[Request], Response]
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


def route(pages: Mapping[str, Page], request: Request) -> Response:
    """Answer a plain request from the page under its path."""
    if request.method not in ("GET", "HEAD"):
        return say(
            HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD are answered here", {"Allow": "GET, HEAD"}
        )
    page = pages.get(path_of(request))
    if page is None:
        return say(HTTPStatus.NOT_FOUND, f"nothing is at {path_of(request)!r}")
    return page(request)
