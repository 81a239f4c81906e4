"""Writers that hardly pause, and what was acknowledged to them: for tests that break the store meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import count, pairwise
from typing import Final

from tests.store.entries import entry, head_after
from tests.store.waiting import until

from tenmatch.game.ids import RoomId
from tenmatch.store.committer import Committer
from tenmatch.store.connect import Address, Store
from tenmatch.store.durability import Durability
from tenmatch.store.log import Appended, Outcome, read

PACE: Final = 0.01  # seconds between two appends in a room: without a pause they would take the machine


class Writers:
    """A writer in each of some rooms, each appending an entry as soon as the one before is acknowledged."""

    def __init__(self, store: Store, committer: Committer, rooms: list[RoomId]) -> None:
        self.store = store
        self.committer = committer
        self.logs: dict[RoomId, list[bytes]] = {room: [] for room in rooms}  # as acknowledged
        self.lost = 0  # entries that were acknowledged, and then were not there
        self.moments: dict[RoomId, list[float]] = {room: [] for room in rooms}  # of acknowledgements

    async def write(self) -> None:
        """Write until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for room in self.logs:
                tasks.create_task(self._write_in(room))

    async def _write_in(self, room: RoomId) -> None:
        log, time = self.logs[room], asyncio.get_running_loop().time
        for number in count(1):
            outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
            mine = entry(number, f"{room} {number}")
            self.committer.append(
                room,
                head_after(log),
                [mine],
                at=None,
                by_player=False,
                ttl=600,
                outcome=outcome.set_result,
            )
            if isinstance(await outcome, Appended):
                log.append(mine)
                self.moments[room].append(time())
            else:  # only where something was lost: nobody else writes here
                stored = (await read(self.store, room)).entries
                self.lost += len(log) - len(stored)
                log[:] = stored
            await asyncio.sleep(PACE)

    async def go_on(self, many: int = 20, within: float = 90.0, rooms: Iterable[RoomId] = ()) -> None:
        """Return when each writer has written so many more, or those in some *rooms*."""
        aims = {room: len(self.logs[room]) + many for room in rooms or self.logs}
        await until(lambda: all(len(self.logs[room]) >= aim for room, aim in aims.items()), within)

    @property
    def longest_pause(self) -> float:
        """Return for how many seconds at most nothing was acknowledged in some room."""
        return max(map(_longest, self.moments.values()))

    async def prove(self) -> None:
        """Look that whatever was acknowledged and did not count as lost is in its log, in its place."""
        for room, log in self.logs.items():
            stored = list((await read(self.store, room)).entries)
            assert stored[: len(log)] == log, room
            assert len(stored) <= len(log) + 1, room  # the one under way when writing stopped


def _longest(moments: Sequence[float]) -> float:
    return max(later - earlier for earlier, later in pairwise(moments))


@asynccontextmanager
async def writing(url: str, durability: Durability, rooms: int = 20) -> AsyncIterator[Writers]:
    """Run writers until the block ends."""
    store = Store(Address(url))
    await store.set_clock()
    committer = Committer(store, durability=durability)
    writers = Writers(store, committer, [RoomId(f"room{number:06}") for number in range(rooms)])
    tasks = [asyncio.create_task(work) for work in (committer.run(), writers.write())]
    try:
        await writers.go_on(5)
        yield writers
        assert not any(task.done() for task in tasks), tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    await writers.prove()
    store.close()
