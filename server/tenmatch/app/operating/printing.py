"""How these commands show what they found: tables for people, a JSON object a line for programs."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from tenmatch.game.ids import Millis

UNBOUND: Final = 240  # characters to a line where no terminal has to show it


def screen() -> Console:
    """Return where tables are shown; into a pipe or a file they go as wide as they are."""
    console = Console()
    return console if console.is_terminal else Console(width=max(console.width, UNBOUND))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, folded: str) -> Table:
    """Return rows as a table of which, where a terminal is narrow, the column *folded* gives way alone."""
    shown = Table(box=SIMPLE_HEAD, leading=1)
    for name in columns:
        shown.add_column(name, no_wrap=name != folded, overflow="fold")
    for row in rows:
        shown.add_row(*map(escape, row))
    return shown


def echo(value: object) -> None:
    """Print a value as a line of JSON."""
    typer.echo(msgspec.json.encode(value).decode())


def moment(at: Millis | None) -> str:
    """Write a time for people, in UTC."""
    return "" if at is None else f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M:%S}"


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield what shows on a terminal how many are done, of how many; gone in the end, and in no pipe."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, of: shown.update(task, completed=done, total=of)
