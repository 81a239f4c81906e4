"""Rated games on the page: made, told of beside names, and seen on leaderboards and players' pages."""

import re
import time
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Route, expect
from tests.web.page.conftest import Visit
from tests.web.page.test_looks import LANGUAGES, SCHEMES, measure, untranslated
from tests.web.page.visitor import Visitor, seat

pytestmark = pytest.mark.slow

NARROW: Final = {"width": 360, "height": 640}
LATE: Final = {"leaderspage.js", "playerpage.js", "ratingcurve.js", "ranks.js", "ranks.css"}
LOADED: Final = "() => performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop())"
AT_ONCE: Final[dict[str, Any]] = {"rated": True, "spectator_delay_ms": 0}
ENTERED_S: Final = 60.0
LONG_NAME: Final = "Maximilian Featherstonew"

# The lines of a leaderboard: place, name, rating, games.
CELLS: Final = """(rows) => rows.map((row) => [...row.cells].map(
    (cell) => (cell.querySelector('a') ?? cell).textContent))"""
# How many games of a player count on both leaderboards of a mode, on which what was played is entered last.
GAMES: Final = """async ([mode, player]) => {
    const read = async (period) => {
        const asked = `period=${period}&page=1&player=${player}`
        return (await fetch(`/v1/leaderboards/${mode}?${asked}`, { cache: 'no-store' })).json()
    }
    const told = await Promise.all(['all', 'week'].map(read))
    return Math.min(...told.map(({ lines, own }) => [...lines, own]
        .find((line) => line?.player.id === player)?.games ?? 0))
}"""


def lines(visitor: Visitor) -> list[list[str]]:
    """Return the lines of the leaderboard that is shown."""
    visitor.sees("board")
    found: list[list[str]] = visitor.at("board").locator("tbody tr").evaluate_all(CELLS)
    return found


def lose(visitor: Visitor) -> None:
    visitor.press("resign")
    visitor.press("confirm-resign")
    visitor.sees("end")


def entered(*visitors: Visitor, mode: str = "race", games: int = 1) -> list[str]:
    """Wait at the end of a rated game until so many games of each count; returns their ids."""
    links = [visitor.at("your-rating").get_attribute("href") or "" for visitor in visitors]
    ids = [link.removeprefix("#player=") for link in links]
    until = time.monotonic() + ENTERED_S
    for visitor, who in zip(visitors, ids, strict=True):  # each player's part is entered by itself
        while visitor.page.evaluate(GAMES, [mode, who]) < games:
            assert time.monotonic() < until, "the game does not count"
            visitor.page.wait_for_timeout(100)
    return ids


def test_a_leaderboard_after_a_rated_game(visit: Visit) -> None:
    ann, bob = visit(), visit()
    ann.press("create-open")
    ann.check("option-rated")
    ann.press("create-submit")
    bob.at("games").get_by_test_id("open-room").click()
    ann.sees("seat-1", bob.name)
    for visitor in (ann, bob):
        visitor.sees("rating-0", "1000")
        visitor.press("ready")
    expect(ann.at("board").locator("button")).to_have_count(35)
    ann.claim(*ann.board().pairs()[0])
    lose(bob)
    ann.sees("end", "counts for the ratings")
    assert LATE & set(ann.page.evaluate(LOADED)) == set()
    entered(ann, bob)
    ann.press("leave")
    ann.press("leaders")
    assert lines(ann) == [["1.", ann.name, "1137", "1"], ["2.", bob.name, "927", "1"]]
    expect(ann.at("own-line")).to_contain_text(f"{ann.name} · You")
    former = ann.at("board").element_handle()
    ann.check("period-week")
    expect(ann.page).to_have_url(re.compile("#leaders=race&week$"))
    former.wait_for_element_state("hidden")  # another is in its place
    assert lines(ann) == [["1.", ann.name, "1137", "1"], ["2.", bob.name, "927", "1"]]
    ann.check("mode-turns")
    ann.sees("leaders", "Nobody has played a rated game")
    ann.page.go_back()
    ann.at("board").locator("tbody tr").nth(1).get_by_role("link").click()  # two guests may share a name
    ann.sees("rating-race", "927")
    ann.sees("player", "1 game · place 2 of 2")
    expect(ann.at("player").get_by_role("img")).to_have_attribute(
        "aria-label", "Rating over 1 game, from 1000 to 927"
    )
    result = ann.at("results-race").locator("li")
    expect(result).to_contain_text(f"2 of 2{ann.name} 1000")
    expect(result.locator("b")).to_have_text("\N{MINUS SIGN}73")
    result.get_by_role("link").last.click()
    ann.sees("proof", "Proven")


