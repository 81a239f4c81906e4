"""A press is never lost: not to news between pointer down and up, nor to a window that is loaded late."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Route, expect
from tests.web.page.conftest import Visit
from tests.web.page.visitor import Visitor, seat

pytestmark = pytest.mark.slow

GO = "(hash) => { location.hash = hash }"


@contextmanager
def pressing(visitor: Visitor, hook: str) -> Iterator[None]:
    """Hold the pointer down on what carries a hook for as long as the block lasts."""
    visitor.at(hook).hover()
    visitor.page.mouse.down()
    yield
    visitor.page.mouse.up()


def test_news_in_the_midst_of_a_press_does_not_take_its_button_away(visit: Visit) -> None:
    ann, bob, cat = visit(), visit(), visit()
    code = ann.make(countdown_ms=0, max_players=2)
    bob.follow(code)
    ann.sees("seat-1", bob.name)
    with pressing(ann, "settings"):  # the bar, drawn again with whoever comes to watch
        cat.follow(code)
        expect(ann.page.locator("#bar .eye")).to_contain_text("1")
    ann.sees("name-input")
    ann.press("close")
    with pressing(ann, "kick-1"):  # the seats, with whatever somebody does there
        bob.press("ready")
        ann.sees("seat-1", "Ready")
    expect(ann.at("kick-1")).to_have_count(0)
    bob.sees("detached")
    seat(ann, bob)
    bob.press("resign")
    bob.press("confirm-resign")
    with pressing(ann, "rematch"):  # what follows a game, with what the others wish
        bob.press("rematch")
        expect(ann.at("end")).to_contain_text(f"{bob.name} wants a rematch.")
    expect(ann.at("resign")).to_be_visible()  # both wish it: it has begun
    for one in (ann, bob):
        one.open("#tournaments")
    ann.at("cup-title").fill("Sunday cup")
    ann.check("cup-enter")
    ann.press("cup-create")
    ann.sees("withdraw")
    bob.page.evaluate(GO, ann.page.url.partition("#")[2])
    with pressing(ann, "withdraw"):  # a tournament, with who signs up
        bob.press("enter")
        expect(ann.at("standings").locator("tr")).to_have_count(2)
    expect(ann.at("enter")).to_be_visible()


def test_a_window_that_is_loaded_late_opens_once_and_stays(visit: Visit) -> None:
    ann = visit()
    held: list[Route] = []
    ann.page.route("**/ownsettings.js", lambda route: held.append(route))
    ann.press("settings")
    ann.press("name")
    ann.page.evaluate(GO, "#leaders=race")
    ann.sees("leaders")
    for route in held:
        route.continue_()
    ann.sees("name-input")
    ann.page.evaluate(GO, "#tournaments")
    ann.sees("tournaments")
    expect(ann.at("name-input")).to_have_count(1)
    ann.press("name-save")
    expect(ann.page.get_by_role("dialog")).to_have_count(0)
