"""Plays the scripts against a real server and writes the sessions down: `make sessions`."""

import asyncio
import json
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, cast

from tests.gateway.nodes import Running, running
from tests.gateway.peer import Peer, peer
from tests.servers import Server
from tests.sessions.scribe import Scribe
from tests.sessions.scripts import SCRIPTS

from tenmatch.app.mock.session import FORMAT

PLACE: Final = Path(__file__).parent.parent / "vectors" / "sessions"


async def record(node: Running, name: str) -> list[dict[str, Any]]:
    """Play a script against a node and return the lines of the session."""
    script = SCRIPTS[name]
    heading = {"session": name, "format": FORMAT, "about": script.about, "raw": script.raw}
    async with AsyncExitStack() as stack:

        async def other(name: str) -> Peer:
            return await stack.enter_async_context(peer(node.port, name=name))

        scribe = Scribe(node, stack)
        await script.play(scribe, other)
    return [heading, *_with_short_tokens(scribe.lines)]


def _with_short_tokens(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write placeholders for the tokens: a client may expect nothing of what is in one."""
    text, found = json.dumps(lines), dict.fromkeys(_tokens(lines))
    for number, token in enumerate(found, 1):
        text = text.replace(json.dumps(token), f'"token-{number}"')
    return cast(list[dict[str, Any]], json.loads(text))


def _tokens(lines: list[dict[str, Any]]) -> list[str]:
    messages = [message for line in lines for message in line.values() if isinstance(message, dict)]
    return [message["token"] for message in messages if "token" in message]


async def main() -> None:
    """Record all sessions."""
    with tempfile.TemporaryDirectory() as folder, Server("valkey", Path(folder)) as server:
        for name in SCRIPTS:
            async with running(server.url) as node:
                lines = await record(node, name)
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (PLACE / f"{name}.jsonl").write_text(text)


if __name__ == "__main__":
    asyncio.run(main())
