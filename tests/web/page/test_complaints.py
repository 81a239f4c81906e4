"""What a page complains of is heard, or the other tests proved little; and what its first screen weighs."""

from typing import Literal

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit

# Where each part of the page came from, and the bytes that came.
TRANSFERRED = """() => ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
    .map(({ name, transferSize }) => [name, transferSize])"""
MOST_BYTES = 100_000


IMAGE = "() => document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/spy.png' }))"


@pytest.mark.parametrize(
    ("script", "event", "part"),
    [
        ("() => console.error('so')", "console", "so"),
        ("() => console.warn('so so')", "console", "so so"),
        ("() => void setTimeout(() => { throw new Error('oh') })", "weberror", "oh"),
        ("() => void Promise.reject(new Error('no'))", "weberror", "no"),
        ("() => document.body.setAttribute('style', 'color: red')", "console", "Content Security Policy"),
        (IMAGE, "console", "Content Security Policy"),
        ("() => fetch('/v1/nothing')", "console", "404"),
    ],
)
def test_what_a_page_complains_of_is_heard(
    visit: Visit, script: str, event: Literal["console", "weberror"], part: str
) -> None:
    ann = visit()
    with ann.context.expect_event(event):
        ann.page.evaluate(script)
    assert len(ann.troubles) == 1
    assert part in ann.troubles.pop()


def test_the_first_screen_weighs_little_and_comes_from_one_place(visit: Visit) -> None:
    ann = visit()
    expect(ann.at("games")).to_contain_text("Nobody else")
    ann.page.wait_for_load_state("networkidle")  # with all that it loads ahead
    parts = ann.page.evaluate(TRANSFERRED)
    assert {name for name, _ in parts if not name.startswith(ann.home)} == set()
    assert all(size > 0 for _, size in parts), "nothing came from a cache"
    assert sum(size for _, size in parts) < MOST_BYTES
