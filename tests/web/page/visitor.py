"""One person at one browser: what they see of the page, and what they do there.

Hooks are the page's `data-testid`s (client_demo/web/PAGE.md). Nothing here knows more than the page shows;
which moves there are is for the oracle of the rules to say, from the board as it is seen.
"""

import time
from collections.abc import Sequence
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, WebError, expect
from tests.live.node import Node
from tests.rules.oracle import OracleGame, Slot

PATIENCE_MS: Final = 30_000  # whatever is awaited here is due at once; no test waits for it in vain
expect.set_options(timeout=PATIENCE_MS)
NO_HOLE: Final = -1  # the page does not tell which number was in a hole

# The rows of a board as [id, digit], null for a hole; rows that are folding away are gone already.
ROWS: Final = """(hook) => [
    ...document.querySelectorAll(`[data-testid=${hook}] .row:not([aria-hidden])`)].map(
    (row) => [...row.querySelectorAll('.cell')].map((cell) => {
        const number = cell.querySelector('button')
        return number && [Number(number.dataset.id), Number(number.textContent)]
    }))"""
SHOWS: Final = f"""([wanted, hook]) => ({ROWS})(hook).map(
    (row) => row.map((cell) => cell ? cell[1] : '.').join('')).join('/') === wanted"""
TAP: Final = """(numbers) => numbers.forEach(
    (number) => document.querySelector(`[data-testid=board] button[data-id="${number}"]`)?.click())"""

WORDS: Final = """async (language) => {
    const parts = ['texts', 'more'].map((name) => import(`/${name}_${language}.js`))
    return Object.assign({}, ...(await Promise.all(parts)).map((part) => part.default))
}"""

# Keeps all that a part says from now on: what is said for a moment only may be over before anybody looks.
HEARD: Final = """(hook) => {
    const part = document.querySelector(`[data-testid=${hook}]`)
    const said = ((window.heard ??= {})[hook] = [])
    new MutationObserver(() => said.push(part.innerText)).observe(part, { childList: true, subtree: true })
}"""
SAID: Final = "([hook, text]) => window.heard[hook].some((said) => said.includes(text))"

# A room as the page's own forms would make it, with options that no form has.
HOST: Final = """async ({ mode, options }) => {
    const { Client } = await import('/tenmatch.js')
    const client = new Client()
    client.connect()
    const { code } = await client.create({ mode, options, private: true })
    client.close()
    return code
}"""


