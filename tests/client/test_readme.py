"""What README.md and server/client.md tell a newcomer to type, typed as it stands there, on a real server."""

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import websockets
from tests.live.node import Node

from tenmatch.client import Client, Phase, Room

ROOT = Path(__file__).parents[2]
USUAL = "http://127.0.0.1:8765"  # where the documents have their server
LIMIT_S = 60


def blocks(document: str, language: str = "") -> list[str]:
    """Return the blocks of code in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL)


def command(word: str) -> str:
    """Return the one command of the README with that word in it."""
    lines = "".join(blocks("README.md", "sh")).splitlines()
    [line] = [line for line in lines if word in line]
    return line


def typed(line: str) -> str:
    """Type a line into a shell where `.venv/bin/tenmatch` is this one; return what it prints."""
    ours = line.replace(".venv/bin/tenmatch", f"{sys.executable} -m tenmatch")
    done = subprocess.run(ours, shell=True, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    return done.stdout + done.stderr


async def started(text: str, node: Node) -> asyncio.subprocess.Process:
    """Start a program of the documents, on the server that is there."""
    assert USUAL in text
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-u"),  # what it prints is heard at once
        *("-c", text.replace(USUAL, node.url)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def said(process: asyncio.subprocess.Process) -> str:
    """Return what a program printed until it ended."""
    try:
        out, _ = await asyncio.wait_for(process.communicate(), LIMIT_S)
    except TimeoutError:
        process.kill()
        raise
    assert process.returncode == 0, out.decode()
    return out.decode()


async def test_the_first_connection_by_hand(node: Node) -> None:
    [talk] = [block for block in blocks("README.md") if block.startswith("{")]
    room, answer = "", dict[str, Any]()
    async with websockets.connect(node.url.replace("http", "ws") + "/v1", proxy=None) as socket:
        for line in talk.splitlines():
            message = json.loads(re.sub("<[^>]*>", room, line))
            await socket.send(json.dumps(message))
            key, value = ("re", message["id"]) if "id" in message else ("n", message["n"])
            answer = {}
            while answer.get(key) != value or answer.get("seat", 0) != 0:  # a computer's move is no answer
                answer = json.loads(await asyncio.wait_for(socket.recv(), LIMIT_S))
                assert answer["t"] != "error", answer
            room = answer.get("room", room)
    # As it is dealt; or the computer was faster.
    assert answer.get("kind") in {"matched", "mistaken"} or answer["code"] == "stale", answer


async def test_the_game_in_python_is_played_to_its_end_and_proves_itself(node: Node) -> None:
    [text] = blocks("README.md", "python")
    out = await said(await started(text, node))
    assert "Matched(" in out
    [room] = re.findall(r"^room (\w+) ", out, re.MULTILINE)
    check, found = command("verify -").replace(USUAL, node.url).replace("<room>", room), ""
    for _ in range(50):  # the record is there soon after the end
        if ": proven: race" in (found := await asyncio.to_thread(typed, check)):
            return
        await asyncio.sleep(0.1)
    raise AssertionError(found)


def test_a_question_about_the_rules() -> None:
    assert json.loads(typed(command("judge")))["verdict"] == "legal"


async def test_the_events_of_a_room_in_python(node: Node) -> None:
    text, _ = blocks("server/client.md", "python")
    assert "K7MPQ2" in text
    async with Client(node.url, name="Host", proxy=None) as host:
        room = await host.create("race", countdown_ms=0)
        guest = await started(text.replace("K7MPQ2", room.code.upper()), node)
        await room.ready()
        await room.until(lambda state: state.phase is Phase.PLAYING)
        assert guest.stdout is not None
        first = asyncio.ensure_future(guest.stdout.readline())
        while not first.done():  # it may not be listening yet
            await room.match(*room.state.pairs()[0])
            await asyncio.wait([first], timeout=1)
        await room.resign()
        await said(guest)
    assert first.result().startswith(b"seat 0 got ")


async def test_a_player_in_a_tournament_in_python(node: Node) -> None:
    _, text = blocks("server/client.md", "python")

    async def play(room: Room) -> None:
        await room.until(lambda state: state.phase in (Phase.PLAYING, Phase.OVER))  # the other gives up soon
        if room.seat == 0:
            await room.resign()
        await room.until(lambda state: state.phase is Phase.OVER)

    names: dict[str, Any] = {"play": play}
    exec(text, names)
    async with Client(node.url, name="Ann", proxy=None) as ann, Client(node.url, proxy=None) as bob:
        cup = await ann.create_tournament("Cup", countdown_ms=0)
        players = [asyncio.create_task(names["take_part"](one, cup.id)) for one in (ann, bob)]
        await cup.until(lambda state: len(state.entrants) == 2)
        await cup.start()
        async with asyncio.timeout(LIMIT_S):
            await asyncio.gather(*players)
        assert [line.place for line in cup.state.standings()] == [1, 2]
