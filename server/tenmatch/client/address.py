"""A server's address, as people write it and as its socket needs it; and what they call a room."""

from typing import Final

from websockets.exceptions import InvalidURI
from websockets.uri import WebSocketURI, parse_uri

from tenmatch.client.errors import BadUrl
from tenmatch.game.ids import ROOM_ID_LENGTH

PATH: Final = "/v1"
"""Where a server takes connections."""


def base_of(url: str) -> str:
    """Return the address of a server without a path, as of a socket: `ws://…` or `wss://…`.

    Raises:
        BadUrl: It is no URL of one.
    """
    base = url.strip().removesuffix("/").removesuffix(PATH)
    if base.startswith("http"):
        base = base.replace("http", "ws", 1)
    parsed(base)
    return base


def parsed(base: str) -> WebSocketURI:
    """Return the parts of an address. Raises BadUrl."""
    try:
        return parse_uri(base)
    except (InvalidURI, ValueError) as error:
        raise BadUrl(f"{base!r} is no address of a server, as http://127.0.0.1:8765 is") from error


def named(room: str) -> dict[str, str]:
    """Return the field that names a room, given its id or the code that people tell each other."""
    room = room.strip()
    return {"room" if len(room) == ROOM_ID_LENGTH else "code": room}
