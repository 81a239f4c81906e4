"""Requests and their answers: each carries an `id`; exactly one message comes back with `re` = that id."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tenmatch.client.errors import ClientError, Denied, Disconnected, NotOurs, TimedOut
from tenmatch.client.heard import Failure, Heard
from tenmatch.protocol.from_client import FromClient, Request
from tenmatch.protocol.limits import MAX_REQUEST_ID

ANSWER_S: Final = 10.0
_T = TypeVar("_T")


class _Asked(Struct):
    message: Request
    answer: "asyncio.Future[Heard]"
    again: bool  # asking twice does the same as once, so it may be sent again after a break
    sent: bool = False


class Requests:
    """Those without an answer yet."""

    def __init__(self, send: Callable[[FromClient], bool]) -> None:
        """Begin; *send* returns False where there is no connection."""
        self._send = send
        self._open: dict[int, _Asked] = {}
        self._last = 0

    async def ask(self, message: Request, answer: type[_T], *, again: bool = False) -> _T:
        """Send a request and return its answer.

        Raises:
            Denied: The server said no.
            Disconnected, TimedOut: It may have been carried out or not.
            NotOurs: The answer is none to such a request.
        """
        number = self._next()
        asked = _Asked(replace(message, id=number), asyncio.get_running_loop().create_future(), again)
        self._open[number] = asked
        self._transmit(asked)
        try:
            async with asyncio.timeout(ANSWER_S):
                heard = await asked.answer
        except TimeoutError:
            raise TimedOut(f"no answer to {_name(message)!r} within {ANSWER_S:.0f} s") from None
        finally:
            self._open.pop(number, None)
        if not isinstance(heard, answer):
            raise NotOurs(f"{_name(message)!r} was answered by {_name(heard)!r}")
        return heard

    def answered(self, heard: Heard) -> bool:
        """Settle the request that a message answers; tell whether there is one."""
        number = getattr(heard, "re", None)
        asked = self._open.pop(number, None) if number is not None else None
        if asked is None:
            return False
        if asked.answer.done():
            return True
        if isinstance(heard, Failure):
            denied = Denied(heard.code, heard.text, field=heard.field, room=heard.room)
            asked.answer.set_exception(denied)
        else:
            asked.answer.set_result(heard)
        return True

    def is_asked(self, number: int | None, *kinds: type[Request]) -> bool:
        """Tell whether a request of one of these kinds has that number, and no answer yet."""
        asked = self._open.get(number) if number is not None else None
        return asked is not None and isinstance(asked.message, kinds)

    def flush(self) -> None:
        """Send what has waited for a connection."""
        for asked in tuple(self._open.values()):
            self._transmit(asked)

    def lost(self) -> None:
        """The connection broke: what may be asked again waits, the rest has an unknown outcome."""
        for number, asked in tuple(self._open.items()):
            if asked.again:
                asked.sent = False
            elif asked.sent:
                self._fail(
                    number, Disconnected(f"the connection broke before {_name(asked.message)!r} was answered")
                )

    def stop(self, error: ClientError) -> None:
        """Give all up."""
        for number in tuple(self._open):
            self._fail(number, error)

    def _fail(self, number: int, error: ClientError) -> None:
        asked = self._open.pop(number)
        if not asked.answer.done():
            asked.answer.set_exception(error)

    def _transmit(self, asked: _Asked) -> None:
        if not asked.sent:
            asked.sent = self._send(asked.message)

    def _next(self) -> int:
        self._last = self._last % MAX_REQUEST_ID + 1
        return self._last


def _name(message: Struct) -> str:
    return str(message.__struct_config__.tag)
