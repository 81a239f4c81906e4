"""Two teams: choosing seats, playing together, and who won."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit

pytestmark = pytest.mark.slow


def test_two_teams_choose_their_seats_and_play(visit: Visit) -> None:
    ann, bob = visit(), visit(width=360)
    ann.press("create-open")
    ann.at("option-teams").select_option("chosen")
    expect(ann.at("option-max_players").locator("option")).to_have_text(
        ["4 · 2 \u00d7 2", "6 · 2 \u00d7 3", "8 · 2 \u00d7 4"]
    )
    ann.press("create-submit")
    ann.sees("team-0", "Your team")
    bob.follow(ann.code)
    bob.sees("team-1", "Your team")
    bob.press("take-2")  # to her team
    bob.sees("team-0", "Your team")
    ann.sees("seat-2", bob.name)
    ann.sees("seat-1", "Free seat")
    ann.press("take-1")  # and she to the other
    ann.sees("team-1", "Your team")
    for _ in range(2):
        ann.press("add-bot")
    for free in (0, 3):
        ann.sees(f"seat-{free}", "computer")  # what one may do is drawn anew with the last of them
    ann.press("ready")
    bob.press("ready")
    for visitor in (ann, bob):
        expect(visitor.at("board").locator("button").first).to_be_visible()
        expect(visitor.at("seat-3")).to_be_visible()
    ann.sees("team-1", "Your team")
    ann.press("resign")
    ann.press("confirm-resign")
    ann.press("leave")
    bob.press("resign")
    bob.press("confirm-resign")
    bob.sees("end")
    assert sorted(bob.at("end").locator(".teamhead b:first-child").all_inner_texts()) == [
        "Team B",
        "Your team",
    ]
