"""The first screen: quick match, the computer, a friend, the daily; and who plays."""

from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Button, DataTable, Footer, Input, RadioButton, RadioSet, Static

from tenmatch.client import ClientError, Room, RoomLine

if TYPE_CHECKING:
    from tenmatch_terminal.app import Terminal

MODES: Final = ("race", "turns", "mirror")


class Lobby(Screen[None]):
    """What one can do, and the public rooms."""

    CSS = """
    Lobby { align: center top; }
    #what { width: 100%; max-width: 96; height: 1fr; padding: 1 2 0 2; }
    #who { height: 1; text-style: bold; }
    #modes { layout: horizontal; border: none; height: 1; background: $background; padding: 0; }
    #modes { margin-top: 1; }
    #modes RadioButton { width: auto; margin-right: 3; background: $background; }
    #begin { height: auto; margin-top: 1; }
    #begin Button { margin-right: 1; min-width: 8; }
    #code { margin-top: 1; width: 42; }
    #rooms { margin-top: 1; height: 1fr; background: $background; }
    #sought { height: 1; color: $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "computer", "Computer"),
        Binding("m", "match", "Quick match"),
        Binding("f", "friend", "A friend"),
        Binding("t", "today", "Daily"),
        Binding("p", "practice", "Practise"),
        Binding("slash", "code", "Code", key_display="/"),
        Binding("d", "app.dark", "Light/dark"),
        Binding("escape", "stop_looking", "Stop looking", show=False),
        Binding("q", "app.quit", "Quit"),
    ]
    app: "Terminal"

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Vertical(id="what"):
            yield Static(id="who", markup=False)
            with RadioSet(id="modes"):
                for mode in MODES:
                    yield RadioButton(mode.capitalize(), id=mode, value=mode == MODES[0])
            with Horizontal(id="begin"):
                yield Button("Play the computer", id="computer", variant="primary")
                yield Button("Quick match", id="match")
                yield Button("With a friend", id="friend")
                yield Button("Daily", id="today")
                yield Button("Practise", id="practice")
            yield Static(id="sought")
            yield Input(placeholder="code of a friend's room", id="code")
            yield DataTable(id="rooms", cursor_type="row", zebra_stripes=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Follow the list of rooms."""
        table = self.query_one("#rooms", DataTable)
        table.add_columns("Room", "Mode", "Host", "Seats", "Now", "Watching")
        table.focus()
        self.connected()
        self.run_worker(self._follow(table), exclusive=True, group="lobby")

    def connected(self, today: str = "") -> None:
        """Say who one is here, and how one stands in the daily."""
        player = self.app.client.player
        name = player["name"] if player else "…"
        self.query_one("#who", Static).update(
            f"tenmatch   You are {name} at {self.app.client.url.partition('://')[2]}{today}"
        )

    async def _follow(self, table: "DataTable[Text]") -> None:
        try:
            async for rooms in self.app.client.lobby():
                if not table.is_attached:
                    return  # one is on one's way out
                self._list(table, list(rooms.values()))
        except ClientError:
            return  # the app says why

    def _list(self, table: "DataTable[Text]", rooms: list[RoomLine]) -> None:
        at = table.cursor_row
        table.clear()
        rooms.sort(key=lambda line: (line["phase"] != "open", -(line["started_at"] or 0)))
        for line in rooms:
            host = line["host"]["name"] if line["host"] else ""
            seats = f"{line['seats']}/{line['max_players']}"
            scores = " : ".join(str(score) for score in line["scores"] if score is not None)
            now = "open: Enter to join" if line["phase"] == "open" else f"{line['phase']}  {scores}"
            mode = f"{line['mode']}, teams" if "teams" in line else line["mode"]
            cells = (line["code"].upper(), mode, host, seats, now, str(line["watching"] or ""))
            table.add_row(*map(Text, cells), key=f"{line['room']} {line['phase']}")
        table.move_cursor(row=min(at, max(0, len(rooms) - 1)))

    @property
    def mode(self) -> str:
        """The mode that is chosen."""
        pressed = self.query_one("#modes", RadioSet).pressed_button
        return pressed.id if pressed is not None and pressed.id else MODES[0]

    # -- what one asks for

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do what a button says."""
        self.call_next(self.run_action, str(event.button.id))

    async def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Join an open room, watch any other."""
        room, _, phase = str(event.row_key.value).partition(" ")
        enter = self.app.client.join if phase == "open" else self.app.client.watch
        await self.app.enter(enter(room))

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Join the room of that code, or watch it where there is no seat."""
        code = event.value.strip()
        if code:
            event.input.clear()
            await self.app.enter(self.app.join_or_watch(code))

    def action_code(self) -> None:
        """Type a code."""
        self.query_one("#code", Input).focus()

    async def action_computer(self) -> None:
        """Play against a computer player."""
        await self.app.enter(self._with_computer())

    async def _with_computer(self) -> Room:
        room = await self.app.client.create(self.mode, private=True, max_players=2)
        await room.bot("medium")
        await room.ready()
        return room

    async def action_friend(self) -> None:
        """Make a private room, whose code one tells a friend."""
        await self.app.enter(self.app.client.create(self.mode, private=True, max_players=2))

    async def action_practice(self) -> None:
        """Play alone."""
        await self.app.enter(self._alone())

    async def _alone(self) -> Room:
        room = await self.app.client.create("mirror", private=True, max_players=1)
        await room.ready()
        return room

    async def action_today(self) -> None:
        """Begin one's attempt at the deal of the day, or go on with it."""
        await self.app.enter(self.app.client.daily())

    def on_screen_resume(self) -> None:
        """Say how one's attempt of today stands: one comes from it perhaps."""
        self.run_worker(self._tell_today(), exclusive=True, group="today")

    async def _tell_today(self) -> None:
        client = self.app.client
        if client.player is None:
            return
        try:
            today = await client.pages.day(player=client.player["id"])
        except ClientError:
            return  # it is no more than an ornament
        if today["own"] is not None and self.is_mounted:
            self.connected(f"   Daily: {today['own']['place']} of {today['players']}")

    def action_match(self) -> None:
        """Look for an opponent, until there is one or the computer steps in."""
        self.query_one("#sought", Static).update("Looking for an opponent …  Escape: no longer")
        self.run_worker(self._seek(), exclusive=True, group="seek")

    async def _seek(self) -> None:
        try:
            await self.app.enter(self.app.client.quick_match(self.mode, computer=True))
        finally:
            if self.is_mounted:
                self.query_one("#sought", Static).update("")

    def action_stop_looking(self) -> None:
        """Look no longer; leave the field for a code."""
        self.workers.cancel_group(self, "seek")
        self.query_one("#rooms", DataTable).focus()