def test_ratings_stand_beside_names(visit: Visit) -> None:
    ann, bob, eve = visit(), visit(), visit()
    seat(ann, bob, **AT_ONCE)
    lose(bob)
    entered(ann, bob)
    code = seat(ann, bob, watchers=[eve], **AT_ONCE)
    for visitor in (ann, bob, eve):
        visitor.sees("rating-0", "1137")
        visitor.sees("rating-1", "927")
    late = visit(f"#{code}")
    late.sees("rating-0", "1137")
    lose(bob)
    ann.sees("end", "1137")


def test_in_a_rated_room_there_is_less_to_choose(visit: Visit) -> None:
    ann, bob = visit(), visit()
    ann.press("create-open")
    ann.at("option-size").fill("12")
    ann.at("option-deal").select_option("even")
    ann.check("option-rated")
    for hook in ("deal", "size", "seconds", "penalty"):
        expect(ann.at(f"option-{hook}")).to_have_count(0)
    ann.check("mode-turns")
    ann.at("option-spectators").uncheck()
    ann.press("create-submit")
    ann.sees("ready")
    expect(ann.page.locator("main")).to_contain_text("Turns · 35 numbers · 2:00 + 3 s · rated")
    expect(ann.at("add-bot")).to_have_count(0)
    expect(bob.at("games").locator("li")).to_contain_text("rated")
    ann.press("leave")
    ann.press("create-open")
    expect(ann.at("option-rated")).to_be_checked()  # as it was last time


def test_a_rated_mirror_game_is_for_two_or_more(visit: Visit) -> None:
    ann = visit()
    ann.press("create-open")
    ann.check("mode-mirror")
    ann.at("option-max_players").select_option("1")
    ann.check("option-rated")
    assert ann.at("option-max_players").locator("option").first.inner_text() == "2"
    ann.press("create-submit")
    ann.sees("seat-1")
    expect(ann.page.locator("main")).to_contain_text("Mirror · 35 numbers · 6:00 · rated")


def test_who_watches_a_rated_game_has_nothing_to_say(visit: Visit) -> None:
    ann, bob, eve = visit(), visit(), visit()
    seat(ann, bob, watchers=[eve], **AT_ONCE)
    expect(ann.at("chat-input")).to_be_visible()
    expect(eve.at("feed")).to_be_visible()
    expect(eve.at("chat-input")).to_be_hidden()
    lose(bob)
    eve.sees("end")
    eve.at("chat-input").fill("well played")
    eve.press("chat-send")
    ann.sees("feed", "well played")


def test_addresses_lead_to_leaderboards_and_players(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, mode="turns", **AT_ONCE)
    lose(ann)
    who, _ = entered(ann, bob, mode="turns")
    eve = visit("#leaders=turns&week")
    assert [line[1] for line in lines(eve)] == [bob.name, ann.name]
    expect(eve.at("own-line")).to_have_count(0)
    eve.open(f"#player={who}")
    eve.sees("rating-turns", "927")
    eve.press("leaders")
    expect(eve.page).to_have_url(re.compile("#leaders=turns$"))
    eve.press("leave")
    expect(eve.at("games")).to_be_visible()
    own = visit("#leaders=turns")
    own.excuse("404")
    own.open("#player=abcdefghjkmn")
    own.sees("player", "No rated game yet.")
    ann.open("#leaders=turns")
    expect(ann.at("own-line")).to_contain_text(ann.name)


