"""What one may set: name, language, sound; and that the browser remembers it."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit
from tests.web.page.visitor import Visitor, seat

pytestmark = pytest.mark.slow

# Counts the tones a page makes; they need no loudspeaker to be made.
COUNT_TONES = """() => {
    window.tones = 0
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (...when) { window.tones++; return start.apply(this, when) }
}"""


def tones(visitor: Visitor) -> int:
    """Return how many tones the page has made since it was loaded."""
    made: int = visitor.page.evaluate("() => window.tones")
    return made


def test_the_name_can_be_changed_and_stays(visit: Visit) -> None:
    ann, bob = visit(), visit()
    ann.press("name")
    ann.at("name-input").fill("Ada <3 Lovelace")
    ann.press("name-save")
    expect(ann.at("name")).to_have_text("Ada <3 Lovelace")
    ann.open()
    expect(ann.at("name")).to_have_text("Ada <3 Lovelace")
    bob.follow(ann.make())
    bob.sees("seat-0", "Ada <3 Lovelace")


def test_the_name_that_was_not_saved_changes_nothing(visit: Visit) -> None:
    ann = visit()
    former = ann.name
    ann.press("settings")
    ann.at("name-input").fill("Somebody else")
    ann.page.keyboard.press("Escape")
    expect(ann.page.get_by_role("dialog")).to_have_count(0)
    expect(ann.at("name")).to_have_text(former)


@pytest.mark.parametrize(
    ("locale", "language"), [("pt-BR", "pt"), ("es-MX", "es"), ("fr-CA", "fr"), ("de-DE", "en")]
)
def test_the_browsers_language_is_spoken_if_the_page_knows_it(
    visit: Visit, locale: str, language: str
) -> None:
    ann = visit(locale=locale)
    expect(ann.page.locator("html")).to_have_attribute("lang", language)
    expect(ann.at("lang")).to_have_value(language)
    expect(ann.at("play-computer")).to_have_text(ann.words(language)["playComputer"])


def test_another_language_is_spoken_at_once_and_remembered(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic")
    ann.claim(9, 10)
    board = ann.board().text()
    ann.at("lang").select_option("fr")
    expect(ann.at("call")).to_have_text("Plus de paire")
    expect(ann.page.locator("html")).to_have_attribute("lang", "fr")
    ann.shows(board)
    ann.sees("feed", "1 = 1")
    ann.claim(*ann.board().pairs()[0])
    bob.shows(ann.board().text())
    ann.page.reload()
    expect(ann.at("call")).to_have_text("Plus de paire")


def test_sound_is_off_until_it_is_switched_on_and_then_stays_on(visit: Visit) -> None:
    ann, bob = visit(), visit()
    ann.page.add_init_script(f"({COUNT_TONES})()")
    ann.open()
    seat(ann, bob, deal="classic")
    ann.tap(9)
    assert tones(ann) == 0
    ann.press("settings")
    for switch in ("sound", "vibration"):
        expect(ann.at(switch)).not_to_be_checked()
    ann.check("sound")
    ann.press("name-save")
    heard = tones(ann)
    assert heard > 0, "switching sound on lets it be heard"
    ann.tap(9)
    assert tones(ann) > heard
    ann.page.reload()
    ann.tap(10)
    assert tones(ann) > 0
    ann.press("settings")
    expect(ann.at("sound")).to_be_checked()
