"""`tenmatch rooms`: the rooms that are not over, private ones too."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from tenmatch.app.operating.command import DataOption, JsonOption, RedisOption, carried_out
from tenmatch.app.operating.finding import Found, going_on
from tenmatch.app.operating.printing import echo, moment, progress, screen, table
from tenmatch.app.settings import Settings
from tenmatch.app.storage import opened
from tenmatch.game.ids import RoomId
from tenmatch.game.room import Phase
from tenmatch.protocol.viewers import line_map, player_map


def rooms(
    redis: RedisOption = None,
    data: DataOption = None,
    phase: Annotated[Phase | None, typer.Option(help="Only those that are this far.")] = None,
    player: Annotated[str | None, typer.Option(help="Only those where they sit, by their id.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the rooms that are not over, private ones too, the newest first."""
    found, unreadable = carried_out(lambda settings: gather(settings, player), redis, data)
    wanted = [
        one
        for one in found
        if phase in (None, one.state.phase)
        and (player is None or any(seat.player.id == player for _, seat in one.state.taken()))
    ]
    if as_json:
        for one in wanted:
            echo(line(one))
    else:
        _show(wanted)
    for room in unreadable:
        typer.secho(f"tenmatch: the log of room {room} cannot be read", fg="yellow", err=True)


async def gather(settings: Settings, player: str | None) -> tuple[list[Found], list[RoomId]]:
    """Return the rooms that are not over, the newest first, and those that cannot be read.

    Args:
        player: Only rooms where they have had a seat, by their id; None: all.

    Raises:
        Unreachable: The store cannot be read.
    """
    found: list[Found] = []
    unreadable: list[RoomId] = []
    async with opened(settings) as store:
        with progress("rooms") as told:
            async for one in going_on(store, player=player, progress=told):
                if isinstance(one, Found):
                    found.append(replace(one, entries=one.entries[-1:]))  # many logs are much
                else:
                    unreadable.append(one)
    found.sort(key=lambda one: one.state.created_at, reverse=True)
    return found, unreadable


def line(found: Found) -> dict[str, Any]:
    """Return a room in a list: as clients are told of it, and what only an operator is told."""
    state = found.state
    told: dict[str, Any] = {**line_map(found.room, state, sum(found.where.watching.values()))}
    told["private"] = state.private
    told["players"] = [None if seat is None else player_map(seat.player) for seat in state.seats]
    told["online"] = [
        None if seat is None else seat.player.bot is not None or number in found.where.seats
        for number, seat in enumerate(state.seats)
    ]
    told["created_at"], told["at"], told["seq"] = state.created_at, state.at, state.seq
    return told


def _show(found: list[Found]) -> None:
    columns = ("room\ncode", "mode\nphase", "players", "watching", "events", "made, UTC\nlast, UTC")
    shown = table(columns, map(_row, found), folded="players")
    screen().print(shown if found else "No game is open or played.")


def _row(found: Found) -> tuple[str, ...]:
    state = found.state
    kinds = [state.mode.value, *(["rated"] if state.options.rated else []), *(["private"] * state.private)]
    players = (
        f"{seat.player.name} {seat.score}{'' if online else ' (away)'}"
        for seat, online in zip(state.seats, line(found)["online"], strict=True)
        if seat is not None
    )
    return (
        f"{found.room}\n{state.code}",
        f"{', '.join(kinds)}\n{state.phase.value}",
        "\n".join(players),
        str(sum(found.where.watching.values()) or ""),
        str(state.seq),
        f"{moment(state.created_at)}\n{moment(state.at)}",
    )
