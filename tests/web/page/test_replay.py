"""A finished game once more, from its record: played, stepped and scrubbed through, proven, shared."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.live.node import Node
from tests.web.page.conftest import Visit
from tests.web.page.test_looks import LANGUAGES, SCHEMES, measure, untranslated
from tests.web.page.visitor import Visitor, seat

pytestmark = pytest.mark.slow

NARROW: Final = {"width": 360, "height": 640}
LATE: Final = {"replaypage.js"}  # with all that proves a game in it
LOADED: Final = "() => performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop())"

# Two play the classic deal: three pairs, a mistake, and one resigns. Gives the room and all boards.
PLAY: Final = """async (mode) => {
    const { Client } = await import('/tenmatch.js')
    const clients = ['Ann', 'Bob'].map((name) => new Client({ name, storage: null }))
    for (const client of clients) client.connect()
    const options = { deal: 'classic', countdown_ms: 0, max_players: 2 }
    const ann = await clients[0].create({ mode, options })
    const bob = await clients[1].join({ room: ann.id })
    const until = (room, kind) => new Promise((resolve) => room.addEventListener(
        'event', ({ detail }) => detail.event.kind === kind && resolve()))
    const started = Promise.all([ann, bob].map((room) => until(room, 'started')))
    await ann.ready(true)
    await bob.ready(true)
    await started
    const boards = [ann.board.text()]
    for (const room of [ann, bob, ann]) {
        await room.match(...room.board.pairs()[0])
        boards.push(room.board.text())
        while (ann.seq !== bob.seq) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await bob.match(0, 0)
    const over = until(ann, 'ended')
    await bob.resign()
    await over
    for (const client of clients) client.close()
    return { room: ann.id, boards }
}"""


# From now on the next event waits until it is told to come. At eightfold pace what is due later is no event.
STOP_TIME: Final = """() => {
    const [due, later] = [(window.due = new Map()), window.setTimeout]
    let last = 0
    window.setTimeout = (run, ms) => ms < 1000 ? (due.set(--last, run), last) : later(run, ms)
    window.clearTimeout = (timer) => due.delete(timer)
}"""
NEXT: Final = "() => { const [[timer, run]] = window.due; window.due.delete(timer); run() }"


class Played(NamedTuple):
    """A game that was played; `first` is the event with which it began."""

    room: str
    boards: list[str]
    first: int = 7  # created, two seated, two ready, starting, and

    def at(self, step: int) -> str:
        """Return what opens the replay so many events after the start."""
        return f"#record={self.room}" + (f"&at={self.first + step}" if step else "")


BOTH_MODES: Final = pytest.mark.parametrize("game", ["race", "turns"], indirect=True)


@pytest.fixture(scope="module")
def game(request: pytest.FixtureRequest, node: Node, browser: Browser) -> Iterator[Played]:
    """A game that was played, a race unless the test asks for another."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{node.url}/healthz")
    yield Played(**page.evaluate(PLAY, getattr(request, "param", "race")))
    context.close()


def go(visitor: Visitor, address: str) -> None:
    """Follow a link on the page."""
    visitor.page.evaluate("(hash) => { location.hash = hash }", address)


def scrub(visitor: Visitor, to: int) -> None:
    """Move the slider."""
    visitor.at("position").evaluate(
        "(range, to) => { range.value = to; range.dispatchEvent(new Event('input')) }", to
    )


