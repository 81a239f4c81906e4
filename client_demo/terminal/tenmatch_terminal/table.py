"""A room: before the start, in play and after the end; as a player or a watcher."""

from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.suggester import SuggestFromList
from textual.widgets import Button, Footer, Input, RichLog, Static

from tenmatch.client import (
    PHRASES,
    Answer,
    Chat,
    ClientError,
    Denied,
    Happening,
    Matched,
    Mistaken,
    Mode,
    Phase,
    Refused,
    Room,
    Shown,
    State,
    Step,
)
from tenmatch_terminal import looks, story
from tenmatch_terminal.boardview import BoardView
from tenmatch_terminal.players import Players, heading

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from tenmatch_terminal.app import Terminal

TICK_S: Final = 0.25
SURE_S: Final = 3.0  # within which one has to resign a second time


class Table(Screen[None]):
    """One room."""

    CSS = """
    #heading { height: 1; margin: 0 2; text-style: bold; }
    #room { height: 1fr; margin-top: 1; align-horizontal: center; }
    #side { width: 28; height: 1fr; margin: 0 2; }
    #middle { width: 44; height: 1fr; }
    #boards { height: 1fr; background: $surface; padding: 1 2; margin-bottom: 1; }
    #boards BoardView { margin-bottom: 1; }
    #boards .named { border-top: solid $panel; border-title-color: $foreground; }
    #story { width: 1fr; max-width: 44; height: 1fr; margin: 0 2; background: $background;
             overflow-y: auto; scrollbar-size-vertical: 1; display: none; }
    Table.-wide #story { display: block; }
    #said { height: 2; color: $foreground-muted; }
    #said.wrong { color: $error; text-style: bold; }
    #actions { height: 1; margin-bottom: 1; }
    #actions Button { min-width: 8; margin-right: 1; height: 1; border: none; padding: 0 1; }
    #talk { display: none; height: auto; margin: 0 2; }
    #talk.open { display: block; }
    #phrases { height: auto; color: $foreground-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "none", "No pair/pass/Add"),
        Binding("r", "ready", "Ready"),
        Binding("b", "bot", "Computer", show=False),
        Binding("x", "resign", "Resign"),
        Binding("t", "talk", "Talk"),
        Binding("d", "app.dark", "Light/dark", show=False),
        Binding("l", "leave", "Leave"),
    ]
    app: "Terminal"

    def __init__(self, room: Room) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
        self.room = room
        self._resigning = False

    def compose(self) -> ComposeResult:
        """Lay it out."""
        yield Static(id="heading", markup=False)
        with Horizontal(id="room"):
            with Vertical(id="side"):
                yield Players()
            with Vertical(id="middle"):
                yield VerticalScroll(id="boards", can_focus=False)
                yield Static(id="said", markup=False)
                with Horizontal(id="actions"):
                    yield Button("Ready", id="ready", variant="primary")
                    yield Button("+ Computer", id="bot")
                    yield Button("No pair left", id="none", variant="primary")
                    yield Button("Resign", id="resign")
                    yield Button("Leave", id="leave")
            yield RichLog(id="story", wrap=True, markup=False)
        with Vertical(id="talk"):
            yield Static(_phrases(), id="phrases")
            yield Input(
                placeholder="say something, then Enter",
                max_length=200,
                suggester=SuggestFromList(PHRASES.values(), case_sensitive=False),
            )
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Follow the room."""
        self.set_interval(TICK_S, self.tick)
        self.run_worker(self._follow(), exclusive=True)

    @property
    def dark(self) -> bool:
        """Whether colours are to be those of the night."""
        return self.app.current_theme.dark

    # -- what happens

    async def _follow(self) -> None:
        try:
            async for happening in self.room:
                await self._take(happening)
                if self.room.state.rematch is not None:
                    await self._go_over(self.room.state.rematch)
                    return
        except ClientError as error:
            if self.app.client.status.value != "closed":  # else the app says why
                self.app.notify(str(error), severity="warning", markup=False)
                self.app.back()

    async def _go_over(self, room: str) -> None:
        """Go into the room of the rematch; who did not want it watches."""
        self.app.back()
        await self.app.enter(self.app.join_or_watch(room))

    async def _take(self, happening: Happening) -> None:
        match happening:
            case Shown(after=after):
                await self._show(after)
            case Step(before=before, after=after):
                await self._step(happening)
                if before.phase is not after.phase or before.seats != after.seats:
                    self._buttons()
                if after.phase is Phase.OPEN and after.me is not None:
                    self._say(_what_to_do(after))
            case Chat(player=player, text=text):
                self._tell(None, f"{player['name']}: {text}")
        self.tick()

    async def _show(self, state: State) -> None:
        await self._lay_boards(state)
        for view, seat in self._views():
            view.board = state.board_of(seat)
        if state.phase is Phase.OVER:
            self._say(Text(story.result(state), style="bold"))
        elif state.phase is Phase.OPEN and state.me is not None:
            self._say(_what_to_do(state))
        self._buttons()

    async def _step(self, step: Step) -> None:
        await self._lay_boards(step.after)
        for view, seat in self._views():
            view.board = step.after.board_of(seat)
        match step.event:
            case Matched(seat=seat, a=a, b=b, rows=rows):
                board, seen = step.before.board_of(seat), self._view_of(seat)
                if board is not None and seen is not None and not rows:
                    seen.trace(board, (a, b), looks.colour(seat, dark=self.dark))
            case Mistaken(seat=seat, blockers=blockers, a=int(a), b=int(b)):
                if (seen := self._view_of(seat)) is not None:
                    seen.blame((*(blockers or ()), a, b), self.app.theme_variables["error"])
        told = story.told(step)
        if told is not None:
            self._tell(*told)
        if step.after.phase is Phase.OVER and step.before.phase is not Phase.OVER:
            self._say(Text(story.result(step.after), style="bold"))

    async def _lay_boards(self, state: State) -> None:
        """See to it that there is a view for each board that is to be seen."""
        seats = sorted(state.shown) if state.own_boards and state.viewer is None else [state.viewer or 0]
        boards = self.query_one("#boards")
        seats = seats or [0]
        if [seat for _, seat in self._views()] == seats:
            return
        await boards.remove_children()
        for seat in seats:
            view = BoardView(plays=state.viewer is not None, id=f"board{seat}")
            view.accent = looks.colour(seat if state.viewer is None else state.viewer, dark=self.dark)
            if len(seats) > 1:
                view.border_title = Text(f"{looks.mark(seat)} {story.name(state, seat)}")
                view.add_class("named")
            await boards.mount(view)
        if state.viewer is not None and (mine := self._view_of(state.viewer)) is not None:
            mine.focus()

    def _views(self) -> list[tuple[BoardView, int]]:
        return [(view, int(str(view.id).removeprefix("board"))) for view in self.query(BoardView)]

    def _view_of(self, seat: int) -> BoardView | None:
        """Return where a seat's board is to be seen; None where this screen is on its way out."""
        views = {seat: view for view, seat in self._views()}
        return views.get(seat) or next(iter(views.values()), None)

    # -- what is said

    def tick(self) -> None:
        """Let clocks go on."""
        room, client = self.room, self.app.client
        delay = room.state.options.spectator_delay_ms if room.seat is None else 0
        now = client.now() - delay
        self.query_one(Players).show(room, now, dark=self.dark)
        said = [room.code.upper(), room.state.mode.value, heading(room, now)]
        if room.watching:
            said.append(f"{room.watching} watching")
        if client.status.value != "open":
            wait = client.retry_in
            said.append("connecting again" if not wait else f"connecting again in {wait:.0f} s")
        self.query_one("#heading", Static).update(" · ".join(part for part in said if part))

    def _tell(self, seat: int | None, sentence: str) -> None:
        """Add to the story, and show it where there is no room for the story."""
        line = Text()
        if seat is not None:
            who = f"{looks.mark(seat)} {story.name(self.room.state, seat)} "
            line.append(who, style=f"bold {looks.colour(seat, dark=self.dark)}")
        line.append(sentence)
        self.query_one("#story", RichLog).write(line)
        if not self.has_class("-wide"):
            self._say(line)

    def _say(self, what: str | Text, *, wrong: bool = False) -> None:
        said = self.query_one("#said", Static)
        said.set_class(wrong, "wrong")
        said.update(what)

    def _buttons(self) -> None:
        """Show what can be done now."""
        state = self.room.state
        mine, phase = state.me, state.phase
        free = state.phase is Phase.OPEN and None in state.seats
        labels = {Mode.RACE: "No pair left", Mode.TURNS: "Pass", Mode.MIRROR: "Add"}
        ready = self.query_one("#ready", Button)
        ready.label = "Rematch" if phase is Phase.OVER else "Not ready" if mine and mine.ready else "Ready"
        ready.display = mine is not None and phase in (Phase.OPEN, Phase.OVER)
        self.query_one("#bot").display = free and state.host == state.viewer and not state.options.rated
        none = self.query_one("#none", Button)
        none.label = labels[state.mode]
        playing = phase is Phase.PLAYING and mine is not None and not mine.out
        none.display = self.query_one("#resign").display = playing

    # -- what is done

    async def on_board_view_claimed(self, claimed: BoardView.Claimed) -> None:
        """Claim what was picked."""
        self.run_worker(self._move(self.room.match(claimed.a, claimed.b)))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do what a button says."""
        self.call_next(self.run_action, str(event.button.id))
        for view in self.query(BoardView):
            view.focus()
            break

    def action_none(self) -> None:
        """Say that there is nothing to match: call, pass or Add, as the mode has it."""
        moves = {Mode.RACE: self.room.call, Mode.TURNS: self.room.pass_turn, Mode.MIRROR: self.room.add}
        if self.room.state.phase is Phase.PLAYING:
            self.run_worker(self._move(moves[self.room.state.mode]()))

    def action_resign(self) -> None:
        """Give up, when asked for twice."""
        if self.room.state.phase is not Phase.PLAYING or self.room.seat is None:
            return
        if self._resigning:
            self.run_worker(self._move(self.room.resign()))
            return
        self._resigning = True
        self._say("Give up? Once more, if you are sure.", wrong=True)
        self.set_timer(SURE_S, self._stay)

    def _stay(self) -> None:
        self._resigning = False

    def action_ready(self) -> None:
        """Be ready, or no longer; after the end, want a rematch."""
        state = self.room.state
        if state.me is None:
            return
        if state.phase is Phase.OVER:
            self.run_worker(self._ask(self.room.rematch()))
        elif state.phase in (Phase.OPEN, Phase.STARTING):
            self.run_worker(self._ask(self.room.ready(not state.me.ready)))

    def action_bot(self) -> None:
        """Give the next free seat to a computer player."""
        if self.room.state.phase is Phase.OPEN and self.room.seat is not None:
            self.run_worker(self._ask(self.room.bot("medium")))

    def action_talk(self) -> None:
        """Say something to the room."""
        if not (self.app.client.talks and self.room.state.options.talks):
            self._say("Nobody talks here.")
            return
        self.query_one("#talk").add_class("open")
        self.query_one("#talk Input").focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Say it; what is a phrase everyone reads in their own language."""
        said = event.value.strip()
        key = next((key for key, text in PHRASES.items() if text.casefold() == said.casefold()), None)
        self._stop_talking()
        if key is not None:
            self.action_say(key)
        elif said:
            self.run_worker(self._ask(self.room.chat(said)))

    def action_say(self, phrase: str) -> None:
        """Say a phrase, by its key."""
        self._stop_talking()
        self.run_worker(self._ask(self.room.say(phrase)))

    def _stop_talking(self) -> None:
        self.query_one("#talk").remove_class("open")
        self.query_one("#talk Input", Input).clear()
        for view in self.query(BoardView):
            view.focus()
            break

    async def action_leave(self) -> None:
        """Leave the room; in play the seat stays one's own."""
        self.app.back()
        await self._ask(self.room.leave())

    async def _move(self, move: "Awaitable[Answer]") -> None:
        try:
            answer = await move
        except Denied as error:
            self._say(story.why_not(error), wrong=True)
        except ClientError as error:
            self._say(str(error), wrong=True)
        else:
            if isinstance(answer, Refused):
                self._say(story.why_not(answer), wrong=answer.code != "stale")
            elif isinstance(answer, Mistaken):
                lock = ""
                if answer.locked_until is not None:
                    lock = f" · again in {max(0, answer.locked_until - answer.at) / 1000:.0f} s"
                sentence = story.mistake(self.room.state, answer)
                self._say(f"{sentence} · {answer.points}{lock}", wrong=True)

    async def _ask(self, request: "Awaitable[None]") -> None:
        try:
            await request
        except ClientError as error:
            text = story.why_not(error) if isinstance(error, Denied) else str(error)
            self.app.notify(text, severity="warning", markup=False)


def _what_to_do(state: State) -> str:
    """Say how a game comes about."""
    if None in state.seats and state.host == state.viewer:
        return f"Tell a friend the code {state.code.upper()}, or press b for a computer player."
    if None in state.seats or (state.me is not None and state.me.ready):
        return "It begins when all seats are taken and all are ready."
    return "Press r when you are ready."


def _phrases() -> str:
    """Return the phrases as markup, each to be clicked on."""
    return "   ".join(f"[@click=screen.say('{key}')]{text}[/]" for key, text in PHRASES.items())
