"""Asks for pages, and complains of answers that the OpenAPI document does not have."""

import gzip
import json
import re
from typing import Final

from tests.gateway.nodes import Running
from tests.live.wire import Answer, fetch
from tests.protocol.valid import misfit

from tenmatch.protocol import openapi
from tenmatch.protocol.openapi import JSON, PAGES, Page


def _pattern(page: Page) -> re.Pattern[str]:
    return re.compile("[^/.]*".join(map(re.escape, re.split(r"{\w+}", page.path))))


_PATTERNS: Final = [(_pattern(page), page) for page in PAGES]


def page_at(path: str) -> Page | None:
    """Return the page of the document that a path leads to."""
    bare = path.partition("?")[0]
    return next((page for pattern, page in _PATTERNS if pattern.fullmatch(bare)), None)


async def ask(running: Running, path: str, method: str = "GET", **headers: str) -> Answer:
    """Ask a node for a page, which has to answer as the document says if it stands there."""
    answer = await fetch(f"http://127.0.0.1:{running.port}", path, method, **headers)
    page = page_at(path)
    if page is not None:
        assert (wrong := complaint(page, answer, has_body=method != "HEAD")) is None, (path, wrong)
    return answer


def complaint(page: Page, answer: Answer, *, has_body: bool = True) -> str | None:
    """Return what the document does not say of an answer, if anything."""
    due = next((due for due in page.answers if due.status == answer.status), None)
    if due is None:
        return f"{answer.status} is no answer of this page"
    if due.content != answer.headers.get("content-type"):
        return f"{answer.headers.get('content-type')} where {due.content} is due"
    if page.path.startswith("/v1/") and answer.headers.get("access-control-allow-origin") != "*":
        return "pages of other origins may not read it"
    if (due == openapi.NOT_NOW) != ("retry-after" in answer.headers):
        return "Retry-After where it does not belong, or not where it does"
    if due.content != JSON or not has_body:
        return None
    packed = answer.headers.get("content-encoding") == "gzip"
    told = json.loads(gzip.decompress(answer.body) if packed else answer.body)
    return misfit(due.schema, told) if due.schema else None
