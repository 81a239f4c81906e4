"""What a node says of itself over plain HTTP to whoever sends it clients, and the rooms it knows of."""

from collections.abc import Mapping
from http import HTTPStatus

from websockets.http11 import Request, Response

from tenmatch import __version__
from tenmatch.app.node import Node
from tenmatch.gateway.http import FOR_ANYONE, Page, say, tell
from tenmatch.protocol.pages import ReadinessMap, RoomsMap


def answers(node: Node) -> Mapping[str, Page]:
    """Return what a node says of itself over plain HTTP, and the list of rooms as it knows it, by path."""
    listing = node.desk.listing

    def healthz(_: Request) -> Response:
        return say(HTTPStatus.OK, "alive")

    def readyz(_: Request) -> Response:
        status = HTTPStatus.OK if node.ready else HTTPStatus.SERVICE_UNAVAILABLE
        parts = ReadinessMap(
            ready=node.ready,
            node=node.name,
            version=__version__,
            store=node.pulse.fresh,
            feed=node.feed.healthy,
            draining=node.handshake.draining,
            lag_ms=round(node.watchdog.lag * 1000),
        )
        return tell(status, parts)

    def rooms(_: Request) -> Response:
        told = RoomsMap(rooms=list(listing.lines.values()), featured=listing.featured)
        return tell(HTTPStatus.OK, told, FOR_ANYONE)

    return {
        "/healthz": healthz,
        "/readyz": readyz,
        "/v1/rooms": rooms,
    }
