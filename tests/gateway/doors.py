"""A door that is open to everybody, for tests of what is behind it (tenmatch.gateway.connection.Door)."""

from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from tenmatch.gateway.connection import Knocker
from tenmatch.gateway.http import Later
from tenmatch.protocol.limits import CloseCode


class OpenDoor:
    """Lets everybody in; who comes there to whom is for the tests to say (`enter`)."""

    def knock(self, knocker: Knocker, address: str) -> bool:
        """Let anybody ask."""
        return True

    def client(self, knocker: Knocker, request: Request, peer: str) -> str:
        """Believe that a request comes from where it seems to."""
        return peer

    def answer(self, request: Request, protocol: ServerProtocol, address: str) -> Response | Later:
        """Accept whoever asks for a WebSocket."""
        return protocol.accept(request)

    def closes(self, code: CloseCode) -> None:
        """Take no notice."""

    def gone(self, knocker: Knocker) -> None:
        """Take no notice."""
