"""One client's TCP connection: bytes to messages and back (RFC 6455), over `websockets`' Sans-I/O protocol.

There is no task and no queue per connection. Bytes arrive in `data_received`; what they mean is handed at
once to the session; what is sent goes to the transport, whose buffer is the only queue.
"""

import asyncio
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol, cast

from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from tenmatch.gateway.addresses import canonical
from tenmatch.gateway.credits import Credits
from tenmatch.gateway.http import Later
from tenmatch.gateway.incoming import Incoming
from tenmatch.protocol.limits import CloseCode, PeerError

if TYPE_CHECKING:
    from tenmatch.protocol.codec import Codec

log = logging.getLogger(__name__)

HEAD_BYTES = 16_384  # of one HTTP request's head
HANDSHAKE_S = 5.0
SILENCE_S = 15.0  # without anything received, then a ping
CUT_S = 30.0  # without anything received, then the end
CLOSE_S = 2.0  # for the other side to answer a close
ANSWER_S = 20.0  # for the other side to read a plain answer
PIECE = 4_096  # bytes parsed at a time: a flood is met before all of it was parsed
PARTS_PER_S = 200.0  # frames that are no whole message: fragments, pings, pongs
MALFORMED = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

_MESSAGES = frozenset({Opcode.TEXT, Opcode.BINARY})  # what a message begins with

_websockets_log = logging.getLogger("websockets.server")
_websockets_log.setLevel(logging.WARNING)  # a connection's life is ours to log


class Receiver(Protocol):
    """What sits behind a connection: `tenmatch.gateway.session.Session`."""

    @property
    def idle(self) -> bool:
        """Whether nothing waits for its answer."""

    def receive(self, payload: bytes) -> None:
        """Take one message. Raises PeerError for what ends the connection."""

    def drained(self) -> None:
        """Hear that the other side has caught up with what was sent."""

    def lost(self) -> None:
        """Hear that the connection is gone."""


class Knocker(Protocol):
    """A socket that is not let in yet."""

    def abort(self) -> None:
        """End at once."""


class Door(Protocol):
    """What a connection asks when somebody knocks: `tenmatch.gateway.handshake.Handshake`."""

    def knock(self, knocker: "Knocker", address: str) -> bool:
        """Count a connection from its first moment on; return False where it must go."""

    def client(self, knocker: "Knocker", request: Request, peer: str) -> str:
        """Return the address that a request comes from."""

    def answer(self, request: Request, protocol: ServerProtocol, address: str) -> Response | Later:
        """Return what to answer to a request: 101 lets it in, everything else is a plain answer."""

    def enter(self, connection: "Connection", protocol: ServerProtocol) -> Receiver:
        """Return the session behind a connection that was let in."""

    def closes(self, code: CloseCode) -> None:
        """Hear that a connection that was let in is closed from here."""

    def gone(self, knocker: "Knocker") -> None:
        """Hear that a connection, let in or not, has ended."""


