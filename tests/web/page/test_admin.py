"""The operator's page: the way in, nodes and rooms, a board as it is played, a room that is closed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.live.node import Node
from tests.web.page.visitor import Visitor

TOKEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server that operators may look at and tell what to do."""
    with Node(tmp_path_factory.mktemp("node"), admin_token=TOKEN, admin_writes=True) as node:
        yield node


def test_an_operator_sees_all_and_closes_a_room(node: Node, browser: Browser) -> None:
    player, operator = (Visitor.come(browser, node) for _ in range(2))
    player.open()
    room = player.page.evaluate(
        """async () => {
            const { Client } = await import('/tenmatch.js')
            const client = window.client = new Client()
            client.connect()
            const room = await client.create({ mode: 'race', options: { countdown_ms: 0 }, private: true })
            await room.bot('hard')
            await room.ready(true)
            return room.id
        }"""
    )
    operator.excuse("401")
    operator.page.goto(f"{node.url}/admin")
    operator.at("token").fill(TOKEN[::-1])
    operator.press("login")
    operator.sees("wrong", "not the token")
    operator.at("token").fill(TOKEN)
    operator.press("login")
    expect(operator.at("nodes").locator("tbody tr")).to_have_count(1)
    expect(operator.page.get_by_test_id("plot")).to_have_count(6)
    operator.at("rooms").get_by_role("link", name=room).click()
    operator.sees("live", "live")
    expect(operator.at("board").locator(".grid span")).not_to_have_count(0)
    expect(operator.at("log")).to_contain_text("matched")  # the computer's
    operator.page.on("dialog", lambda dialog: dialog.accept())
    operator.press("close")
    expect(operator.at("log")).to_contain_text("closed=true")
    operator.press("logout")
    expect(operator.at("token")).to_be_visible()
    for visitor in (player, operator):
        visitor.close()
        assert visitor.troubles == []
