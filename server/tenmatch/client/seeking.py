"""Looking for an opponent: what is wished, and what came of it."""

import asyncio
from typing import TypeAlias

from msgspec.structs import replace

from tenmatch.client.errors import ClientError, Denied
from tenmatch.client.requests import Requests
from tenmatch.game.ids import RoomId
from tenmatch.protocol.from_client import Seek
from tenmatch.protocol.to_client import Ok, Paired, Queued

Found: TypeAlias = Paired | Queued | ClientError


class Seeking:
    """One search at a time; the server has one for each player, too."""

    def __init__(self) -> None:
        """Begin with none."""
        self.wish: Seek | None = None  # to be said again after a break
        self._found: asyncio.Queue[Found] = asyncio.Queue()

    async def find(self, wish: Seek, requests: Requests, *, computer: bool) -> RoomId:
        """Look for somebody, and return the room in which they are.

        Args:
            computer: A computer player will do as soon as one is on offer.

        Raises:
            Denied: There is no such search, or no opponent is looked for any more.
            ClientError: What ended it otherwise.
        """
        assert self.wish is None, "one search at a time"
        self.wish, self._found = wish, asyncio.Queue()
        try:
            await requests.ask(wish, Ok, again=True)
            while True:
                match await self._found.get():
                    case Paired(room=room):
                        return room
                    case Queued(on=True, bot=level) if level is not None and computer:
                        await requests.ask(replace(wish, bot=True), Ok, again=True)
                    case Queued(on=False):
                        raise Denied("not_queued", "no opponent is looked for any more")
                    case ClientError() as error:
                        raise error
        finally:
            self.wish = None

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
