"""Everything without a pointer: Tab and Enter on the page, arrows, digits, Space and Escape on the board."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit
from tests.web.page.visitor import Visitor, seat

pytestmark = pytest.mark.slow

MOST_TABS = 30
# Of what has the focus: its hook or class, and whether one can see that it has it.
FOCUS = """() => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
    const { dataset, id } = document.activeElement
    return [dataset.testid ?? dataset.id ?? id, outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2]
}"""


def focus(visitor: Visitor) -> str:
    """Return the hook of what has the focus, a number's id on the board; it must be seen to have it."""
    what, visible = visitor.page.evaluate(FOCUS)
    assert visible, f"nobody sees that {what} has the focus"
    return str(what)


def type_keys(visitor: Visitor, *keys: str) -> None:
    """Press keys one after the other."""
    for key in keys:
        visitor.page.keyboard.press(key)


def tab_to(visitor: Visitor, hook: str) -> None:
    """Press Tab until what carries the hook has the focus."""
    for _ in range(MOST_TABS):
        visitor.page.keyboard.press("Tab")
        if visitor.page.evaluate(FOCUS)[0] == hook:
            assert focus(visitor) == hook
            return
    raise AssertionError(f"Tab does not come to {hook}")


def test_a_game_from_start_to_end_without_a_pointer(visit: Visit) -> None:
    ann = visit()
    tab_to(ann, "play-computer")
    tab_to(ann, "practice")  # where nobody else takes what one is on the way to
    type_keys(ann, "Enter")
    expect(ann.at("board").locator("button")).to_have_count(35)
    a, b = ann.board().pairs()[0]
    go_to(ann, a)
    type_keys(ann, "Space")
    go_to(ann, b)
    type_keys(ann, "Space")
    expect(ann.number(a)).to_have_count(0)
    tab_to(ann, "resign")
    type_keys(ann, "Enter")
    expect(ann.page.get_by_role("dialog")).to_be_visible()
    type_keys(ann, "Tab")
    assert focus(ann) == "confirm-resign"
    type_keys(ann, "Enter")
    ann.sees("end")
    expect(ann.page.locator("#end")).to_be_focused()  # so that it is read out
    tab_to(ann, "rematch")


def go_to(visitor: Visitor, number: int) -> None:
    """Move over the board with digits until a number has the focus."""
    digit = visitor.number(number).inner_text()
    type_keys(visitor, "Home", digit)
    for _ in range(MOST_TABS):
        if focus(visitor) == str(number):
            return
        type_keys(visitor, digit)
    raise AssertionError(f"{digit} does not lead to the number {number}")


def test_keys_on_the_board(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic")
    for key, number in (
        *(("ArrowRight", 0), ("ArrowRight", 1), ("ArrowDown", 10), ("ArrowLeft", 9), ("ArrowUp", 0)),
        *(("5", 4), ("5", 18), ("5", 4), ("End", 26), ("ArrowRight", 26), ("Home", 0), ("ArrowLeft", 0)),
    ):
        type_keys(ann, key)
        assert focus(ann) == str(number), key
    type_keys(ann, "ArrowDown", "Space")
    expect(ann.number(9)).to_have_attribute("aria-pressed", "true")
    type_keys(ann, "Escape")
    expect(ann.number(9)).to_have_attribute("aria-pressed", "false")
    type_keys(ann, "Space", "ArrowRight", "Space")
    bob.has_score(0, 1)
    expect(ann.number(11)).to_be_focused()  # the next one after those taken
    type_keys(ann, "ArrowLeft")
    expect(ann.number(8)).to_be_focused()  # over the holes


def test_the_focus_stays_where_it_is_when_others_move(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic")
    for hook in ("call", "resign", "chat-input"):
        tab_to(ann, hook)
        bob.claim(*bob.board().pairs()[0])
        ann.shows(bob.board().text())
        expect(ann.at(hook)).to_be_focused()


def test_the_focus_stays_on_what_one_pressed_before_the_start(visit: Visit) -> None:
    ann, bob = visit(), visit()
    code = ann.make()
    tab_to(ann, "ready")
    type_keys(ann, "Enter")
    expect(ann.at("ready")).to_have_attribute("aria-pressed", "true")
    expect(ann.at("ready")).to_be_focused()
    bob.follow(code)
    ann.sees("seat-1", bob.name)
    expect(ann.at("ready")).to_be_focused()


def test_what_happens_is_told_to_screen_readers(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, mode="turns", deal="classic")
    live = bob.page.locator("[aria-live=polite]")
    ann.claim(9, 10)
    expect(live).to_have_text(f"{ann.name}: 1 = 1, +1. Your turn")
    expect(bob.number(0)).to_have_attribute("aria-label", "1, row 1, column 1")
    expect(bob.at("say")).to_have_attribute("role", "status")
    bob.press("pass")
    expect(ann.page.locator("[aria-live=polite]")).to_have_text(f"{bob.name}: passed. Your turn")


def test_title_and_icon_say_that_it_is_ones_turn(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, mode="turns", deal="classic")
    icon = "link[rel=icon]"
    for mover, other, mark in ((ann, bob, "●"), (bob, ann, "▲")):
        expect(mover.page).to_have_title(f"{mark} Your turn · tenmatch")
        expect(mover.page.locator(icon)).to_have_attribute("href", "favicon_turn.svg")
        expect(other.page).to_have_title("tenmatch")
        expect(other.page.locator(icon)).to_have_attribute("href", "favicon.svg")
        other.tap(0)
        other.tap(9)
        other.sees("say", f"It is the turn of {mover.name}")
        mover.claim(*mover.board().pairs()[-1])
