"""How the page looks on a narrow telephone, in four languages, by day and by night, and at other widths."""

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Final, Literal

import pytest
from playwright.sync_api import expect
from tests.rules.oracle import OracleGame
from tests.web.page.conftest import Visit
from tests.web.page.visitor import Visitor

pytestmark = pytest.mark.slow

LANGUAGES: Final = ("en", "es", "fr", "pt")
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
NARROW: Final = {"width": 360, "height": 640}  # px
MEASURES: Final = (Path(__file__).parent / "measures.js").read_text().strip().removesuffix(";")
WEB: Final = Path(__file__).parents[3] / "client_demo" / "web"
VALUE: Final = re.compile(r"\{(\w+)")


def measure(visitor: Visitor, what: str) -> list[str]:
    """Return what one of the functions in measures.js finds."""
    found: list[str] = visitor.page.evaluate(f"() => {MEASURES}.{what}()")
    return found


def screens(visit: Visit, language: str) -> Iterator[tuple[Visitor, str]]:
    """Go through the screens of the page, each with as much on it as can be."""
    ann = visit(viewport=NARROW, locale=language, reduced_motion="reduce")
    bob = visit()
    bob.press("create-open")
    bob.press("create-submit")
    bob.sees("ready")
    ann.sees("games", bob.name)
    yield ann, "first screen"
    ann.press("settings")
    ann.sees("name-input")
    yield ann, "settings"
    ann.page.keyboard.press("Escape")
    ann.press("create-open")
    for mode in ("race", "turns", "mirror"):
        ann.check(f"mode-{mode}")
        yield ann, f"making a game in {mode}"
    ann.page.keyboard.press("Escape")
    yield from table(ann, bob, "turns")
    yield from table(ann, bob, "race")
    yield from table(ann, bob, "mirror")
    yield from mirrors(ann, bob)


def table(ann: Visitor, bob: Visitor, mode: str) -> Iterator[tuple[Visitor, str]]:
    """Go through a game: waiting, playing with a mistake, what happened, the end."""
    code = ann.make(mode, countdown_ms=0, max_players=2)
    yield ann, f"alone, waiting for {mode}"
    bob.follow(code)
    bob.press("ready")
    ann.sees("seat-1", bob.name)
    yield ann, f"waiting for {mode}"
    ann.press("ready")
    expect(ann.at("board").locator("button")).to_have_count(35)
    ann.claim(*blocked(ann.board()))
    ann.has_score(0, -2)
    yield ann, f"a mistake in {mode}"
    ann.press("feed-tab")
    ann.press("resign")
    yield ann, f"about to resign in {mode}"
    ann.press("confirm-resign")
    if mode == "mirror":  # once both boards are there the end is drawn anew
        expect(ann.page.locator(".boards figure")).to_have_count(2)
    ann.at("end").locator("summary").click()
    ann.press("check-deal")
    expect(ann.at("deal-check")).not_to_be_empty()
    yield ann, f"the end of {mode}"


def mirrors(ann: Visitor, bob: Visitor) -> Iterator[tuple[Visitor, str]]:
    """Look at boards of others, and practise."""
    ann.make("mirror", max_players=1, countdown_ms=0)
    ann.press("ready")
    expect(ann.at("board").locator("button")).to_have_count(35)
    ann.press("hint")
    ann.press("add")
    yield ann, "practice"
    ann.press("resign")
    ann.press("confirm-resign")
    code = bob.make("mirror", countdown_ms=0, max_players=3)
    for seat in (1, 2):
        bob.press("add-bot")
        bob.sees(f"seat-{seat}", "computer")
    ann.follow(code)
    bob.press("ready")
    expect(ann.page.locator(".boards figure")).to_have_count(3)
    yield ann, "watching boards of their own"


def blocked(game: OracleGame) -> tuple[int, int]:
    """Return a pair that fits and meets, but for something between."""
    return next(pair for pair in combinations(game.ids(), 2) if game.judge(*pair)[0] == "blocked")


