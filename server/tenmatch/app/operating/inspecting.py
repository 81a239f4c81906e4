"""`tenmatch inspect` and `tenmatch tail`: one room, as it is and as it goes on.

Nothing is shown of a game that is not over which would tell its deal in advance.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import msgspec
import typer
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from tenmatch.app.operating.command import (
    DataOption,
    Failed,
    JsonOption,
    RedisOption,
    RoomArgument,
    carried_out,
)
from tenmatch.app.operating.ear import Ear
from tenmatch.app.operating.finding import Found, find
from tenmatch.app.operating.printing import echo, moment, screen
from tenmatch.app.settings import Settings
from tenmatch.app.storage import opened
from tenmatch.game.room import Phase
from tenmatch.gateway.held import Held
from tenmatch.protocol.stored import Entry, StoredError
from tenmatch.protocol.viewers import event_map, state_map
from tenmatch.rules.notation import text
from tenmatch.store import log
from tenmatch.store.connect import Store

SHOWN: Final = 20  # of the log, unless more is asked for
LOOKS_S: Final = 1.0  # at the log, also where nothing was heard
_HEAD: Final = ("seq", "chain", "at", "hash", "kind")


def inspect(
    room: RoomArgument,
    redis: RedisOption = None,
    data: DataOption = None,
    events: Annotated[int, typer.Option(min=0, help="How many of the last events to show.")] = SHOWN,
    as_json: JsonOption = False,
) -> None:
    """Show a room: its state and board, who is connected where, the end of its log, the chain checked."""
    found = carried_out(lambda settings: _find(settings, room), redis, data)
    last = _last(found, events)
    if as_json:
        echo(told(found, last))
    else:
        screen().print(_shown(found, last))


async def _find(settings: Settings, room: str) -> Found:
    async with opened(settings) as store:
        return await find(store, room)


def _last(found: Found, events: int) -> Sequence[Entry]:
    return found.entries[max(0, len(found.entries) - events) :]


def told(found: Found, last: Sequence[Entry]) -> dict[str, Any]:
    """Return a room as JSON has it: as watchers see it, where its log ends, who is connected where."""
    return {
        "room": found.room,
        "seq": found.entries[-1].seq,
        "chain": found.entries[-1].chain,
        "expires_in_ms": found.expires_in,
        "state": state_map(found.state),
        "here": {
            "seats": {str(seat): msgspec.to_builtins(held) for seat, held in found.where.seats.items()},
            "watching": found.where.watching,
        },
        "events": [event_map(entry) for entry in last],
    }


def tail(
    room: RoomArgument,
    redis: RedisOption = None,
    data: DataOption = None,
    events: Annotated[int, typer.Option(min=0, help="How many of the last events to begin with.")] = SHOWN,
    as_json: JsonOption = False,
) -> None:
    """Follow a room's log to the end of its game, an event a line."""
    with contextlib.suppress(KeyboardInterrupt):  # as it is meant to be left
        carried_out(lambda settings: _tail(settings, room, events, as_json=as_json), redis, data)


async def _tail(settings: Settings, room: str, events: int, *, as_json: bool) -> None:
    async with opened(settings) as store:
        found = await find(store, room)
        for entry in _last(found, events):
            typer.echo(_line(entry, as_json=as_json))
        held = Held(found.room, found.entries)
        async with Ear(store, found.room) as ear:
            while held.state.phase is not Phase.OVER and (fresh := await _next(store, held, ear)) is not None:
                for entry in fresh:
                    typer.echo(_line(entry, as_json=as_json))
                held.hold([*held.entries, *fresh])


async def _next(store: Store, held: Held, ear: Ear) -> list[Entry] | None:
    """Return what was added to a log, waiting for it a while; None where there is no such log any more.

    Raises:
        Failed: It is another log than it was.
        StoreDown: It could not be read.
    """
    await ear.wait(LOOKS_S)
    stored = await log.read(store, held.room, held.head.seq)
    try:
        return None if stored.expires_in is None else held.opened(stored.entries)
    except StoredError as error:
        raise Failed(f"the log of room {held.room} is another than it was: {error}") from error


def _line(entry: Entry, *, as_json: bool) -> str:
    event = event_map(entry)
    if as_json:
        return msgspec.json.encode(event).decode()
    return f"{moment(entry.event.at)}  {_place(entry)}  {event['kind']:<9} {_details(event)}".rstrip()


def _place(entry: Entry) -> str:
    return f"{entry.seq:>4} {entry.chain:08x}"


def _details(event: dict[str, object]) -> str:
    return " ".join(f"{name}={_value(value)}" for name, value in event.items() if name not in _HEAD)


def _value(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _shown(found: Found, last: Sequence[Entry]) -> RenderableType:
    log_of = Table("", "chain", "at (UTC)", "event", "", title="Log", title_justify="left", box=None)
    for entry in last:
        event = event_map(entry)
        at, details = moment(entry.event.at), escape(_details(event))
        log_of.add_row(str(entry.seq), f"{entry.chain:08x}", at, str(event["kind"]), details)
    return Group(_facts(found), _seats(found), *_boards(found), log_of)


def _facts(found: Found) -> Table:
    state, last = found.state, found.entries[-1]
    facts = Table(show_header=False, box=None)
    kinds = [state.mode.value, *(["rated"] * state.options.rated), *(["private"] * state.private)]
    over = f" ({state.reason.value})" if state.reason is not None else ""
    watching = ", ".join(f"{count} at {node}" for node, count in found.where.watching.items())
    rows = {
        "room": f"{found.room}, code {state.code}",
        "mode": ", ".join(kinds),
        "phase": f"{state.phase.value}{over}",
        "made": moment(state.created_at),
        "ends": moment(state.ends_at) if state.phase is Phase.PLAYING else "",
        "log": f"{last.seq} events, chain {last.chain:08x} (whole)",
        "kept": f"for another {_span(found.expires_in)} unless something happens",
        "watching": watching,
    }
    for name, value in rows.items():
        if value:
            facts.add_row(name, escape(value))
    return facts


def _seats(found: Found) -> Table:
    table = Table("seat", "player", "id", "", "score", "mistakes", "connected to", title_justify="left")
    for number, seat in found.state.taken():
        held = found.where.seats.get(number)
        marks = {
            "host": number == found.state.host,
            "ready": seat.ready and found.state.phase is not Phase.PLAYING,
            "out": seat.out,
            "to move": found.state.turn == number,
        }
        level = seat.player.bot
        table.add_row(
            str(number),
            escape(seat.player.name),
            seat.player.id,
            ", ".join(mark for mark, so in marks.items() if so),
            str(seat.score),
            str(seat.mistakes),
            f"(computer, {level.value})" if level else f"{held.node} ({held.number})" if held else "(away)",
        )
    return table


def _boards(found: Found) -> Iterator[RenderableType]:
    state = found.state
    if not state.sheets:
        return
    shown = {"": state.sheets[0]}
    if state.own_boards:
        shown = {seat.player.name: state.sheets[number] for number, seat in state.taken()}
    yield Columns(
        Panel.fit(
            "\n".join(" ".join(row) for row in text(sheet.board).split("/")) or "cleared",
            title=escape(name) or None,
            subtitle=f"{sheet.board.left} left, {sheet.adds_left} add{'s' * (sheet.adds_left != 1)}",
        )
        for name, sheet in shown.items()
    )


def _span(ms: int) -> str:
    minutes = ms // 60_000
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
