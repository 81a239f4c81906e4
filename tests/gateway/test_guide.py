"""The guide in server/protocol.md, typed line by line: a server answers as it is written there."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.gateway.nodes import running
from tests.gateway.peer import Heard, Peer, peer
from tests.protocol.frames import page

LEFT_OUT = "…"


def alike(written: Any, heard: Any) -> bool:
    """Tell whether something is as it is written, where not all of it is."""
    if written == LEFT_OUT:
        return True
    if isinstance(written, Mapping) and isinstance(heard, Mapping):
        named = written.keys() - {LEFT_OUT}
        whole = LEFT_OUT in written or named == heard.keys()
        return whole and named <= heard.keys() and all(alike(written[key], heard[key]) for key in named)
    if isinstance(written, list) and isinstance(heard, list):
        return len(written) == len(heard) and all(map(alike, written, heard))
    return bool(written == heard)


def filled_in(line: str, heard: list[Heard]) -> Any:
    """Read a line, with what its reader is to fill in."""
    room = next((message["room"] for message in heard if message["t"] == "snapshot"), "")
    chain = next((message["chain"] for message in heard if message.get("kind") == "mistaken"), 0)
    return json.loads(line.replace("ROOM", room).replace("CHAIN", str(chain)))


def said_to(ann: Peer) -> list[Heard]:
    """Return what was heard but `presence`, which comes when it likes."""
    return [message for message in ann.heard if message["t"] not in ("presence", "pong")]


async def told(ann: Peer) -> list[Heard]:
    """Return the same, when all that was said until now was heard."""
    await ann.quiet()
    return said_to(ann)


async def test_a_server_answers_as_the_guide_says(url: str) -> None:
    lines = [
        line
        for block in re.findall(r"^```guide\n(.*?)^```$", page(), re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    assert len(lines) > 20
    read = 0
    async with running(url) as node, peer(node.port, hello=False) as ann:
        for line in lines:
            if line.startswith("> "):
                assert len(ann.heard) == 0 or len(await told(ann)) == read, "more came than is written"
                await ann.send(filled_in(line[2:], ann.heard))
                continue
            await ann.find(lambda _, read=read: len(said_to(ann)) > read)  # type: ignore[misc]  # mypy infers no type for it
            heard = said_to(ann)
            written = filled_in(line[2:], ann.heard)
            assert alike(written, heard[read]), f"written: {written}\nheard: {heard[read]}"
            read += 1
        assert len(await told(ann)) == read
