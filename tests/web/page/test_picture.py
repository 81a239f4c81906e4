"""The README's picture is there, small, and can be drawn again as it is."""

from base64 import b64encode
from typing import Final

import pytest
from playwright.sync_api import Browser
from tests.web.page.conftest import Visit
from tests.web.page.picture import PICTURE, SIZE, draw
from tests.web.page.png import few_colours, size

pytestmark = pytest.mark.slow

MOST_BYTES: Final = 60_000

# The mean difference of two pictures in a colour channel, of 255.
DIFFERENCE: Final = """async (sources) => {
    const [one, other] = await Promise.all(sources.map(async (source) => {
        const image = new Image()
        image.src = `data:image/png;base64,${source}`
        await image.decode()
        const paper = new OffscreenCanvas(image.width, image.height).getContext('2d')
        paper.drawImage(image, 0, 0)
        return paper.getImageData(0, 0, image.width, image.height).data
    }))
    return one.reduce((sum, value, i) => sum + Math.abs(value - other[i]), 0) / one.length
}"""


def difference(browser: Browser, one: bytes, other: bytes) -> float:
    """Return the mean difference of two PNGs of one size."""
    page = browser.new_page()
    found: float = page.evaluate(DIFFERENCE, [b64encode(png).decode() for png in (one, other)])
    page.close()
    return found


def test_the_picture_of_the_readme_can_be_drawn_again(visit: Visit, browser: Browser) -> None:
    shown = PICTURE.read_bytes()
    assert len(shown) <= MOST_BYTES
    drawn = draw(*(visit(viewport=SIZE) for _ in range(3)))
    assert size(shown) == size(drawn) == (SIZE["width"], SIZE["height"])
    small = few_colours(drawn)
    assert len(small) <= MOST_BYTES
    assert difference(browser, drawn, small) < 0.1, "fewer colours look the same"
