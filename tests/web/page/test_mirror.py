"""Mirror on the page: a board each, the others' progress, all boards for who watches, hints in practice."""

from typing import Any, Final

import pytest
from playwright.sync_api import expect
from tests.rules.oracle import OracleGame
from tests.web.page.conftest import Visit
from tests.web.page.test_looks import measure
from tests.web.page.visitor import Visitor, seat

pytestmark = pytest.mark.slow

NARROW: Final = {"width": 360, "height": 640}
CLEARS: Final[dict[str, Any]] = {"size": 10, "seed": "002f" * 16}  # five first pairs clear it
STICKS: Final[dict[str, Any]] = {
    "size": 10,
    "adds": 1,
    "seed": "0011" * 16,
}  # four first pairs, an Add, and no pair
# Asks for a hint, and returns what it marks, which it does for a moment only.
HINTED: Final = """(button) => {
    button.click()
    return [...document.querySelectorAll('.number.hint')].map((number) => Number(number.dataset.id))
}"""
CLEAR_OWN: Final = 150
UNUSED_ADD: Final = 10


def play(visitor: Visitor, game: OracleGame, pairs: int = 99) -> int:
    """Take so many pairs off one's own board, or all there are; returns what they bring without a clear."""
    points = 0
    while pairs and game.pairs():
        pair = game.pairs()[0]
        points += game.pair_points(*pair) + game.row_points(*pair)
        game.match(*pair)
        visitor.claim(*pair)
        visitor.shows(game.text())
        pairs -= 1
    return points


def test_two_play_apart_and_are_watched_and_all_boards_are_shown_in_the_end(visit: Visit) -> None:
    ann, bob = visit(), visit(viewport=NARROW)
    eve, zoe = visit(), visit(viewport=NARROW)
    seat(ann, bob, mode="mirror", watchers=[eve, zoe], **CLEARS)
    everyone, mine, theirs = [ann, bob, eve, zoe], ann.board(), bob.board()
    assert mine.text() == theirs.text()
    points = play(ann, mine, 2)
    for visitor in everyone:
        visitor.has_score(0, points)
    bob.shows(theirs.text())  # what others take is there on one's own board
    bob.sees("progress-0", f"{mine.left()} left")
    expect(bob.page.locator(".board")).to_have_count(1)
    play(bob, theirs, 1)
    ann.sees("progress-1", f"{theirs.left()} left")
    for watcher in (eve, zoe):
        watcher.shows(mine.text(), "board-0")
        watcher.shows(theirs.text(), "board-1")
        watcher.sees("board-1", f"{theirs.left()} left")
    points += play(ann, mine) + CLEAR_OWN + 5 * UNUSED_ADD
    ann.sees("say", "board cleared")
    for visitor in everyone:
        visitor.has_score(0, points)
    bob.sees("progress-0", "board cleared")
    expect(ann.at("add")).to_be_disabled()
    assert bob.seconds() <= 60  # from the first clear on
    play(bob, theirs)
    for visitor in everyone:
        visitor.sees("end", "The board is cleared.")
        expect(visitor.page.locator(".boards figure")).to_have_count(2)
        assert measure(visitor, "tooWide") == []
        assert measure(visitor, "tooPale") == []


def test_after_the_end_players_see_what_was_hidden(visit: Visit) -> None:
    ann, bob = visit(), visit(viewport=NARROW)
    seat(ann, bob, mode="mirror", **CLEARS)
    mine, theirs = ann.board(), bob.board()
    play(ann, mine, 3)
    play(bob, theirs, 1)
    bob.press("resign")
    bob.press("confirm-resign")
    for visitor in (ann, bob):
        visitor.sees("end", "Only one was left")
        visitor.shows(mine.text(), "board-0")
        visitor.shows(theirs.text(), "board-1")
        expect(visitor.at("end").locator("dd").last).to_contain_text("3")  # pairs, of which the record tells
        expect(visitor.at("feed").locator("li").filter(has_text="…")).to_have_count(0)
    ann.press("replay")
    ann.sees("proof", "")
    expect(ann.at("proof")).to_have_class("small ok line")


