"""What a room is made with: the modes, and the options of `create` with their ranges (server/protocol.md).

`Options` always holds every option, those that its mode does not use at their defaults, in the order of the
stored form; `choose` makes one from what a client asked for, or says which field cannot be so.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tenmatch.rules.deal import DEFAULT_SIZE, SIZES, DealKind


class Mode(StrEnum):
    """How a room is played."""

    RACE = "race"
    TURNS = "turns"
    MIRROR = "mirror"


class Teams(StrEnum):
    """How two teams come about."""

    CHOSEN = "chosen"  # by where one sits: even seats and odd ones
    DRAWN = "drawn"  # when play begins


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
    chat: bool | UnsetType = UNSET  # false, or not there: rooms made before there was a choice have it, too
    teams: Teams | UnsetType = UNSET  # without: each for themselves; it is left out then

    @property
    def talks(self) -> bool:
        """Whether those in the room may talk to each other."""
        return self.chat is UNSET


class BadOptions(Exception):
    """An option is unknown, out of range, or does not go with the others."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field
        self.text = text


RANGES: Final = {
    "adds": range(21),
    "seconds": range(10, 3601),
    "base_s": range(5, 3601),
    "increment_s": range(61),
    "countdown_ms": range(10_001),
    "spectator_delay_ms": range(120_001),
}
"""What options that are numbers may be; besides `size`, which goes with the deal, and `max_players`."""
_SWITCHES: Final = ("penalty", "row_again", "spectators", "rated", "chat")
PLAYERS: Final = {Mode.RACE: range(2, 9), Mode.TURNS: range(2, 5), Mode.MIRROR: range(1, 11)}
"""What `max_players` may be."""
_CLOCKS: Final = ("base_s", "increment_s", "row_again")
_FOREIGN: Final = {
    Mode.RACE: _CLOCKS,
    Mode.TURNS: ("seconds", "teams"),
    Mode.MIRROR: (*_CLOCKS, "teams"),
}
_IN_TEAMS: Final = (4, 6, 8)  # players: two teams, as large as each other
_DEFAULTS: Final = {
    Mode.RACE: Options(),
    Mode.TURNS: Options(),
    Mode.MIRROR: Options(seconds=360, max_players=4),
}
_FREE: Final = ("max_players", "countdown_ms", "spectators", "spectator_delay_ms", "rated", "chat", "teams")
_FIXED: Final = tuple(field for field in Options.__struct_fields__ if field not in _FREE)  # in rated rooms
_RATED_DELAY_MS: Final = {Mode.RACE: 5_000, Mode.TURNS: 5_000, Mode.MIRROR: 120_000}
"""Watchers of a rated room see it as it was so long ago, unless its maker says otherwise: nobody is to tell a
player what to do, and in mirror nobody is to watch how others solved the same board."""
_KNOWN: Final = (*Options.__struct_fields__, "seed")
_SEED: Final = re.compile("[0-9a-fA-F]{64}")


def mode_named(name: str) -> Mode:
    """Return the mode of that name.

    Raises:
        BadOptions: There is no such mode; its field is `mode`.
    """
    try:
        return Mode(name)
    except ValueError:
        raise BadOptions("mode", f"mode is one of: {', '.join(Mode)}") from None


def choose(mode: Mode, asked: Mapping[str, object]) -> tuple[Options, bytes | None]:
    """Return the options in effect for what was *asked*, and the seed if one was named.

    Raises:
        BadOptions: Names the first field that cannot be so, and what is allowed.
    """
    for field in asked:
        if field not in _KNOWN:
            raise BadOptions(field, f"there is no option {field!r}")
    asked = {field: value for field, value in asked.items() if value is not None}  # null: not asked
    deal = _deal(asked)
    chosen: dict[str, Any] = {"size": _size(deal, asked), "deal": deal}
    chosen.update(_numbers(mode, asked))
    chosen.update(_switches(asked))
    if chosen.get("chat"):
        del chosen["chat"]  # as it is by itself, it is not written down
    chosen["teams"] = _teams(asked)
    if chosen["teams"] is not UNSET:
        chosen = {"max_players": _IN_TEAMS[0], **chosen}
    if chosen.get("rated"):
        chosen = {"spectator_delay_ms": _RATED_DELAY_MS[mode], **chosen}
    options = replace(_DEFAULTS[mode], **chosen)
    _keep_to(mode, options)
    return options, _seed(options, asked)


def _deal(asked: Mapping[str, object]) -> DealKind:
    deal = asked.get("deal", DealKind.RANDOM)
    if not isinstance(deal, str) or deal not in tuple(DealKind):
        raise BadOptions("deal", f"deal is one of: {', '.join(DealKind)}")
    return DealKind(deal)


def _size(deal: DealKind, asked: Mapping[str, object]) -> int:
    return _number("size", asked.get("size", DEFAULT_SIZE[deal]), SIZES[deal])


def _numbers(mode: Mode, asked: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    for field, allowed in {**RANGES, "max_players": PLAYERS[mode]}.items():
        if field in asked:
            yield field, _number(field, asked[field], allowed)


def _number(field: str, value: object, allowed: range) -> int:
    if type(value) is not int or value not in allowed:  # True is an int, but not a number here
        only = f"{allowed[0]} to {allowed[-1]}" if len(allowed) > 1 else f"{allowed[0]} in this deal"
        raise BadOptions(field, f"{field} is a whole number, {only}")
    return value


def _switches(asked: Mapping[str, object]) -> Iterator[tuple[str, bool]]:
    for field in _SWITCHES:
        if field in asked:
            value = asked[field]
            if not isinstance(value, bool):
                raise BadOptions(field, f"{field} is true or false")
            yield field, value


def _teams(asked: Mapping[str, object]) -> Teams | UnsetType:
    teams = asked.get("teams", UNSET)
    if teams is UNSET:
        return UNSET
    if not isinstance(teams, str) or teams not in tuple(Teams):
        raise BadOptions("teams", f"teams is one of: {', '.join(Teams)}")
    return Teams(teams)


def _keep_to(mode: Mode, options: Options) -> None:
    """Refuse what is another mode's to choose, and what is nobody's in a rated room."""
    for field in _FOREIGN[mode]:
        if getattr(options, field) != getattr(_DEFAULTS[mode], field):
            raise BadOptions(field, f"{field} is no option of the mode {mode.value!r}")
    for field in _FIXED if options.rated else ():
        if getattr(options, field) != getattr(_DEFAULTS[mode], field):
            raise BadOptions(field, f"{field} stays as it is by itself in rated rooms")
    if options.teams is not UNSET and options.max_players not in _IN_TEAMS:
        raise BadOptions("max_players", "in teams there are 4, 6 or 8 players")
    if options.rated and options.max_players < 2:
        raise BadOptions("max_players", "a rated room is for two or more")


def _seed(options: Options, asked: Mapping[str, object]) -> bytes | None:
    if "seed" not in asked:
        return None
    if options.rated:
        raise BadOptions("seed", "nobody names the seed of a rated room")
    return seed_named(options.deal, asked["seed"])


def seed_named(deal: DealKind, seed: object) -> bytes:
    """Return the seed that was named for a deal.

    Raises:
        BadOptions: It is none, or the deal has none.
    """
    if deal is DealKind.CLASSIC:
        raise BadOptions("seed", "the classic deal has no seed")
    if not isinstance(seed, str) or not _SEED.fullmatch(seed):
        raise BadOptions("seed", "seed is 64 hex digits")
    return bytes.fromhex(seed)
