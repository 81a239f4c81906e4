"""When something is done again that has no end: on its beat, or sooner where somebody is in a hurry."""

import asyncio
import contextlib


class Beat:
    """The pause between two rounds."""

    def __init__(self, *, longest: float, shortest: float) -> None:
        """Set how many seconds a pause lasts where nobody hurries, and how many however much they do."""
        self._longest = longest
        self._shortest = shortest
        self._hurried = asyncio.Event()

    def hurry(self) -> None:
        """Let the next round begin soon."""
        self._hurried.set()

    async def rest(self) -> None:
        """Wait for the next round."""
        loop = asyncio.get_running_loop()
        earliest = loop.time() + self._shortest
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._longest):
                await self._hurried.wait()
        if (early := earliest - loop.time()) > 0:
            await asyncio.sleep(early)
        self._hurried.clear()
