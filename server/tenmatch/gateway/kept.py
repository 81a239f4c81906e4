"""Something read from the store once for all who ask within a moment."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from tenmatch.gateway.tasks import Spawn
from tenmatch.store.connect import StoreDown

T = TypeVar("T")


class Kept(Generic[T]):
    """A value that is never older than so many seconds; many may ask for it, and cost no more than one."""

    def __init__(self, read: Callable[[], Awaitable[T]], seconds: float, *, spawn: Spawn) -> None:
        """Read nothing yet.

        Args:
            read: May raise StoreDown, which those who wait are told; whoever asks next makes it read again.
        """
        self._read = read
        self._seconds = seconds
        self._spawn = spawn
        self._value: asyncio.Future[T] | None = None
        self._until = float("-inf")

    async def get(self) -> T:
        """Return the value, read anew where it is too old. Raises StoreDown."""
        loop = asyncio.get_running_loop()
        if self._value is None or (self._value.done() and loop.time() >= self._until):
            self._value = loop.create_future()
            self._until = float("-inf")
            self._spawn(self._fill(self._value))
        return await asyncio.shield(self._value)

    async def _fill(self, value: "asyncio.Future[T]") -> None:
        try:
            found = await self._read()
        except StoreDown as error:
            value.set_exception(error)
            value.exception()  # whoever waited may be gone: that is no one's fault
        else:
            self._until = asyncio.get_running_loop().time() + self._seconds
            value.set_result(found)
        finally:
            value.cancel()  # does nothing, unless a bug was met
