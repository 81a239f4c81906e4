"""How games end, and what there is to do then: the proof of the deal, the game once more, the next one."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit
from tests.web.page.visitor import ROWS, Visitor, seat

pytestmark = pytest.mark.slow

# Keeps all boards that are shown from now on, and what is said of them; they stay for a moment only.
SHOWN = f"""() => {{
    const shown = window.shown = {{ boards: [], captions: [] }}
    const look = () => {{
        const rows = ({ROWS})('board').map((row) => row.map((cell) => cell ? cell[1] : '.').join(''))
        shown.boards.push(rows.join('/'))
        shown.captions.push(document.querySelector('.caption').textContent)
    }}
    new MutationObserver(look).observe(document.getElementById('main'), {{ childList: true, subtree: true }})
}}"""
WAS_SHOWN = """([board, caption]) => window.shown.boards.includes(board)
    && window.shown.captions.some((one) => one.includes(caption))"""


def resign(visitor: Visitor) -> None:
    """Give up, and mean it."""
    visitor.press("resign")
    visitor.press("confirm-resign")
    visitor.sees("end")


def test_resigning_asks_first(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic")
    ann.press("resign")
    question = ann.page.get_by_role("dialog")
    expect(question).to_contain_text("Do you want to resign?")
    question.get_by_text("Cancel").click()
    expect(question).to_have_count(0)
    ann.claim(9, 10)  # still in
    bob.has_score(0, 1)
    resign(ann)
    ann.sees("end", f"{bob.name} won")
    bob.sees("end", "You won")
    for visitor in (ann, bob):
        visitor.sees("end", "Only one was left in the game.")


def test_anybody_can_check_the_deal(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, size=9)
    resign(ann)
    for visitor in (ann, bob):
        visitor.at("end").locator("summary").click()
        visitor.press("check-deal")
        visitor.sees("deal-check", "The deal was fixed before the game.")
        expect(visitor.at("deal-check").locator(".icon")).to_be_visible()


def test_who_came_late_sees_as_much_at_the_end(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, size=9)
    dealt = ann.board().text()
    ann.page.reload()
    ann.at("resign").wait_for()
    resign(bob)
    ann.at("end").locator("summary").click()
    ann.press("check-deal")
    ann.sees("deal-check", "The deal was fixed before the game.")
    ann.press("watch-again")
    ann.shows(dealt)
    expect(ann.at("watch-again")).to_be_enabled()


def test_the_game_can_be_watched_again(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic")
    dealt = ann.board().text()
    ann.claim(9, 10)
    last = ann.board().text()
    resign(bob)
    ann.sees("end")
    ann.page.evaluate(SHOWN)
    ann.press("watch-again")
    ann.page.wait_for_function(WAS_SHOWN, arg=[dealt, "1 = 1, +1"])
    ann.shows(last)
    expect(ann.at("watch-again")).to_be_enabled()


def test_a_rematch_leads_everybody_on(visit: Visit) -> None:
    ann, bob, eve = visit(), visit(), visit()
    code = seat(ann, bob, size=9, watchers=[eve])
    resign(bob)
    ann.press("rematch")
    expect(ann.at("rematch")).to_have_attribute("aria-pressed", "true")
    bob.sees("end", f"{ann.name} wants a rematch.")
    bob.press("rematch")
    for visitor, number in ((ann, 1), (bob, 0)):  # the old order, turned by one
        expect(visitor.at("end")).to_have_count(0)
        visitor.sees(f"seat-{number}", "You")
    assert ann.code == bob.code != code
    eve.press("follow")
    for visitor in (ann, bob, eve):
        expect(visitor.at("board").locator("button")).to_have_count(9)
        expect(visitor.page).to_have_url(f"{ann.home}#{ann.code}")
    eve.sees("watching", "You are watching")
    pair = ann.board().pairs()[0]
    ann.claim(*pair)
    for visitor in (bob, eve):
        visitor.shows(ann.board().text())


def test_time_ends_a_race(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, size=9, seconds=10)
    for visitor in (ann, bob):
        expect(visitor.at("end")).to_contain_text("Time is up.")
        visitor.sees("end", "A draw")


def test_both_passing_brings_the_add(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, mode="turns", size=9)
    ann.press("pass")
    bob.press("pass")
    for visitor in (ann, bob):
        visitor.sees("feed", "9 numbers added")
        expect(visitor.at("board").locator("button")).to_have_count(18)


def test_the_last_clock_brings_the_end(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, mode="turns", size=9, base_s=5, increment_s=0)
    for visitor in (ann, bob):
        visitor.sees("end", "Only one was left")
        visitor.sees("feed", "ran out of time")
    bob.sees("end", "You won")
