"""The browser library in a real browser, against a real server that is killed, over sockets that are cut.

Two players and a watcher play races to the end. Whatever breaks, every answered move is in the log where its
answer says, once, and everybody ends with the server's state.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from tests.live.node import Node
from tests.store.fleet import free_ports

from tenmatch.game.events import Called, Matched, Mistaken, Passed, Resigned
from tenmatch.protocol.stored import open_all

GAME_MS: Final = 120_000
DRIVER: Final = Path(__file__).with_name("lib") / "driver.js"

MADE: Final = (Matched, Mistaken, Called, Passed, Resigned)

Ack = tuple[int, int, int]  # seat, n, seq


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server that comes back on the port it had, as one behind an address does."""
    port = str(free_ports(1)[0])
    with Node(tmp_path_factory.mktemp("node"), "--port", port, messages_per_s=0, matches_per_s=0) as node:
        yield node


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = shutil.which("chromium")
    assert found, "chromium is missing: the library is tested in it (apt install chromium; make tools)"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def visitor(browser: Browser, node: Node, name: str) -> Page:
    """Return a page of the server's origin, of a visitor of its own, with the library's driver in it."""
    context = browser.new_context()
    context.add_init_script(path=DRIVER)
    return tab(context, node, name)


def tab(context: BrowserContext, node: Node, name: str) -> Page:
    page = context.new_page()
    page.goto(f"{node.url}/healthz")
    page.evaluate("name => meet(name)", name)
    return page


def play_and_compare(node: Node, players: list[Page], everybody: list[Page]) -> None:
    """Let the players play to the end; then compare what everybody has with the server's log and state."""
    for page in everybody:
        page.wait_for_function("room.state.phase === 'over' && room.status === 'live'", timeout=GAME_MS)
    acks: list[Ack] = []
    for page in players:
        done: dict[str, Any] = page.evaluate("playing")
        assert done["lost"] == [], "a move never came to an answer"
        acks += [tuple(ack) for ack in done["acks"]]
    log = open_all(node.entries(everybody[0].evaluate("room.id")), 0, 0)
    made = [(entry.seq, entry.event) for entry in log if isinstance(entry.event, MADE)]
    moves = {(event.seat, event.n): seq for seq, event in made}
    assert len(moves) == len(made), "a move is there twice"
    assert len(acks) > 5
    assert {(seat, n): seq for seat, n, seq in acks}.items() <= moves.items()
    for page in everybody:
        folded, told = page.evaluate("compare()")
        assert folded == told
        assert folded["seq"] == len(log)
        assert page.evaluate("room.checkDeal()")["ok"]


def start(ann: Page, others: list[Page], options: dict[str, object]) -> None:
    """Let Ann make a room, the next one sit down in it, and the rest watch."""
    code = ann.evaluate("options => make('race', options)", options)
    for page in others:
        page.evaluate("code => enter(code)", code)
    ann.evaluate("room.ready(true)")
    others[0].evaluate("room.ready(true)")


@pytest.mark.slow
def test_a_race_over_sockets_that_are_cut(node: Node, browser: Browser) -> None:
    ann, bob, eve = pages = [visitor(browser, node, name) for name in ("Ann", "Bob", "Eve")]
    start(ann, [bob, eve], {"countdown_ms": 0, "size": 27})
    for page in (ann, bob):
        page.evaluate("begin()")
    for page in pages:
        page.evaluate("void cutting(4)")
    play_and_compare(node, [ann, bob], pages)


@pytest.mark.slow
def test_a_race_through_a_crash_and_a_restart(node: Node, browser: Browser) -> None:
    ann, bob, eve = pages = [visitor(browser, node, name) for name in ("Ann", "Bob", "Eve")]
    start(ann, [bob, eve], {"countdown_ms": 0, "size": 35})
    for page in (ann, bob):
        page.evaluate("begin()")
    ann.wait_for_function("room.seq > 12")
    node.kill()
    node.start()
    ann.wait_for_function("room.status === 'live' && room.seq > 18", timeout=GAME_MS)
    node.terminate()
    assert node.wait() == 0
    node.start()
    play_and_compare(node, [ann, bob], pages)


@pytest.mark.slow
def test_two_tabs_are_one_player_who_sits_in_the_newer_one(node: Node, browser: Browser) -> None:
    first = visitor(browser, node, "Ann")
    code = first.evaluate("make('race', {})")
    second = tab(first.context, node, "Somebody")
    assert second.evaluate("code => enter(code)", code) == 0
    assert second.evaluate("client.player") == first.evaluate("client.player")
    first.wait_for_function("room.status === 'detached' && client.closed?.code === 4501")
    assert first.evaluate("room.rejoin().then(() => [room.status, room.seat, client.status])") == [
        "live",
        0,
        "open",
    ]
    second.wait_for_function("room.status === 'detached'")
