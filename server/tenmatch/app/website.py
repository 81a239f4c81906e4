"""The web client, served from memory: its files are few, and one on disk can vanish in mid-deploy.

Each file is there as it is. `/` leads to the same scripts and style sheets below a folder that is called
after what is in them all, so that a browser that has them never asks again.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Final

from websockets.http11 import Request, Response

from tenmatch.gateway.http import listed, path_of, respond, say, takes_gzip

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
DOCUMENTS: Final = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
"""For what can be a page by itself; elsewhere it would say nothing, forty times a visit."""
LASTING: Final = "max-age=31536000, immutable"
WORDS: Final = re.compile(r"texts_(\w\w)\.js")
NAMED: Final = re.compile(r'(?<=(?:.src|href)=")(?=[\w.]+\.(?:js|css)")')
"""Where the first page names a script or a style sheet."""


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
    vary: str = "Accept-Encoding"  # what of a request decides what is sent

    def __call__(self, request: Request, *, lasting: bool = False) -> Response:
        """Answer a request for this file; a *lasting* one is never another under the same path."""
        headers = {
            "ETag": self.tag,
            # Else ask each time; unchanged costs 304 and no bytes.
            "Cache-Control": LASTING if lasting else "no-cache",
            "Vary": self.vary,
            **(DOCUMENTS if self.content_type in (TYPES[".html"], TYPES[".svg"]) else {}),
            **({"Access-Control-Allow-Origin": "*"} if self.for_anyone else {}),
        }
        if self.tag.removeprefix("W/") in listed(request, "If-None-Match"):
            return respond(HTTPStatus.NOT_MODIFIED, b"", self.content_type, headers)
        if takes_gzip(request):
            packed = {**headers, "Content-Encoding": "gzip"}
            return respond(HTTPStatus.OK, self.packed, self.content_type, packed)
        return respond(HTTPStatus.OK, self.plain, self.content_type, headers)


@dataclass(frozen=True, slots=True)
class Version:
    """Scripts and style sheets of this version of the page, under `/at/STAMP/`.

    Who has the page of another version, from before a deploy, gets what there is now, and does not keep it.
    """

    files: Mapping[str, File]
    stamp: str

    def __call__(self, request: Request) -> Response:
        """Answer a request for one of them."""
        _, _, stamp, name = path_of(request).split("/", 3)
        file = self.files.get(name)
        if file is None:
            return say(HTTPStatus.NOT_FOUND, f"there is no {name!r}")
        return file(request, lasting=stamp == self.stamp)


@dataclass(frozen=True, slots=True)
class Index:
    """The first page. It names the words of the reader's language, to be fetched beside the scripts."""

    spoken: Mapping[str, File]  # by language, as `fr`
    unknown: File  # for who wants none of these

    def __call__(self, request: Request) -> Response:
        """Answer with the page in the first language that is asked for and known."""
        wanted = [tag for value in request.headers.get_all("Accept-Language") for tag in value.split(",")]
        known = (self.spoken.get(tag.strip()[:2].lower()) for tag in wanted)
        return next((file for file in known if file is not None), self.unknown)(request)


def version(files: Mapping[str, File]) -> Version:
    """Return the version that these scripts and style sheets, by name, are."""
    said = "".join(f"{name} {file.tag}\n" for name, file in sorted(files.items()))
    return Version(files, hashlib.sha256(said.encode()).hexdigest()[:12])


def ready(content_type: str, data: bytes, *, for_anyone: bool = False, vary: str = "Accept-Encoding") -> File:
    """Return a file with its packed form and its tag."""
    # Weak: the packed form is another sequence of bytes, and proxies may pack anew.
    tag = f'W/"{hashlib.sha256(data).hexdigest()[:16]}"'
    return File(content_type, data, gzip.compress(data, mtime=0), tag, for_anyone, vary)


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


def pages(place: Path, *, admin: bool = False) -> dict[str, File | Version | Index]:
    """Return an answer for each file of the web client, by path; `/` is its index.

    Args:
        admin: With the operators' page, at `/admin`.
    """
    kept: dict[str, File] = {}
    answers: dict[str, File | Version | Index] = {}
    for path in sorted(place.rglob("*")):
        operators = path.relative_to(place).parts[0] == "admin"
        if path.is_file() and path.suffix in TYPES and (admin or not operators):
            file = ready(TYPES[path.suffix], path.read_bytes())
            answers[f"/{path.relative_to(place).as_posix()}"] = file
            if path.parent == place and path.suffix in (".js", ".css"):
                kept[path.name] = file
    current = version(kept)
    answers["/at/**"] = current
    answers["/"] = _index((place / "index.html").read_text(), current)
    if "/admin/index.html" in answers:
        answers["/admin"] = answers["/admin/index.html"]
    return answers


def _index(page: str, current: Version) -> Index:
    """Return the first page with this version's files."""
    at = f"at/{current.stamp}/"
    stamped = NAMED.sub(at, page)

    def with_words(language: str) -> File:
        early = f'<link rel="modulepreload" href="{at}texts_{language}.js">\n</head>'
        told = stamped.replace("</head>", early, 1)
        return ready(TYPES[".html"], told.encode(), vary="Accept-Encoding, Accept-Language")

    languages = [found[1] for name in current.files if (found := WORDS.fullmatch(name))]
    spoken = {language: with_words(language) for language in languages}
    return Index(spoken, spoken.get("en", ready(TYPES[".html"], stamped.encode())))
