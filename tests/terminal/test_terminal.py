"""The terminal client, played by its own keys and mouse, against a real server and a person elsewhere."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.live.node import Node
from textual.pilot import Pilot
from textual.widgets import Button, DataTable, Static

from tenmatch.client import COLUMNS, Announcement, Chat, Client, Pages, Phase, Room, judge
from tenmatch.game.ids import Millis
from tenmatch_terminal.app import Terminal
from tenmatch_terminal.boardview import BoardView
from tenmatch_terminal.lobby import Lobby
from tenmatch_terminal.table import Table
from tenmatch_terminal.tokens import Tokens

PATIENCE_S = 60.0
SEED = "5eed" * 16


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    with Node(tmp_path_factory.mktemp("node"), messages_per_s=0, matches_per_s=0) as node:
        yield node


@pytest.fixture
async def friend(node: Node) -> AsyncIterator[Client]:
    """Somebody who plays by other means."""
    async with Client(node.url, name="Lynx", proxy=None) as friend:
        yield friend


class Seat:
    """Who sits before the terminal."""

    def __init__(self, app: Terminal, pilot: Pilot[Any]) -> None:
        self.app, self.pilot = app, pilot

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not true():  # a screen is drawn by many, and none says when
                await self.pilot.pause(0.02)

    @property
    def room(self) -> Room:
        assert isinstance(self.app.screen, Table)
        return self.app.screen.room

    @property
    def board(self) -> BoardView:
        return self.app.screen.query(BoardView).first()

    def reads(self, selector: str) -> str:
        return str(self.app.screen.query_one(selector, Static).render())

    def shown(self) -> str:
        """Return all that is on the screen, as text."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    async def in_lobby(self) -> None:
        """Wait until the lobby is there, and hears keys."""
        await self.until(lambda: isinstance(self.app.screen, Lobby) and self.app.screen.query("#rooms:focus"))

    async def at_table(self) -> None:
        await self.until(lambda: isinstance(self.app.screen, Table) and self.app.screen.query(BoardView))

    async def playing(self) -> None:
        await self.until(lambda: self.room.state.phase is Phase.PLAYING and self.board.board is not None)

    async def click(self, number: int) -> None:
        """Click on a number."""
        await self.until(lambda: self.board.region.height >= self.board.get_content_height(None, None, 0))
        assert self.board.board is not None
        cell = self.board.board.cell_of(number)
        assert cell is not None
        row, column = divmod(cell, COLUMNS)
        await self.pilot.click(BoardView, offset=(2 + column * 4, row * self.board.step))

    async def walk_to(self, number: int) -> None:
        """Go to a number by its digit's key."""
        board = self.board.board
        assert board is not None
        cell = board.cell_of(number)
        assert cell is not None
        for _ in range(len(board.digits)):
            if self.board.cursor == number:
                return
            await self.pilot.press(str(board.digits[cell]))
        raise AssertionError(f"no way leads to {number}")


@asynccontextmanager
async def seated(
    folder: Path, url: str, *, size: tuple[int, int] = (80, 24), **how: Any
) -> AsyncIterator[Seat]:
    """Sit down before a terminal that keeps its tokens in a folder."""
    app = Terminal(url, name="Ann", tokens=Tokens(folder / "tokens.json"), **how)
    async with app.run_test(size=size, notifications=True) as pilot:
        yield Seat(app, pilot)


async def test_a_whole_evening_by_keys(node: Node, friend: Client, tmp_path: Path) -> None:
    made = await friend.create("race", countdown_ms=0, seed=SEED)
    async with seated(tmp_path, node.url) as ann:
        await ann.in_lobby()
        rooms = ann.app.screen.query_one("#rooms", DataTable)
        await ann.until(lambda: rooms.row_count == 1)
        await ann.pilot.press("enter")  # the only open room
        await ann.at_table()
        await made.ready()
        await ann.pilot.press("r")
        await ann.playing()
        a, b = ann.room.state.pairs()[0]
        await ann.walk_to(a)
        await ann.pilot.press("space")
        await ann.until(lambda: ann.board.picked == a)
        await ann.walk_to(b)
        await ann.pilot.press("space")
        await ann.until(lambda: ann.room.state.me and ann.room.state.me.last_n == 1)
        assert ann.room.state.me is not None
        assert ann.room.state.me.score > 0
        await ann.pilot.press("n")  # there are pairs left
        await ann.until(lambda: "there is a pair left" in ann.reads("#said"))
        await ann.pilot.press("t")
        await ann.until(lambda: ann.app.screen.query_one("#talk Input").has_focus)
        await ann.pilot.press(*"gg", "enter")
        await ann.until(lambda: ann.board.has_focus)
        await made.resign()
        await ann.until(lambda: ann.room.state.phase is Phase.OVER)
        await ann.until(lambda: ann.app.screen.query_one("#ready", Button).display)
        first = ann.room.id
        await ann.pilot.press("r")
        await made.rematch()
        await ann.until(lambda: isinstance(ann.app.screen, Table) and ann.room.id != first)
        assert ann.room.seat == 0  # the old order, turned by one
        await ann.pilot.press("l")
        await ann.in_lobby()


async def test_a_mistake_by_mouse_and_a_board_that_others_change(
    node: Node, friend: Client, tmp_path: Path
) -> None:
    made = await friend.create("race", countdown_ms=0, seed=SEED, private=True)
    async with seated(tmp_path, node.url, size=(120, 40), room=made.code) as ann:
        await ann.at_table()
        await ann.pilot.click("#ready")
        await made.ready()
        await ann.playing()
        board = ann.board.board
        assert board is not None
        wrong = next(number for number in board.ids() if number and judge(board, 0, number) is not None)
        await ann.click(0)
        await ann.until(lambda: ann.board.picked == 0)
        await ann.click(wrong)
        await ann.until(lambda: "again in 1 s" in ann.reads("#said"))
        assert ann.room.state.me is not None
        assert ann.room.state.me.mistakes == 1
        a, b = made.state.pairs()[0]
        await made.match(a, b)
        await ann.until(lambda: ann.board.board is not None and ann.board.board.cell_of(a) is None)


