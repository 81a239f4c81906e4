"""A whole race and a whole game in turns, each in three browsers: two play, one watches, all see the same."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit
from tests.web.page.playing import Tally, play_race, play_turns
from tests.web.page.visitor import Visitor

pytestmark = pytest.mark.slow


def create(host: Visitor, mode: str, **numbers: int) -> str:
    """Make a room with the form, as a person would, and return its code."""
    host.press("create-open")
    host.check(f"mode-{mode}")
    for option, value in numbers.items():
        host.at(f"option-{option}").fill(str(value))
    host.press("create-submit")
    host.sees("seat-0", "You")
    return host.code


def meet(visit: Visit, mode: str, **numbers: int) -> tuple[Visitor, Visitor, Visitor]:
    """Bring two players to a table and a third, who finds it full, to watch; the game has begun."""
    ann, bob = visit(), visit()
    code = create(ann, mode, size=12, **numbers)
    bob.follow(code)
    expect(ann.at("seat-1")).to_contain_text(bob.name)
    eve = visit(f"#{code}")
    ann.press("ready")
    bob.press("ready")
    for visitor in (ann, bob, eve):
        expect(visitor.at("board").locator("button")).to_have_count(12)
    return ann, bob, eve


def check_watcher(eve: Visitor) -> None:
    """A watcher's board takes no taps, and there is nothing else they could do to the game."""
    eve.sees("watching", "You are watching")
    for number in eve.board().pairs()[0]:
        eve.number(number).click(force=True)  # it says that it is disabled
    expect(eve.at("board").locator("[aria-pressed=true], .wait")).to_have_count(0)
    for act in ("call", "pass", "resign"):
        expect(eve.at(act)).to_have_count(0)


def check_end(players: Sequence[Visitor], eve: Visitor, scores: Sequence[int]) -> None:
    """All see the same ranking, by points, each with their own "You"."""
    names = [player.name for player in players]
    for visitor in (*players, eve):
        seen = ["You" if visitor is player else name for player, name in zip(players, names, strict=True)]
        best = max(scores)
        draw = scores.count(best) > 1
        ranking = sorted(zip(scores, seen, strict=True), key=lambda line: -line[0])
        rows = visitor.at("end").locator(".ranking li")
        expect(rows).to_have_count(len(players))
        for place, (row, (score, name)) in enumerate(zip(rows.all(), ranking, strict=True), 1):
            expect(row).to_contain_text(f"{1 if draw else place}.")
            expect(row).to_contain_text(name)
            expect(row.locator("b")).to_have_text(str(score))
        winner = seen[scores.index(best)]
        visitor.sees("end", "A draw" if draw else f"{winner} won by {best - min(scores)}")


def test_race(visit: Visit) -> None:
    ann, bob, eve = meet(visit, "race", seconds=900)
    check_watcher(eve)
    tally = Tally((ann, bob, eve))
    last = play_race((ann, bob), tally)
    for visitor in (ann, bob, eve):
        visitor.sees("end", "No pair is left" if last.left() else "The board is cleared")
    check_end((ann, bob), eve, tally.scores)


def test_turns(visit: Visit) -> None:
    ann, bob, eve = meet(visit, "turns", base_s=600, increment_s=0)
    check_watcher(eve)
    ann.sees_turn(0)
    expect(bob.at("pass")).to_be_disabled()
    ann.press("pass")
    bob.sees_turn(1)
    tally = Tally((ann, bob, eve))
    last = play_turns((ann, bob), tally, mover=1)
    for visitor in (ann, bob, eve):
        visitor.sees("end", "No pair is left" if last.left() else "The board is cleared")
    check_end((ann, bob), eve, tally.scores)
