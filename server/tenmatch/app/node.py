"""One process' share of the server: all that `tenmatch.app.wiring` builds and others have to reach."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from tenmatch.app.settings import Settings
from tenmatch.app.watchdog import Watchdog
from tenmatch.gateway.connection import Connection, Knocker
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.dailies import Dailies
from tenmatch.gateway.desk.desk import Desk
from tenmatch.gateway.handshake import Handshake
from tenmatch.gateway.http import Page
from tenmatch.gateway.orders import Orders
from tenmatch.gateway.pulse import Pulse
from tenmatch.gateway.rounds import Rounds
from tenmatch.gateway.tables import Tables
from tenmatch.gateway.tournament.games import Games
from tenmatch.gateway.tournament.tournaments import Tournaments
from tenmatch.protocol.limits import FRAME_BYTES
from tenmatch.store.committer import Committer
from tenmatch.store.connect import Store
from tenmatch.store.feed import Feed


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One process' share of the server."""

    name: str
    settings: Settings
    store: Store
    pulse: Pulse
    feed: Feed
    committer: Committer
    tables: Tables
    tournaments: Tournaments
    games: Games
    dailies: Dailies
    desk: Desk
    orders: Orders
    rounds: Rounds
    handshake: Handshake
    watchdog: Watchdog  # of the loop that the node runs on; to be entered by whoever runs it
    counts: Counts
    pages: dict[str, Page]  # the plain HTTP answers, by path
    numbers: Iterator[int]  # of its connections
    tasks: list[asyncio.Task[None]]  # they run for ever
    ended: asyncio.Event

    def connection(self, arrival: Knocker | None = None) -> Connection:
        """Return what takes the next connection, counted in place of *arrival* from then on."""
        settings = self.settings
        return Connection(
            self.handshake,
            frame_bytes=FRAME_BYTES,
            high_water=settings.watcher_bytes,
            most_unread=settings.player_bytes,
            name=f"{self.name}-{next(self.numbers)}",
            arrival=arrival,
        )

    def stop(self) -> None:
        """End: whoever still waits is answered, and nothing new is begun."""
        self.ended.set()
        self.tables.close()
        self.tournaments.close()
        for task in self.tasks:
            task.cancel()

    @property
    def ready(self) -> bool:
        """Whether clients should be sent here: the store answers, the feed hears, we are not going away."""
        return self.pulse.fresh and self.feed.healthy and not self.handshake.draining
