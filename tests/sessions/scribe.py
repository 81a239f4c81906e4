"""Writes down what goes over the connections of one client, while others play with it unseen."""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, Final

from tests.gateway.nodes import Running
from tests.gateway.peer import Heard, Peer, peer

from tenmatch.game.sheet import Sheet
from tenmatch.rules.judge import judge

UNTIMELY: Final = frozenset({"presence", "pong", "rooms"})
"""What comes when it likes: no session has it."""
Fits = Callable[[Heard], bool]


class Scribe:
    """The client, and the lines that are written of it."""

    def __init__(self, node: Running, stack: AsyncExitStack) -> None:
        """Be ready to connect; connections end with *stack*."""
        self.node = node
        self.lines: list[dict[str, Any]] = []
        self.seq = 0  # of the last event that the client holds,
        self.chain = 0  # and its chain
        self._stack = stack
        self._token: str | None = None
        self._peer: Peer | None = None
        self._read = 0  # of what was heard
        self._id = 0

    def note(self, text: str) -> None:
        """Say what happens."""
        self.lines.append({"note": text})

    async def connect(self) -> None:
        """Open a connection."""
        assert self._peer is None, "there is one"
        self._peer = await self._stack.enter_async_context(peer(self.node.port, hello=False))
        self._read = 0
        self.lines.append({"connect": True})

    async def hello(self) -> Heard:
        """Say who one is: a new guest, or the same as before."""
        token = {} if self._token is None else {"token": self._token}
        welcome = await self.ask("hello", **(token or {"name": "Ann"}))
        self._token = welcome["token"]
        return welcome

    async def say(self, t: str, **fields: object) -> None:
        """Say something, and do not wait."""
        message = {"t": t, **fields}
        self._write()
        self.lines.append({"in": message})
        await self._connected.send(message)

    async def ask(self, t: str, **fields: object) -> Heard:
        """Ask for something, and return the answer."""
        self._id += 1
        number = self._id
        await self.say(t, id=number, **fields)
        return await self.hear(lambda message: message.get("re") == number)

    async def chat(self, room: str, text: str) -> None:
        """Say something to a room. It comes by way of the store; the `ok` is put behind it."""
        self._id += 1
        number = self._id
        await self.say("chat", id=number, room=room, text=text)
        peer, start, begin = self._connected, self._read, len(self.lines)
        for fits in (_is_chat, lambda message: message.get("re") == number):
            found = await self._found(fits, start)
            self._write(max(self._read, _place(peer.heard, found) + 1))
        self.lines[begin:] = sorted(self.lines[begin:], key=lambda line: line["out"]["t"] == "ok")

    async def move(self, t: str, room: str, n: int, **fields: object) -> Heard:
        """Make a move, and return what became of it."""
        await self.say(t, room=room, n=n, **fields)
        return await self.hear(lambda message: message.get("room") == room and message.get("n") == n)

    async def hear(self, fits: Fits) -> Heard:
        """Return the next message that fits; all until there is written down."""
        found = await self._found(fits, self._read)
        self._write(_place(self._connected.heard, found) + 1)
        return found

    async def _found(self, fits: Fits, start: int) -> Heard:
        """Return the first message that fits, from a place on."""
        heard = self._connected.heard
        return await self._connected.find(lambda message: _place(heard, message) >= start and fits(message))

    @property
    def _connected(self) -> Peer:
        assert self._peer is not None, "not connected"
        return self._peer

    async def event(self, kind: str) -> Heard:
        """Return the next event of a kind."""
        return await self.hear(lambda message: message.get("kind") == kind)

    async def cut(self) -> None:
        """Lose the connection."""
        await self._end()
        self.lines.append({"cut": True})

    async def end(self) -> None:
        """Write down what is left."""
        await self._end()

    async def _end(self) -> None:
        await self._connected.quiet()
        self._write()
        await self._connected.end()
        self._peer = None

    def _write(self, until: int | None = None) -> None:
        heard = self._connected.heard[self._read : until]
        self._read += len(heard)
        for message in heard:
            if message["t"] not in UNTIMELY:
                self.lines.append({"out": message})
                self._follow(message)

    def _follow(self, message: Mapping[str, Any]) -> None:
        last = message["events"][-1] if message.get("events") else message
        if "chain" in last:
            self.seq, self.chain = last["seq"], last["chain"]

    # What a player sees

    def sheet(self, room: str, seat: int = 0) -> Sheet:
        """Return a board in play."""
        sheets = self.node.node.tables.loaded[room].state.sheets  # type: ignore[index]  # of a message
        return sheets[min(seat, len(sheets) - 1)]

    def pair(self, room: str, seat: int = 0) -> dict[str, int]:
        """Return a legal pair, as fields of a `match`."""
        pair = self.sheet(room, seat).witness
        assert pair is not None, "there is no pair"
        return {"a": pair[0], "b": pair[1], "seen": self.seq}

    def no_pair(self, room: str, code: str) -> dict[str, int]:
        """Return two numbers that do not match for that reason."""
        board = self.sheet(room).board
        ids = board.ids()
        for a in ids:
            for b in ids:
                why = judge(board, a, b)
                if a < b and why is not None and why.code == code:
                    return {"a": a, "b": b, "seen": self.seq}
        raise AssertionError(f"no two are {code}")


def _is_chat(message: Heard) -> bool:
    return bool(message["t"] == "chat")


def _place(heard: list[Heard], message: Heard) -> int:
    return next(place for place, one in enumerate(heard) if one is message)