@BOTH_MODES
def test_a_game_is_stepped_through_forwards_and_back(visit: Visit, game: Played) -> None:
    ann = visit(game.at(0))
    ann.shows(game.boards[0])
    for step, board in enumerate(game.boards[1:], 1):
        ann.press("on")
        ann.shows(board)
        expect(ann.page).to_have_url(f"{ann.home}{game.at(step)}")
    ann.press("on")
    ann.sees("told", "That is one number twice")
    ann.has_score(1, -2 + points(ann, "Bob"))
    ann.press("on")
    ann.sees("told", "resigned")
    ann.press("on")
    ann.sees("told", "Only one was left in the game.")
    ann.press("on")  # which is no further
    expect(ann.at("feed").locator("li")).to_have_count(7)
    for _ in range(6):
        ann.press("back")
    ann.shows(game.boards[0])
    expect(ann.page).to_have_url(f"{ann.home}{game.at(0)}")
    expect(ann.at("feed").locator("li")).to_have_count(1)
    for number in (0, 1):
        ann.has_score(number, 0)


def points(visitor: Visitor, name: str) -> int:
    """Return what a player earned, by the lines of what happened."""
    lines = visitor.at("feed").locator("li").all_inner_texts()
    return sum(int(line.rpartition("+")[2]) for line in lines if name in line and "+" in line)


def test_a_game_plays_by_itself_at_any_pace_and_pauses(visit: Visit, game: Played) -> None:
    ann = visit(game.at(0))
    ann.at("speed").select_option("8")
    ann.press("play")
    ann.sees("told", "Only one was left in the game.")
    expect(ann.at("play")).to_have_attribute("aria-label", "Play")  # it stands at the end
    ann.shows(game.boards[-1])
    ann.page.evaluate(STOP_TIME)
    ann.press("play")  # from the start again
    expect(ann.at("play")).to_have_attribute("aria-label", "Pause")
    ann.page.evaluate(NEXT)
    expect(ann.at("position")).to_have_value("1")
    ann.press("play")
    expect(ann.at("play")).to_have_attribute("aria-label", "Play")
    assert ann.page.evaluate("() => window.due.size") == 0


def test_the_slider_leads_anywhere_and_lines_lead_to_their_moment(visit: Visit, game: Played) -> None:
    ann = visit(game.at(0))
    for to in (3, 1):
        scrub(ann, to)
        ann.shows(game.boards[to])
    scrub(ann, 6)
    ann.at("feed").locator("li").nth(4).locator("button").click()  # the second pair: the newest is first
    ann.shows(game.boards[2])
    expect(ann.at("position")).to_have_attribute("aria-valuetext", re.compile(r"^3 of 7, \d:\d\d$"))


def test_the_keyboard_steps_and_plays(visit: Visit, game: Played) -> None:
    ann = visit(game.at(0))
    ann.sees("proof")
    ann.page.locator("main").focus()
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        ann.page.keyboard.press(key)
        ann.shows(game.boards[step])
    ann.at("speed").select_option("8")
    ann.page.evaluate(STOP_TIME)  # else it might be at its end before it is paused
    ann.page.locator("main").focus()
    for label in ("Pause", "Play"):
        ann.page.keyboard.press(" ")
        expect(ann.at("play")).to_have_attribute("aria-label", label)


def test_a_link_leads_anybody_to_a_moment(visit: Visit, game: Played) -> None:
    eve = visit(game.at(2))
    eve.shows(game.boards[2])
    eve.sees("proof", "Proven")
    go(eve, game.at(0))
    eve.shows(game.boards[0])
    go(eve, game.at(990))
    eve.sees("told", "Only one was left in the game.")
    eve.page.go_back()
    eve.shows(game.boards[0])
    eve.press("leave")
    expect(eve.at("games")).to_be_visible()


def test_the_link_to_a_moment_is_copied(visit: Visit, game: Played) -> None:
    ann = visit(game.at(0), permissions=["clipboard-read", "clipboard-write"])
    scrub(ann, 1)
    expect(ann.page).to_have_url(f"{ann.home}{game.at(1)}")
    ann.listen("copy-position")
    ann.press("copy-position")
    ann.heard("copy-position", "Copied")
    assert ann.page.evaluate("navigator.clipboard.readText()") == f"{ann.home}{game.at(1)}"


