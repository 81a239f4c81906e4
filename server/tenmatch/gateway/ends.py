"""What a session stands between: the socket it writes to, and the desk that carries out what has to wait."""

from typing import TYPE_CHECKING, Protocol

from tenmatch.gateway.fanout import Member
from tenmatch.protocol import from_client
from tenmatch.protocol.from_client import AnyAside
from tenmatch.protocol.limits import CloseCode

if TYPE_CHECKING:
    from tenmatch.gateway.session import Session
    from tenmatch.gateway.table import Table


class Socket(Protocol):
    """What a session writes to: `tenmatch.gateway.connection.Connection`."""

    slow: bool
    name: str  # of the connection, in logs

    @property
    def open(self) -> bool:
        """Whether messages can still be sent."""

    def write(self, frames: bytes) -> None:
        """Send whole frames."""

    def close(self, code: CloseCode, reason: str) -> None:
        """End the connection."""


class Desk(Protocol):
    """Who carries out what has to wait for the store: `tenmatch.gateway.desk.desk.Desk`."""

    def welcome(self, session: "Session", hello: from_client.Hello) -> None:
        """Find the rooms in which the person still sits, and welcome them."""

    def prove(self, session: "Session", hello: from_client.Hello) -> None:
        """Find out whose token of another issuer's that is, and welcome them."""

    def create(self, session: "Session", message: from_client.Create) -> None:
        """Make a room and let the session sit down in it."""

    def join(self, session: "Session", message: from_client.Join) -> None:
        """Let the session into a room."""

    def leave(self, session: "Session", table: "Table", member: Member, re: int | None) -> None:
        """Take the session out of a room; before the start this frees its seat."""

    def aside(self, session: "Session", table: "Table", member: Member, message: AnyAside) -> None:
        """Take what is said in a room beside the game."""

    def daily(self, session: "Session", message: from_client.Daily) -> None:
        """Let the session's player begin their attempt at the daily, or go on with it."""

    def tournament(self, session: "Session", message: from_client.AnyTournamentRequest) -> None:
        """Carry out what the session asks of a tournament."""

    def seek(self, session: "Session", message: from_client.Seek) -> None:
        """Let the session's player wait for an opponent, or no longer."""

    def follow(self, session: "Session", on: bool, re: int | None) -> None:
        """Send the session the list of rooms and its changes, or stop."""

    def ended(self, session: "Session") -> None:
        """Hear that a session is over."""
