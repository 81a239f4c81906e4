"""The way to the terminal client, which is an extra of its own (`client_demo/terminal`)."""

from importlib import import_module
from typing import Protocol, cast


class TerminalMissing(Exception):
    """The extra is not installed."""


class Terminal(Protocol):
    """What the terminal client can be asked for; both return why it ended, where nobody wished it."""

    def play(self, url: str, name: str | None, room: str) -> str:
        """Play, in that room at once if one is named."""

    def watch(self, url: str, room: str) -> str:
        """Watch a room."""


def terminal() -> Terminal:
    """Return the terminal client.

    Raises:
        TerminalMissing: What it is drawn with is not installed.
    """
    try:
        return cast("Terminal", import_module("tenmatch_terminal.app"))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("textual", "tenmatch_terminal"):
            raise
        raise TerminalMissing("the terminal client is an extra: pip install 'tenmatch[terminal]'") from error
