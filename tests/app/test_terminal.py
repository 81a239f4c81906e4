"""The way from the command line to the terminal client, which may not be installed."""

import sys

import pytest
from typer.testing import CliRunner

from tenmatch.app import cli
from tenmatch.app.terminal import TerminalMissing, terminal

run = CliRunner().invoke


class Drawn:
    """A terminal client that says what it was asked for."""

    def play(self, url: str, name: str | None, room: str) -> str:
        return f"play {url} {name} {room}"

    def watch(self, url: str, room: str) -> str:
        return f"watch {url} {room}"


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tenmatch_terminal.app", raising=False)
    monkeypatch.setitem(sys.modules, "textual.app", None)
    with pytest.raises(TerminalMissing, match=r"pip install 'tenmatch\[terminal\]'"):
        terminal()
    result = run(cli.app, ["play"])
    assert result.exit_code == 2
    assert "tenmatch[terminal]" in result.stderr


def test_it_is_found_where_it_is_installed() -> None:
    assert callable(terminal().play)


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        (["play"], "play http://127.0.0.1:8765 None "),
        (["play", "K7MPQ2", "--name", "Ann"], "play http://127.0.0.1:8765 Ann K7MPQ2"),
        (["watch", "K7MPQ2", "--url", "wss://b"], "watch wss://b K7MPQ2"),
    ],
)
def test_it_is_told_what_was_asked_for_and_why_it_ended_is_said(
    monkeypatch: pytest.MonkeyPatch, command: list[str], asked: str
) -> None:
    monkeypatch.setattr(cli, "terminal", Drawn)
    result = run(cli.app, command)
    assert (result.exit_code, result.stderr) == (2, f"tenmatch: {asked}\n")
