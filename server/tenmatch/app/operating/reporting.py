"""`tenmatch reports`: what players have reported of each other, for the organiser to judge."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Final

import msgspec
import typer
from rich.markup import escape
from rich.table import Table

from tenmatch.app.operating.command import DataOption, JsonOption, RedisOption, carried_out
from tenmatch.app.operating.printing import screen
from tenmatch.app.settings import Settings
from tenmatch.app.storage import opened
from tenmatch.protocol.report import Report, decode, encode
from tenmatch.store import reports as kept

log = logging.getLogger(__name__)

SHOWN: Final = 5  # lines of chat in the table; all are in the JSON


def reports(
    redis: RedisOption = None,
    data: DataOption = None,
    room: Annotated[str | None, typer.Option(help="Only those from this room, by its id.")] = None,
    player: Annotated[str | None, typer.Option(help="Only those on this player, by their id.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what players have reported of each other, the latest last. The server has to be running."""
    found = carried_out(gather, redis, data)
    wanted = [one for one in found if room in (None, one.room) and player in (None, one.about["id"])]
    if as_json:
        for report in wanted:
            typer.echo(encode(report).decode())
    else:
        _show(wanted)


async def gather(settings: Settings) -> list[Report]:
    """Return all reports that are kept, the latest last. Raises Unreachable."""
    async with opened(settings) as store:
        found = []
        for one in await kept.read(store):
            try:
                found.append(decode(one))
            except msgspec.MsgspecError as error:  # of a later version
                log.warning("a report cannot be read", extra={"error": str(error)})
        return found


def _show(found: Sequence[Report]) -> None:
    console = screen()
    if not found:
        console.print("Nobody has reported anything.")
        return
    table = Table("when (UTC)", "on", "for", "in their words", "what was said", "by", "room", show_lines=True)
    for report in found:
        table.add_row(*map(escape, _row(report)))
    console.print(table)


def _row(report: Report) -> tuple[str, ...]:
    at = datetime.fromtimestamp(report.at / 1000, UTC)
    return (
        f"{at:%Y-%m-%d %H:%M}",
        f"{report.about['name']}\n{report.about['id']}",
        report.reason.value,
        report.text or "",
        "\n".join(line.text for line in report.said[-SHOWN:]),
        f"{report.by['name']}\n{report.by['id']}",
        f"{report.room}\n{report.mode}",
    )
