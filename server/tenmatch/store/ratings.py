"""Players' rated games and where these have brought them, for each mode. What is in them is opaque here."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tenmatch.game.ids import PlayerId
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import Script, pack

_ENTER: Final = Script("enter")


class Kept(NamedTuple):
    """What the store has of a player in a mode."""

    standing: bytes | None
    history: list[bytes]  # the end of it, the latest game last


async def find(store: Store, player: PlayerId, mode: str, many: int) -> Kept:
    """Return a player's standing, and the last *many* games of their history.

    Raises:
        StoreDown: They could not be read.
    """
    # The standing first: if a game is entered in between, `enter` will notice.
    standing, history = await store.pipeline(
        [pack("GET", keys.standing(player, mode)), pack("LRANGE", keys.games(player, mode), -many, -1)]
    )
    return Kept(standing, history)


async def enter(
    store: Store,
    player: PlayerId,
    mode: str,
    *,
    found: bytes | None,
    standing: bytes,
    replaced: int,
    games: Sequence[bytes],
    most: int,
    ttl: int,
) -> bool:
    """Let a history go on with *games*; return False where it is another by now than was found.

    Args:
        found: The standing that `find` returned.
        standing: The new one; it differs from each before.
        replaced: How many games at the end of the history give way to these.
        most: How many games are kept.
        ttl: Seconds for which all is kept; 0: for ever.

    Raises:
        StoreDown: They may have been entered or not; `find` tells.
    """
    owned = [keys.standing(player, mode), keys.games(player, mode)]
    _, done = await store.run(_ENTER, owned, found or b"", standing, replaced, most, ttl * 1000, *games)
    return bool(done)


async def standings(store: Store, asked: Sequence[tuple[PlayerId, str]]) -> list[bytes | None]:
    """Return the standings of players, each in a mode; None for who never played a rated game there.

    Raises:
        StoreDown: They could not be read.
    """
    return await store.pipeline([pack("GET", keys.standing(player, mode)) for player, mode in asked])
