"""One client's side of the protocol, without a socket (server/protocol.md).

Messages are taken strictly in their order: while one of them waits for the store (`create`, `join`), those
behind it wait too. Moves do not block: they are handed to their room's table, which keeps their order.
"""

import asyncio
import logging
from collections import deque
from typing import assert_never

from tenmatch.game.answers import Denied, Obstacle
from tenmatch.game.ids import MoveNumber, RoomId
from tenmatch.gateway.addresses import LOCAL, site
from tenmatch.gateway.allowance import Allowance, Limits, Pools
from tenmatch.gateway.asked import Answer, Done, Holder, NotMade, Repeated, Unavailable
from tenmatch.gateway.bearer import Bearer
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.draws import draw_bot
from tenmatch.gateway.ends import Desk, Socket
from tenmatch.gateway.fanout import Member
from tenmatch.gateway.framing import frame
from tenmatch.gateway.identity import Identity, Person, Proof
from tenmatch.gateway.requests import NOT_SEATED, InRoom, move_command, request_command
from tenmatch.gateway.table import Table
from tenmatch.protocol import from_client, to_client
from tenmatch.protocol.codec import Codec, Sendable
from tenmatch.protocol.from_client import AnyAside, AnyFromClient, AnyMove
from tenmatch.protocol.limits import BadMessage, CloseCode, ErrorCode, PeerError
from tenmatch.store.clock import StoreClock

log = logging.getLogger(__name__)

BACKLOG = 64  # messages that may wait behind one that waits for the store
UNAVAILABLE = "the store cannot be reached: nothing acknowledged is lost, send it again"


