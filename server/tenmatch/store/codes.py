"""Room codes, short enough to be read aloud: what each stands for."""

from collections.abc import Iterable

from tenmatch.game.ids import RoomCode, RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import pack


async def claim_code(store: Store, code: RoomCode, room: RoomId, ttl: int) -> bool:
    """Let a code stand for a room for *ttl* seconds; return False where it stands for another.

    Raises:
        StoreDown: It may stand for the room or not; claiming it again does no harm.
    """
    holder = await store.call("SET", keys.code(code), room, "NX", "GET", "EX", ttl)
    return holder is None or holder == room.encode()


async def renew_codes(store: Store, codes: Iterable[RoomCode], ttl: int) -> None:
    """Let codes stand for *ttl* seconds from now.

    Raises:
        StoreDown: Some may have been renewed.
    """
    await store.pipeline([pack("EXPIRE", keys.code(code), ttl) for code in codes])


async def room_of(store: Store, code: RoomCode) -> RoomId | None:
    """Return the room that a code stands for.

    Raises:
        StoreDown: It could not be read.
    """
    room: bytes | None = await store.call("GET", keys.code(code))
    return None if room is None else RoomId(room.decode())
