"""What is had over HTTP, as JSON: the maps inside those answers (server/protocol.md, "Over HTTP").

They are plain dicts, as those of `tenmatch.protocol.maps`: described here, filled by the server, read by
clients, and what the OpenAPI document is made from (`tenmatch.protocol.openapi`).
"""

from collections.abc import Mapping
from typing import Final, NotRequired, TypedDict, get_args

from msgspec import Struct
from msgspec.structs import fields

from tenmatch.game.events import AnyEvent, Event, Player
from tenmatch.game.ids import Day, Millis, RoomId, TournamentId
from tenmatch.protocol.maps import EventMap, PersonMap, RankMap, RoomLine, event_type
from tenmatch.protocol.tournaments import TournamentLine, TournamentMap


class ReadinessMap(TypedDict):
    """Whether a node takes players, and what that rests on."""

    ready: bool
    node: str
    version: str
    store: bool
    feed: bool
    draining: bool
    lag_ms: int


class RoomsMap(TypedDict):
    """The public list of rooms, as `lobby` has it."""

    rooms: list[RoomLine]
    featured: list[RoomId]


# Ratings


class LeaderMap(TypedDict):
    """A line of a leaderboard."""

    place: int
    player: PersonMap
    rating: int
    games: int


class LeaderboardMap(TypedDict):
    """A page of a leaderboard."""

    mode: str
    period: str  # `all` or `week`
    week: str | None  # null for all time
    players: int
    page: int
    pages: int
    lines: list[LeaderMap]
    own: LeaderMap | None


class RivalMap(PersonMap):
    """Who else played in a game."""

    place: int
    rating: int  # before it


class ResultMap(TypedDict):
    """A game of a player's."""

    room: RoomId
    at: Millis
    place: int
    rating: int  # after it
    change: int
    counted: bool  # false: all rivals were met too often that day
    rivals: list[RivalMap]
    mates: NotRequired[list[RivalMap]]  # who was in the same team


class PlayedMap(TypedDict):
    """Where a player is in a mode."""

    rating: int
    games: int
    place: int | None  # among `players`; null: on no leaderboard
    players: int
    curve: list[tuple[Millis, int]]
    results: list[ResultMap]


class PlayerPageMap(TypedDict):
    """What a player has played for a rating."""

    player: PersonMap
    modes: dict[str, PlayedMap]  # where there are rated games


# The daily


class DayLineMap(TypedDict):
    """A line of a day's board."""

    place: int
    player: PersonMap
    cleared: bool
    points: int
    time_ms: int
    room: RoomId | None  # whose record can be had; null before the seed is told


class DayMap(TypedDict):
    """A day, and a page of its board."""

    day: Day
    begins_at: Millis
    ends_at: Millis
    revealed_at: Millis
    drawn_at: Millis
    commit: str
    seed: str | None  # null before `revealed_at`
    players: int
    page: int
    pages: int
    lines: list[DayLineMap]
    own: DayLineMap | None


# Tournaments


class TournamentsMap(TypedDict):
    """The tournaments that are public and not over, the newest first."""

    tournaments: list[TournamentLine]


class TournamentPageMap(TournamentMap):
    """A tournament as it is now."""

    tournament: TournamentId


# Records


class RecordedPlayerMap(PersonMap):
    """Who sat on a seat, as it is stored."""

    bot: str | None  # a computer player's level
    rating: int | None


class SitterMap(TypedDict):
    """Who played on a seat."""

    seat: int
    player: RecordedPlayerMap


class RecordResultMap(TypedDict):
    """How a game ended."""

    reason: str
    ranking: list[RankMap]


class RecordMap(TypedDict):
    """A game that was played to its end, from which anyone can prove it."""

    format: str
    rules: int
    mode: str
    options: dict[str, bool | int | str]
    commit: str | None  # null for the classic deal, as is
    seed: str | None
    salt: str
    players: list[SitterMap]
    result: RecordResultMap
    events: list[EventMap]  # `RECORDED_TYPES`


def _recorded(kind: type[Event]) -> type[Struct]:
    """Return the type of the map that a record has of a kind of event: all that is stored, and its place."""
    own = [
        (field.name, RecordedPlayerMap if field.type is Player else field.type, field.default)
        for field in fields(kind)
        if field.name != "at"
    ]
    return event_type(kind, own)


RECORDED_TYPES: Final[Mapping[str, type[Struct]]] = {
    str(kind.__struct_config__.tag): _recorded(kind) for kind in get_args(AnyEvent)
}
"""For each `kind` of event the type of its map in a record."""

PERIODS: Final = ("all", "week")
"""Of leaderboards."""
