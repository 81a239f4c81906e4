"""How `make test` shares tests between two processes: by files, but the fault tests all in one of them."""

from pathlib import Path

import pytest
from tests.effort import offer_all

ALONE = Path(__file__).parent / "faults"  # they measure, and share three nodes

offer_all()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Name for each test whom it must share a process with."""
    for item in items:
        together = ALONE if item.path.is_relative_to(ALONE) else item.path
        item.add_marker(pytest.mark.xdist_group(together.name))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Number tests of bytes: masks are random, and both processes must know a test by the same name."""
    return argname if isinstance(val, bytes) else None
