"""The server dies in mid-game and comes back where it was: the page says so, and the game goes on."""

import pytest
from playwright.sync_api import expect
from tests.live.node import Node
from tests.web.page.conftest import Visit
from tests.web.page.visitor import seat

pytestmark = pytest.mark.slow

BACK_MS = 20_000


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
    node.flags = (*node.flags, "--port", node.url.rpartition(":")[2])
    node.start()
    for visitor in (ann, bob, eve):
        expect(visitor.at("banner")).to_be_hidden(timeout=BACK_MS)
        visitor.shows(board.text())
        visitor.has_score(0, 1)
    bob.claim(*board.pairs()[-1])
    for visitor in (ann, bob, eve):
        visitor.shows(bob.board().text())
        visitor.has_score(1, bob.score(1))
    assert abs(ann.seconds() - bob.seconds()) <= 1
