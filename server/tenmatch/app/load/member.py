"""One client of ours, in one room at most, that comes back when its connection breaks and loses nothing.

server/protocol.md, "join": whoever says which event it holds is sent the rest. Requests without an answer
are asked again, moves without one made again under the same `n`.
"""

import asyncio
import random
from collections.abc import Callable, Coroutine
from itertools import count
from typing import Any, Final, Protocol

import msgspec

from tenmatch.app.load.said import Reader, Said
from tenmatch.app.load.tally import Tally
from tenmatch.app.load.wire import Where, Wire
from tenmatch.client.address import PATH, named
from tenmatch.client.comeback import PASSING, back_off
from tenmatch.protocol.limits import MSGPACK

AGAIN_S: Final = 0.5  # before what the server had no room for is asked again
LATER: Final = PASSING | {"too_many_rooms"}
"""Errors that say: not now, but send it again; of rooms there will be fewer, as ours end."""
DONE: Final = {"leave": "no_such_room", "ready": "game_started"}
"""What a request is answered that was carried out before, and whose answer was lost."""

Message = dict[str, object]
Spawn = Callable[[Coroutine[Any, Any, None]], object]
_encode: Final = msgspec.msgpack.Encoder().encode


class Owner(Protocol):
    """Whose clients they are: a party of players or a gallery."""

    def welcomed(self, member: "Member") -> None:
        """Hear that a member is there for the first time, in no room yet."""

    def entered(self, member: "Member", said: Said) -> None:
        """Take the snapshot of the room that a member is in."""

    def told(self, member: "Member", said: Said) -> None:
        """Take the next event of the room."""

    def returned(self, member: "Member") -> None:
        """Hear that a member is back where it was, or may go on: what it waits for is to be asked again."""


class Company:
    """What all members of a worker share."""

    def __init__(self, where: Where, tally: Tally, spawn: Spawn, chance: random.Random) -> None:
        """Gather it."""
        self.where = where
        self.tally = tally
        self.spawn = spawn
        self.chance = chance
        self.loop = asyncio.get_running_loop()
        self.members: list[Member] = []
        self.failed = ""  # why somebody could not come in at all

    @classmethod
    def at(cls, url: str, tally: Tally, spawn: Spawn, chance: random.Random) -> "Company":
        """Gather what members of a server at *url* share. Raises BadUrl."""
        return cls(Where(url, MSGPACK), tally, spawn, chance)


