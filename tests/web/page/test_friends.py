"""How people find each other: by link, by code, as players and as watchers; what they say to each other."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit
from tests.web.page.visitor import Visitor, seat

pytestmark = pytest.mark.slow

CLIPBOARD = ["clipboard-read", "clipboard-write"]


def copied(visitor: Visitor) -> str:
    """Return what is in the clipboard."""
    text: str = visitor.page.evaluate("() => navigator.clipboard.readText()")
    return text


def test_a_friend_comes_by_the_copied_link(visit: Visit) -> None:
    ann = visit(permissions=CLIPBOARD)
    ann.press("with-friend")
    ann.sees("copy-link")
    ann.listen("copy-link")
    ann.press("copy-link")
    ann.heard("copy-link", "Copied")
    link = copied(ann)
    assert link == ann.at("link").input_value() == f"{ann.home}#{ann.code}"
    bob = visit(link.removeprefix(ann.home))
    ann.sees("seat-1", bob.name)
    bob.sees("seat-0", ann.name)
    expect(ann.page).to_have_title(f"{bob.name} is here · tenmatch")
    ann.press("ready")
    bob.press("ready")
    for visitor in (ann, bob):
        expect(visitor.at("board").locator("button")).to_have_count(35)
    ann.claim(*ann.board().pairs()[0])
    bob.shows(ann.board().text())


def test_a_friend_comes_by_the_code_however_it_is_typed(visit: Visit) -> None:
    ann, bob = visit(), visit()
    code = ann.make()
    for typed in (
        code,
        code.lower(),
        f" {code[:3]}·{code[3:]} ",
        f"{code[:3]} {code[3:]}",
        f"{ann.home}#{code}",
    ):
        bob.at("join-code").fill(typed)
        bob.press("join-submit")
        bob.sees("seat-1", "You")
        assert bob.code == code
        bob.press("leave")


def test_a_code_that_is_none_says_so(visit: Visit) -> None:
    ann = visit()
    for typed, told in (("abc", "That is no code"), ("ZZZ999", "There is no such game (any more).")):
        ann.at("join-code").fill(typed)
        ann.press("join-submit")
        expect(ann.page.get_by_role("alert").filter(has_text=told)).to_be_visible()
    ann.open("#ZZZ999")
    expect(ann.page.get_by_role("alert").filter(has_text="There is no such game")).to_be_visible()
    expect(ann.page).to_have_url(ann.home)


def test_a_link_leads_out_of_an_open_window(visit: Visit) -> None:
    ann, bob = visit(), visit()
    code = ann.make()
    bob.press("create-open")
    expect(bob.page.get_by_role("dialog")).to_be_visible()
    bob.follow(code)
    bob.sees("seat-1", "You")
    expect(bob.page.get_by_role("dialog")).to_have_count(0)


def test_a_full_room_lets_one_watch_and_sit_down_when_somebody_goes(visit: Visit) -> None:
    ann, bob = visit(), visit()
    code = ann.make()
    bob.follow(code)
    bob.sees("seat-1", "You")
    eve = visit(f"#{code}")
    eve.sees("seat-0", ann.name)
    expect(eve.at("ready")).to_have_count(0)
    expect(eve.at("sit")).to_have_count(0)
    bob.press("leave")
    eve.press("sit")
    eve.sees("seat-1", "You")
    ann.sees("seat-1", eve.name)


def test_a_room_without_watchers_says_so(visit: Visit) -> None:
    ann, bob = visit(), visit()
    code = seat(ann, bob, size=9, spectators=False)
    eve = visit(f"#{code}")
    expect(eve.page.get_by_role("alert").filter(has_text="You may not enter this room.")).to_be_visible()
    eve.sees("play-computer")


def test_who_was_sent_away_may_only_watch(visit: Visit) -> None:
    ann, bob = visit(), visit()
    bob.follow(ann.make())
    ann.press("kick-1")
    bob.sees("detached", "The host sent you away. You may still watch.")
    bob.press("play-here")
    bob.sees("seat-0", ann.name)
    bob.sees("seat-1", "Free seat")


def test_the_link_of_a_running_game_shows_it(visit: Visit) -> None:
    ann, bob = visit(), visit()
    code = seat(ann, bob, deal="classic")
    eve = visit(f"#{code}")
    eve.sees("watching", "You are watching")
    eve.sees("watching", "all level")
    ann.claim(9, 10)
    eve.sees("watching", f"{ann.name} leads by 1")
    eve.shows(ann.board().text())
    for visitor in (ann, bob, eve):
        expect(visitor.page.locator("#bar .eye")).to_contain_text("1")


def test_live_games_and_open_rooms_are_on_the_first_screen(visit: Visit) -> None:
    ann, bob, eve = visit(), visit(), visit()
    eve.sees("games", "Nobody else is playing")
    ann.press("create-open")
    ann.at("option-size").fill("9")
    ann.press("create-submit")
    ann.sees("seat-0", "You")
    eve.sees("games", ann.name)
    bob.press("open-room")
    bob.sees("seat-1", "You")
    ann.sees("seat-1", bob.name)
    ann.press("ready")
    bob.press("ready")
    eve.press("watch-room")
    eve.sees("watching")
    expect(eve.at("board").locator("button")).to_have_count(9)


def test_they_talk_before_and_during_the_game(visit: Visit) -> None:
    ann, bob = visit(), visit()
    code = ann.make(countdown_ms=0)
    bob.follow(code)
    bob.at("chat-input").fill("Good luck <b>& ✌")
    bob.press("chat-send")
    ann.sees("feed", "Good luck <b>& ✌")
    expect(bob.at("chat-input")).to_have_value("")
    bob.press("ready")
    ann.press("ready")
    ann.sees("board")
    ann.at("chat-input").fill("Well seen")
    ann.at("chat-input").press("Enter")
    for visitor in (ann, bob):
        visitor.sees("feed", "Well seen")
        visitor.sees("feed", "Good luck")
        expect(visitor.at("feed").locator(".chatline").first).to_contain_text(ann.name)


def test_who_leads_is_told_to_those_who_watch(visit: Visit) -> None:
    people = [visit() for _ in range(3)]
    ann, bob, eve = people
    zoe = visit()
    seat(ann, bob, eve, watchers=[zoe], deal="classic")
    zoe.sees("watching", "all level")
    ann.claim(9, 10)
    zoe.sees("watching", f"{ann.name} leads by 1")
    zoe.has_score(0, 1)
    bob.shows(ann.board().text())
    game = bob.board()
    bob.claim(*next(pair for pair in game.pairs() if game.pair_points(*pair) == 1))
    zoe.sees("watching", "2 share the lead")
