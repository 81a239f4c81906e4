"""Draws the picture of a race that the README shows: `python -m tests.web.page.picture` in the root folder.

A game of two on a seed of its own, played by the oracle to a lively moment: one claims a pair over a row's
end while the other's is refused. From one run to the next the code differs, perhaps a second on the clock.
"""

import sys
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from playwright.sync_api import expect, sync_playwright
from tests.live.node import Node
from tests.rules.oracle import OracleGame
from tests.web.page.browser import launch
from tests.web.page.png import few_colours
from tests.web.page.visitor import Visitor, seat

PICTURE: Final = Path(__file__).parents[3] / "client_demo" / "game.png"
SEED: Final = (102).to_bytes(32, "big").hex()
SIZE: Final = {"width": 1160, "height": 470}  # px
MOVES: Final = 8  # before the moment of the picture

# What is shown for a moment stays.
STAY: Final = "() => { window.setTimeout = () => 0 }"

# Animations as they stand so many ms after they began.
STILL: Final = """(ms) => document.getAnimations().forEach((animation) => {
    animation.pause()
    animation.currentTime = ms
})"""
STILL_AT_MS: Final = 300


def best(game: OracleGame) -> tuple[int, int]:
    """Return the pair that brings most, the first of those in reading order."""
    return max(game.pairs(), key=lambda pair: game.pair_points(*pair) + game.row_points(*pair))


def over_the_row_end(game: OracleGame) -> tuple[int, int]:
    """Return a pair that only meets over the end of a row."""
    return next(pair for pair in game.pairs() if game.families(*pair) == ["wrap"])


def blocked_by_one(game: OracleGame) -> tuple[int, int]:
    """Return the pair, of those that a single number in their row keeps apart, that is farthest apart."""
    where = game.active()
    judged = {pair: game.judge(*pair) for pair in combinations(where, 2)}
    blocked = [pair for pair, (code, between) in judged.items() if code == "blocked" and len(between) == 1]
    in_a_row = [(a, b) for a, b in blocked if where[a][0] == where[b][0]]
    return max(in_a_row, key=lambda pair: where[pair[1]][1] - where[pair[0]][1])


def draw(ann: Visitor, bob: Visitor, eve: Visitor) -> bytes:
    """Play to the moment and return it as ann sees it, as PNG."""
    ann.rename("Ann")
    bob.rename("Lynx 27")
    seat(ann, bob, watchers=[eve], seed=SEED)
    for move in range(MOVES):
        game = ann.board()
        pair = best(game)
        (bob if move % 3 == 0 else ann).claim(*pair)
        game.match(*pair)
        ann.shows(game.text())
        bob.shows(game.text())
    expect(ann.page.locator(".lines g, .rising")).to_have_count(0)
    wrong, right = blocked_by_one(game), over_the_row_end(game)
    ann.page.evaluate(STAY)
    for number in wrong:
        ann.tap(number)
    bob.claim(*right)
    ann.page.wait_for_function(
        "() => document.querySelector('.lines .taken') && document.querySelector('.block')"
    )
    ann.page.evaluate(STILL, STILL_AT_MS)
    return ann.page.screenshot()


def main() -> None:
    """Write the picture, to the path given or to its place."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        with Node(Path(folder), messages_per_s=0, matches_per_s=0) as node:
            browser = launch(playwright)
            visitors = [Visitor.come(browser, node, viewport=SIZE) for _ in range(3)]
            for visitor in visitors:
                visitor.open()
            Path(sys.argv[1] if len(sys.argv) > 1 else PICTURE).write_bytes(few_colours(draw(*visitors)))
            browser.close()


if __name__ == "__main__":
    main()
