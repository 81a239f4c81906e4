"""Looking for an opponent: what is wished, and what came of it."""

import asyncio
from typing import TypeAlias

from tenmatch.client.errors import ClientError
from tenmatch.protocol.from_client import Seek
from tenmatch.protocol.to_client import Paired, Queued

Found: TypeAlias = Paired | Queued | ClientError


class Seeking:
    """One search at a time; the server has one for each player, too."""

    def __init__(self) -> None:
        """Begin with none."""
        self.wish: Seek | None = None  # to be said again after a break
        self._found: asyncio.Queue[Found] = asyncio.Queue()

    def begin(self, wish: Seek) -> "asyncio.Queue[Found]":
        """Look for somebody; return where it will be told what comes of it."""
        assert self.wish is None, "one search at a time"
        self.wish = wish
        self._found = asyncio.Queue()
        return self._found

    def told(self, message: Paired | Queued) -> None:
        """Take what the server says of it."""
        if self.wish is None:
            return
        if isinstance(message, Paired) or not message.on:
            self.wish = None
        self._found.put_nowait(message)

    def end(self, error: ClientError) -> None:
        """Nothing will come of it."""
        if self.wish is not None:
            self._found.put_nowait(error)

    def done(self) -> None:
        """Look no longer."""
        self.wish = None
