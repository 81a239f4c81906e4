"""The command line: what it passes on, and how it fails."""

import json
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tenmatch import __version__
from tenmatch.app import cli
from tenmatch.app.serving.fitness import Unfit
from tenmatch.app.settings import Settings, read_settings
from tenmatch.app.website import WebsiteMissing
from tenmatch.store.connect import BadStoreUrl
from tenmatch.store.embedded import EmbeddedError

run = CliRunner().invoke


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Settings]:
    """Take the settings that would be served with, and serve nothing."""
    settings: list[Settings] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "serve", settings.append)
    monkeypatch.setattr(cli, "set_up_logs", lambda form, level: None)
    return settings


def test_what_a_flag_is_without_being_given_stands_in_its_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert "[default: 8765]" in run(cli.app, ["serve", "--help"]).output


def test_without_a_command_help_is_shown() -> None:
    result = run(cli.app, [])
    assert "serve" in result.output
    assert "judge" in result.output


def test_the_version_is_told() -> None:
    result = run(cli.app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"tenmatch {__version__}\n")


def test_serve_needs_no_flags(served: list[Settings]) -> None:
    assert run(cli.app, ["serve"]).exit_code == 0
    assert served == [read_settings()]


def test_every_flag_is_a_setting(served: list[Settings]) -> None:
    flags = {
        "host": "0.0.0.0",
        "port": 9000,
        "redis": "redis://store.example",
        "data": Path("elsewhere"),
        "workers": 2,
        "origins": "https://a.example,https://b.example",
        "log_format": "json",
        "log_level": "warning",
    }
    words = [word for name, value in flags.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    result = run(cli.app, ["serve", *words])
    assert result.exit_code == 0, result.output
    [settings] = served
    for name, value in flags.items():
        got = getattr(settings, name)
        if name == "redis":
            got = got.get_secret_value()
        if name == "origins":
            got = ",".join(got)
        assert got == value, name


def test_what_cannot_be_is_said_on_standard_error_without_a_traceback(served: list[Settings]) -> None:
    result = run(cli.app, ["serve", "--port", "70000"])
    assert result.exit_code == 2
    assert result.stderr.startswith("tenmatch: TENMATCH_PORT: ")
    assert "Traceback" not in result.output
    assert served == []


@pytest.mark.parametrize("error", [Unfit, EmbeddedError, WebsiteMissing, BadStoreUrl])
def test_what_keeps_the_server_from_starting_is_said(
    served: list[Settings], monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(settings: Settings) -> None:
        raise error("this is why")

    monkeypatch.setattr(cli, "serve", fail)
    result = run(cli.app, ["serve"])
    assert (result.exit_code, result.stderr) == (2, "tenmatch: this is why\n")


def test_a_port_that_is_taken_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "set_up_logs", lambda form, level: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run(cli.app, ["serve", "--port", str(port), "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert f"cannot listen on 127.0.0.1:{port}" in result.stderr
    assert "--port" in result.stderr


def test_an_unknown_variable_is_said(served: list[Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENMATCH_PROT", "1")
    result = run(cli.app, ["serve"])
    assert result.exit_code == 2
    assert "unknown setting TENMATCH_PROT" in result.stderr


def test_judge_answers_line_by_line() -> None:
    lines = ['{"op": "no such thing"}', "not json"]
    result = run(cli.app, ["judge"], input="".join(f"{line}\n" for line in lines))
    assert result.exit_code == 0
    assert len([json.loads(line) for line in result.output.splitlines()]) == len(lines)
