"""A client of the public protocol, written from server/protocol.md alone: it shares nothing with the package.

It keeps all it was told, and complains (`faults`) of what no client should ever be told: an event out of
order, an event that changed, a second answer to a request, an answer to nothing.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Self

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidMessage
from websockets.typing import Origin, Subprotocol

Message = dict[str, Any]
Test = Callable[[Message], bool]

CODECS: Final = ("tenmatch.v1.msgpack", "tenmatch.v1.json")
PATIENCE_S: Final = 10.0  # then a test fails: everything awaited here is due at once
MOVES: Final = ("matched", "mistaken", "called", "added", "passed", "resigned")


class Closed(Exception):
    """The connection ended while something was awaited."""


@dataclass
class Held:
    """What a client holds of a room: where it sits, and the events it was told, in their order."""

    seat: int | None = None
    seq: int = 0
    chain: int = 0
    events: list[Message] = field(default_factory=list)  # the last ones up to `seq`
    snapshots: list[Message] = field(default_factory=list)
    n: int = 0  # of the last move


class Client:
    """One connection; make it with `Client.connect`."""

    def __init__(self, url: str, codec: str) -> None:
        """Prepare a connection that speaks *codec*; "" offers no subprotocol, which means JSON."""
        self.url, self.codec = url, codec
        self.inbox: list[Message] = []
        self.rooms: dict[str, Held] = {}
        self.faults: list[str] = []
        self.token = self.player = self.name = self.node = self.connection = ""
        self.close_code: int | None = None
        self.close_reason = ""
        self._socket: ClientConnection
        self._reader: asyncio.Task[None]
        self._news = asyncio.Condition()
        self._heirs: list[Client] = []  # the connections that came after this one
        self._ids = 0
        self._answered: set[int] = set()

    @classmethod
    async def connect(cls, url: str, codec: str = CODECS[0], *, origin: str | None = None) -> Self:
        """Connect, without a hello."""
        client = cls(url, codec)
        client._socket = await connect(
            url.replace("http", "ws", 1) + "/v1",
            subprotocols=[Subprotocol(codec)] if codec else None,
            origin=Origin(origin) if origin else None,
            compression=None,
            proxy=None,
            ping_interval=None,
            max_size=None,
        )
        assert client._socket.response is not None
        client.connection = client._socket.response.headers["Tenmatch-Connection"]
        client._reader = asyncio.create_task(client._read())
        return client

    # -- what comes in

    async def _read(self) -> None:
        try:
            async for frame in self._socket:
                message = msgpack.unpackb(frame) if isinstance(frame, bytes) else json.loads(frame)
                async with self._news:
                    self._take(message)
                    self._news.notify_all()
        except ConnectionClosed:
            pass
        async with self._news:
            self.close_code, self.close_reason = self._socket.close_code, self._socket.close_reason or ""
            self._news.notify_all()

    def _take(self, message: Message) -> None:
        self.inbox.append(message)
        answered = message.get("re")
        if answered is not None:
            if answered in self._answered or not 1 <= answered <= self._ids:
                self.faults.append(f"a second answer, or one to nothing: {message}")
            self._answered.add(answered)
        if message["t"] == "snapshot":
            held = self.rooms.setdefault(message["room"], Held())
            held.seat, held.seq, held.chain = message["seat"], message["seq"], message["chain"]
            held.events = []
            held.snapshots.append(message)
            if held.seat is not None:
                held.n = max(held.n, message["state"]["seats"][held.seat]["last_n"])
        elif message["t"] == "resumed":
            first = message["events"][0]["seq"] if message["events"] else message["seq"] + 1
            held = self.rooms.setdefault(message["room"], Held(seq=first - 1))
            held.seat = message["seat"]
            if first == 1:
                held.events, held.seq = [], 0  # the whole log was asked for
            for event in message["events"]:
                self._apply(held, told(message["room"], event))
            if message["seq"] != held.seq:
                self.faults.append(f"resumed to {message['seq']}, but the events end at {held.seq}")
        elif message["t"] == "event":
            room = message["from"] if "from" in message else message["room"]
            if room in self.rooms:
                self._apply(self.rooms[room], message)
            else:
                self.faults.append(f"an event of a room that was not joined: {message}")

    def _apply(self, held: Held, event: Message) -> None:
        first = held.seq + 1 - len(held.events)
        if event["seq"] == held.seq + 1:
            held.events.append(event)
            held.seq, held.chain = event["seq"], event["chain"]
            if event.get("seat") == held.seat:
                held.n = max(held.n, event.get("n", 0))
        elif event["seq"] > held.seq:
            self.faults.append(f"a gap: after {held.seq} came {event}")
        elif event["seq"] >= first and held.events[event["seq"] - first] != event:
            self.faults.append(f"changed: {held.events[event['seq'] - first]} became {event}")

    # -- waiting

    async def find(self, test: Test, *, since: int = 0) -> Message:
        """Return the first message from number *since* on that fits, when it comes. Raises Closed."""

        def found() -> Message | None:
            return next((message for message in self.inbox[since:] if test(message)), None)

        async with asyncio.timeout(PATIENCE_S), self._news:
            await self._news.wait_for(lambda: found() or self.close_code is not None)
            message = found()
        if message is None:
            raise Closed(f"{self.close_code} {self.close_reason}")
        return message

    async def until(self, true: Callable[[], bool], *, within: float = PATIENCE_S) -> None:
        """Return when something about this client has become true. Raises Closed."""
        async with asyncio.timeout(within), self._news:
            await self._news.wait_for(lambda: true() or self.close_code is not None)
        if not true():
            raise Closed(f"{self.close_code} {self.close_reason}")

    async def reach(self, room: str, seq: int) -> None:
        """Return when all events up to *seq* were told."""
        await self.until(lambda: self.rooms[room].seq >= seq)

    async def event(self, room: str, kind: str, **fields: object) -> Message:
        """Return the first event of a room with these fields, when it comes."""
        wanted = {"t": "event", "room": room, "kind": kind, **fields}
        return await self.find(lambda message: wanted.items() <= message.items())

    async def told(self, kind: str, *, since: int = 0, **fields: object) -> Message:
        """Return the first message of a type with these fields, when it comes."""
        wanted = {"t": kind, **fields}
        return await self.find(lambda message: wanted.items() <= message.items(), since=since)

    async def closed(self) -> int:
        """Return the code with which the connection closes, when it does."""
        await self.until(lambda: self.close_code is not None)
        assert self.close_code is not None
        return self.close_code

    # -- what goes out

    async def raw(self, frame: bytes | str) -> None:
        """Send a frame as it is."""
        await self._socket.send(frame)

    async def say(self, t: str, **fields: object) -> None:
        """Send a message; fields that are None are left out."""
        message = {"t": t} | {name: value for name, value in fields.items() if value is not None}
        packed = msgpack.packb(message) if self.codec == CODECS[0] else json.dumps(message)
        await self._socket.send(packed)

    async def ask(self, t: str, **fields: object) -> Message:
        """Send a request and return what answers it."""
        self._ids += 1
        number, heard = self._ids, len(self.inbox)
        await self.say(t, id=number, **fields)
        return await self.find(lambda message: message.get("re") == number, since=heard)

    async def ok(self, t: str, **fields: object) -> None:
        """Send a request that must be answered by `ok`."""
        answer = await self.ask(t, **fields)
        assert answer == {"t": "ok", "re": answer["re"]}, answer

    async def denied(self, t: str, **fields: object) -> str:
        """Send a request that must be answered by an error, and return its code."""
        answer = await self.ask(t, **fields)
        assert answer["t"] == "error", answer
        assert isinstance(answer["code"], str)
        return answer["code"]

    async def hello(self, **fields: object) -> Message:
        """Say hello and keep who one is."""
        answer = await self.ask("hello", **fields)
        assert answer["t"] == "welcome", answer
        self.token, self.node = answer["token"], answer["node"]
        self.player, self.name = answer["player"]["id"], answer["player"]["name"]
        return answer

    async def move(self, t: str, room: str, *, n: int | None = None, **fields: object) -> Message:
        """Make a move and return its answer: the event, `refused`, or `error`."""
        held = self.rooms.get(room, Held())
        if n is None:
            n = held.n = held.n + 1
        since = len(self.inbox)
        await self.say(t, room=room, n=n, **fields)
        return await self.answer(room, n, since=since)

    async def answer(self, room: str, n: int, *, since: int = 0) -> Message:
        """Return what answers move *n* of one's own, when it comes."""

        def answers(message: Message) -> bool:
            if message.get("room") != room or message.get("n") != n:
                return False
            own = message.get("seat") == self.rooms[room].seat if room in self.rooms else False
            return message["t"] in ("refused", "error") or (own and message.get("kind") in MOVES)

        return await self.find(answers, since=since)

    async def whole(self, room: str) -> Held:
        """Hold the whole log of a room in which one is, from its first event on."""
        watches = room in self.rooms and self.rooms[room].seat is None
        answer = await self.ask("join", room=room, after=0, chain=0, watch=watches or None)
        assert answer["t"] == "resumed", answer
        return self.rooms[room]

    # -- the end, and again

    async def close(self) -> None:
        """Close the connection as one should, and those that came after it."""
        for client in (self, *self._heirs):
            await client._socket.close()
            await client._reader

    async def drop(self) -> None:
        """Break the connection off without a word."""
        self._socket.transport.abort()
        await self._reader

    async def again(self, url: str = "", codec: str = "") -> Self:
        """Come back as the same player over a new connection that holds what this one did; join nothing."""
        client = await self._reconnect(url or self.url, codec or self.codec)
        client.rooms, client.faults, client._heirs = self.rooms, self.faults, self._heirs
        client._heirs.append(client)
        await client.hello(token=self.token)
        return client

    async def _reconnect(self, url: str, codec: str) -> Self:
        """Connect, again if that met a node in the middle of its end: its sockets close one by one."""
        for pause in (0.1, 0.2, 0.4, 0.8):
            try:
                return await self.connect(url, codec)
            except (InvalidMessage, ConnectionError):
                await asyncio.sleep(pause)
        return await self.connect(url, codec)

    async def resume(self, room: str, *, watch: bool = False) -> Message:
        """Join a room again after the last event held, and return the answer."""
        held = self.rooms[room]
        fields = {"room": room, "after": held.seq, "chain": held.chain}
        return await self.ask("join", **fields, watch=watch or None)


def told(room: str, event: Message) -> Message:
    """Return an event of `resumed` as it would have come by itself.

    The event that names the room of a rematch has that as its `room`, and its own as `from`.
    """
    return {"t": "event", "from" if "room" in event else "room": room, **event}
