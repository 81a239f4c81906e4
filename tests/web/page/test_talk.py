"""What people say to each other on the page, in phrases; who is muted and reported; who looks away."""

from playwright.sync_api import expect
from tests.web.page.conftest import Visit
from tests.web.page.visitor import seat

# As when another tab is looked at, which a browser without a screen never does.
LOOK = """(state) => {
    Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
}"""


def test_phrases_are_read_in_ones_own_language_and_players_muted_and_reported(visit: Visit) -> None:
    ann, bob = visit(), visit(locale="fr-FR")
    bob.follow(ann.make())
    ann.press("phrase-good_luck")
    bob.sees("feed", "Bonne chance !")
    bob.press("phrase-hello")
    ann.sees("feed", "Hello!")

    ann.press("people")
    ann.press("mute-0")
    expect(ann.at("mute-0")).to_have_attribute("aria-pressed", "true")
    expect(ann.at("feed")).not_to_contain_text("Hello!")
    ann.press("mute-0")
    ann.sees("feed", "Hello!")

    ann.press("report-0")
    ann.check("reason-stalling")
    ann.at("report-text").fill("waits for ever")
    ann.press("report-send")
    ann.sees("reported", "Thank you")


def test_a_page_says_when_it_is_out_of_sight(visit: Visit) -> None:
    ann, bob = visit(), visit()
    code = seat(ann, bob)
    with ann.page.expect_websocket() as opened:
        ann.open(f"#{code}")
    ann.sees("board")
    for state, on in (("hidden", "false"), ("visible", "true")):

        def tells(sent: str, on: str = on) -> bool:
            return '"focus"' in sent and f'"on":{on}' in sent

        with opened.value.expect_event("framesent", tells):
            ann.page.evaluate(LOOK, state)
