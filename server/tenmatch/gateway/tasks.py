"""How tasks are started: in a group that outlives whoever starts them, and that a bug in one does not end."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

log = logging.getLogger(__name__)

Spawn = Callable[[Coroutine[Any, Any, None]], object]
"""Starts a task in such a group."""


def spawner(group: asyncio.TaskGroup) -> Spawn:
    """Return what starts tasks in *group*."""
    return lambda work: group.create_task(guarded(work))


async def guarded(work: Coroutine[Any, Any, None]) -> None:
    """Do *work*; a bug in it is logged and ends nothing else."""
    try:
        await work
    except Exception:  # the task's outermost frame
        log.exception("a task failed")
