"""The server dies in mid-game and comes back where it was: the page says so, and the game goes on."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from tests.live.node import Node
from tests.store.fleet import free_ports
from tests.web.page.conftest import Visit
from tests.web.page.visitor import clocks_agree, seat

pytestmark = pytest.mark.slow

BACK_MS = 60_000  # it is asked for again after 10 s at most


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server on a port to which it can come back: nobody else is given it meanwhile."""
    port = str(free_ports(1)[0])
    with Node(tmp_path_factory.mktemp("node"), "--port", port, messages_per_s=0, matches_per_s=0) as node:
        yield node


def test_a_game_outlives_the_server(visit: Visit, node: Node) -> None:
    ann, bob = visit(), visit()
    eve = visit(f"#{seat(ann, bob, deal='classic', seconds=600)}")
    ann.claim(9, 10)
    board = ann.board()
    for visitor in (ann, bob, eve):
        visitor.shows(board.text())
        expect(visitor.at("banner")).to_be_hidden()
        visitor.excuse("ERR_CONNECTION_REFUSED", "WebSocket connection to")
    node.kill()
    for visitor in (ann, bob, eve):
        visitor.sees("banner", "Connection lost")
    node.start()
    for visitor in (ann, bob, eve):
        expect(visitor.at("banner")).to_be_hidden(timeout=BACK_MS)
        visitor.shows(board.text())
        visitor.has_score(0, 1)
    bob.claim(*board.pairs()[-1])
    for visitor in (ann, bob, eve):
        visitor.shows(bob.board().text())
        visitor.has_score(1, bob.score(1))
    clocks_agree(ann, bob)
