"""How things look: warm paper or its night, and a mark and a colour for each seat."""

from typing import Final, NamedTuple

from textual.theme import Theme

PAPER: Final = Theme(
    name="paper",
    dark=False,
    background="#faf7ef",
    surface="#fffef9",
    panel="#f1ecdf",
    foreground="#22201c",
    primary="#1f6fb2",
    secondary="#7a4fb5",
    accent="#1f6fb2",
    success="#2e7d4f",
    warning="#9a7200",
    error="#b3261e",
)
NIGHT: Final = Theme(
    name="night",
    dark=True,
    background="#191814",
    surface="#23211c",
    panel="#2d2a24",
    foreground="#ece7da",
    primary="#78b3e6",
    secondary="#b79ae0",
    accent="#78b3e6",
    success="#7cc79a",
    warning="#d9b44a",
    error="#f2867d",
)


class Look(NamedTuple):
    """How a seat is told from others: also without colours."""

    mark: str
    on_paper: str
    by_night: str


SEATS: Final = (
    Look("●", "#1f6fb2", "#78b3e6"),
    Look("▲", "#b8480f", "#f09a6c"),
    Look("■", "#2e7d4f", "#7cc79a"),
    Look("◆", "#7a4fb5", "#b79ae0"),
    Look("✚", "#7f5e00", "#d9b44a"),
    Look("★", "#b83b7a", "#ee8fbd"),
    Look("⬢", "#0e6d75", "#6cc5cd"),
    Look("✖", "#5d5a54", "#b5b0a5"),
    Look("◇", "#8a4b2a", "#d49a76"),
    Look("▼", "#3e5c76", "#93b4cf"),
)


def colour(seat: int, *, dark: bool) -> str:
    """Return the colour of a seat."""
    look = SEATS[seat % len(SEATS)]
    return look.by_night if dark else look.on_paper


def mark(seat: int) -> str:
    """Return the mark of a seat."""
    return SEATS[seat % len(SEATS)].mark
