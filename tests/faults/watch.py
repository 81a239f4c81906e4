"""Looks at a node's /readyz again and again, and at when everyone has caught up with what was played last."""

import asyncio
import json
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from typing import Final, NamedTuple

from tests.faults.load import Load, percentile, store_at
from tests.faults.person import Person
from tests.live.wire import fetch

log = logging.getLogger(__name__)

EVERY_S: Final = 0.05  # between two looks


class Look(NamedTuple):
    """What a node said of itself."""

    when: float  # it was asked; monotonic seconds
    ready: bool
    store: bool  # the store answers
    feed: bool  # what is published is heard
    lag: float  # s by which the event loop was late at worst, of late
    seconds: float  # that the answer took


class Watch:
    """All looks at one node so far."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.looks: list[Look] = []

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            asked = time.monotonic()
            answer = await fetch(self._url, "/readyz")
            said = json.loads(answer.body)
            took = time.monotonic() - asked
            look = Look(asked, answer.status == 200, said["store"], said["feed"], said["lag_ms"] / 1000, took)
            self.looks.append(look)
            await asyncio.sleep(EVERY_S)

    async def until(self, so: Callable[[Look], bool], since: float, within: float = 20.0) -> float:
        """Return for how many seconds after *since* it took to be so; infinity where it was not *within*."""
        while True:
            found = [look.when for look in self.looks if look.when >= since and so(look)]
            if found:
                return found[0] - since
            if time.monotonic() - since > within:
                return math.inf
            await asyncio.sleep(EVERY_S)

    def slow_answer(self, since: float) -> float:
        """Return within how many seconds nineteen of twenty looks were answered."""
        return percentile(sorted(look.seconds for look in self.looks if look.when >= since), 0.95)

    def worst_lag(self, since: float) -> float:
        """Return by how many seconds the event loop was late at worst."""
        return max(look.lag for look in self.looks if look.when >= since)


@asynccontextmanager
async def watching(url: str) -> AsyncIterator[Watch]:
    """Look at a node until the block ends."""
    watch = Watch(url)
    looking = asyncio.create_task(watch.run())
    try:
        yield watch
        assert not looking.done(), looking
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)


async def caught_up(load: Load, store: str, within: float = 4.0) -> float:
    """Let nobody move any more, and return when all are at the head.

    Returns:
        Seconds since the last acknowledged move; infinity where it was not so *within* so many.
    """
    load.resting = True
    load.hurry()
    stopped = time.monotonic()
    with closing(store_at(store)) as client:
        while behind := load.unanswered() + load.stragglers(client):
            if time.monotonic() - stopped > within:
                log.warning("not at the head: %s", behind)
                return math.inf
            await asyncio.sleep(0.01)
    moments = acknowledgements(load, load.persons)
    return time.monotonic() - (moments[-1] if moments else stopped)


async def all_level(load: Load, persons: Sequence[Person], store: str, within: float = 6.0) -> float:
    """Return after how many seconds these persons hold what is in the logs by now; infinity for never."""
    asked = time.monotonic()
    with closing(store_at(store)) as client:
        heads = load.heads(client)

    def level() -> bool:
        return all(p.at_head and p.view and p.view.seq >= heads.get(p.room, 0) for p in persons)

    while not level():
        if time.monotonic() - asked > within:
            return math.inf
        await asyncio.sleep(0.005)
    return time.monotonic() - asked


def acknowledgements(load: Load, persons: Sequence[Person]) -> list[float]:
    """Return when moves of these persons were acknowledged, in rising order."""
    names = {person.name for person in persons}
    moments: list[float] = []
    for room in load.record.history.rooms.values():
        seats = {view.seat for view in room.views if view.who in names}
        for (seat, _), move in room.moves.items():
            if seat in seats:
                moments += [when for when, _ in move.acknowledged]
    return sorted(moments)
