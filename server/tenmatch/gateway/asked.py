"""A command that waits for its answer in a room, and what the answer can be."""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from tenmatch.game.answers import Denied, Obstacle, Refused
from tenmatch.game.commands import AnyCommand
from tenmatch.game.events import AnyEvent
from tenmatch.game.ids import Millis, PlayerId, SeatNumber, Seq
from tenmatch.game.room import Room
from tenmatch.protocol.stored import Entry

log = logging.getLogger(__name__)


class Done(Struct, frozen=True):
    """The command was taken; the events it made, if any, are in the log and have been told."""

    events: tuple[AnyEvent, ...]


class Repeated(Struct, frozen=True):
    """This (seat, n) was logged before, as this event."""

    entry: Entry


class NotMade(Struct, frozen=True):
    """The move was refused, as the board was after this event."""

    refused: Refused
    seq: Seq


class Unavailable(Struct, frozen=True):
    """It is not known yet, or not possible now: the same command may be sent again."""


Answer = Done | Repeated | NotMade | Denied | Unavailable
Reply = Callable[[Answer], None]


class Holder(Struct, frozen=True):
    """Whose seat a command speaks for. Until its turn comes the seat may be freed, and another's."""

    seat: SeatNumber
    player: PlayerId

    def sits(self, room: Room) -> bool:
        """Tell whether the player has the seat."""
        seat = room.seats[self.seat] if self.seat < len(room.seats) else None
        return seat is not None and seat.player.id == self.player


NOT_SEATED = Refused(Obstacle.NOT_SEATED)


class Asked:
    """A command that waits for its answer."""

    __slots__ = ("arrived", "command", "holder", "reply", "since")

    def __init__(
        self,
        command: AnyCommand | None,
        reply: Reply,
        *,
        holder: Holder | None,
        arrived: Millis,
        since: float,
    ) -> None:
        self.command = command
        self.holder = holder
        self.arrived = arrived
        self.since = since  # seconds, monotonic
        self.reply: Reply | None = reply  # None: answered

    def answer(self, answer: Answer) -> None:
        """Answer once; later answers are nobody's."""
        reply, self.reply = self.reply, None
        if reply is None:
            return
        try:
            reply(answer)
        except Exception:  # the outermost frame: a bug in telling one must not cost others their answers
            extra = {"player": self.holder.player, "seat": self.holder.seat} if self.holder else {}
            log.exception("an answer could not be given", extra=extra)


class Judge(Protocol):
    """Who judges commands: `tenmatch.gateway.table.Table`."""

    def ask(self, command: AnyCommand | None, reply: Reply, holder: Holder | None = None) -> None:
        """Judge a command as soon as its turn comes; *reply* is called once."""


async def asked(table: Judge, command: AnyCommand | None, holder: Holder | None = None) -> Answer:
    """Return a room's answer to a command; None asks only whether this node is at the log's end."""
    answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    table.ask(command, lambda given: None if answer.done() else answer.set_result(given), holder)
    return await answer
