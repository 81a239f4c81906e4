"""A session served in this process, and what became of it."""

import asyncio
from collections.abc import Awaitable, Callable

from tenmatch.app.mock.serve import Mock
from tenmatch.app.mock.session import Session

Act = Callable[[int], Awaitable[None]]


async def verdict(session: Session, act: Act, patience_s: float = 20.0) -> str | None:
    """Serve a session to what *act* does with its port, and return what the mock has to say."""
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as tasks:
        served = tasks.create_task(Mock(session, patience_s=patience_s).run("127.0.0.1", 0, ready.set_result))
        await act(await ready)
    return served.result()
