"""Peers that meet on a node: they make rooms, join them, begin games and move."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from tests.gateway.nodes import Running
from tests.gateway.peer import Heard, Peer, peer

Meet = Callable[..., Awaitable[Peer]]
NO_ROOM = "abcdefghjk"


@asynccontextmanager
async def meeting(node: Running) -> AsyncIterator[Meet]:
    """Yield what connects peers, to the node or another; they hang up in the end."""
    async with AsyncExitStack() as peers:

        async def meet(at: Running | None = None, **fields: Any) -> Peer:
            return await peers.enter_async_context(peer((at or node).port, **fields))

        yield meet


async def made(host: Peer, **options: object) -> str:
    """Let a peer make a room, and return its id."""
    snapshot = await host.ask("create", mode="race", options={"countdown_ms": 0, **options})
    assert snapshot["t"] == "snapshot", snapshot
    return str(snapshot["room"])


async def started(*players: Peer, **options: object) -> str:
    """Let peers begin a game; the first of them has made the room."""
    room = await made(players[0], max_players=len(players), **options)
    for player in players[1:]:
        assert (await player.ask("join", room=room))["t"] == "snapshot"
    for player in players:
        assert (await player.ask("ready", room=room, ready=True))["t"] == "ok"
    for player in players:
        await player.find(lambda message: message.get("kind") == "started" and message["room"] == room)
    return room


def pair(node: Running, room: str) -> dict[str, int]:
    """Return a legal pair on a room's board, as fields of a `match`."""
    state = node.node.tables.loaded[room].state  # type: ignore[index]  # of a message
    pair = state.sheets[0].witness
    assert pair is not None
    return {"a": pair[0], "b": pair[1], "seen": state.seq}


def match(node: Running, room: str, n: int) -> Heard:
    return {"t": "match", "room": room, "n": n, **pair(node, room)}
