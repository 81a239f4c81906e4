"""What a player is told of a claim or a call: what was wrong with it, what it cost, who was first."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import WebSocketRoute, expect
from tests.rules.oracle import OracleGame
from tests.web.page.conftest import Visit
from tests.web.page.playing import deal_where
from tests.web.page.visitor import Visitor, seat

pytestmark = pytest.mark.slow

CLASSIC = "123456789/111213141/516171819"  # ids in reading order: 0 to 8, 9 to 17, 18 to 26
MINUS = "\N{MINUS SIGN}"
TOUCHING = (9, 10)  # 1 1
BLOCKED = (11, 13)  # 1 2 1

# What the refusal of a pair shows for a moment, all of it at once; false before. Then numbers are tapped.
REFUSAL = """([pair, taps]) => {
    const board = document.querySelector('[data-testid=board]')
    const ids = (kind) => [...board.querySelectorAll(`.${kind}`)].map(({ dataset }) => Number(dataset.id))
    const said = () => document.querySelector('[data-testid=say]').innerText.replace(/\\s+/g, ' ').trim()
    if (!pair.every((number) => ids('wrong').includes(number))) return false
    const seen = {
        wrong: ids('wrong'), block: ids('block'), locked: board.classList.contains('locked'),
        dashed: board.querySelectorAll('.lines .refused').length, say: said(),
    }
    for (const number of taps) board.querySelector(`button[data-id="${number}"]`).click()
    return { ...seen, then: said() }
}"""


# A clock that stands, whenever a message comes, where the server sent it, however long that took.
PUNCTUAL = """(() => {
    const clock = Date.now.bind(Date)
    let ahead = 0
    Date.now = () => clock() + ahead
    window.WebSocket = class extends WebSocket {
        constructor(...address) {
            super(...address)
            this.addEventListener('message', ({ data }) => {
                const { time, at = time } = JSON.parse(data)
                if (at) ahead = at - clock()
            })
        }
    }
})()"""


def punctual(visitor: Visitor) -> Visitor:
    """Let what the server says come to somebody at once: locks last as long as they do, however busy."""
    visitor.page.add_init_script(PUNCTUAL)
    visitor.open()
    return visitor


def refused(visitor: Visitor, a: int, b: int, *, taps: Sequence[int] = ()) -> dict[str, Any]:
    """Claim a wrong pair; returns what is seen when the answer is there, and after *taps* at that moment."""
    visitor.tap(a)
    visitor.tap(b)
    seen: dict[str, Any] = visitor.page.wait_for_function(REFUSAL, arg=[[a, b], taps]).json_value()
    return seen


def is_free(visitor: Visitor) -> None:
    """Wait until the lock of a mistake is over."""
    expect(visitor.at("board")).not_to_have_class(re.compile("locked"))


def test_a_blocked_pair_costs_points_and_a_second(visit: Visit) -> None:
    ann, bob = punctual(visit()), visit()
    seat(ann, bob, deal="classic")
    seen = refused(ann, *BLOCKED)
    assert seen["wrong"] == list(BLOCKED)
    assert seen["block"] == [12]
    assert seen["locked"]
    assert seen["dashed"] == 1
    assert seen["say"] == f"2 lies between 1 and 1 {MINUS}2 · again in 1 s"
    for visitor in (ann, bob):
        visitor.has_score(0, -2)
        expect(visitor.at("score-0")).to_have_text(f"{MINUS}2")
        visitor.sees("seat-0", "1 mistake")
    expect(bob.at("board").locator(".wrong, .block, .refused")).to_have_count(0)
    expect(ann.at("board").locator(".wrong, .block, .refused")).to_have_count(0)


def test_a_lock_holds_as_long_as_it_says(visit: Visit) -> None:
    ann, bob = punctual(visit()), visit()
    seat(ann, bob, deal="classic")
    refused(ann, *BLOCKED)
    is_free(ann)
    ann.shows(CLASSIC)
    expect(ann.at("board").locator(".wrong")).to_have_count(0)
    seen = refused(ann, *BLOCKED, taps=TOUCHING)
    assert seen["say"].endswith("again in 2 s")
    assert "One moment" in seen["then"]
    ann.shows(CLASSIC)
    expect(ann.number(TOUCHING[0])).to_have_attribute("aria-pressed", "true")
    bob.claim(*bob.board().pairs()[-1])  # the others are not locked
    ann.sees("feed", bob.name)
    is_free(ann)
    ann.tap(TOUCHING[1])
    ann.has_score(0, -2 - 2 + 1)


def test_where_mistakes_are_free_they_are_told_all_the_same(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic", penalty=False)
    for pair, told, block in (  # no number in two of them: the mark of the first would end that of the second
        ((18, 22), "5 and 7 are neither equal nor make 10", []),
        ((5, 20), "6 and 6 are on no line", []),
        ((0, 8), "2, 3, 4 … lie between 1 and 9", list(range(1, 8))),
    ):
        seen = refused(ann, *pair)
        assert (seen["say"], seen["block"], seen["locked"]) == (told, block, False)
    ann.press("call")
    ann.sees("say", "There is still a pair")
    ann.claim(*TOUCHING)
    for visitor in (ann, bob):
        visitor.has_score(0, 1)


def test_who_comes_a_moment_late_hears_who_was_first(visit: Visit) -> None:
    ann, bob = visit(), visit()
    line = SlowLine(bob)
    seat(ann, bob, deal="classic")
    line.hold()
    ann.claim(*TOUCHING)
    bob.tap(TOUCHING[0])
    bob.tap(TOUCHING[1])
    line.release_after("refused")
    bob.sees("say", f"{ann.name} was first")
    expect(bob.at("say").locator(".bad")).to_have_count(0)
    bob.has_score(1, 0)
    bob.shows(ann.board().text())


class SlowLine:
    """Somebody's connection, on which what the server says can be held up. Make it before they sit down."""

    def __init__(self, visitor: Visitor) -> None:
        self.page = visitor.page
        self._held: list[str | bytes] | None = None
        self._await = ""
        self.page.route_web_socket(re.compile("/v1$"), self._open)
        visitor.open()  # with a new socket

    def _open(self, to_page: WebSocketRoute) -> None:
        self._to_page = to_page
        to_page.connect_to_server().on_message(self._said)

    def _said(self, message: str | bytes) -> None:
        if self._held is None:
            self._to_page.send(message)
            return
        self._held.append(message)
        if self._await and f'"t":"{self._await}"' in str(message):
            self._release()

    def _release(self) -> None:
        held, self._held = self._held or [], None
        for message in held:
            self._to_page.send(message)

    def hold(self) -> None:
        """Let nothing through from now on."""
        self._held, self._await = [], ""

    def release_after(self, kind: str) -> None:
        """Let everything through as soon as a message of this kind has come."""
        self._await = kind
        if any(f'"t":"{kind}"' in str(message) for message in self._held or []):
            self._release()


