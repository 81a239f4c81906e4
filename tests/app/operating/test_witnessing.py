"""`tenmatch evidence`: of a game from its record or its log, in a table and as JSON."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.protocol.logs import LOGS
from tests.servers import Server
from typer.testing import CliRunner

from tenmatch.app.cli import app
from tenmatch.game.evidence import Change, Note
from tenmatch.game.ids import Millis, RoomId, SeatNumber
from tenmatch.protocol.record import encode, record_of
from tenmatch.store import keys, observed, records
from tenmatch.store.connect import Address, Store

run = CliRunner().invoke
OVER, GOES_ON = RoomId("k7mp2xw9qd"), RoomId("c5yh8sj4tg")


async def fill(url: str) -> None:
    """Keep the record of a race with notes, and a log of turns that goes on."""
    race, turns = LOGS["race"], LOGS["turns"]
    record = record_of(race.entries)
    assert record is not None
    started = next(event.at for event in race.events if type(event).__name__ == "Started")
    notes = [Note(Millis(started + 1000), SeatNumber(0), Change.HIDDEN)]
    notes.append(Note(Millis(started + 3000), SeatNumber(0), Change.SHOWN))
    with closing(Store(Address(url))) as store:
        await records.keep(store, {OVER: gzip.compress(encode(record))}, 60)
        kept = [*map(msgspec.msgpack.encode, notes), b"of another version"]
        await observed.keep(store, {OVER: kept}, 60)
        await store.call("RPUSH", keys.log(GOES_ON), *turns.raws[:10])


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with Server("valkey", tmp_path) as server:
        asyncio.run(fill(server.url))
        yield server.url


def test_evidence_is_shown(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    shown = run(app, ["evidence", OVER, "--redis", url])
    assert shown.exit_code == 0
    for word in ("Ada (0)", "Lynx 27 (1)", "race", "blocked", "1, 2.00 s", "no verdict"):
        assert word in shown.stdout
    found = json.loads(run(app, ["evidence", OVER, "--redis", url, "--json"]).stdout)
    assert (found["room"], found["mode"], found["rated"]) == (OVER, "race", False)
    ada = found["seats"][0]
    assert (ada["hidden"], ada["hidden_for"]) == (1, 2000)
    assert len(ada["reactions"]) == ada["matches"]
    running = json.loads(run(app, ["evidence", GOES_ON, "--redis", url, "--json"]).stdout)
    assert (running["mode"], running["ended_at"]) == ("turns", None)
    unknown = run(app, ["evidence", "abcdefghjk", "--redis", url])
    assert unknown.exit_code == 1
    assert "no game is known" in unknown.output
