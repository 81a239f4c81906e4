"""What players report of each other, until the organiser has read it. What is in a report is opaque here."""

from typing import Final

from tenmatch.game.ids import PlayerId, RoomId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.counted import DAY, Count, count
from tenmatch.store.link import Script, pack

MOST: Final = 10_000
"""Reports that are kept; the oldest give way."""

SENDERS: Final = 10
"""As many reports as so many players may send come from one address: else it could push out all others."""

_REPORT: Final = Script("report")


async def keep(
    store: Store,
    report: bytes,
    *,
    room: RoomId,
    by: PlayerId,
    site: str,
    about: PlayerId,
    most: int,
    ttl: int,
) -> bool:
    """Keep a report; return False where its sender, or their address, has sent as many as may be.

    Args:
        site: The address that it comes from.
        most: How many a player may send within 24 hours; 0: any number.
        ttl: Seconds for which it is kept; 0: for ever.

    Raises:
        StoreDown: It may be kept or not; sending it again does no harm.
    """
    owned = [keys.REPORTS, keys.REPORTS_AT, keys.reports_by(by)]
    name = f"{room}:{by}:{about}"
    if most:
        sent = Count(keys.reports_from(site), DAY)
        if not await count(store, sent, name, SENDERS * most):
            return False
    _, kept = await store.run(_REPORT, owned, name, report, most, MOST, ttl * 1000)
    return bool(kept)


async def read(store: Store) -> list[bytes]:
    """Return all reports, the oldest first.

    Raises:
        StoreDown: They could not be read.
    """
    names = await store.call("ZRANGE", keys.REPORTS_AT, 0, -1)
    found: list[bytes | None] = []
    for first in range(0, len(names), 500):
        [some] = await store.pipeline([pack("HMGET", keys.REPORTS, *names[first : first + 500])])
        found += some
    return [report for report in found if report is not None]
