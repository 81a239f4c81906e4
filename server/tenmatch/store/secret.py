"""The secret that signs guests' tokens, where settings name none: one node draws it, all find it."""

from secrets import token_bytes
from typing import Final

from tenmatch.store import keys
from tenmatch.store.connect import Store

LENGTH: Final = 32


async def shared_secret(store: Store) -> bytes:
    """Return the secret of this store, drawing it if there is none.

    Raises:
        StoreDown: It could not be read; asking again does no harm.
    """
    drawn = token_bytes(LENGTH)
    found: bytes | None = await store.call("SET", keys.SECRET, drawn, "NX", "GET")
    return drawn if found is None else found
