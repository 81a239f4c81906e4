"""A server and a browser for each module, and people who come to it; a page's complaints fail the test."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.live.node import Node
from tests.web.page.browser import launch
from tests.web.page.visitor import Visitor

Visit: TypeAlias = Callable[..., Visitor]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server whose limits nobody in a test can meet."""
    with Node(tmp_path_factory.mktemp("node"), messages_per_s=0, matches_per_s=0, rooms_per_player=0) as node:
        yield node


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as Debian ships it."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def visit(node: Node, browser: Browser) -> Iterator[Visit]:
    """Return what brings a person with a browser of their own to the page.

    `visit()` leads to the first screen, `visit("#KX497P")` to a room; keywords are options of a context.
    """
    visitors: list[Visitor] = []

    def visit(address: str = "", **wishes: Any) -> Visitor:
        visitor = Visitor.come(browser, node, **wishes)
        visitors.append(visitor)
        visitor.open(address)
        return visitor

    yield visit
    for visitor in visitors:
        visitor.close()
    assert [trouble for visitor in visitors for trouble in visitor.troubles] == []
