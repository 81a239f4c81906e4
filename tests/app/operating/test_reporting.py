"""`tenmatch reports`: in a table, as JSON, and where no server runs."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.protocol.test_report import KEPT
from tests.servers import Server
from typer.testing import CliRunner

from tenmatch.app.cli import app
from tenmatch.game.ids import PlayerId, RoomId
from tenmatch.store import embedded, reports
from tenmatch.store.connect import Address, Store

run = CliRunner().invoke
ROOM = "k7mp2xw9qd"


async def keep(url: str, *kept: bytes) -> None:
    with closing(Store(Address(url))) as store:
        for number, report in enumerate(kept):
            who = {"by": PlayerId(f"m4kx7q2wz9h{number}"), "about": PlayerId("w6tq9ek2hmpa")}
            await reports.keep(store, report, room=RoomId(ROOM), site="192.0.2.1", most=0, ttl=60, **who)


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with Server("valkey", tmp_path) as server:
        yield server.url


def test_reports_are_shown(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert "Nobody" in run(app, ["reports", "--redis", url]).stdout
    asyncio.run(keep(url, KEPT.replace(b"you fool", b"[bold]fool"), b"of another version"))
    shown = run(app, ["reports", "--redis", url])
    assert shown.exit_code == 0
    for word in ("2027-01-01", "Bo", "abuse", "Read what he wrote.", "[bold]fool", "Ada", ROOM):
        assert word in shown.stdout
    found = run(app, ["reports", "--redis", url, "--json"])
    assert json.loads(found.stdout)["said"][0]["text"] == "[bold]fool"
    assert not run(app, ["reports", "--redis", url, "--json", "--room", "another"]).stdout
    assert not run(app, ["reports", "--redis", url, "--json", "--player", "another"]).stdout


def test_where_no_server_runs(tmp_path: Path) -> None:
    result = run(app, ["reports", "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert "is the server running" in result.output


def test_where_a_private_store_is(tmp_path: Path) -> None:
    assert embedded.url_of(tmp_path) == f"unix://{tmp_path.resolve()}/valkey.sock"
    long = tmp_path / ("x" * 120)
    assert embedded.url_of(long).startswith("unix://")
    assert len(embedded.url_of(long)) < 115
