"""A client that says what it is told to say, and keeps all it hears, in order.

It complains of what no schema allows (`tests/protocol/valid.py`): a message of the server's that has more or
less than it should, a message of its own that fits and is called bad, an answer that is none.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.gateway.sockets import PATIENCE_S, Wire
from tests.gateway.wire import text
from tests.protocol.valid import complaint, fits

from tenmatch.protocol.asyncapi import answers

Heard = dict[str, Any]

READ = ("text",)
"""What is read, too: a schema cannot tell whether there is anything to be seen in it."""


class Peer:
    """One WebSocket that speaks JSON."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.heard: list[Heard] = []
        self.code: int | None = None  # with which the server closed
        self.reason = ""
        self.complaints: list[str] = []
        self._read = 0  # of what was heard, by `next`
        self._ids = 100
        self._more = asyncio.Condition()
        self._over = False
        self._listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        try:
            while True:
                try:
                    frame = await self.wire.frame()
                except TimeoutError:  # nothing was said for long, which is no end
                    continue
                if frame.opcode.name == "CLOSE":
                    self.code = int.from_bytes(bytes(frame.data)[:2], "big")
                    self.reason = bytes(frame.data)[2:].decode()
                elif frame.opcode.name == "TEXT":
                    message = json.loads(bytes(frame.data))
                    self.heard.append(message)
                    if wrong := complaint(message):
                        self.complaints.append(wrong)
                async with self._more:
                    self._more.notify_all()
        except (EOFError, OSError):
            self._over = True
            async with self._more:
                self._more.notify_all()

    async def send(self, *said: Heard) -> None:
        """Send messages in one packet."""
        await self.wire.send(b"".join(map(text, said)))

    async def ask(self, t: str, **fields: object) -> Heard:
        """Send a request and return what comes back to it."""
        self._ids += 1
        number = self._ids
        said = {"t": t, "id": number, **fields}
        await self.send(said)
        answer = await self.find(lambda message: message.get("re") == number)
        if answer.get("code") == "bad_message" and fits(said) and answer["field"] not in READ:
            self.complaints.append(f"{said} fits, and yet: {answer}")
        if answer["t"] not in answers(t):
            self.complaints.append(f"{answer} is no answer to {said}")
        return answer

    async def find(self, fits: Callable[[Heard], bool]) -> Heard:
        """Return the first message that fits, of all that were heard or will be."""
        async with asyncio.timeout(PATIENCE_S), self._more:
            while True:
                for message in self.heard:
                    if fits(message):
                        return message
                assert not self._over, (self.code, self.heard)
                await self._more.wait()

    async def next(self, *types: str) -> Heard:
        """Return the next message of these types, or of all but presence; those before it are passed over."""
        async with asyncio.timeout(PATIENCE_S), self._more:
            while True:
                while self._read < len(self.heard):
                    message = self.heard[self._read]
                    self._read += 1
                    if message["t"] in types if types else message["t"] != "presence":
                        return message
                assert not self._over, (self.code, self.heard)
                await self._more.wait()

    async def closed(self) -> int | None:
        """Return the code with which the server closes; None where it hangs up without one."""
        async with asyncio.timeout(PATIENCE_S), self._more:
            while self.code is None and not self._over:
                await self._more.wait()
        return self.code

    async def quiet(self) -> list[Heard]:
        """Return all that was heard until now, once a ping sent now is answered."""
        await self.ask("ping")
        return [message for message in self.heard if message["t"] not in ("presence", "pong")]

    async def end(self) -> None:
        """Hang up."""
        self._listening.cancel()
        await asyncio.wait([self._listening])
        self.wire.socket.close()  # not while it is read: the loop would wait for whoever gets its number next


@asynccontextmanager
async def peer(port: int, *, hello: bool = True, **fields: object) -> AsyncIterator[Peer]:
    """Connect, and say hello unless told not to."""
    async with Wire(port) as wire:
        await wire.upgrade()
        connected = Peer(wire)
        try:
            if hello:
                await connected.ask("hello", **fields)
            yield connected
        finally:
            await connected.end()
        assert not connected.complaints, connected.complaints


def welcome(peer: Peer) -> Heard:
    """Return how the server welcomed a peer."""
    return next(message for message in peer.heard if message["t"] == "welcome")
