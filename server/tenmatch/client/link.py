"""One player's connection, which comes back by itself: hello, keep-alive, close codes, back-off.

server/protocol.md, "Connecting" and "Close codes". It knows nothing of rooms.
"""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from socket import gaierror
from typing import Final, Literal, NamedTuple, Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from tenmatch.client.address import PATH
from tenmatch.client.clock import ServerClock, local_ms
from tenmatch.client.comeback import CUT, MINUTE_S, Plan, back_off, plan_for
from tenmatch.client.errors import NotOurs, Unreachable
from tenmatch.client.heard import Codec, Failure, Heard
from tenmatch.protocol.from_client import FromClient, Hello, Ping
from tenmatch.protocol.limits import CloseCode
from tenmatch.protocol.to_client import Closing, Pong, Welcome

WELCOME_S: Final = 10.0  # from the first byte to the welcome
SILENCE_S: Final = 5.0  # nothing received: ask whether the server is there
PATIENCE_S: Final = 5.0  # and no answer to that: gone
STEADY_S: Final = 10.0  # a connection that lived so long ends a series of failures
GRACE_S: Final = 1.0  # past the announced end of a connection
OUTBOX: Final = 1_000  # messages that wait for the socket; more, and nobody reads at the far end


class Status(StrEnum):
    """How a connection stands."""

    IDLE = "idle"
    CONNECTING = "connecting"
    OPEN = "open"
    RECONNECTING = "reconnecting"
    CLOSED = "closed"


class Ending(NamedTuple):
    """How a connection ended."""

    code: int
    reason: str


BY_US: Final = Ending(CloseCode.NORMAL, "closed by ourselves")


class Owner(Protocol):
    """Whose connection it is."""

    def hello(self) -> Hello:
        """Return what to begin with; made anew for each connection."""

    def welcomed(self, welcome: Welcome) -> None:
        """Hear that the server knows who we are: messages can be sent."""

    def received(self, message: Heard) -> None:
        """Take any other message but pongs."""

    def changed(self, status: Status, ending: Ending | None) -> None:
        """Hear how the connection stands now, and how the one before ended."""


