"""What happens in a room, in its order, for whoever iterates over it."""

import asyncio
from collections import deque
from typing import Final, TypeAlias

from msgspec import Struct

from tenmatch.client.errors import ClientError
from tenmatch.client.heard import Happened
from tenmatch.client.state import State
from tenmatch.game.ids import Seq
from tenmatch.protocol.to_client import Chat, Presence

MOST: Final = 1_000  # that wait for one reader; who falls further behind is shown the room as it is


class Step(Struct, frozen=True):
    """An event of the log; each comes once, in order."""

    seq: Seq
    event: Happened
    before: State
    after: State


class Shown(Struct, frozen=True):
    """The room as it is: at the beginning, and where steps were left out."""

    after: State
    reset: bool = False  # the server's log is not the one that was held here


Happening: TypeAlias = Step | Shown | Chat | Presence


class Happenings:
    """An iterator over what happens in a room: from the room as it is now until we are no part of it."""

    def __init__(self, now: State) -> None:
        """Begin with the room as it is."""
        self._waiting: deque[Happening] = deque([Shown(now)])
        self._latest = now
        self._news = asyncio.Event()
        self._end: ClientError | StopAsyncIteration | None = None

    def __aiter__(self) -> "Happenings":
        """Return itself."""
        return self

    async def __anext__(self) -> Happening:
        """Return what happens next.

        Raises:
            Detached: We are no longer in this room, and that was not our wish.
            Closed: The server wants no connection of ours any more.
        """
        while not self._waiting:
            if self._end is not None:
                raise self._end
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()

    def put(self, happening: Happening) -> None:
        """Let it be read, after what came before."""
        if isinstance(happening, Step | Shown):
            self._latest = happening.after
        if len(self._waiting) >= MOST:
            self._waiting.clear()
            happening = Shown(self._latest)
        self._waiting.append(happening)
        self._news.set()

    def end(self, error: ClientError | None) -> None:
        """Let it end, with an error where that was not wanted."""
        self._end = error or StopAsyncIteration()
        self._news.set()
