"""The list of public rooms, kept as the server tells its changes."""

import asyncio
from collections.abc import Mapping
from types import TracebackType

from tenmatch.client.errors import ClientError
from tenmatch.game.ids import RoomId
from tenmatch.protocol.maps import RoomLine
from tenmatch.protocol.to_client import Rooms


class Lobby:
    """The list, while somebody wants it: enter it to say so."""

    def __init__(self) -> None:
        """Begin with nobody who wants it."""
        self.on = False
        self.featured: list[RoomId] = []  # the games most worth watching, the best first
        self._lines: dict[RoomId, RoomLine] = {}
        self._news = asyncio.Event()
        self._end: ClientError | None = None

    def __enter__(self) -> None:
        """Want it, from scratch."""
        assert not self.on, "one lobby at a time"
        self.on, self._lines, self.featured, self._end = True, {}, [], None
        self._news.clear()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Want it no longer."""
        self.on = False

    def told(self, rooms: Rooms) -> None:
        """Take the whole list, or what changed."""
        if rooms.rooms is not None:
            self._lines, self.featured = {}, []
        if rooms.featured is not None:
            self.featured = rooms.featured
        for line in rooms.rooms or rooms.changed or ():
            self._lines[line["room"]] = line
        for gone in rooms.gone or ():
            self._lines.pop(gone, None)
        self._news.set()

    def end(self, error: ClientError) -> None:
        """There will be no news."""
        self._end = error
        self._news.set()

    async def changed(self) -> Mapping[RoomId, RoomLine]:
        """Return the list as soon as there is news of it."""
        await self._news.wait()
        self._news.clear()
        if self._end is not None:
            raise self._end
        return dict(self._lines)
