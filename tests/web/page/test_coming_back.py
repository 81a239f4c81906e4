"""Coming back to a game: after a reload, from the first screen, in another tab, on purpose or not."""

import pytest
from playwright.sync_api import Dialog, expect
from tests.web.page.conftest import Visit
from tests.web.page.visitor import clocks_agree, seat

pytestmark = pytest.mark.slow


def test_a_reload_in_mid_game_changes_nothing(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic", seconds=600)
    ann.claim(9, 10)
    bob.shows(ann.board().text())
    bob.claim(*bob.board().pairs()[-1])
    ann.has_score(1, bob.score(1))
    before = ann.board()
    scores = ann.score(0), ann.score(1)
    ann.page.reload()
    ann.shows(before.text())
    assert ann.board().ids() == before.ids()
    assert (ann.score(0), ann.score(1)) == scores
    ann.sees("seat-0", "You")
    clocks_agree(ann, bob)
    ann.claim(*before.pairs()[0])
    bob.shows(ann.board().text())


def test_a_reload_in_turns_keeps_whose_turn_it_is_and_the_clocks(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, mode="turns", deal="classic")
    ann.claim(9, 10)
    bob.sees_turn(1)
    bob.page.reload()
    bob.shows(ann.board().text())
    for visitor in (ann, bob):
        visitor.sees_turn(1)
    clocks_agree(ann, bob)
    bob.claim(*bob.board().pairs()[0])
    ann.sees_turn(0)


def test_a_tab_that_is_closed_and_opened_again_finds_the_game(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic")
    ann.claim(9, 10)
    board = ann.board().text()
    former = ann.new_tab()
    former.close()
    ann.sees("games", "Your games")
    ann.press("back-to-game")
    ann.shows(board)
    ann.sees("seat-0", "You")


def test_leaving_a_running_game_asks_first_and_keeps_the_seat(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic")
    brand = ann.page.locator("#bar .brand")
    brand.click()
    expect(ann.page.get_by_role("dialog")).to_contain_text("You keep your seat, but the clock runs on.")
    ann.page.get_by_role("dialog").get_by_text("Stay").click()
    ann.claim(9, 10)
    board = ann.board().text()
    brand.click()
    ann.press("confirm-leave")
    bob.sees("seat-0", "away")
    ann.press("back-to-game")
    ann.shows(board)
    ann.sees("seat-0", "You")
    expect(bob.at("seat-0")).not_to_contain_text("away")


def test_going_back_and_closing_the_tab_ask_first(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic")
    address = ann.page.url
    ann.page.go_back()
    question = ann.page.get_by_role("dialog")
    question.get_by_text("Stay").click()
    expect(ann.page).to_have_url(address)
    ann.claim(9, 10)
    board = ann.board().text()
    asked: list[str] = []

    def note(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    ann.page.on("dialog", note)
    ann.page.reload()
    assert asked == ["beforeunload"]
    ann.shows(board)


def test_another_tab_takes_over_and_gives_back(visit: Visit) -> None:
    ann, bob = visit(), visit()
    code = seat(ann, bob, deal="classic")
    first = ann.new_tab(f"#{code}")
    second = ann.page
    ann.sees("seat-0", "You")
    ann.claim(9, 10)
    board = ann.board().text()
    ann.page = first
    ann.sees("detached", "open in another tab")
    ann.press("play-here")
    ann.shows(board)
    ann.claim(*ann.board().pairs()[0])
    bob.shows(ann.board().text())
    ann.page = second
    ann.sees("detached", "open in another tab")
