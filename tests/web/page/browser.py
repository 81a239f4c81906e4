"""How the browser is started for tests and pictures."""

import shutil
from typing import Final

from playwright.sync_api import Browser, Playwright

FLAGS: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def launch(playwright: Playwright) -> Browser:
    """Start Debian's Chromium without a window, or fail and say how to get it."""
    found = shutil.which("chromium")
    assert found, "chromium is missing: the page is tested in it (apt-get install chromium, make tools)"
    return playwright.chromium.launch(executable_path=found, args=FLAGS)
