"""The pause between two rounds: as long as it should be, shorter for who hurries, and never too short."""

import asyncio

import pytest

from tenmatch.gateway.beat import Beat


async def rested(beat: Beat) -> float:
    """Return for how many seconds a pause lasted."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await beat.rest()
    return loop.time() - begun


async def test_nobody_hurries() -> None:
    assert await rested(Beat(longest=0.1, shortest=0.0)) >= 0.099


@pytest.mark.parametrize("when", ["before", "meanwhile"])
async def test_somebody_hurries(when: str) -> None:
    beat = Beat(longest=60.0, shortest=0.0)
    if when == "before":
        beat.hurry()
    else:
        asyncio.get_running_loop().call_later(0.01, beat.hurry)
    assert await rested(beat) < 30.0


async def test_however_much_they_hurry() -> None:
    beat = Beat(longest=60.0, shortest=0.1)
    beat.hurry()
    assert await rested(beat) >= 0.099


async def test_and_that_was_that() -> None:
    beat = Beat(longest=0.1, shortest=0.0)
    beat.hurry()
    await beat.rest()
    assert await rested(beat) >= 0.099
