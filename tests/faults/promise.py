"""What tests measure of the promises, each figure against its limit; all of them make one table at the end.

A test names what it proves with `@pytest.mark.promise("P1")`. Its twin, `@pytest.mark.twin("P1")`, measures
the same with the guard switched off, and passes only if a limit is broken then: else that proves nothing.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from io import StringIO
from typing import Any, Final, Literal

from rich.console import Console
from rich.table import Table

Verdict = Literal["kept", "broken", "guard off: seen", "guard off: not seen", "guard off: kept all the same"]

STYLES: Final = {"kept": "green", "guard off: seen": "cyan", "guard off: kept all the same": "dim"}
WIDTH: Final = 110  # columns of the table


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    promise: str  # "P1"
    what: str
    measured: str
    limit: str
    verdict: Verdict

    @property
    def place(self) -> tuple[int, bool]:
        """Sorts lines: by the promise's number, twins last."""
        number = re.search(r"\d+", self.promise)
        return int(number[0]) if number else 0, self.verdict.startswith("guard")


class Promise:
    """Takes down what a test measures, and fails it where a limit is not kept."""

    def __init__(self, name: str, figures: list[Figure]) -> None:
        """Add lines to *figures*, for the promise of that name."""
        self.name = name
        self._figures = figures

    def at_most(self, what: str, measured: float, limit: float, unit: str = "") -> None:
        """Fail if more was measured than *limit*."""
        self._take(what, _shown(measured, unit), f"≤ {_shown(limit, unit)}", measured <= limit)

    def at_least(self, what: str, measured: float, limit: float, unit: str = "") -> None:
        """Fail if less was measured than *limit*."""
        self._take(what, _shown(measured, unit), f"≥ {_shown(limit, unit)}", measured >= limit)

    def equals(self, what: str, measured: object, expected: object, unit: str = "") -> None:
        """Fail if anything else was measured than *expected*."""
        self._take(what, _shown(measured, unit), _shown(expected, unit), measured == expected)

    def _take(self, what: str, measured: str, limit: str, kept: bool) -> None:
        self._figures.append(Figure(self.name, what, measured, limit, "kept" if kept else "broken"))
        assert kept, f"{self.name} is broken: {what} {measured}, and not {limit}"


class Twin(Promise):
    """Takes down what is measured with a guard switched off; at the end some limit must have been broken."""

    def __init__(self, name: str, figures: list[Figure]) -> None:
        super().__init__(name, figures)
        self.seen = False

    def _take(self, what: str, measured: str, limit: str, kept: bool) -> None:
        self.seen = self.seen or not kept
        verdict: Verdict = "guard off: kept all the same" if kept else "guard off: seen"
        self._figures.append(Figure(self.name, what, measured, limit, verdict))


async def best(
    measure: Callable[[], Awaitable[float]], limit: float, *, least: int = 1, most: int = 4
) -> float:
    """Return the least of several measurements, made until one is within *limit*.

    A machine that is too busy makes one of them long. What the server does wrong makes all of them so.

    Args:
        least: Measurements in any case.
        most: Measurements at most.
    """
    measured = [await measure() for _ in range(least)]
    while min(measured) > limit and len(measured) < most:
        measured.append(await measure())
    return min(measured)


def _shown(value: object, unit: str) -> str:
    shown = f"{value:.4g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)
    return f"{shown} {unit}".rstrip()


def table(figures: list[Figure], *, colours: bool) -> str:
    """Draw the table."""
    drawn = Table(title="What was promised, and what was measured", title_justify="left")
    for column in ("", "what", "measured", "limit", "verdict"):
        drawn.add_column(column, justify="right" if column in ("measured", "limit") else "left")
    for figure in sorted(figures, key=lambda figure: figure.place):
        cells: list[Any] = [figure.promise, figure.what, figure.measured, figure.limit, figure.verdict]
        drawn.add_row(*cells, style=STYLES.get(figure.verdict, "bold red"))
    console = Console(file=StringIO(), width=WIDTH, force_terminal=colours, markup=False, highlight=False)
    console.print(drawn)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()