class Link:
    """A connection that is there again after it broke."""

    def __init__(
        self,
        base: str,
        codec: Codec,
        owner: Owner,
        *,
        tls: ssl.SSLContext | None,
        proxy: str | Literal[True] | None,
    ) -> None:
        """Be ready to connect to the server at *base*."""
        self.status = Status.IDLE
        self.clock = ServerClock()
        self._uri = base + PATH
        self._codec = codec
        self._owner = owner
        self._tls = tls or (True if base.startswith("wss:") else None)  # True: as the system trusts
        self._proxy = proxy
        self._socket: ClientConnection | None = None
        self._outbox: asyncio.Queue[FromClient] = asyncio.Queue(OUTBOX)
        self.retry_at: float | None = None  # when the next attempt is due, by the loop's clock
        self._up_at: float | None = None  # when this connection was welcomed, by the loop's clock
        self._pings = 0
        self._pinged_at = 0.0
        self._given_up: Ending | None = None  # why we leave this connection ourselves
        self._leave: asyncio.TimerHandle | None = None

    async def stay(self, let_in: Callable[[], None]) -> Ending:
        """Connect and stay connected, until that is not wanted any more; return how the last one ended.

        Cancelled, it ends the connection, or the attempt to make one, without a word.

        Raises:
            Unreachable, NotOurs: The very first attempt came to nothing. *let_in* was not called.
        """
        try:
            return await self._stay(let_in)
        except asyncio.CancelledError:
            self.retry_at = None
            self._dropped()
            self._become(Status.CLOSED, BY_US)
            raise

    async def _stay(self, let_in: Callable[[], None]) -> Ending:
        failures, at_once, first = 0, False, True
        self._become(Status.CONNECTING, None)
        while True:
            try:
                ending = await self._visit(let_in)
            except (Unreachable, NotOurs) as error:
                if first and self._up_at is None:
                    self._become(Status.CLOSED, Ending(CUT, str(error)))
                    raise
                ending = Ending(CUT, str(error))
            first = False
            up_for = self._dropped()
            plan = plan_for(ending.code)
            if plan is Plan.STOP:
                self._become(Status.CLOSED, ending)
                return ending
            if plan is Plan.NOW and at_once and up_for < GRACE_S:
                plan = Plan.WAIT  # never in a tight circle
            at_once = plan is Plan.NOW
            failures = 0 if up_for >= STEADY_S else failures + (plan is Plan.WAIT)
            pause = _pause(plan, failures)
            self.retry_at = asyncio.get_running_loop().time() + pause
            self._become(Status.RECONNECTING, ending)
            await asyncio.sleep(pause)
            self.retry_at = None

    def send(self, message: FromClient) -> bool:
        """Send a message; False where there is no connection to send it on."""
        if self._up_at is None or self._given_up is not None:
            return False
        try:
            self._outbox.put_nowait(message)
        except asyncio.QueueFull:
            self._give_up(Ending(CUT, "the server reads nothing"))
            return False
        return True

    def expect_close(self, in_ms: int) -> None:
        """The server will end this connection: leave by ourselves if it does not."""
        ending = Ending(CloseCode.RESTART, "the server is going away")
        loop = asyncio.get_running_loop()
        self._leave = loop.call_later(in_ms / 1000 + GRACE_S, self._give_up, ending)

    def abandon(self) -> None:
        """Cut the connection without a word, as one that cannot wait for its end."""
        if self._socket is not None:
            self._socket.transport.abort()

    async def close(self) -> None:
        """Say goodbye, if there is somebody to say it to."""
        if self._socket is not None:
            await self._socket.close()

    # -- one connection

    async def _visit(self, let_in: Callable[[], None]) -> Ending:
        try:
            async with asyncio.timeout(WELCOME_S):
                self._socket = socket = await self._connect()
                try:
                    await self._introduce(socket)
                except ConnectionClosed:
                    return _ending(socket)
        except InvalidStatus as error:
            status, body = error.response.status_code, (error.response.body or b"").decode(errors="replace")
            raise Unreachable(f"{self._uri} does not let us in: {status} {body.strip()}") from error
        except TimeoutError as error:
            raise Unreachable(f"{self._uri} does not answer within {WELCOME_S:.0f} s") from error
        except (OSError, InvalidHandshake) as error:
            raise Unreachable(f"no server answers at {self._uri}: {_why(error)}") from error
        let_in()
        return await self._talk(socket)

    async def _connect(self) -> ClientConnection:
        return await connect(
            self._uri,
            subprotocols=[Subprotocol(self._codec.name)],
            compression=None,
            ping_interval=None,  # messages of the protocol do that
            max_size=None,
            ssl=self._tls,
            proxy=self._proxy,
            close_timeout=2,
        )

    async def _introduce(self, socket: ClientConnection) -> None:
        """Say who we are, and hear it confirmed. Raises NotOurs, ConnectionClosed."""
        sent_at = local_ms()
        await socket.send(self._codec.encode(self._owner.hello()))
        while not isinstance(answer := self._codec.read(await socket.recv()), Welcome):
            if isinstance(answer, Failure):
                raise NotOurs(f"the server does not want our hello: {answer.text}")
        loop = asyncio.get_running_loop()
        self._up_at, self._given_up, self._outbox = loop.time(), None, asyncio.Queue(OUTBOX)
        self.clock.sample(sent_at, answer.time)
        self.status = Status.OPEN
        self._ping()  # a hello may have waited for the store; this measures the way alone
        self._owner.welcomed(answer)
        self._become(Status.OPEN, None)

    async def _talk(self, socket: ClientConnection) -> Ending:
        """Send and receive until the connection ends; return how it did."""
        writer = asyncio.create_task(self._write(socket))
        try:
            return await self._listen(socket)
        finally:
            writer.cancel()
            await asyncio.wait({writer})

    async def _write(self, socket: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            while True:
                await socket.send(self._codec.encode(await self._outbox.get()))

    async def _listen(self, socket: ClientConnection) -> Ending:
        patient = False
        while True:
            try:
                async with asyncio.timeout(PATIENCE_S if patient else SILENCE_S):
                    frame = await socket.recv()
            except TimeoutError:
                if patient:
                    socket.transport.abort()
                    return Ending(CUT, "the server is silent")
                patient = True
                self._ping()
                continue
            except ConnectionClosed:
                return self._given_up or _ending(socket)
            patient = False
            if self._given_up is None:
                self._heard(self._codec.read(frame))

    def _heard(self, message: Heard | None) -> None:
        match message:
            case None:
                pass
            case Pong(re=re, time=time):
                if re == self._pings:  # a late answer to an older one tells nothing
                    self.clock.sample(self._pinged_at, time)
            case Closing(in_ms=in_ms):
                self.expect_close(in_ms)
                self._owner.received(message)
            case _:
                self._owner.received(message)

    def _ping(self) -> None:
        self._pings += 1
        self._pinged_at = local_ms()
        self.send(Ping(id=self._pings))

    def _give_up(self, ending: Ending) -> None:
        self._given_up = ending
        self.abandon()

    def _dropped(self) -> float:
        """Be rid of the connection; return for how many seconds it was welcome."""
        self.abandon()
        up_for = 0.0 if self._up_at is None else asyncio.get_running_loop().time() - self._up_at
        self._socket = self._up_at = None
        if self._leave is not None:
            self._leave.cancel()
            self._leave = None
        return up_for

    def _become(self, status: Status, ending: Ending | None) -> None:
        self.status = status
        self._owner.changed(status, ending)


def _why(error: Exception) -> str:
    """Say in words why nobody let us in."""
    match error:
        case ConnectionRefusedError():
            return "nobody listens there"
        case ConnectionError():  # before anything was said
            return "it cuts the connection; perhaps it is the other of http and https"
        case gaierror():
            return "there is no host of that name"
        case ssl.SSLCertVerificationError():
            return f"its certificate is not trusted ({error.verify_message})"
        case ssl.SSLError():
            return "it does not speak TLS"
    return str(error)


def _ending(socket: ClientConnection) -> Ending:
    return Ending(socket.close_code or CUT, socket.close_reason or "")


def _pause(plan: Plan, failures: int) -> float:
    if plan is Plan.NOW:
        return 0.0
    return MINUTE_S if plan is Plan.MINUTE else back_off(max(0, failures - 1))
