"""A tournament on the page: made, signed up for by its link, played to the end as a bracket that fills."""

import csv
import io
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit
from tests.web.page.test_looks import NARROW, SCHEMES, measure, untranslated
from tests.web.page.visitor import Visitor

pytestmark = pytest.mark.slow

CALLED_MS = 60_000  # after a pause of 5 s, on a busy machine


GO = "(hash) => { location.hash = hash }"


def fits(visitor: Visitor) -> None:
    """It fits, can be read, and has words, in the dark too."""
    for scheme in SCHEMES:
        visitor.page.emulate_media(color_scheme=scheme)
        assert measure(visitor, "tooWide") == []
        assert measure(visitor, "tooPale") == []
    assert untranslated(measure(visitor, "said"), visitor.words("en")) == []


def play(*pairs: tuple[Visitor, Visitor]) -> None:
    """Follow the calls, all at once; the second of each pair gives up, and all go back to the tournament."""
    everyone = [one for pair in pairs for one in pair]
    for one in everyone:
        expect(one.at("to-game")).to_be_visible(timeout=CALLED_MS)
        one.press("to-game")
    for one in everyone:
        expect(one.page.locator(".board button").first).to_be_visible(timeout=CALLED_MS)
    for _, loser in pairs:
        loser.press("resign")
        loser.press("confirm-resign")
        expect(loser.at("end")).to_be_visible()
        loser.press("to-tournament")
    for winner, loser in pairs:
        expect(winner.at("end").or_(winner.at("tournament")).first).to_be_visible()
        winner.page.evaluate(GO, loser.page.url.partition("#")[2])  # a next call may have led there already


def test_four_play_a_knock_out(visit: Visit) -> None:
    ann = visit()
    ann.rename("Ann")
    ann.press("tournaments-open")
    ann.sees("tournaments")
    ann.at("cup-title").fill("Sunday cup")
    ann.press("cup-create")
    ann.sees("tournament", "Sunday cup")
    expect(ann.at("start")).to_be_disabled()
    link = ann.page.url.partition("#")[2]
    bob, cat, dan = (visit(f"#{link}", viewport=NARROW) for _ in range(3))
    for guest, name in ((bob, "Bob"), (cat, "Cat"), (dan, "Dan")):
        guest.rename(name)
        guest.press("enter")
        guest.sees("withdraw")
    expect(ann.at("standings").locator("tr")).to_have_count(4)
    ann.press("start")
    players = {one.name: one for one in (ann, bob, cat, dan)}
    ann.sees("match-1-0")
    pairs = []
    for place in (0, 1):
        sides = ann.at(f"match-1-{place}").locator(".side").all_inner_texts()
        winner, loser = (players[name.strip()] for name in sides)
        pairs.append((winner, loser))
    play(*pairs)
    (first, _), (second, _) = pairs
    for one in (first, second):
        for finalist in (first, second):  # else one might be called to the game that is over
            one.sees("match-2-0", finalist.name)
    play((first, second))
    for one in players.values():
        one.sees("champion", first.name)
    expect(first.at("match-2-0").locator(".best")).to_contain_text(first.name)
    for one in (ann, bob):
        fits(one)
    with urlopen(f"{ann.home}{str(ann.at('csv').get_attribute('href')).removeprefix('/')}") as answer:
        table = list(csv.DictReader(io.StringIO(answer.read().decode())))
    assert [(line["place"], line["name"]) for line in table[:2]] == [("1", first.name), ("2", second.name)]


def test_only_who_is_invited_signs_up(visit: Visit) -> None:
    ann, bob = visit(viewport=NARROW), visit()
    bob.page.evaluate(
        "() => { navigator.clipboard.writeText = async (text) => { document.body.dataset.copied = text } }"
    )
    bob.press("settings")
    bob.press("own-link")
    line = bob.page.locator("body[data-copied]").get_attribute("data-copied")
    ann.press("tournaments-open")
    ann.at("cup-title").fill("Friends only")
    ann.check("cup-invite")
    ann.at("cup-invitees").fill("Bob from next door")
    ann.press("cup-create")
    ann.sees("tournaments", ": Bob from next door")
    ann.at("cup-invitees").fill(f"\n{line}\n{line}\n")
    fits(ann)
    ann.press("cup-create")
    ann.sees("invited", bob.name)
    bob.open("#" + ann.page.url.partition("#")[2])
    bob.press("enter")
    bob.sees("withdraw")


def test_an_arena_at_a_set_time_out_of_which_one_is_put(visit: Visit) -> None:
    ann = visit(viewport=NARROW)
    ann.press("tournaments-open")
    ann.at("cup-title").fill("Club night")
    ann.check("cup-format-arena")
    ann.at("cup-minutes").fill("45")
    ann.check("cup-begins-time")
    expect(ann.at("cup-at")).not_to_have_value("")
    fits(ann)
    ann.press("cup-create")
    ann.sees("tournament", "45 minutes")
    ann.sees("cup-when", " · in ")
    bob = visit(f"#{ann.page.url.partition('#')[2]}", viewport=NARROW)
    bob.press("enter")
    expect(ann.at("standings").locator("tr")).to_have_count(2)
    fits(ann)
    ann.page.get_by_role("button", name=f"Put {bob.name} out").click()
    ann.press("confirm-kick")
    bob.sees("put-out")
    expect(bob.at("enter")).to_have_count(0)
    expect(ann.at("standings").locator("tr")).to_have_count(1)
    fits(bob)
