"""What style sheets say of each other's things: one that comes late must not change what is there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

WEB: Final = Path(__file__).parents[2] / "client_demo" / "web"
FIRST: Final = WEB / "style.css"
LATE: Final = sorted(sheet.name for sheet in WEB.glob("*.css") if sheet != FIRST)


def selectors(sheet: Path) -> Iterator[str]:
    """Yield the selectors of a sheet, each by itself; what @media asks for is none."""
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.S)
    for heads in re.findall(r"([^{}]+)\{", text):
        if not heads.strip().startswith("@"):
            yield from (head.strip() for head in re.split(r",(?![^(]*\))", heads))


def classes(selector: str) -> set[str]:
    return set(re.findall(r"\.([a-z][\w-]*)", selector))


@pytest.mark.parametrize("name", LATE)
def test_a_late_sheet_takes_no_class_of_the_first_for_its_own(name: str) -> None:
    """A class of the first is meant only inside something that comes with the late one."""
    known = set().union(*map(classes, selectors(FIRST)))
    taken = [one for one in selectors(WEB / name) if classes(one) and classes(one) <= known]
    assert taken == []


def test_there_are_late_sheets() -> None:
    assert LATE