def untranslated(said: list[str], words: dict[str, str]) -> list[str]:
    """Return what is a key and no word of the language, or a value that was forgotten."""
    keys = {key for key, word in words.items() if word != key}
    return [
        text for text in said if text in keys or VALUE.search(text) or text in ("undefined", "null", "NaN")
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_fits_reads_well_and_is_translated(visit: Visit, language: str) -> None:
    seen = []
    for visitor, screen in screens(visit, language):
        seen.append(screen)
        assert untranslated(measure(visitor, "said"), visitor.words(language)) == [], screen
        assert measure(visitor, "hardToTouch") == [], screen
        for scheme in SCHEMES:
            visitor.page.emulate_media(color_scheme=scheme)
            assert measure(visitor, "tooWide") == [], (screen, scheme)
            assert measure(visitor, "tooPale") == [], (screen, scheme)
    assert len(seen) == len(set(seen)) == 22


def test_eight_at_a_table_fit_at_every_width(visit: Visit) -> None:
    ann = visit(reduced_motion="reduce")
    fits_everywhere(ann)
    ann.make(max_players=8, countdown_ms=0, size=180)  # so many computers would soon be done with fewer
    for seat in range(1, 8):
        ann.press("add-bot")
        ann.sees(f"seat-{seat}", "computer")
    fits_everywhere(ann)
    ann.press("ready")
    expect(ann.at("board").locator("button").first).to_be_visible()
    fits_everywhere(ann)
    narrowest = ann.at("board").locator(".cell").first.bounding_box()
    assert narrowest is not None
    assert narrowest["width"] >= 30
    ann.press("resign")
    ann.press("confirm-resign")
    ann.sees("end", "out")  # only computers are left
    fits_everywhere(ann)


def test_ten_boards_fit_at_every_width(visit: Visit) -> None:
    ann, eve = visit(reduced_motion="reduce"), visit(reduced_motion="reduce")
    code = ann.make("mirror", max_players=10, countdown_ms=0, size=60)
    for seat in range(1, 10):
        ann.press("add-bot")
        ann.sees(f"seat-{seat}", "computer")
    eve.follow(code)
    ann.press("ready")
    expect(ann.at("board").locator("button").first).to_be_visible()
    expect(eve.page.locator(".boards .board")).to_have_count(10)
    fits_everywhere(ann)
    fits_everywhere(eve)
    ann.press("resign")
    ann.press("confirm-resign")
    ann.sees("end")
    expect(ann.page.locator(".boards .board")).to_have_count(10)
    fits_everywhere(ann)


def fits_everywhere(visitor: Visitor) -> None:
    """Nothing is cut off in windows from wide to narrow, where one layout becomes another, and beyond."""
    for width in (1920, 1280, 1100, 1021, 1020, 821, 820, 600, 430, 360, 320):
        visitor.page.set_viewport_size({"width": width, "height": 640})
        assert measure(visitor, "tooWide") == [], width


def test_the_languages_say_the_same_things(visit: Visit) -> None:
    ann = visit()
    english = ann.words("en")
    for language in LANGUAGES:
        words = ann.words(language)
        assert words.keys() == english.keys(), language
        for key, word in words.items():
            assert set(VALUE.findall(word)) == set(VALUE.findall(english[key])), (language, key)


def test_what_is_asked_for_in_the_page_has_words(visit: Visit) -> None:
    words = visit().words("en")
    sources = "".join(
        path.read_text() for path in WEB.glob("*.js") if not path.name.startswith(("texts_", "more_"))
    )
    asked = set(re.findall(r"\bt\('([\w.]+)'", sources))
    assert len(asked) > 50
    assert asked - words.keys() == set()


def test_what_looks_bad_is_found(visit: Visit) -> None:
    ann = visit(viewport=NARROW)
    for what in ("tooWide", "tooPale", "hardToTouch"):
        assert measure(ann, what) == []
    ann.page.evaluate(
        "() => Object.assign(document.querySelector('h1').style, { width: '400px', color: '#999' })"
    )
    assert "the page: " in measure(ann, "tooWide")[0]
    assert "<h1" in measure(ann, "tooPale")[0]
    low = "display: block; height: 20px; min-height: 0"
    ann.page.evaluate("(low) => { document.querySelector('.brand').style.cssText = low }", low)
    ann.page.evaluate("() => document.querySelector('#main').append(document.createElement('button'))")
    assert [part.partition("class")[0].partition(" ")[2] for part in measure(ann, "hardToTouch")] == [
        "<a ",
        "<button></button>",
    ]
    said = [*measure(ann, "said"), "playComputer", "{n} of 3"]
    assert untranslated(said, ann.words("en")) == ["playComputer", "{n} of 3"]
