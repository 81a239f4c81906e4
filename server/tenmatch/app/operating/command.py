"""What all these commands share: where the store is, which room is meant, how they fail."""

import asyncio
import contextlib
import re
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from tenmatch.app.settings import BadSettings, Settings, read_settings
from tenmatch.app.storage import Unreachable, opened
from tenmatch.game.ids import LETTERS, ROOM_CODE_LENGTH, ROOM_ID_LENGTH, RoomCode, RoomId
from tenmatch.store import due
from tenmatch.store.codes import room_of
from tenmatch.store.connect import BadStoreUrl, Store

T = TypeVar("T")

PANEL: Final = "By hand, on the store of a server that runs"
_ROOM: Final = re.compile(rf"[{LETTERS}]{{{ROOM_CODE_LENGTH}}}|[{LETTERS}]{{{ROOM_ID_LENGTH}}}")


class Failed(Exception):
    """A command could not do what it was asked for; says why."""


def completed(
    ctx: typer.Context, incomplete: str, look: Callable[[Store], Coroutine[Any, Any, Iterable[str]]]
) -> list[str]:
    """Return of what *look* finds in the store that begins so, for a shell; nothing where none answers."""

    async def names() -> Iterable[str]:
        async with opened(read_settings(redis=ctx.params.get("redis"), data=ctx.params.get("data"))) as store:
            return await look(store)

    with contextlib.suppress(BadSettings, BadStoreUrl, Unreachable):
        return sorted(name for name in asyncio.run(names()) if name.startswith(incomplete))
    return []


def _room_ids(ctx: typer.Context, incomplete: str) -> list[str]:
    return completed(ctx, incomplete, due.marked)


RedisOption = Annotated[str | None, typer.Option(help="URL of the Redis that the server uses.")]
DataOption = Annotated[
    Path | None, typer.Option(help=r"Folder of the server's private Valkey. \[default: data]")
]
JsonOption = Annotated[bool, typer.Option("--json", help="A JSON object a line.")]
RoomArgument = Annotated[
    str, typer.Argument(help="Id or code of the room.", show_default=False, autocompletion=_room_ids)
]
RoomsArgument = Annotated[
    list[str] | None,
    typer.Argument(help="Ids or codes of rooms.", show_default=False, autocompletion=_room_ids),
]


async def find_room(store: Store, named: str) -> RoomId:
    """Return the room that somebody names by its id or its code; whether it is still there is not looked at.

    Raises:
        Failed: It is no id, and no code that leads anywhere.
        StoreDown: It could not be looked for.
    """
    if not _ROOM.fullmatch(named):
        raise Failed(f"{named!r} is neither the id of a room nor a code")
    if len(named) == ROOM_ID_LENGTH:
        return RoomId(named)
    room = await room_of(store, RoomCode(named))
    if room is None:
        raise Failed(f"the code {named} leads to no room")
    return room


def carried_out(
    work: Callable[[Settings], Coroutine[Any, Any, T]], redis: str | None, data: Path | None
) -> T:
    """Do *work* with the settings of the server whose store is meant, and return what it comes to.

    What it fails of is said, and ends the command: with 2 where it could not begin, else with 1.
    """
    try:
        return asyncio.run(work(read_settings(redis=redis, data=data)))
    except (BadSettings, BadStoreUrl, Unreachable) as error:
        _say(error)
        raise typer.Exit(2) from error
    except Failed as error:
        _say(error)
        raise typer.Exit(1) from error


def _say(error: Exception) -> None:
    typer.secho(f"tenmatch: {error}", fg="red", err=True)
