"""What a room is made with: the modes, and the options of `create` with their ranges (server/protocol.md).

`Options` always holds every option, those that its mode does not use at their defaults, in the order of the
stored form; `choose` makes one from what a client asked for, or says which field cannot be so.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from tenmatch.rules.deal import DealKind


class Mode(StrEnum):
    """How a room is played."""

    RACE = "race"
    TURNS = "turns"


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options in effect. The seed is not among them: it is no one's to see before the end."""

    size: int = 35
    deal: DealKind = DealKind.RANDOM
    adds: int = 5
    seconds: int = 180
    base_s: int = 120
    increment_s: int = 3
    max_players: int = 2
    countdown_ms: int = 3000
    penalty: bool = True
    row_again: bool = False
    spectators: bool = True
    spectator_delay_ms: int = 0
    rated: bool = False


class BadOptions(Exception):
    """An option is unknown, out of range, or does not go with the others."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field
        self.text = text


def choose(mode: Mode, asked: Mapping[str, object]) -> tuple[Options, bytes | None]:
    """Return the options in effect for what was *asked*, and the seed if one was named.

    Raises:
        BadOptions: Names the first field that cannot be so, and what is allowed.
    """
    raise NotImplementedError
