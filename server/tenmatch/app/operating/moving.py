"""`tenmatch export` and `tenmatch import`: rooms as files, a JSON object a line, and back into a store.

A room is its log, so that is what a file has of it, byte for byte, with what its deal follows from: keep
files of games that are not over to yourself.
"""

import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from tenmatch.app.operating.command import (
    DataOption,
    Failed,
    JsonOption,
    RedisOption,
    RoomsArgument,
    carried_out,
)
from tenmatch.app.operating.finding import Found, find, going_on
from tenmatch.app.operating.hand import Hand, hand
from tenmatch.app.operating.printing import echo, progress
from tenmatch.app.settings import Settings
from tenmatch.app.storage import opened
from tenmatch.game.ids import Millis, RoomId
from tenmatch.game.settle import shift
from tenmatch.gateway.held import Held
from tenmatch.gateway.tables import CODE_TTL_S, NoSuchRoom
from tenmatch.protocol.stored import StoredError, open_all, seal_all
from tenmatch.store import due, log, outages
from tenmatch.store.codes import claim_code

FORMAT: Final = 1
"""Of a line; what is of a later one is not read."""


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """A room in a file."""

    tenmatch: int  # FORMAT
    room: RoomId
    until: Millis  # when a server last counted the time of its clocks; what passes from then on is nobody's
    entries: tuple[bytes, ...]  # base64 in JSON


class Became(StrEnum):
    """What became of a room of a file."""

    IMPORTED = "imported"
    THERE = "there already"
    OTHER = "not imported: another log has its id"
    UNREADABLE = "not imported: its log cannot be read"


class Imported(msgspec.Struct, frozen=True):
    """What is told of a room of a file."""

    room: RoomId
    became: Became
    events: int
    code: str | None = None  # None also where it leads to another room by now


# -- out


def export(
    rooms: RoomsArgument = None,
    redis: RedisOption = None,
    data: DataOption = None,
    every: Annotated[bool, typer.Option("--all", help="Every room that is not over.")] = False,
) -> None:
    """Write rooms to the standard output, a JSON object a line, for `tenmatch import`."""
    if bool(rooms) is every:
        raise typer.BadParameter("name rooms, or say --all")
    for one in carried_out(lambda settings: exported(settings, rooms or []), redis, data):
        echo(one)


async def exported(settings: Settings, named: Iterable[str]) -> list[Exported]:
    """Return rooms as files have them; where none are named all that are not over.

    Raises:
        Failed: One of them is not kept, or cannot be read.
        Unreachable: The store cannot be read.
    """
    async with opened(settings) as store:
        until = await outages.latest(store) or store.clock.now()
        found = [await find(store, one) for one in named]
        if not found:
            with progress("rooms") as told:
                async for one in going_on(store, progress=told):
                    if not isinstance(one, Found):
                        raise Failed(f"the log of room {one} cannot be read")
                    found.append(one)
    return [
        Exported(
            tenmatch=FORMAT,
            room=one.room,
            until=Millis(max(until, one.state.at)),
            entries=tuple(entry.raw for entry in one.entries),
        )
        for one in found
    ]


# -- in


def import_(
    file: Annotated[Path, typer.Argument(help="What `tenmatch export` wrote; - is the standard input.")],
    redis: RedisOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put rooms from a file into the store, where any node takes them up; the time between is given back.

    Ends with 1 where one could not be put there.
    """
    results = carried_out(lambda settings: _import(settings, file), redis, data)
    for one in results:
        if as_json:
            echo(one)
        else:
            code = one.code or "taken by another"
            typer.echo(f"{one.room}  {one.became.value} ({one.events} events, code {code})")
    good = (Became.IMPORTED, Became.THERE)
    raise typer.Exit(0 if all(one.became in good for one in results) else 1)


async def _import(settings: Settings, file: Path) -> list[Imported]:
    rooms = read(file)
    async with hand(settings) as by:
        return [await put(by, room) for room in rooms]


def read(file: Path) -> list[Exported]:
    """Read a file. Raises Failed: it is none of ours."""
    try:
        lines = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        rooms = msgspec.json.Decoder(Exported).decode_lines(lines)
    except OSError as error:
        raise Failed(f"{file} cannot be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise Failed(f"{file} is not what tenmatch export writes: {error}") from error
    if later := [room for room in rooms if room.tenmatch != FORMAT]:
        raise Failed(f"{file} is of format {later[0].tenmatch}; only {FORMAT} is known to this version")
    return rooms


async def put(by: Hand, exported: Exported) -> Imported:
    """Put a room into the store, unless there is one.

    Raises:
        StoreDown: It may be there or not; putting it there again does no harm.
    """
    room, store = exported.room, by.store
    try:
        held = Held(room, open_all(exported.entries, 0, 0))
    except StoredError:
        return Imported(room, Became.UNREADABLE, len(exported.entries))
    there = (await log.read(store, room)).entries
    if there:
        same = there[: len(exported.entries)] == exported.entries
        return Imported(room, Became.THERE if same else Became.OTHER, len(there), held.state.code)
    now = store.clock.now()
    given_back = shift(held.state, now - exported.until, now)
    head = held.head
    entries = [*held.entries, *seal_all(given_back.events, head.seq, head.chain, held.salt)]
    try:
        await by.tables.found_with(room, entries, given_back.room)
    except NoSuchRoom:  # somebody else was faster, with another log
        return Imported(room, Became.OTHER, 0)
    leads = await claim_code(store, held.state.code, room, CODE_TTL_S)
    await due.mark(store, {room: now})  # whoever is first takes it up
    return Imported(room, Became.IMPORTED, len(entries), held.state.code if leads else None)
