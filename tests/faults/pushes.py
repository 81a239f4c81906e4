"""A way to Redis on which what is published goes astray: it is lost, comes twice, late, or in another order.

Everything else passes as it is, answers to PING above all: nothing looks wrong.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from tests.store.proxy import Passed, Proxy

Bend: TypeAlias = Callable[[bytes], Iterable[bytes]]
"""What comes in place of a published message: none, itself, or others that were held up."""

_MESSAGE: Final = b"*3\r\n$8\r\nsmessage\r\n"
_SUBSCRIBED: Final = b"*3\r\n$10\r\nssubscribe\r\n"


class Pushes(Proxy):
    """Knows what is published from what is answered; whatever is told holds for connections old and new."""

    def __init__(self, socket: Path) -> None:
        super().__init__(socket)
        self.bend: Bend = as_it_is
        self.published = 0  # messages that came this way so far
        self._read = asyncio.Event()
        self._read.set()

    def stop_reading(self) -> None:
        """Read nothing more on connections that subscribe, so that it piles up on the server."""
        self._read.clear()

    def read_on(self) -> None:
        """Read again."""
        self._read.set()

    def _answering(self) -> Passed:
        whole, subscribes = Replies(), False

        async def answer(answer: bytes) -> bytes:
            nonlocal subscribes
            await self._flows.wait()
            passed = b""
            for reply in whole.of(answer):
                subscribes = subscribes or reply.startswith(_SUBSCRIBED)
                passed += b"".join(self._bent(reply)) if reply.startswith(_MESSAGE) else reply
            if subscribes:
                await self._read.wait()
            return passed

        return answer

    def _bent(self, message: bytes) -> Iterable[bytes]:
        self.published += 1
        return self.bend(message)


def as_it_is(message: bytes) -> Iterable[bytes]:
    """Pass a message on."""
    return (message,)


def swallowed(message: bytes) -> Iterable[bytes]:
    """Lose it."""
    return ()


def twice(message: bytes) -> Iterable[bytes]:
    """Let it come twice."""
    return message, message


class Every:
    """Bends every n-th message, and passes the others on; `bent` counts."""

    def __init__(self, nth: int, bend: Bend) -> None:
        self._nth, self._bend = nth, bend
        self._seen = self.bent = 0

    def __call__(self, message: bytes) -> Iterable[bytes]:
        """Bend a message if its turn has come."""
        self._seen += 1
        if self._seen % self._nth:
            return (message,)
        self.bent += 1
        return self._bend(message)


class Swapped:
    """Lets the messages of each channel come in pairs, the second one first; an odd one waits."""

    def __init__(self) -> None:
        self.held: dict[bytes, bytes] = {}  # by channel

    def __call__(self, message: bytes) -> Iterable[bytes]:
        """Hold a message up, or pass it on before the one that was."""
        channel = message.split(b"\r\n", 5)[4]
        earlier = self.held.pop(channel, None)
        if earlier is None:
            self.held[channel] = message
            return ()
        return message, earlier


class Replies:
    """Cuts what a server sends (RESP2) into whole replies."""

    def __init__(self) -> None:
        self._rest = b""

    def of(self, data: bytes) -> Iterator[bytes]:
        """Yield the replies that are whole by now, as bytes."""
        data, start = self._rest + data, 0
        while (end := _end(data, start)) is not None:
            yield data[start:end]
            start = end
        self._rest = data[start:]


def _end(data: bytes, start: int) -> int | None:
    """Return where the reply that begins at *start* ends; None where it is not whole."""
    line = data.find(b"\r\n", start)
    if line < 0:
        return None
    kind, end = data[start : start + 1], line + 2
    if kind not in b"$*":
        return end
    count = int(data[start + 1 : line])
    if kind == b"$":
        end += count + 2 if count >= 0 else 0  # -1 stands for no text at all
        return end if end <= len(data) else None
    for _ in range(count):
        inner = _end(data, end)
        if inner is None:
            return None
        end = inner
    return end
