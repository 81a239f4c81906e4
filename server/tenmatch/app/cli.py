"""The command line: `tenmatch`, whose commands `tenmatch --help` lists."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

from tenmatch import __version__
from tenmatch.app import verifying
from tenmatch.app.judging import answer
from tenmatch.app.load.command import run_load
from tenmatch.app.load.crew import LoadFailed
from tenmatch.app.load.plan import Plan
from tenmatch.app.logs import set_up_logs
from tenmatch.app.mock.serve import run_mock
from tenmatch.app.mock.session import BadSession
from tenmatch.app.mock.session import read as read_session
from tenmatch.app.operating.checking import check
from tenmatch.app.operating.command import PANEL
from tenmatch.app.operating.inspecting import inspect, tail
from tenmatch.app.operating.listing import rooms
from tenmatch.app.operating.moving import export, import_
from tenmatch.app.operating.nodes import announce, drain, nodes
from tenmatch.app.operating.ordering import close, kick
from tenmatch.app.operating.reporting import reports
from tenmatch.app.operating.witnessing import evidence
from tenmatch.app.serving.fitness import Unfit
from tenmatch.app.serving.serve import serve
from tenmatch.app.settings import BadSettings, read_settings
from tenmatch.app.terminal import TerminalMissing, terminal
from tenmatch.app.website import WebsiteMissing
from tenmatch.store.connect import BadStoreUrl
from tenmatch.store.embedded import EmbeddedError

HERE: Final = "http://127.0.0.1:8765"

app = typer.Typer(
    name="tenmatch",
    help="Number Match against each other, in real time.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tenmatch {__version__}")
        raise typer.Exit


@app.callback()
def _tenmatch(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Say which version this is."),
    ] = False,
) -> None:
    """Take what goes before any command."""


@app.command("serve")
def _serve(
    host: Annotated[str | None, typer.Option(help=r"Address to listen on. \[default: 127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(help=r"Port; 0 takes a free one. \[default: 8765]")] = None,
    redis: Annotated[
        str | None,
        typer.Option(
            help="URL of a Redis of yours: redis://… or unix://… Without, a private Valkey is started."
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help=r"Folder of the private Valkey's data. \[default: data]")
    ] = None,
    workers: Annotated[int | None, typer.Option(help=r"Processes that share the port. \[default: 1]")] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(help="Certificate with its chain, in PEM: serve https and wss.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The certificate's key, in PEM.")] = None,
    origins: Annotated[
        str | None, typer.Option(help="Further origins whose pages may connect, separated by commas.")
    ] = None,
    log_format: Annotated[str | None, typer.Option(help=r"auto, json or text. \[default: auto]")] = None,
    log_level: Annotated[
        str | None, typer.Option(help=r"debug, info, warning or error. \[default: info]")
    ] = None,
) -> None:
    """Run the server. Every flag is also a TENMATCH_… variable; limits are variables only (see deploy/)."""
    try:
        settings = read_settings(
            host=host,
            port=port,
            redis=redis,
            data=data,
            workers=workers,
            tls_cert=tls_cert,
            tls_key=tls_key,
            origins=origins,
            log_format=log_format,
            log_level=log_level,
        )
        set_up_logs(settings.log_format, settings.log_level)
        serve(settings)
    except (BadSettings, BadStoreUrl, EmbeddedError, Unfit, WebsiteMissing) as error:
        typer.secho(f"tenmatch: {error}", fg="red", err=True)
        raise typer.Exit(2) from error


Server = Annotated[str, typer.Option("--url", help="The server's address.")]


@app.command("play")
def _play(
    room: Annotated[str, typer.Argument(help="Code or id of a room. Without: first see who is there.")] = "",
    url: Server = HERE,
    name: Annotated[str | None, typer.Option(help="Your name, where you have none yet.")] = None,
) -> None:
    """Play in this terminal, by mouse or keys."""
    _in_terminal(lambda: terminal().play(url, name, room))


@app.command("watch")
def _watch(room: Annotated[str, typer.Argument(help="Code or id of the room.")], url: Server = HERE) -> None:
    """Watch a room in this terminal."""
    _in_terminal(lambda: terminal().watch(url, room))


def _in_terminal(run: Callable[[], str]) -> None:
    try:
        why = run()
    except TerminalMissing as error:
        why = str(error)
    if why:
        typer.secho(f"tenmatch: {why}", fg="red", err=True)
        raise typer.Exit(2)


@app.command("judge")
def _judge() -> None:
    """Answer questions about boards: a JSON line in, a JSON line out (see server/rules.md)."""
    for line in sys.stdin.buffer:  # as bytes: a line that is no text is a bad line, not the end
        typer.echo(answer(line.decode(errors="replace")))


@app.command("verify")
def _verify(
    files: Annotated[list[str], typer.Argument(help="Records (/v1/records/ROOM); - is the standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Say it in JSON, a line for each record.")] = False,
) -> None:
    """Verify records of finished games: the deal, every event, the result (see server/protocol.md).

    Ends with 1 when one does not prove its game. Then the first thing that is wrong in it is named.
    """
    reports = [verifying.report(file) for file in files]
    for report in reports:
        typer.echo(verifying.as_json(report) if as_json else str(report))
    raise typer.Exit(0 if all(report.ok for report in reports) else 1)


BY_HAND: Final = (
    *(nodes, rooms, inspect, tail, kick, close, announce, drain, export, import_, check),
    *(evidence, reports),
)
for by_hand in BY_HAND:
    app.command(by_hand.__name__.strip("_"), rich_help_panel=PANEL)(by_hand)


@app.command("mock")
def _mock(
    session: Annotated[Path, typer.Option(help="A recorded session (tests/vectors/sessions/).")],
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.")] = 8765,
    patience: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for what should come.")] = 60.0,
) -> None:
    """Play a recorded session to a client, and check what it says.

    Ends with 0 when all came as it was recorded, with 1 at the first difference, which is named.
    """
    try:
        right = run_mock(read_session(session), host, port, patience, lambda text: typer.echo(text))
    except BadSession as error:
        typer.secho(f"tenmatch: {error}", fg="red", err=True)
        raise typer.Exit(2) from error
    except OSError as error:
        typer.secho(f"tenmatch: nothing can listen on {host}:{port}: {error}", fg="red", err=True)
        raise typer.Exit(2) from error
    raise typer.Exit(0 if right else 1)


@app.command("load")
def _load(
    url: Annotated[str, typer.Argument(help="The server's address.")] = HERE,
    rooms: Annotated[int, typer.Option(min=1, help="Rooms in which two play at the same time.")] = 10,
    watchers: Annotated[int, typer.Option(min=0, help="Watchers in each room.")] = 0,
    watch: Annotated[
        str, typer.Option(help="Id or code of a room in which others play: watch it and play nowhere.")
    ] = "",
    rate: Annotated[
        float,
        typer.Option(min=0, help="Moves a second, all rooms together; 0: as fast as they are answered."),
    ] = 0.0,
    seconds: Annotated[float, typer.Option(min=0.1, help="For how long.")] = 10.0,
    processes: Annotated[int, typer.Option(min=1, help="Processes that share the work.")] = 1,
    size: Annotated[int, typer.Option(min=9, max=180, help="Numbers in a game.")] = 180,
    adds: Annotated[int, typer.Option(min=0, max=20, help="Adds in a game, which then lasts longer.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print figures for machines.")] = False,
) -> None:
    """Play in many rooms at once on a server, and check every answer.

    Ends with 1 when anything was wrong or an answer did not come, with 2 when the load did not come about.
    Connections that break come back and lose nothing. A server's limits are for single players: lift those
    that are met (see deploy/).
    """
    if watch and not watchers:
        raise typer.BadParameter("how many are to --watch? Say --watchers")
    plan = Plan(url=url, rooms=rooms, watchers=watchers, watch=watch, rate=rate, size=size, adds=adds)
    try:
        right = run_load(plan, seconds, processes, as_json=as_json)
    except LoadFailed as error:
        typer.secho(f"tenmatch: {error}", fg="red", err=True)
        raise typer.Exit(2) from error
    raise typer.Exit(0 if right else 1)


def main() -> None:
    """Run the command that was asked for."""
    app()
