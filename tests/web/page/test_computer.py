"""One click to a game against the computer, and that game to its end."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import Visit
from tests.web.page.visitor import ROWS

pytestmark = pytest.mark.slow

# Takes pairs as fast as they are seen, and calls when there is none, until the game is over. All of it in the
# page, for the computer does not wait for whoever drives it.
PLAY_ON = f"""async () => {{
    const {{ Board }} = await import('/board.js')
    const found = (hook) => document.querySelector(`[data-testid=${{hook}}]`)
    while (!found('end')) {{
        if (!found('board')?.querySelector('.wait')) {{
            const rows = ({ROWS})('board')
            const written = rows.map((row) => row.map((cell) => cell ? cell[1] : '.').join(''))
            const board = Board.parse(written.join('/'))
            const shown = rows.flat().filter(Boolean).map(([id]) => id)
            const pair = board.pairs().at(-1)?.map((id) => shown[board.ids.indexOf(id)])
            const button = (id) => found('board').querySelector(`button[data-id="${{id}}"]`)
            if (pair) for (const id of pair) button(id)?.click()
            else found('call')?.click()
        }}
        await new Promise((resolve) => setTimeout(resolve, 10))
    }}
}}"""


def test_one_click_starts_a_game_that_comes_to_its_end(visit: Visit) -> None:
    ann = visit()
    ann.press("play-computer")
    expect(ann.at("board").locator("button").first).to_be_visible()
    # Not counted one by one: some may be gone by then.
    expect(ann.page.locator("main h1")).to_contain_text("35 numbers")
    ann.sees("seat-1", "computer, medium")
    ann.page.evaluate(PLAY_ON)
    ann.sees("end")
    own, computer = ann.score(0), ann.score(1)
    assert own > computer, "whoever sees every pair at once wins against the computer"
    ann.sees("end", f"You won by {own - computer}")


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_the_level_is_ones_own_choice_and_remembered(visit: Visit, level: str) -> None:
    ann = visit()
    ann.check(f"level-{level}")
    ann.open()
    expect(ann.at(f"level-{level}")).to_be_checked()
    ann.press("play-computer")
    ann.sees("seat-1", f"computer, {level}")
