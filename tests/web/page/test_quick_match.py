"""Quick match: one button, and somebody to play; the computer where nobody comes."""

import json
from typing import Any, Final

import pytest
from playwright.sync_api import WebSocketRoute, expect
from tests.web.page.conftest import Visit
from tests.web.page.test_looks import LANGUAGES, NARROW, SCHEMES, measure, untranslated
from tests.web.page.visitor import Visitor, seat

pytestmark = pytest.mark.slow

LATE_MS: Final = 60_000  # what is due after 15 s, on a busy machine

# Somebody who looks for an opponent and does not come when called.
ABSENT: Final = """async () => {
    const { Client } = await import('/tenmatch.js')
    const client = new Client({ storage: null })
    client.connect()
    const called = new Promise((resolve) => client.addEventListener('paired', resolve))
    await client.queue('race')
    await called
}"""


def sees_a_game(*visitors: Visitor) -> None:
    """Wait until all see the same board."""
    for visitor in visitors:
        expect(visitor.at("board").locator("button")).to_have_count(35)
    assert len({visitor.board().text() for visitor in visitors}) == 1


def alert(visitor: Visitor, text: str) -> None:
    """Wait until the page says this on top."""
    expect(visitor.page.get_by_role("alert").filter(has_text=text)).to_be_visible()


def test_two_who_press_the_button_play(visit: Visit) -> None:
    ann, bob = visit(), visit()
    ann.press("play-someone")
    ann.sees("seek", "Looking for an opponent")
    expect(ann.at("seeking")).to_have_count(0)  # the bar says so on other screens
    bob.press("play-someone")
    sees_a_game(ann, bob)
    for visitor, other in ((ann, bob), (bob, ann)):
        expect(visitor.page.locator("#main")).to_contain_text(other.name)
    ann.claim(*ann.board().pairs()[0])
    bob.shows(ann.board().text())


def test_whoever_changes_their_mind_is_not_called(visit: Visit) -> None:
    ann, bob = visit(), visit()
    ann.press("play-someone")
    ann.press("seek-cancel")
    ann.sees("play-someone")
    bob.press("play-someone")
    bob.sees("seek")
    ann.sees("play-someone")


def test_those_who_want_the_same_are_brought_together_and_it_is_remembered(visit: Visit) -> None:
    ann, bob, eve = visit(), visit(), visit()
    ann.press("play-someone")
    ann.check("seek-turns")
    eve.press("play-someone")
    bob.press("play-someone")
    sees_a_game(bob, eve)
    bob.press("resign")
    bob.press("confirm-resign")
    bob.sees("end")
    bob.open()
    bob.press("play-someone")
    bob.at("seek-turns").dispatch_event("click")  # and the button is gone: there is somebody
    sees_a_game(ann, bob)
    ann.open()
    expect(ann.at("play-someone")).to_be_visible()
    ann.press("play-someone")
    alert(ann, "Your last quick match is not over")


def test_one_looks_on_whatever_else_one_looks_at(visit: Visit) -> None:
    ann, bob = visit(), visit()
    ann.press("play-someone")
    ann.press("leaders")
    ann.sees("seeking", "Looking")
    ann.press("seeking")
    ann.sees("seek")
    ann.press("leaders")
    bob.press("play-someone")
    sees_a_game(ann, bob)


def test_whoever_sits_down_elsewhere_looks_no_longer(visit: Visit) -> None:
    ann, bob, eve = visit(), visit(), visit()
    code = eve.make()
    ann.press("play-someone")
    ann.follow(code)
    ann.sees("seat-1", "You")
    expect(ann.at("seeking")).to_have_count(0)
    bob.press("play-someone")
    ann.press("leave")
    ann.sees("play-someone")
    expect(bob.at("seek")).to_be_visible()


def test_what_takes_time_happens_at_its_time(visit: Visit) -> None:
    """Whose opponent does not come looks on; who waits for long may play the computer. Both wait at once."""
    ann, eve, nobody, bob = (visit() for _ in range(4))
    ann.press("play-someone")
    ann.check("seek-turns")
    eve.press("play-someone")
    nobody.page.evaluate(ABSENT)
    eve.sees("meeting", "as soon as both are here")
    expect(eve.at("seek")).to_be_visible(timeout=LATE_MS)
    alert(eve, "Your opponent did not come.")
    bob.press("play-someone")
    sees_a_game(eve, bob)
    expect(ann.at("seek-computer")).to_have_text("Play the computer · medium", timeout=LATE_MS)
    ann.press("seek-computer")
    sees_a_game(ann)
    ann.sees("seat-1", "computer, medium")


def test_who_leaves_before_the_start_lets_the_other_look_on(visit: Visit) -> None:
    ann, nobody, bob = visit(), visit(), visit()
    ann.press("play-someone")
    nobody.page.evaluate(ABSENT)
    ann.sees("meeting")
    ann.press("leave")
    ann.sees("play-someone")
    expect(ann.at("seek")).to_have_count(0)
    bob.press("play-someone")
    bob.sees("seek")


def offered(route: WebSocketRoute) -> None:
    """Let the server's offer of a computer player come as soon as somebody seeks."""
    server = route.connect_to_server()
    sought: list[int] = []

    def say(message: Any) -> None:
        said = json.loads(message)
        if said["t"] == "queue":
            sought.append(said["id"])
        server.send(message)

    def hear(message: Any) -> None:
        route.send(message)
        if json.loads(message).get("re") in sought:
            route.send(
                json.dumps({"t": "queued", "mode": "race", "rated": False, "on": True, "bot": "medium"})
            )

    route.on_message(say)
    server.on_message(hear)


@pytest.mark.parametrize("language", LANGUAGES)
def test_looking_and_meeting_fit_read_well_and_are_translated(visit: Visit, language: str) -> None:
    ann = visit(viewport=NARROW, locale=language, reduced_motion="reduce")
    nobody, bob = visit(), visit()
    game = seat(bob, nobody)
    ann.page.route_web_socket("**/v1", offered)
    ann.open()
    ann.press("play-someone")
    ann.sees("seek-computer")
    seen = [fits(ann, language)]
    ann.page.evaluate("(code) => { location.hash = code }", game)
    ann.sees("watching")
    ann.sees("seeking")
    seen.append(fits(ann, language))
    ann.press("seeking")
    ann.sees("seek")
    nobody.page.evaluate(ABSENT)
    ann.sees("meeting")
    assert [*seen, fits(ann, language)] == [[]] * 3


def fits(visitor: Visitor, language: str) -> list[str]:
    """Return what does not fit, cannot be read or is not translated."""
    found = untranslated(measure(visitor, "said"), visitor.words(language))
    for scheme in SCHEMES:
        visitor.page.emulate_media(color_scheme=scheme)
        found += measure(visitor, "tooWide") + measure(visitor, "tooPale")
    return found
