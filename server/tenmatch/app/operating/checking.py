"""`tenmatch check`: is a Redis fit to be the store?"""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from tenmatch.app.operating.command import DataOption, JsonOption, RedisOption, carried_out
from tenmatch.app.operating.printing import echo, screen
from tenmatch.app.settings import Settings
from tenmatch.app.storage import opened
from tenmatch.store import checks
from tenmatch.store.checks import Finding, Severity
from tenmatch.store.durability import Durability


def check(
    redis: RedisOption = None,
    data: DataOption = None,
    durability: Annotated[
        Durability | None, typer.Option(help="What it has to be fit for. [default: as is set]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Look whether a Redis is fit to be the store, and say what to change.

    Ends with 1 where the server would not start on it.
    """
    findings = carried_out(lambda settings: look(settings, durability), redis, data)
    if as_json:
        for finding in findings:
            echo(finding)
    else:
        _show(findings)
    raise typer.Exit(1 if any(finding.severity is Severity.STOP for finding in findings) else 0)


async def look(settings: Settings, durability: Durability | None = None) -> list[Finding]:
    """Return what is wrong with the store, for what is set unless something else is asked.

    Raises:
        Unreachable: It does not answer.
    """
    async with opened(settings) as store:
        return await checks.check(store, durability or settings.durability)


def _show(findings: list[Finding]) -> None:
    console = screen()
    if not findings:
        console.print("Nothing is wrong with this store.")
        return
    table = Table("", "what is wrong", "what to do", show_lines=True)
    for finding in findings:
        where = f"{finding.server}: " if finding.server else ""
        color = "red" if finding.severity is Severity.STOP else "yellow"
        kind = f"[{color}]{finding.severity.value}[/]"
        table.add_row(kind, escape(where + finding.wrong), escape(finding.remedy))
    console.print(table)
