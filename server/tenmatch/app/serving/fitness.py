"""What has to be so before anything is served: a store that answers and is fit, and nobody who stops us."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from tenmatch.app.settings import Settings
from tenmatch.store.checks import Finding, Severity, check
from tenmatch.store.connect import Store, StoreDown
from tenmatch.store.durability import Durability

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_ANSWER_S: Final = 10.0  # for a store to be there when we start


class Unfit(Exception):
    """The server cannot start; says what is wrong and what to do."""


class Stopped(Exception):
    """We were told to end before we had begun."""


async def unless(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T:
    """Do *work*, which may take long, unless we are told to end meanwhile.

    Raises:
        Stopped: We were; *work* was cancelled.
    """
    task, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([task, stopping], return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Stopped
        return await task
    finally:
        for ending in (task, stopping):
            ending.cancel()
        await asyncio.wait([task, stopping])


async def make_sure(store: Store, settings: Settings) -> None:
    """Wait for the store to be there and look whether it is fit. Raises Unfit."""
    findings = await _first_answer(store, settings.durability)
    for finding in findings:
        log.warning("the store is not as it should be", extra={"finding": str(finding)})
    wrong = [str(finding) for finding in findings if finding.severity is Severity.STOP]
    if wrong and not settings.unfit_redis:
        raise Unfit("\n".join([*wrong, "To start all the same: TENMATCH_UNFIT_REDIS=true"]))


async def _first_answer(store: Store, durability: Durability) -> list[Finding]:
    time = asyncio.get_running_loop().time
    give_up, said = time() + FIRST_ANSWER_S, ""
    while True:
        try:
            return await check(store, durability)
        except StoreDown as error:
            if time() > give_up:
                raise Unfit(
                    f"no store answers at {store.address}: start one there, or leave out --redis for a "
                    f"private one. It said: {error}"
                ) from error
            if str(error) != said:  # once for each reason, not twice a second
                said = str(error)
                log.warning("waiting for the store", extra={"error": said})
            await asyncio.sleep(0.5)