class Session:
    """One client, from its `hello` to the end of its connection."""

    def __init__(
        self,
        socket: Socket,
        codec: Codec,
        *,
        desk: Desk,
        identity: Identity,
        clock: StoreClock,
        limits: Limits,
        counts: Counts,
        pools: Pools | None = None,
        address: str = LOCAL,
    ) -> None:
        """Begin, and wait for `hello`.

        Args:
            address: Where the client is, as far as can be known.
        """
        self.codec = codec
        self.write = socket.write  # whole frames
        self.rooms: dict[RoomId, tuple[Table, Member]] = {}
        self.follows = False  # the list of rooms
        self.limits = limits
        self.site = site(address)
        self._address = address
        self._socket = socket
        self._counts = counts
        self._desk = desk
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._bearer = Bearer(identity, clock, end=self.close)
        self._allowed = Allowance(limits, pools or Pools(), self.site, self._loop.time())
        self._busy = False
        self._moves = 0  # that wait for their answers
        self._backlog: deque[AnyFromClient] = deque()

    # -- from the connection

    def receive(self, payload: bytes) -> None:
        """Take one message.

        Raises:
            PeerError: The connection has to end.
        """
        now = self._loop.time()
        if not self._allowed.message(now):
            self._counts.limited["message"] += 1
            self._drop(now, payload)
            return
        try:
            message = self.codec.decode(payload)
        except BadMessage as error:
            if self.person is None and error.type != "hello":
                self.fail(ErrorCode.HELLO_FIRST, "say hello first", re=error.re)
            else:
                self.send(to_client.error(error))
            return
        if not self._busy or isinstance(message, from_client.Ping):  # a sign of life waits for nothing
            self.handle(message)
        elif len(self._backlog) < BACKLOG:
            self._backlog.append(message)
        else:
            self._reject(message, ErrorCode.RATE_LIMITED, "too many messages wait: pause, then send it again")

    def drained(self) -> None:
        """Make up for what was left out while too much waited to be read."""
        for table, member in self.rooms.values():
            shown = table.shown_to(member.seat)
            shown.audience.drained(member)
            shown.greet(member)

    def lost(self) -> None:
        """End: leave the rooms, as a closed socket does."""
        if self.person is not None:
            log.info("player gone", extra={**self.fields, "rooms": list(self.rooms)})
        self._bearer.close()
        self._backlog.clear()
        self._allowed.end(self._loop.time())
        self._desk.ended(self)

    # -- to the client

    @property
    def fields(self) -> dict[str, object]:
        """What tells this connection from others in a log."""
        player = {} if self.person is None else {"player": self.person.id}
        return {"connection": self._socket.name, "address": self._address, **player}

    @property
    def over(self) -> bool:
        """Whether the connection is gone or closing: then nothing that still waits is carried out."""
        return not self._socket.open

    @property
    def idle(self) -> bool:
        """Whether nothing that came waits for its answer."""
        return not (self._busy or self._moves)

    @property
    def slow(self) -> bool:
        """Whether more waits to be read than a client should let wait."""
        return self._socket.slow

    @property
    def person(self) -> Person | None:
        """Who the connection belongs to, if that is known."""
        return self._bearer.person

    @property
    def whom(self) -> Person:
        """Who the connection belongs to; only after `hello`."""
        person = self._bearer.person
        assert person is not None, "nothing but hello is carried out before hello"
        return person

    def sign(self) -> str:
        """Return the token with which the player can come back: a fresh one, where it is of ours."""
        return self._bearer.sign()

    def send(self, message: Sendable) -> None:
        """Send one message."""
        self._socket.write(frame(self.codec, message))

    def close(self, code: CloseCode, reason: str) -> None:
        """End the connection; what still waits is not carried out."""
        self._backlog.clear()
        self._socket.close(code, reason)

    def fail(self, code: ErrorCode, text: str, *, re: int | None = None, field: str | None = None) -> None:
        """Say that a request was not carried out."""
        self.send(to_client.Error(re=re, code=code, text=text, field=field))

    def detached(self, room: RoomId, reason: str) -> None:
        """Be put out of a room; who is taken over and has nothing left here is sent away for good."""
        if self.rooms.pop(room, None) is None:
            return
        self.send(to_client.Detached(room=room, reason=reason))
        if reason == "taken_over" and not self.rooms and not self.follows:
            self.close(CloseCode.TAKEN_OVER, "a newer connection of yours plays on")

    # -- one message at a time

    def wait(self) -> None:
        """Hold back what comes next until `go_on`: a message waits for the store."""
        self._busy = True

    def go_on(self) -> None:
        """Take what has come in the meantime."""
        self._busy = False
        while self._backlog and not self._busy and not self.over:
            message = self._backlog.popleft()
            try:
                self.handle(message)
            except PeerError as error:
                self.close(error.code, error.reason)
            except Exception:  # as at the connection: a bug of ours ends this one and is on record
                log.exception("a message could not be handled", extra=self.fields)
                self.close(CloseCode.OUR_BUG, "internal error")

    def handle(self, message: AnyFromClient) -> None:
        """Carry out a message, or hand it to who can. Raises PeerError."""
        if self._bearer.proof is None and not isinstance(message, from_client.Hello):
            self._reject(message, ErrorCode.HELLO_FIRST, "say hello first")
            return
        match message:
            case (
                from_client.Match()
                | from_client.CallNoPair()
                | from_client.Add()
                | from_client.Pass()
                | from_client.Resign()
            ):
                self._move(message)
            case from_client.Ping():
                self.send(to_client.Pong(re=message.id, time=self._clock.now()))
            case from_client.Hello():
                self._say_hello(message)
            case from_client.Create():
                self._desk.create(self, message)
            case from_client.Join():
                if self._may_join(message):
                    self._desk.join(self, message)
            case from_client.Daily():
                if self._may_join(message):
                    self._desk.daily(self, message)
            case (
                from_client.Ready()
                | from_client.Start()
                | from_client.SeatBot()
                | from_client.Kick()
                | from_client.WantRematch()
            ):
                self._request(message)
            case from_client.Leave():
                self._leave(message)
            case from_client.Chat() | from_client.SendReport() | from_client.Focus():
                self._aside(message)
            case from_client.Seek():
                self._desk.seek(self, message)
            case (
                from_client.CreateTournament()
                | from_client.WatchTournament()
                | from_client.EnterTournament()
                | from_client.LeaveTournament()
                | from_client.KickFromTournament()
                | from_client.StartTournament()
            ):
                if self._may_join(message):
                    self._desk.tournament(self, message)
            case from_client.Lobby(on=on):
                self._desk.follow(self, on, message.id)
            case _:
                assert_never(message)

    def _say_hello(self, message: from_client.Hello) -> None:
        proof = self._bearer.read(message)
        if proof is None:
            self._desk.prove(self, message)
        elif self.become(message, proof):
            self._desk.welcome(self, message)

    async def prove(self, hello: from_client.Hello) -> Proof:
        """Return whose token of another issuer's that is. Raises PeerError or KeysUnavailable."""
        return await self._bearer.ask(hello)

    def become(self, hello: from_client.Hello, proof: Proof) -> bool:
        """Be who that is from now on, until the proof expires; return False for another than before.

        Raises:
            PeerError: The player has too many connections already.
        """
        if self.person is None:
            self._enter_as(proof.person)
        elif self.person.id != proof.person.id:
            text = "this connection belongs to another player"
            self.fail(ErrorCode.NOT_ALLOWED, text, re=hello.id, field="token")
            return False
        is_new = self.person is None
        self._bearer.become(proof)
        if is_new:
            log.info("player here", extra=self.fields)
        return True

    def _enter_as(self, person: Person) -> None:
        if not self._allowed.belong_to(person.id, self._loop.time()):
            self._counts.limited["socket"] += 1
            most = self.limits.sockets_per_player
            raise PeerError(CloseCode.TOO_SLOW, f"{most} connections of one player at most: close another")

    # -- moves

    def _move(self, message: AnyMove) -> None:
        """Hand a move to its room. Only the seat is checked here, and how fast matches come."""
        room, n = message.room, message.n
        held = self.rooms.get(room)
        if held is None or held[1].seat is None:
            seq = held[0].shown_to(None).state.seq if held is not None else 0
            self.send(to_client.Refused(room=room, n=n, seq=seq, code=Obstacle.NOT_SEATED))
            return
        table, member = held
        if isinstance(message, from_client.Match) and not member.matches.take(self._loop.time()):
            self._counts.limited["match"] += 1
            text = f"{self.limits.matches_per_s:g} matches a second at most: send it again in a moment"
            self._reject(message, ErrorCode.TOO_FAST, text)
            return
        self._moves += 1
        table.ask(
            move_command(message, held[1].seat, member.sent),
            lambda answer: self._answer_move(table, member, n, answer),
            Holder(held[1].seat, member.player),
        )

    def _answer_move(self, table: Table, member: Member, n: MoveNumber, answer: Answer) -> None:
        self._moves -= 1
        self._counts.answered(answer)
        match answer:
            case Done():
                pass  # its event, which everyone was sent, is the answer
            case Repeated(entry=entry):
                self.write(table.frames.frame(entry, member))
            case NotMade(refused=refused, seq=seq):
                self.send(
                    to_client.Refused(
                        room=table.room,
                        n=n,
                        seq=seq,
                        code=refused.code,
                        blockers=refused.blockers,
                        locked_until=refused.locked_until,
                    )
                )
            case Denied(code=code, text=text):
                self.send(to_client.Error(code=ErrorCode(code), text=text, room=table.room, n=n))
            case Unavailable():
                self.send(to_client.Error(code=ErrorCode.UNAVAILABLE, text=UNAVAILABLE, room=table.room, n=n))
            case _:
                assert_never(answer)

    # -- requests in a room

    def _request(self, message: InRoom) -> None:
        """Hand a request to its room; the answer is `ok`, after the events, or an error."""
        held = self.rooms.get(message.room)
        if held is None:
            self._not_here(message)
            return
        table, member = held
        if member.seat is None:
            self._reject(message, *NOT_SEATED[type(message)])
            return
        command = request_command(message, member.seat, draw_bot)
        holder = Holder(member.seat, member.player)
        table.ask(command, lambda answer: self.answer_request(message.id, answer), holder)

    def answer_request(self, re: int | None, answer: Answer) -> None:
        """Answer a request with what became of it."""
        match answer:
            case Done() | Repeated():
                self.done(re)
            case Denied(code=code, text=text):
                self.fail(ErrorCode(code), text, re=re)
            case NotMade(refused=refused):
                self.fail(ErrorCode.NOT_ALLOWED, f"not now: {refused.code}", re=re)
            case Unavailable():
                self.fail(ErrorCode.UNAVAILABLE, UNAVAILABLE, re=re)
            case _:
                assert_never(answer)

    def done(self, re: int | None) -> None:
        """Say that a request was carried out, to whoever asked to hear it."""
        if re is not None:
            self.send(to_client.Ok(re=re))

    def _may_join(self, message: from_client.Request) -> bool:
        """Take the credit for what opens a room or a tournament; say so where it is one too many."""
        if self._allowed.join(self._loop.time()):
            return True
        self._counts.limited["join"] += 1
        text = f"{self.limits.joins_per_minute:g} joins a minute at most: send it again in a while"
        self.fail(ErrorCode.RATE_LIMITED, text, re=message.id)
        return False

    def _leave(self, message: from_client.Leave) -> None:
        held = self.rooms.get(message.room)
        if held is None:
            self._not_here(message)
            return
        self._desk.leave(self, *held, message.id)

    def _aside(self, message: AnyAside) -> None:
        held = self.rooms.get(message.room)
        if held is None:
            self._not_here(message)
            return
        self._desk.aside(self, *held, message)

    def may_talk(self) -> bool:
        """Take the credit for a line of chat; return False where it is one too many."""
        return self._allowed.talk(self._loop.time())

    # -- messages that come to nothing

    def _not_here(self, message: InRoom | from_client.Leave | AnyAside) -> None:
        text = "this connection is not in that room: join it first"
        self._reject(message, ErrorCode.NO_SUCH_ROOM, text)

    def _reject(self, message: AnyFromClient, code: ErrorCode, text: str) -> None:
        if isinstance(message, from_client.Request):
            self.fail(code, text, re=message.id)
        else:
            self.send(to_client.Error(code=code, text=text, room=message.room, n=message.n))

    def _drop(self, now: float, payload: bytes) -> None:
        """Drop a message over the rate; a flood of them ends the connection. Raises PeerError (1008)."""
        if self._allowed.floods(now):
            raise PeerError(CloseCode.TOO_MANY_MESSAGES, "far too many messages: come back in a minute")
        text = "you send too many messages, alone or with others of your address: this one was dropped"
        try:
            self._reject(self.codec.decode(payload), ErrorCode.RATE_LIMITED, text)
        except BadMessage as error:
            limited = ErrorCode.RATE_LIMITED
            self.send(to_client.Error(code=limited, text=text, re=error.re, room=error.room, n=error.n))
