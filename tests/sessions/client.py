"""The Python client, doing what a session says."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from tenmatch.app.mock.session import Kind, Session
from tenmatch.client import Client, Room, Status

PATIENCE_S = 20.0


class Actor:
    """A client, and the room that the session is about."""

    def __init__(self, port: int, codec: Literal["msgpack", "json"]) -> None:
        self.client = Client(f"http://127.0.0.1:{port}", name="Somebody", codec=codec, proxy=None)
        self.room: Room | None = None

    async def act(self, session: Session) -> None:
        """Do all that the session says; what a client does by itself is left to it."""
        seq = 0
        for step in session.steps:
            match step.kind:
                case Kind.CONNECT:
                    await self._connected()
                case Kind.OUT:
                    seq = max(seq, step.value.get("seq", 0))
                case Kind.IN if step.value["t"] != "hello" and "after" not in step.value:
                    if self.room is not None:
                        await asyncio.wait_for(self.room.beyond(seq - 1), PATIENCE_S)
                    await asyncio.wait_for(self._do(step.value), PATIENCE_S)
        if self.room is not None and self.room.id in self.client.rooms:
            await asyncio.wait_for(self.room.beyond(seq - 1), PATIENCE_S)

    async def _connected(self) -> None:
        if self.client.status is Status.IDLE:
            await self.client.connect()

    async def _do(self, said: Mapping[str, Any]) -> None:
        match said["t"]:
            case "create":
                self.room = await self.client.create(said["mode"], **said["options"])
            case "join":
                enter = self.client.watch if said.get("watch") else self.client.join
                self.room = await enter(said["room"])
            case _:
                assert self.room is not None, "there is no room yet"
                await self._in(self.room)[said["t"]](said)

    def _in(self, room: Room) -> Mapping[str, Callable[[Mapping[str, Any]], Awaitable[object]]]:
        return {
            "ready": lambda said: room.ready(said["ready"]),
            "match": lambda said: room.match(said["a"], said["b"]),
            "add": lambda said: room.add(),
            "pass": lambda said: room.pass_turn(),
            "resign": lambda said: room.resign(),
            "chat": lambda said: room.chat(said["text"]),
            "rematch": lambda said: room.rematch(said["want"]),
            "leave": lambda said: room.leave(),
        }
