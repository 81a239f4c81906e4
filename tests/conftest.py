"""What is in every run, and how `make test` shares it between processes that mostly wait: by files, but what
measures or draws in one each.

What makes sense only at length is marked `full` and left out; `--hypothesis-profile=full` does all.
"""

from pathlib import Path
from typing import Final

import pytest
from tests.effort import full, offer_all

HERE: Final = Path(__file__).parent
TOGETHER: Final = (HERE / "faults", HERE / "web" / "page")  # they take longest, and so begin first

offer_all()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is too long; name for each test whom it must share a process with."""
    long = [] if full() else [item for item in items if item.get_closest_marker("full")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_together(item.path).name))
    items.sort(key=lambda item: _together(item.path) not in TOGETHER)


def _together(path: Path) -> Path:
    return next((folder for folder in TOGETHER if path.is_relative_to(folder)), path)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Number tests of bytes: masks are random, and all processes must know a test by the same name."""
    return argname if isinstance(val, bytes) else None
