"""Serves one recorded session, to one client at a time, until it is over or something else comes in."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, cast

import msgspec
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, NegotiationError
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from tenmatch.app.mock.play import AT_ANY_TIME, Differs, Play
from tenmatch.app.mock.session import Kind, Session, Step
from tenmatch.game.ids import Millis
from tenmatch.protocol.codec import CODECS, Codec
from tenmatch.protocol.limits import FRAME_BYTES, JSON, MSGPACK, CloseCode

_READ: Final[Mapping[str, Callable[[str | bytes], Any]]] = {
    JSON: lambda frame: msgspec.json.decode(frame),
    MSGPACK: lambda frame: msgspec.msgpack.decode(cast(bytes, frame)),
}
AFTERWARDS_S: Final = 1.0
"""For so long nothing more may come when all has been played."""


class Mock:
    """A session that is served."""

    def __init__(self, session: Session, *, patience_s: float) -> None:
        """Begin.

        Args:
            patience_s: For so long what is due may not come.
        """
        self._play = Play(session, _now())
        self._patience_s = patience_s
        self._verdict: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._timer: asyncio.TimerHandle | None = None

    async def run(self, host: str, port: int, ready: Callable[[int], None]) -> str | None:
        """Serve; return the first difference, or None where all came as it was recorded.

        Args:
            ready: Is called with the port, once clients can connect.
        """
        server = serve(
            self._connection,
            host,
            port,
            select_subprotocol=_chosen,
            process_request=_turned_away,
            compression=None,
            max_size=FRAME_BYTES,
            ping_interval=None,
        )
        async with server as serving:
            ready(next(iter(serving.sockets)).getsockname()[1])
            self._wait()
            return await self._verdict

    def _wait(self) -> None:
        """Wait for what is due, from now on; where that is nothing, see that nothing comes."""
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        if self._play.over:
            self._timer = loop.call_later(AFTERWARDS_S, self._decide, None)
        else:
            self._timer = loop.call_later(self._patience_s, self._missed)

    def _missed(self) -> None:
        self._decide(f"within {self._patience_s:g} s nothing came; due is {self._play.due}")

    def _decide(self, verdict: str | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not self._verdict.done():
            self._verdict.set_result(verdict)

    async def _connection(self, socket: ServerConnection) -> None:
        codec = CODECS[socket.subprotocol or JSON]
        try:
            await self._do(socket, codec, self._play.connected())
            async for frame in socket:
                message = _read(codec, frame)
                if message["t"] in AT_ANY_TIME:
                    await socket.send(codec.encode(_beside(message)), text=not codec.binary)
                else:
                    await self._do(socket, codec, self._play.said(message))
        except ConnectionClosed:
            pass
        except Differs as difference:
            self._decide(str(difference))
            await socket.close(CloseCode.TOO_MANY_MESSAGES, "this is not what was recorded")
        if self._play.over:
            self._decide(None)

    async def _do(self, socket: ServerConnection, codec: Codec, steps: Iterator[Step]) -> None:
        for step in steps:
            match step.kind:
                case Kind.OUT:
                    await socket.send(codec.encode(step.value), text=not codec.binary)
                case Kind.CUT:
                    socket.transport.close()  # without a word, but with all that was said before
                case Kind.CLOSE:
                    await socket.close(step.value)
        self._wait()


def run_mock(session: Session, host: str, port: int, patience_s: float, say: Callable[[str], None]) -> bool:
    """Serve a session, say how it went, and return whether all came as it was recorded."""

    def ready(port: int) -> None:
        say(f"{session.name}: {session.about}")
        say(f"Connect to ws://{host}:{port}/v1; say nothing but what is recorded.")

    verdict = asyncio.run(_served(session, host, port, patience_s, ready))
    say("As recorded, to the end." if verdict is None else f"Not as recorded: {verdict}")
    return verdict is None


async def _served(
    session: Session, host: str, port: int, patience_s: float, ready: Callable[[int], None]
) -> str | None:
    return await Mock(session, patience_s=patience_s).run(host, port, ready)


def _chosen(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Choose as the server does: JSON where none is named. Raises NegotiationError."""
    if not offered:
        return None
    for name in CODECS:
        if name in offered:
            return Subprotocol(name)
    raise NegotiationError(f"the subprotocols here are {' and '.join(CODECS)}")


def _turned_away(socket: ServerConnection, request: Request) -> Response | None:
    path = request.path.partition("?")[0]
    return None if path == "/v1" else socket.respond(HTTPStatus.NOT_FOUND, "the WebSocket is at /v1\n")


def _read(codec: Codec, frame: str | bytes) -> dict[str, Any]:
    """Read a client's message as a map. Raises Differs."""
    if isinstance(frame, bytes) != codec.binary:
        raise Differs(f"{codec.name} has {'binary' if codec.binary else 'text'} frames")
    try:
        message = _READ[codec.name](frame)
    except msgspec.DecodeError as error:
        raise Differs(f"what came is no {codec.name}: {error}") from error
    if not isinstance(message, dict) or "t" not in message:
        raise Differs(f"what came is no map with a `t`: {message!r:.100}")
    return message


def _beside(message: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to what may be said at any time."""
    re = {"re": message["id"]} if message.get("id") is not None else {}
    return {"t": "pong", **re, "time": _now()} if message["t"] == "ping" else {"t": "ok", **re}


def _now() -> Millis:
    return Millis(time.time_ns() // 1_000_000)
