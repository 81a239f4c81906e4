"""What is read once for all who ask within a moment."""

import asyncio

from tenmatch.gateway.kept import Kept
from tenmatch.store.connect import StoreDown


class Source:
    """What can be read, or cannot."""

    def __init__(self) -> None:
        self.reads = 0
        self.down = False

    async def read(self) -> int:
        self.reads += 1
        await asyncio.sleep(0)
        if self.down:
            raise StoreDown("away")
        return self.reads


async def test_a_crowd_costs_one_reading() -> None:
    source = Source()
    kept = Kept(source.read, 3_600, spawn=asyncio.ensure_future)
    assert await asyncio.gather(*(kept.get() for _ in range(20))) == [1] * 20
    assert await kept.get() == 1


async def test_what_is_old_is_read_again() -> None:
    kept = Kept(Source().read, 0, spawn=asyncio.ensure_future)
    assert [await kept.get(), await kept.get()] == [1, 2]


async def test_what_cannot_be_read_is_tried_again_by_whoever_asks_next() -> None:
    source = Source()
    source.down = True
    kept = Kept(source.read, 3_600, spawn=asyncio.ensure_future)
    failed = await asyncio.gather(*(kept.get() for _ in range(3)), return_exceptions=True)
    assert [type(error) for error in failed] == [StoreDown] * 3
    source.down = False
    assert [await kept.get(), await kept.get()] == [2, 2]
