"""tenmatch.rules.lines: the four families, on coordinates walked cell by cell."""

import pytest
from tests.rules.oracle import OracleGame

from tenmatch.rules.board import COLUMNS, MAX_SLOTS
from tenmatch.rules.lines import WHOLE_LINES, ahead, between, lines, open_lines
from tenmatch.rules.notation import parse

# Seven rows hold every kind of offset; two more at the end of the largest board show that nothing is cut off.
CELLS = [*range(63), *range(MAX_SLOTS - 18, MAX_SLOTS)]


def index(cell: tuple[int, int]) -> int:
    return cell[0] * COLUMNS + cell[1]


def test_lines_are_those_that_the_rules_name() -> None:
    oracle = OracleGame("")
    for b in CELLS:
        for a in range(max(b - 63, 0), b):
            paths = oracle.paths(divmod(a, COLUMNS), divmod(b, COLUMNS))
            found = {line.family: list(range(MAX_SLOTS)[between(a, b, line)]) for line in lines(a, b)}
            assert found == {family: [index(cell) for cell in path] for family, path in paths.items()}, (a, b)


def test_a_straight_line_comes_before_a_wrap() -> None:
    assert [line.family for line in lines(4, 13)] == ["vertical", "wrap"]
    assert [line.family for line in lines(4, 12)] == ["diagonal", "wrap"]
    assert [line.family for line in lines(4, 14)] == ["diagonal", "wrap"]


@pytest.mark.parametrize(
    ("board", "a", "b", "families"),
    [
        ("1........", 0, 8, ["horizontal"]),
        ("1...5....", 0, 8, []),
        ("1......../.........", 4, 13, ["vertical", "wrap"]),
        ("1....5.../.........", 4, 13, ["vertical"]),
        ("1......../.........", 8, 9, ["wrap"]),
        ("1......../......../........1", 0, 20, ["diagonal"]),
    ],
)
def test_open_lines(board: str, a: int, b: int, families: list[str]) -> None:
    digits = bytes(0 if character == "." else int(character) for character in board.replace("/", ""))
    assert [line.family for line in open_lines(digits, a, b)] == families


def test_what_is_ahead_is_what_lines_lead_to() -> None:
    for cell in [*range(2 * COLUMNS), 45, 49, 53]:
        seen = {later for line in ahead(cell) for later in range(MAX_SLOTS)[line]}
        assert seen == {later for later in range(cell + 1, MAX_SLOTS) if lines(cell, later)}


def test_whole_lines_hold_every_step_once() -> None:
    steps = [
        (line.step, a)
        for line in WHOLE_LINES
        for a in list(range(MAX_SLOTS)[line])[:-1]  # from each cell but the last there is a step to the next
    ]
    rows = MAX_SLOTS // COLUMNS
    assert len(steps) == len(set(steps)) == (MAX_SLOTS - 1) + (rows - 1) * (9 + 8 + 8)
    starts = [line.start for line in WHOLE_LINES]
    assert starts == sorted(starts)


def test_whole_lines_of_a_short_board_end_with_it() -> None:
    digits = parse("123456789/12").digits
    assert digits[WHOLE_LINES[0]] == digits
    assert [list(digits[line]) for line in WHOLE_LINES if line.step == 9 and line.start < 9][:3] == [
        [1, 1],
        [2, 2],
        [3],
    ]
