"""Every code that a client can meet stands in server/protocol.md, with its cause and what to do about it."""

import re
from collections.abc import Iterable

import pytest
from tests.protocol.frames import page

from tenmatch.game.answers import Denial, Obstacle
from tenmatch.protocol.limits import CloseCode, ErrorCode
from tenmatch.rules.judge import Fault


def rows(title: str) -> list[list[str]]:
    """Return the lines of the tables in a section, cell by cell."""
    section = page().partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| (?!code|`code`|asked|status)(.*) \|$", section, re.MULTILINE)
    return [[cell.strip() for cell in line.split(" | ")] for line in lines]


def codes(lines: Iterable[list[str]]) -> dict[str, list[str]]:
    return {line[0].strip("`"): line[1:] for line in lines}


def test_each_code_of_refusals_and_errors_has_its_cause_and_cure() -> None:
    found = codes(rows("Refusals and errors"))
    for code in (*ErrorCode, *Obstacle, *Fault, *Denial):
        assert code in found, code
        cause, cure = found[code][:2] if code != "not_allowed" else (found[code][0], "see below")
        assert cause
        assert cure


def test_refusals_stand_in_the_order_in_which_they_are_looked_for() -> None:
    named = [line[0].strip("`") for line in rows("Refusals and errors")]
    wanted = [str(code) for code in (*Obstacle, *Fault)]
    assert named[: len(wanted)] == wanted


def test_nothing_stands_there_that_is_no_code() -> None:
    named = [line[0] for line in rows("Refusals and errors")]
    codes = {str(code) for code in (*ErrorCode, *Obstacle, *Fault)}
    single = {cell.strip("`") for cell in named if re.fullmatch(r"`\w+_\w+`", cell)}
    asked_for = {"tournament_watch", "tournament_enter", "tournament_kick"}
    assert single - codes == asked_for


@pytest.mark.parametrize("code", CloseCode)
def test_each_close_code_says_whether_to_come_back(code: CloseCode) -> None:
    found = codes(rows("Close codes"))
    assert str(code.value) in found
    assert found[str(code.value)][0]
