"""The terminal client: one connection, the lobby, and the rooms one goes into."""

from collections.abc import Awaitable

from textual.app import App

from tenmatch.client import Announcement, BadUrl, Client, ClientError, Closed, Denied, Ending, Room, Status
from tenmatch_terminal.lobby import Lobby
from tenmatch_terminal.looks import NIGHT, PAPER
from tenmatch_terminal.table import Table
from tenmatch_terminal.tokens import Tokens, place

AGENT = "tenmatch-terminal"
BAD_TOKEN = 4500


class Terminal(App[None]):
    """Play and watch in a terminal."""

    TITLE = "tenmatch"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, url: str, *, name: str | None, tokens: Tokens, room: str = "", watch: bool = False
    ) -> None:
        """Be ready to connect.

        Args:
            name: Of a new guest; who has been here before keeps theirs.
            room: The id or code of a room to go into at once.
            watch: Only to watch there.

        Raises:
            BadUrl: It is no address of a server.
        """
        super().__init__()
        self.client = Client(
            url, name=name, agent=AGENT, on_status=self._status, on_announcement=self._announced
        )
        self.client.token = tokens.get(self.client.url)
        self.why = ""  # it ended, where that was not the user's wish
        self._tokens = tokens
        self._room = room
        self._watch = watch

    async def on_mount(self) -> None:
        """Connect, and show the lobby or the room that was asked for."""
        self.register_theme(PAPER)
        self.register_theme(NIGHT)
        self.theme = NIGHT.name
        self.run_worker(self._begin())

    async def _begin(self) -> None:
        try:
            await self._connect()
        except ClientError as error:
            self.why = str(error)
            self.exit(return_code=1)
            return
        self._tokens.keep(self.client.url, self.client.token)
        await self.push_screen(Lobby())
        if self._room:
            enter = self.client.watch if self._watch else self.join_or_watch
            await self.enter(enter(self._room))

    async def _connect(self) -> None:
        try:
            await self.client.connect()
        except Closed as error:
            if error.code != BAD_TOKEN or self.client.token is None:
                raise
            self.client.token = None  # it is too old, or of another server: be somebody new
            await self.client.connect()

    async def on_unmount(self) -> None:
        """Say goodbye."""
        await self.client.close()

    # -- rooms

    async def enter(self, entering: Awaitable[Room]) -> None:
        """Show the room that one goes into, or say why that cannot be."""
        try:
            room = await entering
        except ClientError as error:
            text = error.text if isinstance(error, Denied) else str(error)
            self.notify(text, title="That cannot be", severity="warning", markup=False)
            return
        await self.push_screen(Table(room))

    async def join_or_watch(self, room: str) -> Room:
        """Go into a room, on a seat if one is to be had."""
        try:
            return await self.client.join(room)
        except Denied as error:
            if error.code not in ("room_full", "game_started", "not_allowed"):
                raise
            return await self.client.watch(room)

    def back(self) -> None:
        """Go back to the lobby."""
        if isinstance(self.screen, Table):
            self.pop_screen()

    # -- the connection

    def _status(self, status: Status, ending: Ending | None) -> None:
        if status is Status.CLOSED and ending is not None and ending.code != 1000 and self.is_running:
            self.why = f"the connection is closed: {ending.reason or ending.code}"
            if isinstance(self.screen, Lobby | Table):
                self.exit(return_code=1)

    def _announced(self, announcement: Announcement) -> None:
        self.notify(announcement.text, title="From those who run this server", timeout=30, markup=False)

    def action_dark(self) -> None:
        """Change between paper and its night."""
        self.theme = PAPER.name if self.theme == NIGHT.name else NIGHT.name


def play(url: str, name: str | None, room: str) -> str:
    """Play in this terminal until the user is done; return why it ended, where that was not their wish."""
    return _run(url, name=name, room=room, watch=False)


def watch(url: str, room: str) -> str:
    """Watch a room in this terminal until the user is done; return why it ended otherwise."""
    return _run(url, name=None, room=room, watch=True)


def _run(url: str, *, name: str | None, room: str, watch: bool) -> str:
    try:
        terminal = Terminal(url, name=name, tokens=Tokens(place()), room=room, watch=watch)
    except BadUrl as error:
        return str(error)
    terminal.run()
    return terminal.why
