"""`tenmatch mock`: what it says to whom, and what it says of who says something else."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.mocked import verdict
from tests.sessions.record import PLACE
from typer.testing import CliRunner
from websockets.asyncio.client import ClientConnection, connect

from tenmatch.app.cli import app
from tenmatch.app.mock.session import BadSession, Session, read


def session_of(tmp_path: Path, *lines: dict[str, Any]) -> Session:
    heading = {"session": "small", "format": "tenmatch-session/1"}
    place = tmp_path / "small.jsonl"
    place.write_text("\n".join(map(json.dumps, [heading, *lines])))
    return read(place)


HELLO = {"t": "hello", "id": 1, "name": "Ann"}
LINES: tuple[dict[str, Any], ...] = (
    {"connect": True},
    {"in": HELLO},
    {"out": {"t": "welcome", "re": 1, "time": 1000}},
    {"note": "…"},
    {"in": {"t": "kick", "id": 2, "room": "k7mp2xw9qd", "seat": 1}},
    {"out": {"t": "event", "at": 3000, "clocks": [1, None]}},
    {"out": {"t": "ok", "re": 2}},
)


async def test_a_client_has_ids_and_a_time_of_its_own(tmp_path: Path) -> None:
    async def act(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/v1", proxy=None) as socket:
            for message in (
                {"t": "hello", "id": 70, "token": "mine"},
                {"t": "ping", "id": 7},
                {"t": "kick", "id": 71, "room": "k7mp2xw9qd", "seat": 1, "more": None},
            ):
                await socket.send(json.dumps(message))
            welcome, pong, event, ok = [json.loads(await socket.recv()) for _ in range(4)]
        assert (welcome["re"], pong["re"], ok["re"]) == (70, 7, 71)
        assert 0 <= pong["time"] - welcome["time"] < 60_000
        assert event["at"] - welcome["time"] == 2000

    assert await verdict(session_of(tmp_path, *LINES), act) is None


async def test_who_asks_without_an_id_hears_no_ok(tmp_path: Path) -> None:
    async def act(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/v1", proxy=None) as socket:
            await socket.send(json.dumps({"t": "hello"}))
            await socket.send(json.dumps({"t": "kick", "room": "k7mp2xw9qd", "seat": 1}))
            welcome, _event = [json.loads(await socket.recv()) for _ in range(2)]
            assert welcome["re"] is None
            await socket.send(json.dumps({"t": "ping"}))
            assert json.loads(await socket.recv())["t"] == "pong"

    assert await verdict(session_of(tmp_path, *LINES), act) is None


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"t": "kick", "id": 2, "room": "k7mp2xw9qd", "seat": 2}, "line 6: seat is 2, should be 1"),
        ({"t": "kick", "id": 2, "seat": 1}, 'line 6: room is nothing, should be "k7mp2xw9qd"'),
        ({"t": "start", "id": 2, "room": "k7mp2xw9qd"}, 'line 6: t is "start", should be "kick"'),
        ({"t": "kick", "room": "k7mp2xw9qd", "seat": 1, "why": "x"}, 'line 6: why is "x", should be nothing'),
        ("{", "is no tenmatch.v1.json"),
        ("[]", "is no map with a `t`"),
    ],
)
async def test_the_first_difference_is_named(tmp_path: Path, said: object, named: str) -> None:
    async def act(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/v1", proxy=None) as socket:
            await socket.send(json.dumps(HELLO))
            await socket.recv()
            await socket.send(said if isinstance(said, str) else json.dumps(said))
            await closed(socket)
            assert socket.close_code == 1008

    told = await verdict(session_of(tmp_path, *LINES), act)
    assert told is not None
    assert named in told


async def closed(socket: ClientConnection) -> None:
    async with asyncio.timeout(20):
        await socket.wait_closed()


async def test_what_comes_after_the_end_is_a_difference_too(tmp_path: Path) -> None:
    async def act(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/v1", proxy=None) as socket:
            await socket.send(json.dumps(HELLO))
            await socket.send(json.dumps(HELLO))
            await closed(socket)

    assert "due is nothing more" in (await verdict(session_of(tmp_path, *LINES[:3]), act) or "")


async def test_nobody_waits_for_ever(tmp_path: Path) -> None:
    async def act(port: int) -> None:
        pass

    told = await verdict(session_of(tmp_path, *LINES), act, patience_s=0.1)
    assert told == "within 0.1 s nothing came; due is a connection (line 2)"


async def test_a_server_that_closes_does_so_with_its_code(tmp_path: Path) -> None:
    async def act(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/v1", proxy=None) as socket:
            await socket.send(json.dumps({"t": "hello"}))
            await closed(socket)
            assert socket.close_code == 4500

    assert await verdict(session_of(tmp_path, *LINES[:2], {"close": 4500}), act) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "does not begin with"),
        ('{"session":"x","format":"tenmatch-session/1"}\n{"in":1}', "line 2: it is none of note, connect"),
        ('{"session":"x","format":"tenmatch-session/1"}\n\n{', "line 3: "),
        ('{"session":"x","format":"tenmatch-session/2"}', "does not begin with"),
    ],
)
def test_what_is_no_session_is_named(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "bad.jsonl").write_text(text)
    with pytest.raises(BadSession, match=named):
        read(tmp_path / "bad.jsonl")
    ended = CliRunner().invoke(app, ["mock", "--session", str(tmp_path / "bad.jsonl")])
    assert ended.exit_code == 2


async def test_the_command_says_where_it_listens_and_how_it_went() -> None:
    command = [sys.executable, "-m", "tenmatch", "mock", "--port", "0", "--session"]
    process = await asyncio.create_subprocess_exec(
        *command, str(PLACE / "alone.jsonl"), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        assert (await process.stdout.readline()).startswith(b"alone: ")
        where = (await process.stdout.readline()).decode()
        port = int(where.partition("127.0.0.1:")[2].partition("/")[0])
        async with connect(f"ws://127.0.0.1:{port}/v1", proxy=None) as socket:
            await socket.send(json.dumps(HELLO))
            assert json.loads(await socket.recv())["t"] == "welcome"
        async with connect(f"ws://127.0.0.1:{port}/v1", proxy=None) as socket:
            await closed(socket)
        told = (await process.stdout.read()).decode()
        assert told.startswith("Not as recorded: a connection came, and should not: due is ")
        assert await process.wait() == 1
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