def test_the_record_can_be_taken_away(visit: Visit, game: Played, tmp_path: Path) -> None:
    ann = visit(game.at(0))
    with ann.page.expect_download() as download:
        ann.press("download")
    assert download.value.suggested_filename == f"{game.room}.json"
    download.value.save_as(tmp_path / "record.json")
    assert json.loads((tmp_path / "record.json").read_text())["format"] == "tenmatch-record/1"


def test_what_does_not_prove_its_game_is_not_said_to(visit: Visit, game: Played) -> None:
    ann = visit()
    record: Any = ann.page.evaluate("async (p) => (await fetch(p)).json()", f"/v1/records/{game.room}")
    matched = next(event for event in record["events"] if event["kind"] == "matched")
    matched["points"] += 1

    def forge(route: Route) -> None:
        route.fulfill(json=record)

    ann.context.route("**/v1/records/*", forge)
    go(ann, game.at(0))
    ann.sees("proof", f"event {matched['seq']}: points is {matched['points']}")
    expect(ann.at("proof")).to_have_class(re.compile(r"\bbad\b"))


def test_another_language_leaves_one_where_one_is(visit: Visit, game: Played) -> None:
    ann = visit(game.at(2))
    ann.at("lang").select_option("fr")
    ann.sees("proof", "Prouvé")
    ann.shows(game.boards[2])


@pytest.mark.parametrize("game", ["mirror"], indirect=True)
def test_of_boards_of_their_own_one_is_shown_and_another_may_be_chosen(visit: Visit, game: Played) -> None:
    ann = visit(game.at(0))
    dealt, anns, bobs, last = game.boards
    assert anns == bobs, "the same pair of the same deal"
    for step, board in ((1, anns), (2, anns), (3, last)):
        ann.press("on")
        ann.shows(board)
        expect(ann.page).to_have_url(f"{ann.home}{game.at(step)}")
    ann.at("board-of").select_option(label="Bob")
    ann.shows(bobs)
    ann.sees("clock", ":")
    expect(ann.page.locator(".time small")).to_have_text("25 numbers left · 5 adds")
    scrub(ann, 1)
    ann.shows(dealt)
    ann.press("on")
    ann.shows(bobs)


@pytest.mark.parametrize("game", ["race", "turns", "mirror"], indirect=True)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_replay_fits_reads_well_and_is_translated(visit: Visit, game: Played, language: str) -> None:
    ann = visit(game.at(6), viewport=NARROW, locale=language, reduced_motion="reduce")
    ann.sees("proof")
    assert untranslated(measure(ann, "said"), ann.words(language)) == []
    for scheme in SCHEMES:
        ann.page.emulate_media(color_scheme=scheme)
        for width in (1280, 1021, 820, 360, 320):
            ann.page.set_viewport_size({"width": width, "height": 640})
            assert measure(ann, "tooWide") == [], (scheme, width)
        assert measure(ann, "tooPale") == [], scheme


@pytest.mark.parametrize("name", ["nosuchroom", "abcdefghjk"])
def test_where_there_is_no_record_it_is_said_at_home(visit: Visit, name: str) -> None:
    ann = visit()
    ann.excuse("404")
    go(ann, f"record={name}")
    expect(ann.page.locator("main")).to_contain_text("There is no record of such a game")
    expect(ann.at("games")).to_be_visible()


def test_the_end_of_a_game_leads_to_its_replay_which_is_loaded_only_then(visit: Visit) -> None:
    ann, bob = visit(), visit()
    seat(ann, bob, deal="classic")
    dealt = ann.board().text()
    ann.claim(*ann.board().pairs()[0])
    bob.press("resign")
    bob.press("confirm-resign")
    ann.sees("end")
    assert LATE & set(ann.page.evaluate(LOADED)) == set()
    ann.press("replay")
    ann.sees("proof", "Proven")
    ann.shows(dealt)
    assert LATE <= set(ann.page.evaluate(LOADED))
