"""Wait for what announces itself to nobody."""

import asyncio
from collections.abc import Callable


async def until(holds: Callable[[], bool], within: float = 30.0, every: float = 0.001) -> None:
    """Return as soon as a condition holds; fail when it does not *within* so many seconds.

    What holds after all costs nothing, however much is allowed: so it is more than any machine stands still.
    """
    async with asyncio.timeout(within):
        while not holds():  # noqa: ASYNC110  # no event tells of it
            await asyncio.sleep(every)
