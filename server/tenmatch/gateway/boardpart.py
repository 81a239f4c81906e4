"""Which part of a board a plain request asks for: a page of it, and the line of one player."""

import re
from typing import Final, NamedTuple

from websockets.http11 import Request

from tenmatch.game.ids import PLAYER_ID_LENGTH, PlayerId
from tenmatch.gateway.http import query_of

LINES: Final = 50  # of a page
PAGES: Final = 1_000_000
_PLAYER: Final = re.compile(rf"[a-z0-9]{{{PLAYER_ID_LENGTH}}}")


class Part(NamedTuple):
    """A part of a board."""

    page: int  # from 1
    player: PlayerId | None

    @property
    def first(self) -> int:
        """Its first line, from 0."""
        return LINES * (self.page - 1)


def player_named(text: str) -> PlayerId | None:
    """Return the player whose id that is; None where it is none."""
    return PlayerId(text) if _PLAYER.fullmatch(text) else None


def part_of(request: Request) -> Part | str:
    """Read the query of a request, or say what is wrong with it."""
    page, named = query_of(request, "page", "player")
    if page and not (re.fullmatch("[0-9]{1,7}", page) and 1 <= int(page) <= PAGES):
        return f"page is a number from 1 to {PAGES}"
    player = player_named(named)
    if named and player is None:
        return "player is a player's id"
    return Part(int(page or 1), player)


def pages(lines: int) -> int:
    """Return how many pages a board has, at least one."""
    return max(1, -(-lines // LINES))
