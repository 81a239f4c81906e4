"""Who plays, how they stand, and whose clock runs."""

from rich.table import Table
from rich.text import Text
from textual.widgets import Static

from tenmatch.client import TEAMS, Mode, Phase, Room, Seat, State
from tenmatch_terminal import looks
from tenmatch_terminal.story import name, points, team_name


class Players(Static):
    """A few lines for each seat, and the clock of the game."""

    DEFAULT_CSS = """
    Players { width: 1fr; height: auto; }
    """

    def show(self, room: Room, now: int, *, dark: bool) -> None:
        """Draw how they stand at that time of the server's."""
        state, lines = room.state, Table.grid(expand=True, padding=(0, 1, 0, 0))
        lines.add_column(width=1)
        lines.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        lines.add_column(justify="right")
        for team, seats in _by_team(state):
            if team is not None:
                score = "" if state.phase is Phase.OPEN else str(points(state, seats))
                lines.add_row("", Text(team_name(state, team), style="bold underline"), Text(score, "bold"))
            for number in seats:
                _add_seat(lines, room, number, now, dark=dark)
        self.update(lines)


def _by_team(state: State) -> list[tuple[int | None, list[int]]]:
    """Return the seats as they are shown: by team, once there are teams."""
    seats = list(range(len(state.seats)))
    if state.teams is None:
        return [(None, seats)]
    return [(team, [seat for seat in seats if state.teams[seat] == team]) for team in range(TEAMS)]


def _add_seat(lines: Table, room: Room, number: int, now: int, *, dark: bool) -> None:
    state, seat = room.state, room.state.seats[number]
    if seat is None:
        if state.phase is Phase.OPEN:
            lines.add_row("○", Text("a free seat", style="dim"), "")
        return
    colour = looks.colour(number, dark=dark)
    dimmed = seat.out or (state.phase is Phase.PLAYING and state.turn not in (None, number))
    weight = "dim" if dimmed else "bold"
    score = "" if state.phase is Phase.OPEN else str(seat.score)
    lines.add_row(
        Text(looks.mark(number), style=colour),
        Text(name(state, number), style=weight),
        Text(score, style=f"{weight} {colour}"),
    )
    lines.add_row("", Text(_beside(room, number, seat, now), style="dim"), _clock(state, number, now))
    lines.add_row("", "", "")


def _beside(room: Room, number: int, seat: Seat, now: int) -> str:
    state, said = room.state, []
    if state.phase is Phase.OPEN:
        said.append("ready" if seat.ready else "not ready yet")
    else:
        far = state.progress_of(number)
        if far is not None and number != state.viewer:
            said.append(f"{far.left} left")
        if seat.mistakes:
            said.append("1 mistake" if seat.mistakes == 1 else f"{seat.mistakes} mistakes")
        if seat.out:
            said.append("out")
        if state.phase is Phase.PLAYING and (seat.locked_until or 0) > now:
            said.append(f"locked {((seat.locked_until or 0) - now + 999) // 1000} s")
    if number < len(room.online) and room.online[number] is False and seat.player.bot is None:
        said.append("away")
    if seat.player.bot is not None:
        said.append(f"computer, {seat.player.bot}")
    if seat.player.rating is not None:
        said.append(str(seat.player.rating))
    return " · ".join(said)


def _clock(state: State, number: int, now: int) -> Text:
    left = None if state.clocks is None else state.clocks[number]
    if left is None:
        return Text("")
    runs = state.phase is Phase.PLAYING and state.turn == number
    if runs and state.clocks_at is not None:
        left = max(0, left - max(0, now - state.clocks_at))
    return Text(minutes(left), style="bold" if runs else "dim")


def minutes(ms: int) -> str:
    """Write a span of time as people read it."""
    seconds = (ms + 999) // 1000
    return f"{seconds // 60}:{seconds % 60:02}"


def heading(room: Room, now: int) -> str:
    """Say where the game stands: the time left, the numbers left, the Adds."""
    state = room.state
    if state.phase is Phase.OPEN:
        drawn = state.options.teams is not None and state.teams is None
        return f"waiting for all to be ready{'; two teams are drawn then' if drawn else ''}"
    if state.phase is Phase.STARTING:
        return f"begins in {max(0, (state.starts_at or now) - now + 999) // 1000} s"
    said = []
    if state.phase is Phase.PLAYING and state.ends_at is not None:
        said.append(minutes(max(0, state.ends_at - now)))
    sheet = 0 if state.viewer is None or not state.own_boards else state.viewer
    if sheet in state.shown:
        shown = state.sheets[sheet]
        said.append(f"{shown.board.left} left")
        said.append(f"{shown.adds_left} Adds")
    if state.mode is Mode.TURNS and state.phase is Phase.PLAYING and state.turn is not None:
        who = name(state, state.turn)
        said.append("your turn" if who == "You" else f"{who}'s turn")
    if state.phase is Phase.OVER:
        said.append("over")
    return " · ".join(said)
