"""A client as the protocol wants them: it holds a room, notices a dead node, and goes on at another.

It answers the server's death as server/protocol.md says: `ping` after 5 s of silence, gone at 10 s, back with
a random part of 0.5 s that doubles; then `join` with what it holds, and its unanswered move once more.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from tests.faults.history import History, Move, Pair, Shown, Told, View
from tests.faults.line import ABNORMAL, Line, Message

PING_S: Final = 5.0
GONE_S: Final = 10.0
CONNECT_S: Final = 2.0
BACK_OFF_S: Final = (0.5, 10.0)
AGAIN_S: Final = 0.25  # before what was `unavailable` is asked for once more
RESTART: Final = 1012  # the server spreads these itself


class Interruption(NamedTuple):
    """A time without a room: from the end of one connection until another is at the head again."""

    who: str
    url: str  # of the node that was lost
    lost: float
    back: float
    code: int

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.back - self.lost


class Wait(NamedTuple):
    """A move on one connection, and what came of it there."""

    sent: float
    seconds: float
    answer: str  # event, refused, a code of errors; lost: the connection ended first


@dataclass
class Record:
    """What all persons note down together."""

    history: History = field(default_factory=History)
    waits: list[Wait] = field(default_factory=list)
    interruptions: list[Interruption] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # what no client should be told
    latest: dict[str, float] = field(default_factory=dict)  # when a move was last acknowledged, by rooms
    closings: list[tuple[str, float]] = field(default_factory=list)  # who was told to go, and when
    unanswered: list[tuple[str, int]] = field(default_factory=list)
    """Moves that had been made when their sender came back, but not answered: by whom, and the close code."""


class Place(Protocol):
    """The room that a person is to be in: `tests.faults.load.Party`."""

    room: str

    def made(self, room: str) -> None:
        """Hear that the host has made the room."""

    def create(self) -> Message:
        """Return what the host asks for to make it."""


class Person:
    """Somebody on a seat, or who watches, over one connection after the other."""

    def __init__(
        self, name: str, place: Place, seat: int | None, addresses: Callable[[], list[str]], record: Record
    ) -> None:
        """Be nowhere yet; run `live`.

        Args:
            addresses: Tells at which URLs nodes can be tried at the moment.
        """
        self.name, self.place, self.seat = name, place, seat
        self.url = ""
        self.line: Line | None = None
        self.token: str | None = None
        self.view: View | None = None
        self.room = ""  # the one that the view is of
        self.at_head = False  # in the room, over the connection that there is
        self.started = self.ready = False
        self.matched = 0  # matches, as far as it holds the game
        self.move: tuple[int, Move] | None = None  # the one that is not answered, with its number
        self.connections = 0
        self.gone_s = GONE_S  # of silence, then it looks for another node
        self._addresses, self._record = addresses, record
        self._next = ""  # where to go next, if not just anywhere
        self._hurried = asyncio.Event()
        self._n = 0
        self._sent = 0.0  # when the move was sent over this connection; 0: it was not, or was answered
        self._ids = 0
        self._asked: dict[int, Message] = {}
        self._lost: tuple[float, str, int] | None = None

    def __str__(self) -> str:
        """Say who it is, and where it stands."""
        where = f"{self.room or 'no room'} at {self.view.seq if self.view else 0}"
        waits = f", asked {[*self._asked.values()]}" if self._asked else ""
        return f"{self.name}: {where}{'' if self.at_head else ', not there yet'}, on {self.url}{waits}"

    # -- connections

    async def live(self) -> None:
        """Be there, and come back again and again, until cancelled."""
        shortest, longest = BACK_OFF_S
        pause = shortest
        while True:
            code = await self._stay()
            if self.at_head:
                pause = shortest
            self._leave(code)
            if code != RESTART:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(random.uniform(0, pause)):
                        await self._hurried.wait()
                self._hurried.clear()
                pause = min(longest, 2 * pause)

    def hurry(self) -> None:
        """Try again at once, as a page does that is looked at again."""
        if self.line is None:
            self._hurried.set()

    def _leave(self, code: int) -> None:
        now = time.monotonic()
        if self._sent:
            self._record.waits.append(Wait(self._sent, now - self._sent, "lost"))
            self._sent = 0.0
        if self.at_head:
            self._lost = (now, self.url, code)
        self.at_head, self.line = False, None
        self._asked.clear()

    async def _stay(self) -> int:
        """Connect to some node and stay until that ends; return how it did."""
        self.url = self._choose()
        try:
            async with asyncio.timeout(CONNECT_S):
                line = self.line = await Line.open(self.url, self._hear)
        except OSError:  # TimeoutError is one
            return ABNORMAL
        self.connections += 1
        try:
            self._ask("hello", token=self.token, name=self.name)
            return await self._listen(line)
        finally:
            line.abort()

    def _choose(self) -> str:
        url, self._next = self._next, ""
        others = [url for url in self._addresses() if url != self.url]
        return url or random.choice(others or [self.url])

    def go_to(self, url: str) -> None:
        """Break off, and come back to the node at *url*."""
        self._next = url
        if self.line is not None:
            self.line.abort()

    async def _listen(self, line: Line) -> int:
        """Return when the connection has ended, or nothing was heard on it for too long."""
        loop = asyncio.get_running_loop()
        pinged = 0.0
        while True:
            silent = loop.time() - line.heard_at
            if silent >= self.gone_s:
                return ABNORMAL
            if silent >= PING_S and pinged < line.heard_at:
                pinged = loop.time()
                line.send(t="ping")
            rest = (PING_S if silent < PING_S else self.gone_s) - silent
            done, _ = await asyncio.wait([line.closed], timeout=rest)
            if done:
                return line.closed.result()

    # -- what is asked for

    def _ask(self, t: str, **fields: object) -> None:
        assert self.line is not None
        self._ids += 1
        self._asked[self._ids] = {"t": t, **fields}
        self.line.send(t=t, id=self._ids, **fields)

    def _again(self, line: Line, asked: Message) -> None:
        stale = asked["t"] == "join" and asked["room"] not in (self.room, self.place.room)
        if self.line is line and not stale:
            self._ask(**asked)

    def enter(self) -> None:
        """Go to where one should be, with what one holds of it; the host makes the room first."""
        if self.line is None or self.token is None:
            return
        if not self.place.room:
            if self.seat == 0:
                self._ask(**self.place.create())
            return
        watch = None if self.seat is not None else True
        if self.view is not None and (self.room == self.place.room or not self.at_head):
            held = {
                "after": self.view.seq,
                "chain": self.view.chain,
            }  # first what was left: see how it went on
            self._ask("join", room=self.room, watch=watch, **held)
            return
        if self.room:
            self._ask("leave", room=self.room)
        self.at_head = False
        self._ask("join", room=self.place.room, watch=watch)

    def claim(self, pair: Pair) -> None:
        """Make a move, and send it again and again until it is answered."""
        assert self.move is None
        self._n += 1
        move = Move(pair, time.monotonic())
        self.move = self._n, move
        assert self.seat is not None
        self._record.history.room(self.room).moves[self.seat, self._n] = move
        self._send_move()

    def _send_move(self) -> None:
        if self.move is None or not self.at_head or self.line is None:
            return
        assert self.view is not None
        n, move = self.move
        self._sent = time.monotonic()
        a, b = move.pair
        self.line.send(t="match", room=self.room, n=n, a=a, b=b, seen=self.view.seq)

    # -- what is heard

    def _hear(self, message: Message) -> None:
        asked = self._asked.pop(message.get("re", 0), None)
        match message["t"]:
            case "welcome":
                self.token = message["token"]
                self.enter()
            case "snapshot" if asked or message["room"] == self.room:
                self._take_snapshot(message)
            case "snapshot":
                pass  # of the room before, which could not be left while nothing worked
            case "resumed" if message["room"] == self.room:
                waiting = self.move
                for event in message["events"]:
                    self._apply(event)
                if waiting is not None and self.move is None:
                    self._record.unanswered.append((self.name, self._lost[2] if self._lost else 0))
                self._arrive()
            case "closing":
                self._record.closings.append((self.name, time.monotonic()))
            case "event" if message.get("room") == self.room:
                self._apply(message)
            case "refused":
                self._take_refusal(message)
            case "error":
                self._take_error(message, asked)
            case "detached" if message["room"] == self.room:
                self.at_head = False
                if message["reason"] != "closed":
                    self._record.faults.append(f"{self.name}: {message}")
                self.enter()

    def _take_snapshot(self, message: Message) -> None:
        state, room = message["state"], message["room"]
        if self.view is None or room != self.room:
            self.room, self.view = room, View(self.name, self.seat)
            self._record.history.room(room).views.append(self.view)
            self._n, self.move = 0, None
            if not self.place.room:
                self.place.made(room)
        if message.get("reset"):
            self.view.steps.clear()
            self.view.resets += 1
        self.view.steps.append(Shown(message["seq"], message["chain"], state["board"]))
        self.started = state["phase"] in ("playing", "over")
        if self.seat is not None:
            own = state["seats"][self.seat]
            self.ready = own["ready"]
        self.matched = _matched(state["options"]["size"], state["left"]) if self.started else 0
        if message.get("re") is not None:
            self._arrive()

    def _arrive(self) -> None:
        """Be at the head of the room's log again."""
        self.at_head = True
        if self._lost is not None:
            lost, url, code = self._lost
            self._record.interruptions.append(Interruption(self.name, url, lost, time.monotonic(), code))
            self._lost = None
        if self.place.room not in ("", self.room):
            self.enter()
            return
        if self.seat is not None and not self.ready and not self.started:
            self._ask("ready", room=self.room, ready=True)
        self._send_move()

    def _apply(self, event: Message) -> None:
        assert self.view is not None
        held = self.view.seq
        mine = self.seat is not None and event.get("seat") == self.seat and event.get("n") is not None
        if event["seq"] == held + 1:
            names = ("seq", "chain", "hash", "kind", "seat", "n")
            # As it comes from outside.
            self.view.steps.append(Told(*(event.get(name) for name in names)))  # type: ignore[arg-type]
            self.matched += event["kind"] == "matched"
            self.started = self.started or event["kind"] == "started"
            if event["kind"] == "readied" and event["seat"] == self.seat:
                self.ready = event["ready"]
        elif event["seq"] > held:
            self.view.gaps += 1
            if self.at_head:
                self.at_head = False
                self.enter()
            return
        elif not (mine and self.move is not None and self.move[0] == event["n"]):
            self.view.doubles += 1
        if mine:
            self._take_acknowledgement(event["n"], event["seq"])

    def _take_acknowledgement(self, n: int, seq: int) -> None:
        assert self.seat is not None
        now = time.monotonic()
        move = self._record.history.room(self.room).moves.get((self.seat, n))
        if move is not None:
            move.acknowledged.append((now, seq))
            self._record.latest[self.room] = now
        self._settle(n, now, "event")

    def _settle(self, n: int, now: float, answer: str) -> None:
        if self.move is not None and self.move[0] == n:
            if self._sent:
                self._record.waits.append(Wait(self._sent, now - self._sent, answer))
            self.move, self._sent = None, 0.0

    def _take_refusal(self, message: Message) -> None:
        if message["room"] != self.room or self.move is None or self.move[0] != message["n"]:
            return
        if message["code"] == "not_seated":  # it rests on this connection, not on the log
            self._record.faults.append(f"{self.name}: {message}")
            self._note_wait("not_seated")
            self.enter()
            return
        self.move[1].refused = message["code"]
        self._settle(message["n"], time.monotonic(), "refused")

    def _take_error(self, message: Message, asked: Message | None) -> None:
        assert self.line is not None
        left_already = asked is not None and asked["t"] == "leave" and message["code"] == "no_such_room"
        if message["code"] not in ("unavailable", "rate_limited", "too_fast") and not left_already:
            self._record.faults.append(f"{self.name}: {message} to {asked}")
        call_later, line = asyncio.get_running_loop().call_later, self.line
        if asked is not None:
            if asked["t"] != "leave":
                call_later(AGAIN_S, self._again, line, asked)
        elif self.move is not None and self.move[0] == message.get("n"):
            self._note_wait(message["code"])
            call_later(AGAIN_S, self._send_again, line)

    def _note_wait(self, answer: str) -> None:
        if self._sent:
            self._record.waits.append(Wait(self._sent, time.monotonic() - self._sent, answer))
            self._sent = 0.0

    def _send_again(self, line: Line) -> None:
        if self.line is line and not self._sent:
            self._send_move()


def _matched(size: int, left: int) -> int:
    """Count the matches behind a board on which nothing was added."""
    return (size - left) // 2
