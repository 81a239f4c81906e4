"""A board to look at and to play on: arrows and space, digits, or the mouse."""

from typing import ClassVar, Final

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tenmatch.client import COLUMNS, Board

CELL: Final = 4  # characters that a number takes
TRACE_S: Final = 1.0  # for which one sees what was matched
ROOMY: Final = 9  # up to so many rows there is an empty line between two


class BoardView(Widget, can_focus=True):
    """The board; two numbers that are picked are claimed."""

    DEFAULT_CSS = """
    BoardView { width: 38; height: auto; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(0,-1)", "Move", show=False),
        Binding("down", "go(0,1)", "Move", show=False),
        Binding("left", "go(-1,0)", "Move", show=False),
        Binding("right", "go(1,0)", "Move", show=False),
        Binding("space,enter", "pick", "Pick"),
        Binding("escape", "let_go", "Let go", show=False),
    ]

    board: reactive[Board | None] = reactive(None, layout=True)
    cursor: reactive[int | None] = reactive(None)  # the id of a number
    picked: reactive[int | None] = reactive(None)  # the id of a number
    accent: reactive[str] = reactive("#1f6fb2")  # one's own colour

    class Claimed(Message):
        """Two numbers were picked, one after the other."""

        def __init__(self, a: int, b: int) -> None:
            super().__init__()
            self.a, self.b = a, b

    def __init__(self, *, plays: bool, id: str | None = None) -> None:
        super().__init__(id=id)
        self._plays = plays
        self._traces: dict[int, tuple[int, str]] = {}  # by cell: digit and colour of what was there
        self._blamed: frozenset[int] = frozenset()  # ids
        self._blame = ""

    # -- what is to be seen

    def trace(self, before: Board, numbers: tuple[int, ...], colour: str) -> None:
        """Show for a moment which numbers went, where no row closed by it."""
        for number in numbers:
            cell = before.cell_of(number)
            if cell is not None:
                self._traces[cell] = (before.digits[cell], colour)
        self.set_timer(TRACE_S, self._fade)
        self.refresh()

    def blame(self, numbers: tuple[int, ...], colour: str) -> None:
        """Mark for a moment what was wrong."""
        self._blamed, self._blame = frozenset(numbers), colour
        self.set_timer(TRACE_S * 2, self._forgive)
        self.refresh()

    def _fade(self) -> None:
        self._traces.clear()
        self.refresh()

    def _forgive(self) -> None:
        self._blamed = frozenset()
        self.refresh()

    def watch_board(self, before: Board | None, board: Board | None) -> None:
        """Keep what is picked and pointed at, as far as it is still there."""
        if board is None:
            return
        if before is not None and before.firsts[: len(board.firsts)] != board.firsts:
            self._traces.clear()  # rows closed: cells are not where they were
        if self.picked is not None and board.cell_of(self.picked) is None:
            self.picked = None
        if self.cursor is None or board.cell_of(self.cursor) is None:
            self.cursor = self._nearest(before, board)

    def _nearest(self, before: Board | None, board: Board) -> int | None:
        ids = board.ids()
        gone = self.cursor
        return min(ids, key=lambda number: abs(number - (gone or 0)), default=None)

    @property
    def step(self) -> int:
        """How many lines there are for each row."""
        return 2 if self.board is not None and len(self.board.firsts) <= ROOMY else 1

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Return how many lines the board takes."""
        return 1 if self.board is None else max(1, len(self.board.firsts) * self.step)

    def render(self) -> Text:
        """Draw it."""
        board, shown = self.board, Text(no_wrap=True)
        if board is None:
            return shown
        if board.cleared:
            return Text("cleared", style="bold")
        for row in range(len(board.firsts)):
            if row:
                shown.append("\n" * self.step)
            for cell in range(row * COLUMNS, min((row + 1) * COLUMNS, len(board.digits))):
                shown.append_text(self._cell(board, cell))
        return shown

    def _cell(self, board: Board, cell: int) -> Text:
        number, digit = board.number_at(cell), board.digits[cell]
        if not digit:
            gone, colour = self._traces.get(cell, (0, ""))
            style = Style(color=colour, strike=True, bold=True) if gone else Style(dim=True)
            return Text.assemble(" ", (str(gone or "·"), style), "  ")
        style = Style(bold=True)
        left, right = " ", " "
        if number in self._blamed:
            style += Style(color=self._blame, underline=True)
        if number == self.picked:
            style += Style(color=self.accent, reverse=True)
            left, right = "▐", "▌"
        if number == self.cursor and self.has_focus and self._plays:
            left, right = "[", "]"
            style += Style(color=self.accent)
        drawn = Text()
        drawn.append(left, style=Style(color=self.accent))
        drawn.append(str(digit), style=style)
        drawn.append(f"{right} ", style=Style(color=self.accent))
        return drawn

    # -- what is done

    def pick(self, number: int) -> None:
        """Pick a number: the first of two, the second, or let go of the first."""
        if not self._plays:
            return
        if self.picked is None:
            self.picked = number
        elif self.picked == number:
            self.picked = None
        else:
            first, self.picked = self.picked, None
            self.post_message(self.Claimed(first, number))

    def action_pick(self) -> None:
        """Pick the number that the cursor is on."""
        if self.cursor is not None:
            self.pick(self.cursor)

    def action_let_go(self) -> None:
        """Let go of what is picked."""
        self.picked = None

    def action_go(self, columns: int, rows: int) -> None:
        """Move the cursor to the next number in a direction."""
        board = self.board
        cell = board.cell_of(self.cursor) if board is not None and self.cursor is not None else None
        if board is None or cell is None:
            return
        step = columns + rows * COLUMNS
        at = cell + step
        while 0 <= at < len(board.digits):
            if board.digits[at]:
                self._point(board, at)
                return
            at += step
        if rows:  # nothing straight up or down: the nearest in the next row that has any
            self._to_row(board, cell, rows)

    def _to_row(self, board: Board, cell: int, rows: int) -> None:
        row, column = divmod(cell, COLUMNS)
        row += rows
        while 0 <= row < len(board.firsts):
            cells = range(row * COLUMNS, min((row + 1) * COLUMNS, len(board.digits)))
            taken = [at for at in cells if board.digits[at]]
            if taken:
                self._point(board, min(taken, key=lambda at: abs(at % COLUMNS - column)))
                return
            row += rows

    def on_key(self, event: events.Key) -> None:
        """Jump to the next such number."""
        board = self.board
        if board is None or not event.key.isdecimal() or event.key == "0":
            return
        at = (board.cell_of(self.cursor) if self.cursor is not None else None) or 0
        cells = [*range(at + 1, len(board.digits)), *range(at + 1)]
        found = next((cell for cell in cells if board.digits[cell] == int(event.key)), None)
        if found is not None:
            self._point(board, found)
            event.stop()

    def on_click(self, event: events.Click) -> None:
        """Pick what was clicked."""
        board, offset = self.board, event.get_content_offset(self)
        if board is None or offset is None or offset.y % self.step:
            return
        column, row = offset.x // CELL, offset.y // self.step
        cell = row * COLUMNS + column
        if column < COLUMNS and cell < len(board.digits) and board.digits[cell]:
            self._point(board, cell)
            self.pick(board.number_at(cell))

    def _point(self, board: Board, cell: int) -> None:
        self.cursor = board.number_at(cell)
        line = cell // COLUMNS * self.step
        if self.parent is not None and hasattr(self.parent, "scroll_to_region"):
            self.call_after_refresh(self._show_line, line)

    def _show_line(self, line: int) -> None:
        """Scroll so that a line of the board is seen, with one before and one after it."""
        if isinstance(self.parent, Widget):
            self.parent.scroll_to_region(Region(0, max(0, line - 1), 1, 3), animate=False)
