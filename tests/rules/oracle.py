"""The rules once more, slow and obvious: a second opinion for the tests.

Written from server/rules.md, sentence by sentence, on coordinates and cell by cell; it shares nothing with
the package.
"""

from binascii import crc32
from dataclasses import dataclass
from itertools import combinations

Coordinates = tuple[int, int]  # row, column


@dataclass
class Slot:
    """One slot; `value` is None once its number is removed."""

    number: int
    value: int | None


class OracleGame:
    """One board from its deal on. Numbers are named by their ids."""

    def __init__(self, board: str) -> None:
        self.rows: list[list[Slot]] = []
        self.next_id = 0
        for row in board.split("/") if board else []:
            self.rows.append([])
            for character in row:
                self.rows[-1].append(Slot(self.next_id, None if character == "." else int(character)))
                self.next_id += 1

    def text(self) -> str:
        """Write the board."""
        return "/".join("".join(str(slot.value or ".") for slot in row) for row in self.rows)

    def hash(self) -> int:
        """Give the CRC-32 of the board's text."""
        return crc32(self.text().encode("ascii"))

    def active(self) -> dict[int, Coordinates]:
        """Map the ids of all active numbers, in reading order, to where they stand."""
        return {
            slot.number: (row, column)
            for row, slots in enumerate(self.rows)
            for column, slot in enumerate(slots)
            if slot.value is not None
        }

    def ids(self) -> list[int]:
        """List the ids of the active numbers in reading order."""
        return list(self.active())

    def left(self) -> int:
        """Count the active numbers."""
        return len(self.active())

    def slots(self) -> int:
        """Count the slots, holes too."""
        return sum(len(row) for row in self.rows)

    def value(self, cell: Coordinates) -> int:
        """Give the active number that stands in a cell."""
        value = self.rows[cell[0]][cell[1]].value
        assert value is not None, f"there is a hole at {cell}"
        return value

    # Is a pair legal?

    def judge(self, a: int, b: int) -> tuple[str, list[int]]:
        """Give "legal" or the code of the first check that fails, and the blockers' ids."""
        if not (0 <= a < self.next_id and 0 <= b < self.next_id):
            return "no_such_number", []
        if a == b:
            return "same_number", []
        where = self.active()
        if a not in where or b not in where:
            return "inactive", []
        return self.judge_cells(where[a], where[b])

    def judge_cells(self, a: Coordinates, b: Coordinates) -> tuple[str, list[int]]:
        """Judge two active numbers, named by where they stand."""
        x, y = self.value(a), self.value(b)
        if x != y and x + y != 10:
            return "values", []
        paths = self.paths(a, b)
        if not paths:
            return "not_connected", []
        blockers = {family: self.active_among(path) for family, path in paths.items()}
        if not all(blockers.values()):
            return "legal", []
        assert len(paths) == 1, "two families, and both are blocked"
        return "blocked", next(iter(blockers.values()))

    def paths(self, a: Coordinates, b: Coordinates) -> dict[str, list[Coordinates]]:
        """Give, by family, the cells between two cells on each line that connects them."""
        first, second = sorted([a, b])
        (top, left), (bottom, right) = first, second
        down, aside = bottom - top, right - left
        found = {}
        if down == 0:
            found["horizontal"] = [(top, column) for column in range(left + 1, right)]
        if aside == 0:
            found["vertical"] = [(row, left) for row in range(top + 1, bottom)]
        if down == aside:
            found["diagonal"] = [(top + n, left + n) for n in range(1, down)]
        if down == -aside:
            found["diagonal"] = [(top + n, left - n) for n in range(1, down)]
        if down == 1:
            rest = [(top, column) for column in range(left + 1, 9)]
            found["wrap"] = rest + [(bottom, column) for column in range(right)]
        return found

    def active_among(self, cells: list[Coordinates]) -> list[int]:
        """List the ids of the active numbers among cells, in reading order."""
        return [self.rows[r][c].number for r, c in sorted(cells) if self.rows[r][c].value is not None]

    def families(self, a: int, b: int) -> list[str]:
        """List the families of the open lines of two active numbers."""
        where = self.active()
        return [f for f, path in self.paths(where[a], where[b]).items() if not self.active_among(path)]

    def pairs(self) -> list[tuple[int, int]]:
        """List all legal pairs in reading order."""
        where = self.active()
        return [
            (a, b) for a, b in combinations(where, 2) if self.judge_cells(where[a], where[b])[0] == "legal"
        ]

    # Points, before the match

    def pair_points(self, a: int, b: int) -> int:
        """Give what a legal pair is worth, without rows."""
        where = self.active()
        paths, families = self.paths(where[a], where[b]), self.families(a, b)
        straight = [family for family in families if family != "wrap"]
        gap = len(paths[straight[0] if straight else "wrap"])
        if gap > 0:
            return 4
        return 1 if straight else 2

    def row_points(self, a: int, b: int) -> int:
        """Give what the rows are worth that the match of a legal pair closes."""
        return sum(10 for row in self.rows_closed_by(a, b) if len(self.rows[row]) == 9)

    def rows_closed_by(self, a: int, b: int) -> list[int]:
        """List the rows, ascending, in which nothing but *a* and *b* is active."""
        where = self.active()
        return [
            row
            for row in range(len(self.rows))
            if {number for number, (at, _) in where.items() if at == row} <= {a, b}
        ]

    # What changes the board

    def match(self, a: int, b: int) -> list[int]:
        """Remove a legal pair and close what is empty; give the rows that closed, by their indexes before."""
        where = self.active()
        for row, column in (where[a], where[b]):
            self.rows[row][column].value = None
        empty = [i for i, row in enumerate(self.rows) if all(slot.value is None for slot in row)]
        self.rows = [row for i, row in enumerate(self.rows) if i not in empty]
        return empty

    def can_add(self) -> bool:
        """Tell whether the board allows an Add."""
        return self.left() > 0 and self.slots() + self.left() <= 540

    def add(self) -> str:
        """Copy all active numbers behind the last slot; give the copies' digits."""
        values = [slot.value for row in self.rows for slot in row if slot.value is not None]
        for value in values:
            if len(self.rows[-1]) == 9:
                self.rows.append([])
            self.rows[-1].append(Slot(self.next_id, value))
            self.next_id += 1
        return "".join(map(str, values))
