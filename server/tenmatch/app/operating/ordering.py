"""`tenmatch kick` and `tenmatch close`: what an operator decides about a room, in its log as all else is."""

from typing import Annotated

import typer

from tenmatch.app.operating.command import (
    DataOption,
    JsonOption,
    RedisOption,
    RoomArgument,
    carried_out,
    find_room,
)
from tenmatch.app.operating.hand import hand
from tenmatch.app.operating.printing import echo
from tenmatch.app.settings import Settings
from tenmatch.game.commands import AnyCommand, Close, PutOut
from tenmatch.game.events import AnyEvent
from tenmatch.game.ids import SeatNumber


def kick(
    room: RoomArgument,
    seat: Annotated[int, typer.Argument(min=0, help="The player's seat, from 0.", show_default=False)],
    redis: RedisOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a player out of a room, whether they host it or not.

    Before the start it frees the seat for good; in play it is as if they had given up.
    """
    events = carried_out(lambda settings: order(settings, room, PutOut(SeatNumber(seat))), redis, data)
    _tell(events, "They were out already.", as_json=as_json)


def close(
    room: RoomArgument, redis: RedisOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """End a room as it stands; a rated game then counts for nobody."""
    events = carried_out(lambda settings: order(settings, room, Close()), redis, data)
    _tell(events, "The room was over already.", as_json=as_json)


async def order(settings: Settings, named: str, command: AnyCommand) -> tuple[AnyEvent, ...]:
    """Let a room carry out a command, and return what happened.

    Raises:
        Failed: There is no such room, or it does not carry that out.
        Unreachable: The store does not answer.
    """
    async with hand(settings) as by:
        return await by.order(await find_room(by.store, named), command)


def _tell(events: tuple[AnyEvent, ...], nothing: str, *, as_json: bool) -> None:
    if as_json:
        for event in events:
            echo(event)
    else:
        kinds = ", ".join(str(event.__struct_config__.tag) for event in events)
        typer.echo(f"Done: {kinds}." if events else nothing)
