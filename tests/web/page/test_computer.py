"""One click to a game against the computer, and that game to its end."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit
from tests.web.page.visitor import Visitor

pytestmark = pytest.mark.slow

OVER_OR_IDLE = """() => document.querySelector('[data-testid=end]')
    || !document.querySelector('[data-testid=board] .wait')"""


def play_on(visitor: Visitor) -> None:
    """Take pairs as fast as they are found, and call when there is none, until the game is over."""
    while not visitor.at("end").is_visible():
        pairs = visitor.board().pairs()
        if pairs:
            visitor.tap_if_there(*pairs[-1])
        else:
            visitor.page.evaluate("() => document.querySelector('[data-testid=call]')?.click()")
        visitor.page.wait_for_function(OVER_OR_IDLE)


def test_one_click_starts_a_game_that_comes_to_its_end(visit: Visit) -> None:
    ann = visit()
    ann.press("play-computer")
    expect(ann.at("board").locator("button")).to_have_count(35)
    ann.sees("seat-1", "computer, medium")
    play_on(ann)
    ann.sees("end")
    own, computer = ann.score(0), ann.score(1)
    assert own > computer, "whoever sees every pair at once wins against the computer"
    ann.sees("end", f"You won by {own - computer}")


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_the_level_is_ones_own_choice_and_remembered(visit: Visit, level: str) -> None:
    ann = visit()
    ann.check(f"level-{level}")
    ann.open()
    expect(ann.at(f"level-{level}")).to_be_checked()
    ann.press("play-computer")
    ann.sees("seat-1", f"computer, {level}")
