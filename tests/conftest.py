"""What is in every run, and how `make test` shares it between two processes: by files, but what measures or
draws in one each.

What makes sense only at length is marked `full` and left out; `--hypothesis-profile=full` does all.
"""

from pathlib import Path
from typing import Final

import pytest
from tests.effort import full, offer_all
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

HERE: Final = Path(__file__).parent
TOGETHER: Final = (HERE / "faults", HERE / "web" / "page")  # they take longest, and so begin first

offer_all()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is too long, and begin with what takes longest."""
    long = [] if full() else [item for item in items if item.get_closest_marker("full")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    items.sort(key=lambda item: _together(item.path) not in TOGETHER)


class Sharing(LoadScopeScheduling):  # type: ignore[misc]  # xdist tells no types
    """Gives each process whole files, and to one of them all that is to be together."""

    def _split_scope(self, nodeid: str) -> str:
        return str(_together(HERE.parent / nodeid.partition("::")[0]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Sharing:
    """Share the tests so. Groups of xdist's own (3.8) are lost on pytest 9.2, which names tests otherwise."""
    return Sharing(config, log)


def _together(path: Path) -> Path:
    return next((folder for folder in TOGETHER if path.is_relative_to(folder)), path)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Number tests of bytes: masks are random, and both processes must know a test by the same name."""
    return argname if isinstance(val, bytes) else None