class Visitor:
    """A person; `page` is the tab they look at."""

    def __init__(self, context: BrowserContext, node: Node) -> None:
        self.context = context
        self.home = f"{node.url}/"
        self.troubles: list[str] = []
        self._excused: tuple[str, ...] = ()
        context.set_default_timeout(PATIENCE_MS)
        context.on("console", self._heard)
        context.on("weberror", self._broke)
        self.page = context.new_page()

    @classmethod
    def come(cls, browser: Browser, node: Node, *, width: int = 1280, **wishes: Any) -> "Visitor":
        """Come with a browser that was never here: no token, no settings."""
        look: dict[str, Any] = {"viewport": {"width": width, "height": 720}, "locale": "en-GB", **wishes}
        return cls(browser.new_context(**look), node)

    def excuse(self, *parts: str) -> None:
        """From now on do not mind complaints that contain one of these."""
        self._excused += parts

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._note(f"{message.type}: {message.text} ({message.location['url']})")

    def _broke(self, error: WebError) -> None:
        self._note(f"thrown: {error.error.stack or error.error}")

    def _note(self, trouble: str) -> None:
        if not any(part in trouble for part in self._excused):
            self.troubles.append(trouble)

    def close(self) -> None:
        """Go, with all tabs."""
        self.context.close()

    # Where they are

    def open(self, address: str = "") -> None:
        """Load the page anew, at an address behind the first screen's: `#KX497P`."""
        if self.page.url != "about:blank":
            self.page.goto("about:blank")  # else another fragment would be no new load
        self.page.goto(self.home + address)
        expect(self.page.locator("#main > *")).to_have_count(1)
        expect(self.at("name")).not_to_have_text("…")

    def follow(self, code: str) -> None:
        """Go to a room as a link on the page would lead there: without loading it anew."""
        self.page.evaluate("(code) => { location.hash = code }", code)
        expect(self.at("room-code")).to_have_text(f"{code[:3]}·{code[3:]}".upper())

    def new_tab(self, address: str = "") -> Page:
        """Open another tab of the same person and look at it; returns the one they looked at."""
        former, self.page = self.page, self.context.new_page()
        self.open(address)
        return former

    def at(self, hook: str) -> Locator:
        """Return what carries a hook."""
        return self.page.get_by_test_id(hook)

    def press(self, hook: str) -> None:
        """Click what carries a hook."""
        self.at(hook).click()

    def check(self, hook: str) -> None:
        """Choose a radio button or tick a box, which may lie unseen under its label."""
        self.at(hook).check(force=True)

    def sees(self, hook: str, text: str = "") -> None:
        """Wait until what carries a hook is there, and says *text* among other things."""
        expect(self.at(hook)).to_be_visible()
        if text:
            expect(self.at(hook)).to_contain_text(text)

    def listen(self, hook: str) -> None:
        """Hear all that something says from now on, for however short a time."""
        self.page.evaluate(HEARD, hook)

    def heard(self, hook: str, text: str) -> None:
        """Wait until something to which one listens has said *text* among other things."""
        self.page.wait_for_function(SAID, arg=[hook, text])

    @property
    def code(self) -> str:
        """The code of the room, as it stands in the address."""
        return self.at("room-code").inner_text().replace("·", "")

    @property
    def name(self) -> str:
        """The name they go by."""
        return self.at("name").inner_text()

    def rename(self, name: str) -> None:
        """Take another name."""
        self.press("name")
        self.at("name-input").fill(name)
        self.press("name-save")
        expect(self.at("name")).to_have_text(name)
        expect(self.page.get_by_role("dialog")).to_have_count(0)

    def words(self, language: str) -> dict[str, str]:
        """Return all that the page can say in a language, by key."""
        words: dict[str, str] = self.page.evaluate(WORDS, language)
        return words

    # Before the game

    def make(self, mode: str = "race", **options: object) -> str:
        """Make a private room, sit on its first seat and return its code."""
        self.follow(self.page.evaluate(HOST, {"mode": mode, "options": options}))
        return self.code

    # At the table

    def board(self, hook: str = "board") -> OracleGame:
        """Return the game as a board on the page shows it."""
        game = OracleGame("")
        rows: list[list[tuple[int, int] | None]] = self.page.evaluate(ROWS, hook)
        game.rows = [[Slot(*cell) if cell else Slot(NO_HOLE, None) for cell in row] for row in rows]
        game.next_id = max((*game.ids(), NO_HOLE)) + 1
        return game

    def shows(self, board: str, hook: str = "board") -> None:
        """Wait until the page shows this board."""
        self.page.wait_for_function(SHOWS, arg=[board, hook])

    def number(self, number: int) -> Locator:
        """Return the button of a number."""
        return self.at("board").locator(f'button[data-id="{number}"]')

    def tap(self, number: int) -> None:
        """Tap a number."""
        self.number(number).click()

    def claim(self, a: int, b: int) -> None:
        """Tap two numbers, one after the other, and wait for what becomes of it."""
        self.tap(a)
        self.tap(b)
        expect(self.at("board").locator(".wait")).to_have_count(0)

    def tap_if_there(self, *numbers: int) -> None:
        """Tap numbers in a moment, those that are still on the board: others may be faster."""
        self.page.evaluate(TAP, numbers)

    def score(self, seat: int) -> int:
        """Return the score that a card shows."""
        return int(self.at(f"score-{seat}").get_attribute("data-score") or "none")

    def has_score(self, seat: int, score: int) -> None:
        """Wait until a card shows a score."""
        expect(self.at(f"score-{seat}")).to_have_attribute("data-score", str(score))

    def sees_turn(self, seat: int) -> None:
        """Wait until the card of this seat is the one whose turn it is."""
        expect(self.at(f"seat-{seat}")).to_have_attribute("aria-current", "true")

    def seconds(self) -> float:
        """Return the time that the clock shows."""
        minutes, _, seconds = self.at("clock").inner_text().rpartition(":")
        return int(minutes or 0) * 60 + float(seconds)


def clocks_agree(one: Visitor, other: Visitor) -> None:
    """Wait until two clocks, which are seen one after the other, show the same, to the second."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while True:
        before, there, after = other.seconds(), one.seconds(), other.seconds()
        if after - 1 <= there <= before + 1 and before - after <= 1:
            return
        assert time.monotonic() < until, f"one shows {there} s, the other {before} to {after} s"


def seat(*visitors: Visitor, mode: str = "race", watchers: Sequence[Visitor] = (), **options: object) -> str:
    """Let people sit down in a room of the first one's, seat by seat, and start; returns the room's code.

    The game begins at once, and all of them see its board.
    """
    host, *others = visitors
    code = host.make(mode, **{"countdown_ms": 0, "max_players": max(2, len(visitors)), **options})
    for other in others:
        other.follow(code)
        other.press("ready")
    for number, other in enumerate(others, 1):
        host.sees(f"seat-{number}", other.name)  # what one may do is drawn anew with the last of them
    for watcher in watchers:
        watcher.follow(code)
    host.press("ready")
    for visitor in (*visitors, *watchers):
        expect(visitor.page.locator(".board button").first).to_be_visible()
    return code