def test_another_language_leaves_one_there(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, **AT_ONCE)
    lose(bob)
    [who] = entered(ann)
    ann.press("your-rating")
    ann.sees("player", "1 game")
    ann.at("lang").select_option("fr")
    ann.sees("player", "1 partie")
    expect(ann.page).to_have_url(re.compile(f"#player={who}$"))
    ann.press("leaders")
    ann.at("lang").select_option("pt")
    ann.sees("leaders", "Classificação")


def crowd(route: Route) -> None:
    """Answer as a server on which 123 have played would."""
    asked = parse_qs(urlsplit(route.request.url).query)
    page = int(asked["page"][0])
    places = range(50 * page - 49, min(50 * page, 123) + 1)
    told = [
        {
            "place": place,
            "player": {"id": f"player{place:06}", "name": f"{place} {LONG_NAME}"},
            "rating": 2500 - 9 * place,
            "games": 1000 - place,
        }
        for place in places
    ]
    own = {
        "place": 77,
        "player": {"id": asked["player"][0], "name": LONG_NAME},
        "rating": 1800,
        "games": 1,
    }
    board = {"mode": "race", "period": "all", "week": None, "players": 123, "page": page, "pages": 3}
    route.fulfill(json={**board, "lines": told, "own": own})


def test_a_long_leaderboard_has_pages_and_ones_own_line_on_each(visit: Visit) -> None:
    ann = visit()
    ann.context.route("**/v1/leaderboards/race*", crowd)
    ann.press("leaders")
    ann.sees("leaders", "Page 1 of 3")
    assert [line[0] for line in lines(ann)] == [f"{place}." for place in range(1, 51)]
    expect(ann.at("board").locator("tfoot tr")).to_contain_text(f"77.{LONG_NAME} · You1800")
    expect(ann.at("page-before")).to_have_count(0)
    ann.press("page-after")
    ann.sees("leaders", "Page 2 of 3")
    ann.press("page-after")
    ann.sees("leaders", "Page 3 of 3")
    assert len(lines(ann)) == 23
    expect(ann.at("page-after")).to_have_count(0)
    ann.page.go_back()
    ann.sees("leaders", "Page 2 of 3")


@pytest.mark.parametrize("language", LANGUAGES)
def test_these_pages_fit_read_well_and_are_translated(visit: Visit, language: str) -> None:
    ann, bob = visit(locale=language, viewport=NARROW, reduced_motion="reduce"), visit()
    ann.press("create-open")
    ann.check("option-rated")
    looks_good(ann, language, "making a rated game")
    ann.page.keyboard.press("Escape")
    bob.rename(LONG_NAME)
    for game in range(3):
        code = ann.make("race", countdown_ms=0, **AT_ONCE)
        bob.follow(code)
        bob.press("ready")
        ann.sees("rating-1")
        looks_good(ann, language, f"waiting {game}")
        ann.press("ready")
        expect(ann.page.locator(".board button").first).to_be_visible()
        looks_good(ann, language, f"playing {game}")
        lose((bob, ann)[game % 2])
        ann.sees("end")
        looks_good(ann, language, f"the end {game}")
    entered(ann, bob, games=3)
    ann.press("your-rating")
    ann.sees("player", LONG_NAME)
    looks_good(ann, language, "a player")
    ann.press("leaders")
    ann.sees("board")
    looks_good(ann, language, "a leaderboard")
    ann.check("mode-mirror")
    expect(ann.at("board")).to_have_count(0)
    looks_good(ann, language, "an empty one")
    ann.context.route("**/v1/leaderboards/race*", crowd)
    ann.check("mode-race")
    ann.sees("page-after")
    looks_good(ann, language, "a long one")


def looks_good(visitor: Visitor, language: str, screen: str) -> None:
    """Fail unless all is translated, and nothing is cut off or pale, in any width, by day and night."""
    assert untranslated(measure(visitor, "said"), visitor.words(language)) == [], screen
    for scheme in SCHEMES:
        visitor.page.emulate_media(color_scheme=scheme)
        assert measure(visitor, "tooPale") == [], (screen, scheme)
    for width in (1280, 820, 320, 360):
        visitor.page.set_viewport_size({"width": width, "height": 640})
        assert measure(visitor, "tooWide") == [], (screen, width)
