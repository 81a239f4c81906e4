"""What a message asks of a room: wire messages into commands (server/protocol.md, "Client to server")."""

from collections.abc import Callable
from typing import Final, assert_never

from tenmatch.game import commands
from tenmatch.game.commands import AnyCommand
from tenmatch.game.events import Level, Player
from tenmatch.game.ids import SeatNumber, Seq
from tenmatch.protocol import from_client
from tenmatch.protocol.from_client import AnyMove
from tenmatch.protocol.limits import ErrorCode

InRoom = (
    from_client.Ready | from_client.Start | from_client.SeatBot | from_client.Kick | from_client.WantRematch
)
"""Requests, other than moves, of one who has a seat."""

NOT_SEATED: Final = {
    from_client.Ready: (ErrorCode.NOT_ALLOWED, "only who has a seat can be ready"),
    from_client.Start: (ErrorCode.NOT_HOST, "only the host starts the game"),
    from_client.SeatBot: (ErrorCode.NOT_HOST, "only the host adds computer players"),
    from_client.Kick: (ErrorCode.NOT_HOST, "only the host frees others' seats"),
    from_client.WantRematch: (ErrorCode.NOT_ALLOWED, "only who played can want a rematch"),
}
"""What one hears who asks for it without a seat."""


def move_command(message: AnyMove, seat: SeatNumber, sent: Seq) -> AnyCommand:
    """Return the command that a move stands for.

    Args:
        sent: The last event that the player's connection had been sent when the message came.
    """
    match message:
        case from_client.Match(n=n, a=a, b=b, seen=seen):
            return commands.Claim(seat, n, a, b, seen, sent)
        case from_client.CallNoPair(n=n, seen=seen):
            return commands.Call(seat, n, seen, sent)
        case from_client.Add(n=n):
            return commands.TakeAdd(seat, n)
        case from_client.Pass(n=n):
            return commands.Pass(seat, n)
        case from_client.Resign(n=n):
            return commands.Resign(seat, n)
        case _:
            assert_never(message)


def request_command(message: InRoom, seat: SeatNumber, draw_bot: Callable[[Level], Player]) -> AnyCommand:
    """Return the command that a request stands for.

    Args:
        draw_bot: Makes a computer player of a level, with an id and a name of its own.
    """
    match message:
        case from_client.Ready(ready=ready):
            return commands.GetReady(seat, ready)
        case from_client.Start():
            return commands.Start(seat)
        case from_client.SeatBot(level=level, seat=on):
            return commands.SeatBot(seat, draw_bot(level), on)
        case from_client.Kick(seat=target):
            return commands.Kick(seat, target)
        case from_client.WantRematch(want=want):
            return commands.WantRematch(seat, want)
        case _:
            assert_never(message)