async def test_watching_and_then_being_the_same_guest_again(
    node: Node, friend: Client, tmp_path: Path
) -> None:
    made = await friend.create("mirror", max_players=1, countdown_ms=0)
    await made.ready()
    await made.until(lambda state: state.phase is Phase.PLAYING)
    async with seated(tmp_path, node.url, room=made.code, watch=True) as ann:
        await ann.at_table()
        await ann.playing()
        assert ann.room.seat is None
        await made.match(*made.state.pairs()[0])
        await ann.until(lambda: ann.board.board == made.state.board)
        assert ann.app.client.player is not None
        first = ann.app.client.player["id"]
    async with seated(tmp_path, node.url) as ann:
        await ann.in_lobby()
        assert ann.app.client.player is not None
        assert ann.app.client.player["id"] == first


async def test_it_says_why_it_cannot_begin(tmp_path: Path) -> None:
    app = Terminal("http://127.0.0.1:9", name=None, tokens=Tokens(tmp_path / "tokens.json"))
    async with app.run_test():
        async with asyncio.timeout(PATIENCE_S):
            while app.is_running and not app.why:  # noqa: ASYNC110  # no event tells of it
                await asyncio.sleep(0.02)
    assert "no server answers at ws://127.0.0.1:9/v1" in app.why


async def test_a_token_that_is_not_good_makes_one_a_new_guest(node: Node, tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    tokens.keep(Client(node.url).url, "forged")
    async with seated(tmp_path, node.url) as ann:
        await ann.in_lobby()
    assert tokens.get(Client(node.url).url) not in (None, "forged")


async def test_names_are_no_markup(node: Node, tmp_path: Path) -> None:
    async with (
        Client(node.url, name="[/b]", proxy=None) as one,
        Client(node.url, name="[/i]", proxy=None) as two,
    ):
        made = await one.create("mirror", countdown_ms=0, max_players=2)
        async with seated(tmp_path, node.url) as ann:
            await ann.in_lobby()
            rooms = ann.app.screen.query_one("#rooms", DataTable)
            await ann.until(
                lambda: any("[/b]" in str(rooms.get_row_at(n)[2]) for n in range(rooms.row_count))
            )
            await ann.pilot.pause()  # it is drawn, too
            both = [made, await two.join(made.id)]
            for each in both:
                await each.ready()
            await made.until(lambda state: state.phase is Phase.PLAYING)
            await ann.app.enter(ann.app.client.watch(made.id))
            await ann.at_table()
            await ann.until(lambda: len(ann.app.screen.query(BoardView)) == 2)
            titles = [view.border_title or "" for view in ann.app.screen.query(BoardView)]
            assert ["[/b]" in titles[0], "[/i]" in titles[1]] == [True, True]
            await both[0].resign()
            await ann.until(lambda: "[/i]" in ann.reads("#said"))


async def test_teams_phrases_and_the_daily(node: Node, friend: Client, tmp_path: Path) -> None:
    made = await friend.create("race", max_players=4, teams="chosen", countdown_ms=0, private=True)
    for seat in (1, 3):
        await made.bot("easy", seat=seat)
    heard = aiter(made)
    async with seated(tmp_path, node.url, size=(120, 40), room=made.code) as ann:
        await ann.at_table()
        await ann.until(lambda: "Your team" in ann.shown() and "Team B" in ann.shown())
        await ann.pilot.press("t")
        await ann.until(lambda: ann.app.screen.query_one("#talk Input").has_focus)
        await ann.pilot.press(*"good l")
        await ann.until(lambda: "good luck!" in ann.shown())  # it is suggested
        await ann.pilot.press("right", "enter")
        async with asyncio.timeout(PATIENCE_S):
            while not isinstance(said := await anext(heard), Chat):
                pass
        assert said.phrase == "good_luck"
        await ann.until(lambda: not ann.app.screen.query_one("#talk Input").has_focus)
        await ann.pilot.press("t")
        await ann.until(lambda: ann.app.screen.query_one("#phrases").region.height > 0)
        await ann.pilot.click("#phrases", offset=(2, 0))
        async with asyncio.timeout(PATIENCE_S):
            while not isinstance(said := await anext(heard), Chat):
                pass
        assert said.phrase == "hello"
        await ann.until(lambda: not ann.app.screen.query_one("#talk Input").has_focus)
        await ann.pilot.press("r")
        await made.ready()
        await ann.playing()
        await made.resign()
        await ann.room.resign()
        await ann.until(lambda: "Team B wins, " in ann.reads("#said"))
        await ann.pilot.press("l")
        await ann.in_lobby()
        await ann.pilot.press("t")
        await ann.at_table()
        assert ann.room.state.daily is not None


async def test_announcements_are_shown_and_the_daily_says_how_one_stands(
    node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def third(_: Pages, *, player: str) -> dict[str, Any]:
        return {"own": {"place": 3, "player": player}, "players": 12}

    monkeypatch.setattr(Pages, "day", third)
    async with seated(tmp_path, node.url, size=(120, 40)) as ann:
        await ann.until(lambda: isinstance(ann.app.screen, Lobby) and "Daily: 3 of 12" in ann.shown())
        ann.app.client.received(Announcement(text="We are back in [a] minute.", at=Millis(0)))
        await ann.until(lambda: "We are back in [a] minute." in ann.shown())
