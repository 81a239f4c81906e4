"""A player's moves in one room, each made exactly once (server/protocol.md: the same `n` is the same move).

A move keeps its number until it is answered, and is sent again after a break, or where the server asks for
patience.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import random
from typing import Final, TypeAlias

from msgspec.structs import replace

from tenmatch.client.comeback import PASSING
from tenmatch.client.errors import ClientError, Denied, TimedOut
from tenmatch.client.heard import Failure, Happened
from tenmatch.game import events
from tenmatch.game.ids import MoveNumber
from tenmatch.protocol.from_client import Add, AnyMove, CallNoPair, Match, Pass, Resign
from tenmatch.protocol.to_client import Refused
from tenmatch.rules.board import Board
from tenmatch.rules.judge import judge, witness

ANSWER_S: Final = 10.0
MOST_SENDS: Final = 3
MOST_WAITS: Final = 8
_WAIT_S: Final = (0.25, 4.0)  # doubling from the one to the other

Made: TypeAlias = (
    events.Matched | events.Mistaken | events.Called | events.Added | events.Passed | events.Resigned
)
Answer: TypeAlias = Made | Refused
"""What becomes of a move: an event in the log, or `Refused`, which costs nothing."""

_MAKES: Final[dict[type[AnyMove], type[Made]]] = {
    Match: events.Matched,
    CallNoPair: events.Called,
    Add: events.Added,
    Pass: events.Passed,
    Resign: events.Resigned,
}


@dataclass
class _Move:
    message: AnyMove
    answer: "asyncio.Future[Answer]"
    right: bool  # on the board that the player saw
    on_its_way: bool = False  # sent on the connection that there is
    sends: int = 0  # without an answer, on connections that held
    waits: int = 0  # how often the server asked for patience
    timer: asyncio.TimerHandle | None = None


class Moves:
    """Those without an answer yet."""

    def __init__(self, send: Callable[[AnyMove], bool]) -> None:
        """Begin; *send* returns False where the room is not live."""
        self._send = send
        self._open: dict[int, _Move] = {}
        self._last = 0

    @property
    def pending(self) -> list[AnyMove]:
        """Those without an answer, as they were sent."""
        return [move.message for move in self._open.values()]

    async def make(self, message: AnyMove, last_n: int, board: Board | None) -> Answer:
        """Make a move and return what became of it.

        Args:
            message: Its `n` is chosen here.
            last_n: The highest number of this seat known to be in the log.
            board: What the player sees.

        Raises:
            Denied: The server asked for patience too often, or will not have it for another reason.
            TimedOut: It is not known what became of it.
        """
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        move = _Move(message, answer, _is_right(board, message))
        self._number(move, last_n)
        self._transmit(move)
        try:
            return await answer
        finally:
            self._take(move.message.n)

    def heard(self, n: int | None, event: Happened) -> None:
        """Take an event of one's own seat as the answer to its move."""
        move = self._take(n)
        if move is None:
            return
        if _answers(event, move.message):
            _settle(move, event)
            return
        # Another connection of this player used the number: what it moved is there, our move is not.
        self._number(move, move.message.n)
        self._transmit(move)

    def refused(self, refused: Refused) -> None:
        """Take a refusal."""
        move = self._take(refused.n)
        if move is not None:
            _settle(move, refused)

    def failed(self, failure: Failure) -> None:
        """Take an `error`, which is no answer: the same number again after a pause, within bounds."""
        move = self._open.get(failure.n or 0)
        if move is None:
            return
        if failure.code not in PASSING or move.waits >= MOST_WAITS:
            self._fail(
                move.message.n, Denied(failure.code, failure.text, field=failure.field, room=failure.room)
            )
            return
        least, most = _WAIT_S
        pause = min(most, least * 2**move.waits) * (0.5 + random() / 2)
        move.waits += 1
        move.sends = 0
        self._later(move, pause, self._transmit)

    def resume(self, last_n: int, board: Board | None) -> None:
        """The room is live again: send what has no answer.

        Args:
            last_n: The highest number of this seat known to be in the log.
            board: As it is now.
        """
        for n, move in sorted(self._open.items()):
            # Somebody else was faster while we were away. Judged now it would be a mistake, for which the
            # break is to blame.
            overtaken = n > last_n and move.right and not _is_right(board, move.message)
            if overtaken and not move.on_its_way:
                self.refused(Refused(room=move.message.room, n=move.message.n, seq=0, code="stale"))
            else:
                self._transmit(move)

    def pause(self) -> None:
        """The connection broke: nothing is sent, and no time counts, until `resume`."""
        for move in self._open.values():
            _stop(move)
            move.on_its_way = False
            move.sends = 0

    def stop(self, error: ClientError) -> None:
        """Give all up: it is not known whether they were made."""
        for n in tuple(self._open):
            self._fail(n, error)

    def _number(self, move: _Move, last_n: int) -> None:
        self._last = max(self._last, last_n) + 1
        move.message = replace(move.message, n=MoveNumber(self._last))
        self._open[self._last] = move

    def _transmit(self, move: _Move) -> None:
        if not self._send(move.message):
            return  # `resume` will
        move.on_its_way = True
        move.sends += 1
        self._later(move, ANSWER_S, self._unanswered)

    def _unanswered(self, move: _Move) -> None:
        if move.sends < MOST_SENDS:
            self._transmit(move)
        else:
            within = f"{MOST_SENDS * ANSWER_S:.0f} s"
            self._fail(move.message.n, TimedOut(f"no answer to move {move.message.n} within {within}"))

    def _later(self, move: _Move, seconds: float, do: Callable[[_Move], None]) -> None:
        _stop(move)
        move.timer = asyncio.get_running_loop().call_later(seconds, do, move)

    def _fail(self, n: int, error: ClientError) -> None:
        move = self._take(n)
        if move is not None and not move.answer.done():
            move.answer.set_exception(error)

    def _take(self, n: int | None) -> _Move | None:
        move = self._open.pop(n or 0, None)
        if move is not None:
            _stop(move)
        return move


def _stop(move: _Move) -> None:
    if move.timer is not None:
        move.timer.cancel()
        move.timer = None


def _settle(move: _Move, answer: Happened | Refused) -> None:
    assert isinstance(answer, Answer)
    if not move.answer.done():
        move.answer.set_result(answer)


def _is_right(board: Board | None, message: AnyMove) -> bool:
    """Tell whether this claim or call is right on that board."""
    if board is None:
        return False
    match message:
        case Match(a=a, b=b):
            return judge(board, a, b) is None
        case CallNoPair():
            return witness(board) is None
    return True


def _answers(event: Happened, message: AnyMove) -> bool:
    """Tell whether the event is what became of this move, and not of another with the same number."""
    match event:
        case events.Mistaken(code="pairs_left"):
            return isinstance(message, CallNoPair)
        case events.Matched(a=a, b=b) | events.Mistaken(a=a, b=b):
            return isinstance(message, Match) and {a, b} == {message.a, message.b}
    return isinstance(event, _MAKES[type(message)])