def test_a_call_is_wrong_while_a_pair_is_left(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic")
    ann.press("call")
    ann.sees("say", "There is still a pair")
    ann.sees("say", f"{MINUS}2")
    for visitor in (ann, bob):
        visitor.has_score(0, -2)
    bob.sees("feed", f"There is still a pair, {MINUS}2")


def has_one_pair_and_no_second(game: OracleGame) -> bool:
    """Tell whether no pair is left after the only one."""
    if len(pairs := game.pairs()) != 1:
        return False
    game.match(*pairs[0])
    return not game.pairs()


def test_a_right_call_brings_points_and_the_add_at_once(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seed, game = deal_where(9, has_one_pair_and_no_second)
    seat(ann, bob, seed=seed, size=9)
    pair = game.pairs()[0]
    points = game.pair_points(*pair)
    game.match(*pair)
    ann.claim(*pair)
    bob.shows(game.text())
    bob.press("call")
    bob.sees("say", "no pair left, right")
    copies = game.add()
    for visitor in (ann, bob):
        visitor.has_score(0, points)
        visitor.has_score(1, 3)
        visitor.shows(game.text())
        visitor.sees("feed", f"{len(copies)} numbers added")


def middle(visitor: Visitor, number: int) -> tuple[float, float]:
    """Return where a number is."""
    box = visitor.number(number).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_mouse_counts_when_it_is_pressed_and_a_finger_when_it_is_lifted(visit: Visit) -> None:
    ann, bob = visit(has_touch=True), visit()
    seat(ann, bob, deal="classic")
    first, second = (ann.number(number) for number in TOUCHING)
    mouse = ann.page.mouse
    mouse.move(*middle(ann, TOUCHING[0]))
    mouse.down()
    expect(first).to_have_attribute("aria-pressed", "true")
    mouse.move(*middle(ann, TOUCHING[1]))  # already on its way, as hands are in a race
    mouse.up()
    expect(first).to_have_attribute("aria-pressed", "true")
    mouse.down()
    expect(second).to_have_count(0)
    mouse.up()
    ann.has_score(0, 1)
    pair = ann.board().pairs()[0]
    for number in pair:
        ann.page.touchscreen.tap(*middle(ann, number))
    expect(ann.number(pair[1])).to_have_count(0)
    bob.shows(ann.board().text())
