"""The web client as it is served: whole, packed, and only what belongs to it."""

import gzip
import re
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from tenmatch.app import website
from tenmatch.app.website import TYPES, WebsiteMissing, folder, pages
from tenmatch.gateway.http import Page, route


@pytest.fixture
def site(tmp_path: Path) -> Mapping[str, Page]:
    """A small site, with things in its folder that are none of anybody's business."""
    (tmp_path / "index.html").write_text("<!doctype html>" + "hello " * 100)
    (tmp_path / "app.js").write_text("let a = 1\n")
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "icon.svg").write_text("<svg/>")
    for name in ("README.md", ".env", "secret.key", "app.js.bak", "noext"):
        (tmp_path / name).write_text("not for you")
    return pages(tmp_path)


def get(site: Mapping[str, Page], path: str, *headers: tuple[str, str]) -> Response:
    answer = route(site, Request(path, Headers(list(headers))))
    assert isinstance(answer, Response)
    return answer


def test_only_files_of_known_types_are_served(site: Mapping[str, Page]) -> None:
    assert set(site) == {"/", "/index.html", "/app.js", "/img/icon.svg", "/at/**"}


@pytest.mark.parametrize(
    "path",
    [
        "/README.md",
        "/.env",
        "/../README.md",
        "/img/../app.js",
        "//app.js",
        "/app.js/",
        "/APP.JS",
        "/%61pp.js",
        "",
    ],
)
def test_whatever_else_is_asked_for_is_not_there(site: Mapping[str, Page], path: str) -> None:
    assert get(site, path).status_code == 404


def test_a_file_is_served_with_its_type_and_asked_for_again(site: Mapping[str, Page]) -> None:
    response = get(site, "/app.js?v=1")
    assert (response.status_code, response.body) == (200, b"let a = 1\n")
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", ["/", "/index.html", "/img/icon.svg"])
def test_what_can_be_a_page_says_what_it_may_do(site: Mapping[str, Page], path: str) -> None:
    headers = get(site, path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ([], False),
        (["gzip"], True),
        (["br, gzip;q=0.5"], True),
        (["br", "gzip"], True),
        (["gzip;q=0"], False),
        (["identity, gzip; q=0"], False),
        (["x-gzipped"], False),
    ],
)
def test_who_takes_gzip_gets_it(site: Mapping[str, Page], accepted: list[str], packed: bool) -> None:
    response = get(site, "/", *(("Accept-Encoding", value) for value in accepted))
    assert response.headers.get("Content-Encoding") == ("gzip" if packed else None)
    body = gzip.decompress(response.body) if packed else response.body
    assert body.startswith(b"<!doctype html>")
    assert int(response.headers["Content-Length"]) == len(response.body)


def test_who_has_the_file_is_told_so_and_sent_nothing(site: Mapping[str, Page]) -> None:
    tag = get(site, "/").headers["ETag"]
    strong = tag.removeprefix("W/")
    for held in (tag, strong, f'"other", {tag}', f"W/{strong}"):
        response = get(site, "/", ("If-None-Match", held))
        assert (response.status_code, response.body) == (304, b"")
        assert response.headers["ETag"] == tag
        assert "Content-Length" not in response.headers
    twice = get(site, "/", ("If-None-Match", '"other"'), ("If-None-Match", tag))
    assert twice.status_code == 304
    assert get(site, "/", ("If-None-Match", '"other"')).status_code == 200
    assert get(site, "/app.js", ("If-None-Match", tag)).status_code == 200


def test_each_answer_is_one_of_its_own(site: Mapping[str, Page]) -> None:
    get(site, "/").body = b""
    assert get(site, "/").body


def test_the_web_client_itself_is_found_and_whole() -> None:
    place = folder()
    served = pages(place, admin=True)
    assert b"<html" in get(served, "/").body
    assert b"operator" in get(served, "/admin").body
    for path in place.rglob("*"):
        if path.is_file() and path.suffix in TYPES:
            response = get(served, f"/{path.relative_to(place).as_posix()}")
            assert response.status_code == HTTPStatus.OK
            assert response.body == path.read_bytes()


def test_what_the_first_page_leads_to_is_kept_for_good() -> None:
    served = pages(folder())
    first = get(served, "/").body.decode()
    paths = re.findall(r'(?:src|href)="(at/[^"]+)"', first)
    assert {"style.css", "app.js", "texts_en.js"} < {path.rpartition("/")[2] for path in paths}
    assert not re.findall(r'(?:src|href)="[\w.]+\.(?:js|css)"', first)
    for path in paths:
        response = get(served, f"/{path}")
        assert response.status_code == HTTPStatus.OK
        assert "immutable" in response.headers["Cache-Control"]
        name = path.rpartition("/")[2]
        other = get(served, f"/at/before/{name}")  # for the page of before a deploy
        assert (other.body, other.headers["Cache-Control"]) == (response.body, "no-cache")
    assert get(served, f"/{paths[0]}x").status_code == HTTPStatus.NOT_FOUND
    assert get(served, "/at/before/").status_code == HTTPStatus.NOT_FOUND
    assert get(served, "/at/app.js").status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ([], "en"),
        (["fr-CA, en;q=0.8"], "fr"),
        (["de, es-MX;q=0.7, pt"], "es"),
        (["de"], "en"),
        (["", "PT"], "pt"),
    ],
)
def test_words_are_named_beforehand(wanted: list[str], language: str) -> None:
    response = get(pages(folder()), "/", *(("Accept-Language", value) for value in wanted))
    assert re.findall(r"texts_(\w+)\.js", response.body.decode()) == [language]
    assert response.headers["Vary"] == "Accept-Encoding, Accept-Language"


def test_each_version_has_a_name_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<script type="module" src="app.js"></script>')
    found = set()
    for text in ("let a = 1", "let a = 2", "let a = 1"):
        (tmp_path / "app.js").write_text(text)
        found.add(get(pages(tmp_path), "/").body)
    assert len(found) == 2


def needed(name: str) -> set[str]:
    """Return a module and all that it imports at once."""
    found, ahead = set[str](), {name}
    while ahead:
        one = ahead.pop()
        found.add(one)
        source = (folder() / one).read_text()
        ahead |= {*re.findall(r"^(?:import|export) [^'(]* from '\./([\w.]+)';", source, re.M)} - found
    return found


def test_the_first_page_names_all_that_it_needs_beforehand() -> None:
    told = re.findall(r'<link rel="modulepreload" href="([^"]+)">', (folder() / "index.html").read_text())
    assert {*told, "app.js"} == needed("app.js")
    assert len(told) == len(set(told))


def test_what_is_for_operators_is_served_only_where_there_are_some() -> None:
    hidden = set(pages(folder(), admin=True)) - set(pages(folder()))
    assert {"/admin", "/admin/index.html", "/admin/admin.js"} <= hidden
    assert all(path.startswith("/admin") for path in hidden)


def test_a_package_without_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(website, "files", lambda package: tmp_path / "a" / "b" / "tenmatch")
    with pytest.raises(WebsiteMissing, match=r"no index\.html in "):
        folder()
    packed = tmp_path / "a" / "b" / "tenmatch" / "web"
    packed.mkdir(parents=True)
    (packed / "index.html").touch()
    assert folder() == packed
