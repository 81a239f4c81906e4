"""What a tournament is made with (server/protocol.md, "Tournaments")."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from tenmatch.game.options import BadOptions, Mode, Options, choose, mode_named

DAY_S: Final = 86_400


class Format(StrEnum):
    """How it is found out who is best."""

    KNOCKOUT = "knockout"  # whoever loses is out
    ARENA = "arena"  # everybody plays again and again until the time is up


MOST: Final = {Format.KNOCKOUT: 64, Format.ARENA: 128}
"""Players that a tournament can have."""
GAMES: Final = 2_500
"""Games that an arena can have; then it is over. With this and the next two logs stay bounded."""
ENTRIES: Final = 10
"""Times that a player can sign up for a tournament and leave it again."""
ENTRIES_IN_ALL: Final = 2_000
"""Times that it can be signed up for, by whomever."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What was planned; all that is not named here is as in any room of two."""

    format: Format
    mode: Mode
    options: Options  # of each game's room
    most: int  # players
    join_s: int = 60  # seconds in which who is called has to come
    minutes: int | None = None  # of an arena
    open: bool = True  # anybody may sign up; else it is over a list of players


_RANGES: Final = {"join_s": range(10, 601), "minutes": range(1, 241)}
_DEFAULTS: Final = {"join_s": 60, "minutes": 30}


def planned(
    *,
    format: str,
    mode: str,
    options: Mapping[str, object],
    most: int | None = None,
    join_s: int | None = None,
    minutes: int | None = None,
    open: bool = True,
) -> Plan:
    """Return the plan for what was asked; None takes the default.

    Raises:
        BadOptions: Names the first field that cannot be so, and what is allowed.
    """
    if format not in tuple(Format):
        raise BadOptions("format", f"format is one of: {', '.join(Format)}")
    kind = Format(format)
    chosen, seed = choose(mode_named(mode), {"max_players": 2, **options})
    if chosen.max_players != 2:
        raise BadOptions("max_players", "two play in each game of a tournament")
    if seed is not None:
        raise BadOptions("seed", "the deals of a tournament are drawn")
    if minutes is not None and kind is Format.KNOCKOUT:
        raise BadOptions("minutes", "a knock-out lasts as long as its games")
    return Plan(
        format=kind,
        mode=mode_named(mode),
        options=chosen,
        most=_within("most", most, range(2, MOST[kind] + 1), MOST[kind]),
        join_s=_within("join_s", join_s, _RANGES["join_s"], _DEFAULTS["join_s"]),
        minutes=_within("minutes", minutes, _RANGES["minutes"], _DEFAULTS["minutes"])
        if kind is Format.ARENA
        else None,
        open=open,
    )


def _within(field: str, value: int | None, allowed: range, default: int) -> int:
    if value is None:
        return default
    if value not in allowed:
        raise BadOptions(field, f"{field} is a whole number, {allowed[0]} to {allowed[-1]}")
    return value
