"""An append that somebody waits for: of a room's first events, and of whatever happens in a tournament."""

import asyncio
from collections.abc import Sequence
from typing import Final

from tenmatch.game.ids import Millis, RoomId
from tenmatch.protocol.stored import E, Sealed
from tenmatch.store.committer import Committer
from tenmatch.store.connect import StoreDown
from tenmatch.store.log import Head, Outcome

ANSWER_S: Final = 1.0


async def appended(
    committer: Committer,
    room: RoomId,
    head: Head,
    entries: Sequence[Sealed[E]],
    *,
    at: Millis | None,
    ttl: int,
) -> Outcome:
    """Add entries to a log if it still ends at *head*, and return what became of that.

    Args:
        room: Whose log it is; a tournament's id stands here, too.
        at: The now that the entries were judged with; None skips the check.
        ttl: Seconds until the log expires.

    Raises:
        StoreDown: It is not known in time, or no more is taken now (TooMuchWaits).
    """
    known: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
    committer.append(
        room,
        head,
        [entry.raw for entry in entries],
        at=at,
        by_player=False,
        ttl=ttl,
        outcome=lambda outcome: None if known.done() else known.set_result(outcome),
    )
    try:
        async with asyncio.timeout(ANSWER_S):
            return await known
    except TimeoutError as error:
        raise StoreDown("the store did not answer in time") from error