def test_who_comes_back_has_their_own_board_and_later_all(visit: Visit) -> None:
    ann, bob = visit(), visit()
    code = seat(ann, bob, mode="mirror", **CLEARS)
    mine, theirs = ann.board(), bob.board()
    play(ann, mine, 2)
    bob.open(f"#{code}")
    bob.shows(theirs.text())
    bob.sees("progress-0", f"{mine.left()} left")
    play(bob, theirs, 1)
    ann.press("resign")
    ann.press("confirm-resign")
    ann.sees("end")
    ann.open(f"#{code}")
    ann.sees("end")
    ann.shows(theirs.text(), "board-1")


def test_one_adds_when_one_likes_and_is_told_when_it_is_time(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, mode="mirror", **STICKS)
    game, theirs = ann.board(), bob.board()
    play(ann, game)
    expect(ann.at("say")).to_have_text("No pair is left: add numbers")
    ann.press("add")
    game.add()
    ann.shows(game.text())
    expect(ann.at("add")).to_be_disabled()
    bob.press("add")  # with pairs left
    theirs.add()
    bob.shows(theirs.text())
    ann.sees("progress-1", "20 left")
    ann.has_score(1, 0)


def test_a_wrong_pair_locks_for_a_moment_and_an_add_is_possible_all_the_same(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, mode="mirror", **CLEARS)
    game = ann.board()
    wrong = next((a, b) for a in game.ids() for b in game.ids() if game.judge(a, b)[0] == "values")
    ann.claim(*wrong)
    ann.has_score(0, -2)
    ann.press("add")
    game.add()
    ann.shows(game.text())
    bob.has_score(0, -2)
    bob.sees("seat-0", "1 mistake")


def test_one_practises_with_hints_and_again(visit: Visit) -> None:
    ann = visit(viewport=NARROW)
    ann.press("practice")
    ann.sees("hint")
    game = ann.board()
    assert game.left() == 35
    a, b = ann.at("hint").evaluate(HINTED)
    assert game.judge(a, b)[0] == "legal"
    ann.sees("say", "go together")
    play(ann, game, 3)
    ann.press("resign")
    ann.press("confirm-resign")
    ann.sees("end", "The game is over")
    ann.press("rematch")
    ann.sees("hint")
    assert ann.board().left() == 35


def test_where_others_play_too_nobody_gets_hints(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, mode="mirror", **CLEARS)
    expect(ann.at("add")).to_be_visible()
    expect(ann.at("hint")).to_have_count(0)


def test_mirror_rooms_are_made_found_and_watched_on_the_page(visit: Visit) -> None:
    ann, bob, eve = visit(), visit(), visit()
    ann.press("create-open")
    ann.check("mode-mirror")
    expect(ann.at("option-max_players")).to_have_value("4")
    expect(ann.at("option-seconds")).to_have_value("360")
    ann.at("option-max_players").select_option("2")
    ann.at("option-size").fill("9")
    ann.press("create-submit")
    ann.sees("seat-0", "You")
    eve.sees("games", "Mirror")
    bob.press("open-room")
    bob.sees("seat-1", "You")
    ann.sees("seat-1", bob.name)
    ann.press("ready")
    bob.press("ready")
    eve.press("watch-room")
    expect(eve.page.locator(".boards figure")).to_have_count(2)
    expect(ann.at("board").locator("button")).to_have_count(9)
    eve.shows(ann.board().text(), "board-1")


def test_a_room_for_one_that_is_made_in_the_form_begins_at_once(visit: Visit) -> None:
    ann = visit()
    ann.press("create-open")
    ann.check("mode-mirror")
    ann.at("option-max_players").select_option("1")
    ann.press("create-submit")
    ann.sees("hint")
