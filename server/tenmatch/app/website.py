"""The web client, served from memory: its files are few, and one on disk can vanish in mid-deploy."""

import gzip
import hashlib
from dataclasses import dataclass
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Final

from websockets.http11 import Request, Response

from tenmatch.gateway.http import listed, respond, takes_gzip

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
POLICY: Final = (
    "default-src 'self'; connect-src 'self'; img-src 'self' data:; style-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class WebsiteMissing(Exception):
    """The web client's files are neither in the package nor beside it."""


@dataclass(frozen=True, slots=True)
class File:
    """One file, ready to send."""

    content_type: str
    plain: bytes
    packed: bytes  # gzip
    tag: str
    for_anyone: bool = False  # whether pages of any origin may read it

    def __call__(self, request: Request) -> Response:
        """Answer a request for this file."""
        headers = {
            "ETag": self.tag,
            "Cache-Control": "no-cache",  # ask each time; unchanged costs 304 and no bytes
            "Content-Security-Policy": POLICY,
            "Referrer-Policy": "no-referrer",
            "Vary": "Accept-Encoding",
            **({"Access-Control-Allow-Origin": "*"} if self.for_anyone else {}),
        }
        if self.tag.removeprefix("W/") in listed(request, "If-None-Match"):
            return respond(HTTPStatus.NOT_MODIFIED, b"", self.content_type, headers)
        if takes_gzip(request):
            packed = {**headers, "Content-Encoding": "gzip"}
            return respond(HTTPStatus.OK, self.packed, self.content_type, packed)
        return respond(HTTPStatus.OK, self.plain, self.content_type, headers)


def ready(content_type: str, data: bytes, *, for_anyone: bool = False) -> File:
    """Return a file with its packed form and its tag."""
    # Weak: the packed form is another sequence of bytes, and proxies may pack anew.
    tag = f'W/"{hashlib.sha256(data).hexdigest()[:16]}"'
    return File(content_type, data, gzip.compress(data, mtime=0), tag, for_anyone)


def folder() -> Path:
    """Return where the web client is: in the installed package, or in the checkout it runs from.

    Raises:
        WebsiteMissing: It is in neither.
    """
    package = Path(str(files("tenmatch")))
    for place in (package / "web", package.parent.parent / "client_demo" / "web"):
        if (place / "index.html").is_file():
            return place
    raise WebsiteMissing(f"no index.html in {package / 'web'}: the package is not whole, install it again")


def pages(place: Path, *, admin: bool = False) -> dict[str, File]:
    """Return an answer for each file of the web client, by path; `/` is its index.

    Args:
        admin: With the operators' page, at `/admin`.
    """
    answers: dict[str, File] = {}
    for path in sorted(place.rglob("*")):
        operators = path.relative_to(place).parts[0] == "admin"
        if path.is_file() and path.suffix in TYPES and (admin or not operators):
            answers[f"/{path.relative_to(place).as_posix()}"] = ready(TYPES[path.suffix], path.read_bytes())
    answers["/"] = answers["/index.html"]
    if "/admin/index.html" in answers:
        answers["/admin"] = answers["/admin/index.html"]
    return answers
