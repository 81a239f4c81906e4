"""`tenmatch evidence`: how the players of a game played, for the organiser to judge."""

import gzip
import logging
from typing import Final

import msgspec
from rich.markup import escape
from rich.table import Table

from tenmatch.app.operating.command import (
    DataOption,
    Failed,
    JsonOption,
    RedisOption,
    RoomArgument,
    carried_out,
    find_room,
)
from tenmatch.app.operating.printing import echo, screen
from tenmatch.app.settings import Settings
from tenmatch.app.storage import opened
from tenmatch.game.events import AnyEvent
from tenmatch.game.evidence import Conduct, Evidence, Note
from tenmatch.game.evidence import evidence as reckoned
from tenmatch.game.ids import RoomId
from tenmatch.protocol.record import RecordError, decode
from tenmatch.protocol.stored import StoredError, open_all
from tenmatch.store import observed, records
from tenmatch.store.connect import Store
from tenmatch.store.log import read

log = logging.getLogger(__name__)

NOTHING: Final = "-"


class NoGame(Failed):
    """There is nothing to tell of a room; says why."""


def evidence(
    room: RoomArgument,
    redis: RedisOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how the players of a game played: reactions, mistakes, connections. The server has to be running.

    It is evidence, and no verdict. Ends with 1 where no such game is kept.
    """
    which, found = carried_out(lambda settings: gather(settings, room), redis, data)
    if as_json:
        echo({"room": which, **msgspec.to_builtins(found)})
    else:
        _show(which, found)


async def gather(settings: Settings, named: str) -> tuple[RoomId, Evidence]:
    """Return the room of this id or code, and the evidence of its game, also of one that runs.

    Raises:
        Failed: There is no such room, or no game of it is kept.
        Unreachable: The store cannot be read.
    """
    async with opened(settings) as store:
        room = await find_room(store, named)
        try:
            events = await _events(store, room)
        except (RecordError, StoredError) as error:
            raise NoGame(f"what is kept of {room} cannot be read: {error}") from error
        notes = [note for kept in await observed.read(store, room) if (note := _note(kept)) is not None]
    return room, reckoned(events, notes)


async def _events(store: Store, room: RoomId) -> list[AnyEvent]:
    found = await records.find(store, room)
    if found.record is not None:
        return [recorded.event for recorded in decode(gzip.decompress(found.record)).events]
    entries = (await read(store, room)).entries
    if not entries:
        raise NoGame(f"no game is known by the id {room}: it was never made, or is no longer kept")
    return [entry.event for entry in open_all(entries, 0, 0)]


def _note(kept: bytes) -> Note | None:
    try:
        return msgspec.msgpack.decode(kept, type=Note)
    except msgspec.MsgspecError as error:  # of a later version
        log.warning("a note cannot be read", extra={"error": str(error)})
        return None


def _show(room: RoomId, found: Evidence) -> None:
    names = [f"{conduct.player.name} ({conduct.seat})" for conduct in found.seats]
    kind = f"{found.mode.value}{', rated' if found.rated else ''}"
    table = Table("", *map(escape, names), title=f"{room} · {kind}", title_justify="left")
    for title, *values in zip(TITLES, *map(_column, found.seats), strict=True):
        table.add_row(title, *map(escape, values))
    console = screen()
    console.print(table)
    console.print(
        "Evidence, no verdict. A reaction is counted from when the pair was there for the player to take.\n"
        "What a page reports of itself can be false, or missing.",
        style="dim",
    )


TITLES: Final = (
    "player",
    "matches",
    "reaction, median",
    "reaction, fastest",
    "best pair taken",
    "mistakes",
    "locked out",
    "connections anew",
    "without one",
    "page hidden",
    "matches meanwhile",
)


def _column(of: Conduct) -> tuple[str, ...]:
    return (
        f"{of.player.id}{f', {of.player.bot.value} computer' if of.player.bot else ''}",
        str(of.matches),
        _seconds(of.median),
        _seconds(of.fastest),
        f"{of.best} ({round(100 * of.best / of.matches)} %)" if of.matches else NOTHING,
        ", ".join(f"{count} {code}" for code, count in sorted(of.mistakes.items())) or NOTHING,
        f"{of.lockouts}, {_seconds(of.locked)}" if of.lockouts else NOTHING,
        str(of.connections or NOTHING),
        _seconds(of.disconnected or None),
        f"{of.hidden}, {_seconds(of.hidden_for)}" if of.hidden else NOTHING,
        str(of.matches_hidden or NOTHING),
    )


def _seconds(ms: int | None) -> str:
    return NOTHING if ms is None else f"{ms / 1000:.2f} s"
