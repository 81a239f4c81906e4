"""The daily on the page: begun, played, on the board; yesterday's with its seed."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit
from tests.web.page.test_looks import LANGUAGES, measure, untranslated

pytestmark = pytest.mark.slow

LOADED = "() => performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop())"


def test_one_attempt_a_day(visit: Visit) -> None:
    ann = visit(width=360)
    assert "dailypage.js" not in ann.page.evaluate(LOADED)
    ann.press("daily-open")
    ann.sees("attempt", "one attempt")
    ann.sees("daily", "Nobody has played it yet.")
    ann.press("play-daily")
    expect(ann.at("board").locator("button")).to_have_count(35)
    expect(ann.at("hint")).to_have_count(0)
    ann.claim(*ann.board().pairs()[0])
    ann.has_score(0, ann.score(0))
    points = ann.score(0)
    assert points > 0
    ann.press("resign")
    ann.press("confirm-resign")
    ann.sees("end", "stays secret")
    expect(ann.at("rematch")).to_have_count(0)
    ann.press("to-daily")
    ann.sees("daily")
    own = ann.at("own-line")
    expect(own).to_contain_text(ann.name)
    expect(own.locator(".col-rating")).to_have_text(str(points))
    ann.sees("attempt", "place 1 of 1")
    expect(ann.at("seed")).to_contain_text("on ")
    ann.excuse("404")  # of yesterday this server knows nothing
    ann.check("day-before")
    ann.sees("daily", "Nothing is known here of that day.")
    ann.check("day-today")
    ann.sees("board")
    for language in LANGUAGES:
        words = ann.words(language)
        ann.at("lang").select_option(language)
        expect(ann.page.locator("#main h1")).to_have_text(words["daily"])
        assert untranslated(measure(ann, "said"), words) == []