class Connection(asyncio.Protocol):
    """Bytes in, messages out, for one socket."""

    def __init__(
        self,
        door: Door,
        *,
        frame_bytes: int,
        high_water: int,
        most_unread: int,
        name: str = "?",
        arrival: Knocker | None = None,
    ) -> None:
        """Make a connection that waits for its transport.

        Args:
            name: Tells it from all other connections, in logs and to the client.
            arrival: What was counted in its place until now.
            frame_bytes: The longest message a client may send.
            high_water: Bytes waiting to be sent above which the client counts as slow.
            most_unread: Bytes waiting to be sent above which the connection ends (1013).
        """
        self.address = "?"
        self.name = name
        self.slow = False  # the transport holds more than high_water bytes
        self.open = False  # messages can be sent
        self._let_in = False
        self._fetching = False  # the plain answer, which takes a moment
        self._closed = False  # by us: nothing that comes is taken any more
        self._ending = False  # the timer is the one that ends it
        self._door = door
        self._arrival = arrival
        self._loop = asyncio.get_running_loop()
        self._protocol = Incoming(max_size=frame_bytes, logger=_websockets_log)
        self._high_water = high_water
        self._most_unread = most_unread
        self._head: bytearray | None = bytearray()  # of the HTTP request, until it is whole
        self._fragments: list[bytes] = []
        self._opcode = Opcode.BINARY  # of the message whose fragments those are
        self._wanted = Opcode.BINARY
        self._receiver: Receiver | None = None
        self._transport: asyncio.Transport
        self._heard = self._loop.time()
        # Enough for a message of the greatest length in fragments of one byte.
        self._parts = Credits(PARTS_PER_S, frame_bytes, self._heard)
        self._timer: asyncio.TimerHandle | None = None

    # -- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin: the request has to come in time."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=self._high_water, low=self._high_water // 8)
        self.address = canonical(transport.get_extra_info("peername"))
        self._timer = self._loop.call_later(HANDSHAKE_S, self._transport.abort)
        if self._arrival is not None:
            self._door.gone(self._arrival)
            self._arrival = None
        if not self._door.knock(self, self.address):
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse what came, and hand whole messages on."""
        self._heard = self._loop.time()
        if self.open and (message := self._protocol.message(data, self._wanted)) is not None:
            self._hand_on(message)
        elif self._head is not None:
            self._knock(data)
        else:
            self._parse(data)

    def eof_received(self) -> bool:
        """Answer a half-closed connection with the end of ours."""
        self._protocol.receive_eof()
        self._flush()
        return False

    def pause_writing(self) -> None:
        """Note that the other side reads more slowly than we write."""
        self.slow = True

    def resume_writing(self) -> None:
        """Note that it has caught up."""
        self.slow = False
        if self._receiver is not None:
            self._receiver.drained()

    def connection_lost(self, exc: Exception | None) -> None:
        """End: free the timer and tell the session."""
        self.open = False
        if self._timer is not None:
            self._timer.cancel()
        self._door.gone(self)
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            receiver.lost()

    # -- for the session

    @property
    def idle(self) -> bool:
        """Whether nothing that came waits for its answer."""
        return self._receiver is None or self._receiver.idle

    def write(self, frames: bytes) -> None:
        """Send whole frames, as `frame` makes them. Nothing is sent on a connection that closes.

        Whoever does not read what it asked for must not fill our memory: past `most_unread` it ends.
        """
        if not self.open:
            return
        if self.slow and self._transport.get_write_buffer_size() > self._most_unread:
            self.close(CloseCode.TOO_SLOW, "you read too slowly: come back and resume")
            return
        self._transport.write(frames)

    def close(self, code: CloseCode, reason: str) -> None:
        """Say why this connection ends and end it; what was sent before is still delivered."""
        if not self.open:
            return
        self._closed = True
        self._door.closes(code)
        self._protocol.send_close(code, reason)
        self._flush()
        if code is CloseCode.TOO_MANY_MESSAGES:
            self._transport.pause_reading()  # not even to find its close among them

    def abort(self) -> None:
        """End at once, whatever was not sent yet."""
        self.open = False
        self._transport.abort()

    # -- the way in

    def _knock(self, data: bytes) -> None:
        """Collect the request's head. What follows it may be frames, but only once we are open."""
        assert self._head is not None
        self._head += data
        end = self._head.find(b"\r\n\r\n") + 4
        if end < 4:
            if len(self._head) > HEAD_BYTES:
                self._transport.abort()
            return
        head, rest = bytes(self._head[:end]), bytes(self._head[end:])
        self._head = None
        self._protocol.receive_data(head)
        for request in self._protocol.events_received():
            self._admit(cast("Request", request))
        if not (self._let_in or self._fetching or any(self._protocol.writes)):
            self._transport.write(MALFORMED)  # the Sans-I/O layer only hangs up on what is no request
        self._flush()
        if rest and self._protocol.state is OPEN:
            self._parse(rest)

    def _admit(self, request: Request) -> None:
        self.address = self._door.client(self, request, self.address)
        answer = self._door.answer(request, self._protocol, self.address)
        if isinstance(answer, Later):
            self._fetching = True
            self._transport.pause_reading()  # until then nothing more has to be heard
            answer.reply_to(self._reply)
            return
        if answer.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            answer.headers["Tenmatch-Connection"] = self.name
        self._protocol.send_response(answer)
        if self._protocol.state is not OPEN:
            return
        self._let_in = self.open = True
        self._flush()
        self._receiver = self._door.enter(self, self._protocol)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(SILENCE_S, self._keep_alive)

    def _reply(self, answer: Response) -> None:
        """Give a plain answer that had to be fetched."""
        if self._transport.is_closing():
            return
        self._protocol.send_response(answer)
        self._flush()
        self._transport.resume_reading()  # to hear the other side's end

    # -- frames

    def expect(self, codec: "Codec") -> None:
        """Take frames of this codec's kind only."""
        self._wanted = Opcode.BINARY if codec.binary else Opcode.TEXT

    def _parse(self, data: bytes) -> None:
        protocol = self._protocol
        for start in range(0, len(data), PIECE):
            protocol.receive_data(data[start : start + PIECE])
            if protocol.state is not OPEN:
                self.open = False
            elif protocol.writes:
                self._pong()  # before what is said to the messages that these pings stand among
            for frame in protocol.events_received():
                if self._closed:  # not so where the client's own close came behind its last messages
                    break
                self._take(cast("Frame", frame))
            if not self._transport.is_reading():  # a flood: the rest of it is not even parsed
                break
        if not self.open:
            self._flush()

    def _pong(self) -> None:
        if self.slow:
            self._protocol.data_to_send()  # pongs that nobody reads must not pile up
        else:
            self._flush()

    def _take(self, frame: Frame) -> None:
        try:
            message = self._message(frame)
        except PeerError as error:
            self.close(error.code, error.reason)
            return
        if message is not None:
            self._hand_on(message)

    def _hand_on(self, message: bytes) -> None:
        assert self._receiver is not None
        try:
            self._receiver.receive(message)
        except PeerError as error:
            self.close(error.code, error.reason)
        except Exception:  # the outermost frame: a bug of ours ends this one connection and is on record
            log.exception(
                "a message could not be handled", extra={"connection": self.name, "address": self.address}
            )
            self.close(CloseCode.OUR_BUG, "internal error")

    def _message(self, frame: Frame) -> bytes | None:
        """Return the message that a frame completes, if it does. Raises PeerError."""
        opcode = frame.opcode
        begins = opcode in _MESSAGES
        if not (frame.fin and begins) and not self._parts.take(self._heard):
            raise PeerError(CloseCode.TOO_MANY_MESSAGES, "far too many fragments or control frames")
        if begins:
            self._opcode, self._fragments = opcode, [bytes(frame.data)]
        elif opcode is Opcode.CONT:
            if frame.data:  # any number of empty ones may come
                self._fragments.append(bytes(frame.data))
        else:
            return None  # control frames are answered by the Sans-I/O layer
        if not frame.fin:
            return None
        if self._opcode is not self._wanted:
            kind = self._wanted.name.lower()
            raise PeerError(CloseCode.WRONG_KIND, f"this subprotocol has {kind} frames only")
        message, self._fragments = b"".join(self._fragments), []
        return message

    def _flush(self) -> None:
        """Send what the Sans-I/O layer has to say, and see a closing connection to its end."""
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)
            elif self._transport.can_write_eof():
                self._transport.write_eof()
            else:
                self._transport.close()
        if self._protocol.state is not OPEN:
            self.open = False
            self._end_within(CLOSE_S if self._let_in else ANSWER_S)

    def _end_within(self, seconds: float) -> None:
        """Wait so long for the other side to end it, too; what it sends meanwhile gains it no time."""
        if self._ending:
            return
        self._ending = True
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._transport.abort)

    def _keep_alive(self) -> None:
        silent = self._loop.time() - self._heard
        if silent >= CUT_S:
            self.abort()
            return
        wait = SILENCE_S - silent
        if silent >= SILENCE_S:
            self._protocol.send_ping(b"")
            self._flush()
            wait = CUT_S - silent
        self._timer = self._loop.call_later(max(wait, 0.05), self._keep_alive)
