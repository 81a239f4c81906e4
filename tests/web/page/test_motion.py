"""Nothing moves unless something happened; for those who asked for less motion, it happens at once."""

import pytest
from tests.rules.oracle import OracleGame
from tests.web.page.conftest import Visit
from tests.web.page.playing import deal_where
from tests.web.page.visitor import Visitor, seat

pytestmark = pytest.mark.slow

# As soon as there is a line: how many rows fold, what the longest animation takes in ms, the line's opacity.
LOOK = """() => {
    new MutationObserver((_, looking) => {
        const line = document.querySelector('.lines .taken')
        if (!line) return
        looking.disconnect()
        window.motion = [
            document.querySelectorAll('.row[aria-hidden]').length,
            Math.max(0, ...document.getAnimations().map(({ effect }) => effect.getComputedTiming().endTime)),
            Number(getComputedStyle(line).opacity),
        ]
    }).observe(document.querySelector('[data-testid=board]'), { childList: true, subtree: true })
}"""
ONLY_AT_REST = "() => document.getAnimations().length === 0 && !document.querySelector('.lines g')"
LAST = 9  # the id of the only number in the second row of ten


def closes_the_last_row(game: OracleGame) -> bool:
    return any(LAST in pair for pair in game.pairs())


def motion(visitor: Visitor, pair: tuple[int, int]) -> tuple[int, float, float]:
    """Take a pair and return what moves then."""
    visitor.page.evaluate(LOOK)
    for number in pair:
        visitor.tap(number)
    folding, longest, opacity = visitor.page.wait_for_function("() => window.motion").json_value()
    return folding, longest, opacity


@pytest.mark.parametrize("wish", ["no-preference", "reduce"])
def test_a_row_closes_in_motion_or_at_once(visit: Visit, wish: str) -> None:
    ann, bob = visit(reduced_motion=wish), visit()
    seed, game = deal_where(10, closes_the_last_row)
    seat(ann, bob, seed=seed, size=10)
    ann.page.wait_for_function(ONLY_AT_REST)
    pair = next(pair for pair in game.pairs() if LAST in pair)
    folding, longest, opacity = motion(ann, pair)
    if wish == "reduce":
        assert (folding, opacity) == (0, 1)
        assert longest <= 1
    else:
        assert folding == 1
        assert longest > 100
    game.match(*pair)
    ann.shows(game.text())
    ann.page.wait_for_function(ONLY_AT_REST)
