"""The heartbeat of all nodes together, and the gaps in it: time that was nobody's."""

from typing import Final, NamedTuple

from tenmatch.game.ids import Millis
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import Script

COUNTS: Final = Millis(3_000)
"""A beat counts for so long; if then none followed, the servers were away. Each node beats once a second."""
TOLD: Final = Millis(24 * 3_600_000)
"""Outages that ended longer ago are forgotten."""

_BEAT: Final = Script("beat")


class Gap(NamedTuple):
    """A time without a beat, from the last before to the first after it."""

    start: Millis
    end: Millis


class Beat(NamedTuple):
    """What a beat brings back."""

    time: Millis  # the store's, when it beat
    gaps: tuple[Gap, ...]  # those that ended in the last 24 h, the earliest first


async def beat(store: Store) -> Beat:
    """Note that this node is alive.

    Raises:
        StoreDown: It may have been noted or not.
    """
    [time, *gaps] = await store.run(_BEAT, [keys.ALIVE, keys.OUTAGES], COUNTS, TOLD)
    return Beat(Millis(time), tuple(Gap(*map(_millis, gap.split(b"-"))) for gap in gaps))


async def latest(store: Store) -> Millis | None:
    """Return when a node last beat; None where none ever did.

    Raises:
        StoreDown: It could not be read.
    """
    beaten: bytes | None = await store.call("GET", keys.ALIVE)
    return None if beaten is None else _millis(beaten)


def _millis(text: bytes) -> Millis:
    return Millis(int(text))
