"""How `make test` shares tests between two processes: by files, but what measures or draws in one each."""

from pathlib import Path
from typing import Final

import pytest
from tests.effort import offer_all

HERE: Final = Path(__file__).parent
TOGETHER: Final = (HERE / "faults", HERE / "web" / "page")  # they take longest, and so begin first

offer_all()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Name for each test whom it must share a process with."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_together(item.path).name))
    items.sort(key=lambda item: _together(item.path) not in TOGETHER)


def _together(path: Path) -> Path:
    return next((folder for folder in TOGETHER if path.is_relative_to(folder)), path)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Number tests of bytes: masks are random, and both processes must know a test by the same name."""
    return argname if isinstance(val, bytes) else None