class Member:
    """A client, from its first connection through all that follow it."""

    def __init__(self, company: Company, owner: Owner, reader: Reader) -> None:
        """Be ready to connect.

        Args:
            reader: Shared with those who are sent the same.
        """
        self.room = ""
        self.seq = self.chain = 0  # of the last event held
        self.node = ""
        self.there = False  # connected, and back in its room
        self._company = company
        self._tally = company.tally
        self._owner = owner
        self._read = reader
        self._wire: Wire | None = None
        self._token = ""
        self._ids = count(1)
        self._asked: dict[int, Message] = {}  # by id; without an answer yet
        self._repeated: set[int] = set()  # ids of what was asked more than once
        self._tries = 0
        self._lost = False
        company.members.append(self)

    def connect(self) -> None:
        """Connect, in a task of its own."""
        self._company.spawn(self._connect())

    async def _connect(self) -> None:
        try:
            await self._company.where.connect(PATH, self)
        except OSError as error:
            self.lost(f"no server answers at {self._company.where.base}: {error.strerror or error}")

    def cut(self) -> None:
        """Break off the connection and come back at once."""
        if self._wire is not None and self.there:
            self.there = False
            self._tries = -1
            self._wire.cut()

    def resume(self) -> None:
        """Ask for what came after the last event held."""
        if self.there and self.room:
            self.there = False
            self._rejoin()

    def forget(self) -> None:
        """Be somebody new at the next connection, which follows at once."""
        self._token = ""
        self.cut()

    # -- what goes out

    def ask(self, t: str, **fields: object) -> None:
        """Send a request, now or when we are back; it is sent again until it has an answer."""
        self.send(self._noted(t, **fields))

    def _noted(self, t: str, **fields: object) -> Message:
        number = next(self._ids)
        self._asked[number] = {"t": t, "id": number, **fields}
        return self._asked[number]

    def enter(self, room: str, *, watch: bool = False) -> None:
        """Join a room, given by its id or code."""
        self.ask("join", **named(room), **({"watch": True} if watch else {}))

    def leave(self) -> None:
        """Leave the room."""
        room, self.room = self.room, ""
        self.ask("leave", room=room)

    def send(self, message: Message) -> None:
        """Send a message; while we are away that is left to whoever hears that we are back."""
        if self.there:
            self._send(message)

    def _send(self, message: Message) -> None:
        if self._wire is not None:
            self._wire.send(_encode(message))

    # -- Hearer

    def opened(self, wire: Wire) -> None:
        """Say who we are."""
        self._wire = wire
        self._send({"t": "hello", "token": self._token} if self._token else {"t": "hello"})

    def heard(self, payload: bytes) -> None:
        """Take a message; the events of the room one by one, each the next."""
        try:
            said = self._read(payload)
        except msgspec.DecodeError as error:
            self._tally.fault(f"not a message: {error}")
            return
        if said.t == "event":
            self._event(said)
        elif (answer := _ANSWERS.get(said.t)) is not None:
            answer(self, said)

    def lost(self, why: str) -> None:
        """Come back, unless we never got in."""
        self._wire = None
        self.there = False
        self._asked = {number: asked for number, asked in self._asked.items() if "after" not in asked}
        if not self._token and not self.node:
            self._company.failed = self._company.failed or why
            return
        self._lost = True
        wait = back_off(self._tries, self._company.chance) if self._tries >= 0 else 0
        self._tries += 1
        self._company.loop.call_later(wait, self.connect)

    # -- what comes in

    def _event(self, said: Said) -> None:
        if said.room and said.room != self.room:
            return  # of the room that we just left
        self._tally.told += 1
        if said.seq == self.seq + 1:
            self.seq, self.chain = said.seq, said.chain
            self._owner.told(self, said)
        elif said.seq > self.seq:
            self._tally.fault(f"room {self.room}: after event {self.seq} came {said.seq}")
        elif said.n is None:
            self._tally.fault(f"room {self.room}: event {said.seq} came again")

    def _welcome(self, said: Said) -> None:
        first, self._token, self.node = not self._token, said.token, said.node
        if self.room:
            self._rejoin()
            return
        self._back()
        if first:
            self._owner.welcomed(self)

    def _snapshot(self, said: Said) -> None:
        self._answered(said)
        if said.reset:
            self._tally.fault(f"room {said.room}: the server lost events up to {self.seq}")
        self.room, self.seq, self.chain = said.room, said.seq, said.chain
        self._owner.entered(self, said)
        self._back()

    def _resumed(self, said: Said) -> None:
        self._answered(said)
        for event in said.events:
            self._event(event)
        if self.seq != said.seq:
            self._tally.fault(f"room {said.room}: resumed to {said.seq}, but was told {self.seq}")
        self._back()

    def _back(self) -> None:
        """Be where we were, and ask again what was not answered."""
        if self.there:
            return
        self.there = True
        self._tally.came_back += self._lost
        self._lost = False
        self._tries = 0
        for number in self._asked:
            self._repeat(number)
        self._owner.returned(self)

    def _answered(self, said: Said) -> Message | None:
        return self._asked.pop(said.re, None) if said.re is not None else None

    def _error(self, said: Said) -> None:
        if said.code in LATER:
            self._tally.hold_back(said.code)
            self._company.loop.call_later(AGAIN_S, self._again, said.re)
            return
        asked = self._answered(said)
        done_before = (
            asked is not None and said.re in self._repeated and said.code == DONE.get(str(asked["t"]))
        )
        if not done_before:
            self._tally.fault(f"room {self.room or '-'}: error {said.code}: {said.text}")

    def _again(self, re: int | None) -> None:
        if not self.there:
            return
        if re is None:
            self._owner.returned(self)
        elif re in self._asked:
            self._repeat(re)

    def _repeat(self, number: int) -> None:
        self._repeated.add(number)
        self.send(self._asked[number])

    def _refused(self, said: Said) -> None:
        self._tally.fault(f"room {said.room}: move {said.n} was refused: {said.code}")

    def _detached(self, said: Said) -> None:
        if said.room != self.room:
            return
        if said.reason == "closed":  # the node could not keep the room: it says so, and one asks again
            self._company.loop.call_later(AGAIN_S, self._rejoin)
        else:
            self._tally.fault(f"room {said.room}: detached: {said.reason}")

    def _rejoin(self) -> None:
        # Whoever has a seat takes it again, also where it asks to watch.
        self._send(self._noted("join", room=self.room, watch=True, after=self.seq, chain=self.chain))


_ANSWERS: Final[dict[str, Callable[[Member, Said], object]]] = {
    "welcome": Member._welcome,
    "snapshot": Member._snapshot,
    "resumed": Member._resumed,
    "ok": Member._answered,
    "error": Member._error,
    "refused": Member._refused,
    "detached": Member._detached,
}
