"""The store of a server that runs, for commands that read what it keeps for its organiser."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from tenmatch.app.settings import Settings
from tenmatch.store.connect import Address, Store, StoreDown
from tenmatch.store.embedded import url_of

PATIENCE_S: Final = 3.0  # for the store's first answer


class Unreachable(Exception):
    """The store cannot be read; says where it was looked for."""


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Store]:
    """Yield the store that a server with these settings uses.

    Raises:
        Unreachable: It does not answer, or no longer.
    """
    url = settings.redis.get_secret_value() if settings.redis else url_of(settings.data)
    with contextlib.closing(Store(Address(url))) as store:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await store.set_clock()
            yield store
        except (StoreDown, TimeoutError) as error:
            raise Unreachable(
                f"no store answers at {store.address}: is the server running, and --redis or --data the same?"
            ) from error
