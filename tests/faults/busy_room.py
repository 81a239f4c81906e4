"""A room in which events are made at will: its host is ready, and not ready again, thousands of times."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Self

from tests.live.client import CODECS, Client

Meet = Callable[..., Awaitable[Client]]


@dataclass
class BusyRoom:
    """Its host, and how many events were made."""

    client: Client
    room: str
    events: int = 0

    @classmethod
    async def begin(cls, client: Client) -> Self:
        """Make a room."""
        made = await client.ask("create", mode="race", private=True)
        return cls(client, made["room"])

    @property
    def seq(self) -> int:
        """The last event that the host was told."""
        return self.client.rooms[self.room].seq

    async def toggle(self) -> None:
        """Make an event and return when the log has it."""
        assert await self.try_to_toggle()

    async def try_to_toggle(self) -> bool:
        """Make an event, and tell whether the server could, as far as it knows."""
        self.events += 1
        answer = await self.client.ask("ready", room=self.room, ready=bool(self.events % 2))
        assert answer["t"] == "ok" or answer.get("code") == "unavailable", answer
        return bool(answer["t"] == "ok")

    async def burst(self, many: int) -> None:
        """Make so many events at once, and return when the log has them."""
        await asyncio.gather(*(self.toggle() for _ in range(many)))

    async def toggle_at(self, rate: float) -> None:
        """Make so many events a second until cancelled."""
        due = time.monotonic()
        while True:
            due = max(due + 1 / rate, time.monotonic() - 0.1)
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            await self.toggle()


@asynccontextmanager
async def meeting() -> AsyncIterator[Meet]:
    """Give what connects a client that says hello; at the end all are gone."""
    async with AsyncExitStack() as stack:

        async def meet(url: str, codec: str = CODECS[0]) -> Client:
            client = await Client.connect(url, codec)
            stack.push_async_callback(client.drop)
            await client.hello()
            return client

        yield meet
