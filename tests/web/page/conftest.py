"""A server for each module, one browser, and people who come to it; a page's complaints fail the test."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.effort import give_way
from tests.live.node import Node
from tests.web.page.browser import launch
from tests.web.page.visitor import Visitor

Visit: TypeAlias = Callable[..., Visitor]
HERE: Final = Path(__file__).parent


class Started(ExitStack):
    """A browser, and what drives it, until it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.browser = self.enter_context(launch(self.enter_context(sync_playwright())))
        told = self.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
        give_way(next(process["id"] for process in told["processInfo"] if process["type"] == "browser"))


OPEN = pytest.StashKey[Started]()


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server whose limits nobody in a test can meet."""
    with Node(tmp_path_factory.mktemp("node"), messages_per_s=0, matches_per_s=0, rooms_per_player=0) as node:
        yield node


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Browser:
    """Chromium as Debian ships it, started for the first module and again only where it has died."""
    stash = request.config.stash
    if OPEN in stash and not stash[OPEN].browser.is_connected():
        stash[OPEN].close()
        del stash[OPEN]
    if OPEN not in stash:
        stash[OPEN] = Started()
    return stash[OPEN].browser


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """Close the browser after the last test of the page: no loop of others runs while its own does."""
    yield
    started = item.config.stash.get(OPEN, None)
    if started is not None and (nextitem is None or not nextitem.path.is_relative_to(HERE)):
        started.close()
        del item.config.stash[OPEN]


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
