"""What people say to each other on the page: in phrases; who is muted, who is reported."""

from playwright.sync_api import expect
from tests.web.page.conftest import Visit


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
