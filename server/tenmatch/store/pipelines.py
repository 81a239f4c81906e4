"""A few connections that all callers share: what waits when one is free goes as one pipeline on it."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tenmatch.store.link import Link, Reply, StoreDown

WAIT: Final = 0.5  # seconds for a free connection
PIPELINE: Final = 250  # commands in one pipeline, about: each has a deadline of its own
WAITERS: Final = 1_000  # calls that wait for a connection at most; the next one fails at once


class Answers(NamedTuple):
    """What commands were answered with, and when they went and the last answer came (monotonic seconds)."""

    replies: list[Reply]
    sent: float
    received: float


@dataclass(slots=True)
class _Call:
    commands: Sequence[bytes]
    since: float
    answers: "asyncio.Future[Answers]"


class Pipelines:
    """Carries calls to one place. Who asks in the same turn of the event loop shares a pipeline."""

    def __init__(self, link: Callable[[], Link], monotonic: Callable[[], float], *, connections: int) -> None:
        """Make no connection yet; *link* makes one, of *connections* at most."""
        self._link = link
        self._monotonic = monotonic
        self._most = connections
        self._idle: list[Link] = []
        self._carriers: set[asyncio.Task[None]] = set()
        self._waiting: deque[_Call] = deque()
        self._impatience: asyncio.TimerHandle | None = None

    async def ask(self, commands: Sequence[bytes]) -> Answers:
        """Have packed commands carried out; errors are `ErrorReply`s among the replies.

        Raises:
            StoreDown: Each may have been carried out or not.
        """
        if len(self._waiting) >= WAITERS:
            raise StoreDown(f"{len(self._waiting)} calls already wait for a connection")
        loop = asyncio.get_running_loop()
        call = _Call(commands, self._monotonic(), loop.create_future())
        self._waiting.append(call)
        if len(self._carriers) < self._most:
            carrier = loop.create_task(self._carry(self._idle.pop() if self._idle else self._link()))
            self._carriers.add(carrier)
        elif self._impatience is None:
            self._impatience = loop.call_later(WAIT, self._give_up)
        return await call.answers

    async def _carry(self, link: Link) -> None:
        """Carry pipelines on one connection until nobody waits."""
        try:
            while calls := self._next_calls():
                await self._exchange(link, calls)
        finally:
            self._idle.append(link)
            task = asyncio.current_task()
            assert task is not None
            self._carriers.discard(task)

    def _next_calls(self) -> list[_Call]:
        calls, commands = [], 0
        while self._waiting and commands < PIPELINE:
            call = self._waiting.popleft()
            if not call.answers.done():  # its caller is still there
                calls.append(call)
                commands += len(call.commands)
        return calls

    async def _exchange(self, link: Link, calls: Sequence[_Call]) -> None:
        sent = self._monotonic()
        try:
            replies = await link.exchange([command for call in calls for command in call.commands])
        except StoreDown as error:
            for call in calls:
                _fail(call, error)
            return
        except Exception as error:  # a bug of ours: it is met by all who ask, or they would wait for ever
            for call in calls:
                if not call.answers.done():
                    call.answers.set_exception(error)
            return
        received = self._monotonic()
        first = 0
        for call in calls:
            end = first + len(call.commands)
            if not call.answers.done():
                call.answers.set_result(Answers(replies[first:end], sent, received))
            first = end

    def _give_up(self) -> None:
        """Fail those who have waited too long, and look again while there are others."""
        self._impatience = None
        now = self._monotonic()
        while self._waiting and now - self._waiting[0].since >= WAIT:
            _fail(self._waiting.popleft(), StoreDown(f"all connections were busy for {WAIT} s"))
        if self._waiting:
            wait = self._waiting[0].since + WAIT - now
            self._impatience = asyncio.get_running_loop().call_later(wait, self._give_up)

    def close(self) -> None:
        """Close the connections, whatever is under way on them."""
        if self._impatience is not None:
            self._impatience.cancel()
            self._impatience = None
        for carrier in self._carriers:
            carrier.cancel()
        for link in self._idle:
            link.abort()
        self._idle.clear()


def _fail(call: _Call, error: StoreDown) -> None:
    if not call.answers.done():
        failure = StoreDown(str(error))  # each caller gets its own, whose traceback is its own
        failure.__cause__ = error.__cause__
        call.answers.set_exception(failure)
