"""What is had over HTTP as an OpenAPI 3.1 document: every page for clients, with each answer it can give.

The document that is shipped and served is `openapi.json` beside this file; a test sees to it that it is
current, and another asks a real server for every answer in it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from tenmatch.game.ids import PLAYER_ID_LENGTH, ROOM_ID_LENGTH, TOURNAMENT_ID_LENGTH
from tenmatch.protocol import pages
from tenmatch.protocol.glossary import meaning
from tenmatch.protocol.maps import PersonMap, RankMap, RoomLine
from tenmatch.protocol.schema import Schema, described, ref, schemas
from tenmatch.protocol.tournaments import TournamentLine, TournamentMap

VERSION: Final = "3.1.0"  # of OpenAPI

JSON: Final = "application/json"
TEXT: Final = "text/plain; charset=utf-8"
CSV: Final = "text/csv; charset=utf-8"
HTML: Final = "text/html; charset=utf-8"

_DESCRIPTION: Final = """\
What a tenmatch server answers without a connection. Games are played over the WebSocket at `/v1`, which \
`/v1/asyncapi.json` describes.

- Each page answers GET, and HEAD without a body. There is nothing to send, and nobody says who they are.
- Pages of any origin may read what is under `/v1/`.
- Numbers are integers. Moments are ms since 1970 by the server's clock. Ignore fields that you do not \
know: there may be more of them within version 1.
- Where something is not so, a line of text says why.
"""


class Answer(NamedTuple):
    """What a page can answer."""

    status: int
    about: str
    content: str | None = TEXT  # the media type; None: there is no body
    schema: str | None = None  # of what is JSON, by its name; None: any


class Parameter(NamedTuple):
    """What a page is asked with."""

    place: str  # `path` or `query`
    name: str
    about: str
    schema: Schema


class Page(NamedTuple):
    """Something that can be asked for."""

    path: str
    name: str  # what clients call it
    topic: str
    about: str
    answers: tuple[Answer, ...]
    parameters: tuple[Parameter, ...] = ()


def _id(length: int) -> Schema:
    return {"type": "string", "pattern": f"^[a-z0-9]{{{length}}}$"}


_ROOM: Final = Parameter("path", "room", "The room's id.", _id(ROOM_ID_LENGTH))
_MODE: Final = Parameter("path", "mode", "How it is played.", ref("Mode"))
_PLAYER: Final = Parameter("path", "player", "The player's id.", _id(PLAYER_ID_LENGTH))
_DAY: Final = Parameter("path", "day", "As `2026-12-01` (UTC).", {"type": "string", "format": "date"})
_TOURNAMENT: Final = Parameter("path", "tournament", "The tournament's id.", _id(TOURNAMENT_ID_LENGTH))
_PERIOD: Final = Parameter(
    "query", "period", "Of all time, or of this week.", {"enum": [*pages.PERIODS], "default": "all"}
)
_WHOSE: Final = Parameter(
    "query", "player", "A player's id: their own line comes along as `own`.", _id(PLAYER_ID_LENGTH)
)
_NUMBER: Final = Parameter(
    "query", "page", "From 1.", {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 1}
)


def _found(schema: str, about: str) -> Answer:
    return Answer(200, about, JSON, schema)


_UNCHANGED: Final = Answer(304, "It is as it was when it had the `ETag` of `If-None-Match`.", None)
_NO_SUCH_QUERY: Final = Answer(400, "A parameter cannot be so; the text says which.")
NOT_NOW: Final = Answer(503, "The store cannot be reached: ask again after `Retry-After` seconds.")
"""The answer of all pages that are read from the store."""

PAGES: Final = (
    Page(
        "/v1/rooms",
        "rooms",
        "rooms",
        "The public list: the 100 newest rooms, open ones first, and the games most worth watching.",
        (_found("Rooms", "The list."),),
    ),
    Page(
        "/v1/records/{room}",
        "record",
        "rooms",
        "A game that was played to its end, from which anyone can prove it.",
        (
            _found("Record", "The record; packed (gzip) for who takes it so."),
            Answer(404, "No game that is over, and can be seen already, is known by this id."),
            NOT_NOW,
        ),
        (_ROOM,),
    ),
    Page(
        "/v1/leaderboards/{mode}",
        "leaderboard",
        "ratings",
        "A page of a leaderboard.",
        (
            _found("Leaderboard", "50 lines at most."),
            _NO_SUCH_QUERY,
            Answer(404, "There is no such mode."),
            NOT_NOW,
        ),
        (_MODE, _PERIOD, _NUMBER, _WHOSE),
    ),
    Page(
        "/v1/players/{player}",
        "played",
        "ratings",
        "What a player has played for a rating.",
        (
            _found("PlayerPage", "In each mode the rating, how it came about, and the last games."),
            Answer(404, "No rated game of theirs is known."),
            NOT_NOW,
        ),
        (_PLAYER,),
    ),
    Page(
        "/v1/daily",
        "today",
        "daily",
        "Today (UTC): what was committed to, and a page of its board.",
        (_found("Day", "50 lines at most."), _NO_SUCH_QUERY, NOT_NOW),
        (_NUMBER, _WHOSE),
    ),
    Page(
        "/v1/daily/{day}",
        "day",
        "daily",
        "A day: what was committed to, its seed once that is told, and a page of its board.",
        (
            _found("Day", "50 lines at most."),
            _NO_SUCH_QUERY,
            Answer(404, "That is no day, or nothing is known of it: it is not kept any more, or far off."),
            NOT_NOW,
        ),
        (_DAY, _NUMBER, _WHOSE),
    ),
    Page(
        "/v1/tournaments",
        "tournaments",
        "tournaments",
        "The tournaments that are public and not over.",
        (_found("Tournaments", "The list."), NOT_NOW),
    ),
    Page(
        "/v1/tournaments/{tournament}",
        "tournament",
        "tournaments",
        "How a tournament stands.",
        (
            _found("TournamentPage", "As `tournament_watch` tells it."),
            Answer(404, "No tournament is known by this id."),
            NOT_NOW,
        ),
        (_TOURNAMENT,),
    ),
    Page(
        "/v1/tournaments/{tournament}.csv",
        "results",
        "tournaments",
        "The ranking of a tournament as a table (RFC 4180): place, player, name, rating, points, wins, "
        "draws, losses. A name that a spreadsheet would take for a formula has a `'` before it.",
        (
            Answer(200, "The table, its heading first.", CSV),
            Answer(404, "No tournament is known by this id."),
            NOT_NOW,
        ),
        (_TOURNAMENT,),
    ),
    Page(
        "/healthz",
        "alive",
        "server",
        "Whether the process lives.",
        (Answer(200, "It does."),),
    ),
    Page(
        "/readyz",
        "ready",
        "server",
        "Whether players are to be sent to this node.",
        (
            _found("Readiness", "They are."),
            Answer(503, "They are not; the answer says why.", JSON, "Readiness"),
        ),
    ),
    Page(
        "/v1/asyncapi.json",
        "asyncapi",
        "server",
        "The messages of the WebSocket, for machines (AsyncAPI 3).",
        (Answer(200, "The document.", JSON), _UNCHANGED),
    ),
    Page(
        "/v1/openapi.json",
        "openapi",
        "server",
        "This document.",
        (Answer(200, "The document.", JSON), _UNCHANGED),
    ),
    Page(
        "/v1/docs",
        "docs",
        "server",
        "Both documents for people.",
        (Answer(200, "The page.", HTML), _UNCHANGED),
    ),
)
"""All that is answered to clients. Left out are the files of the web client, and the operators' page."""

_NAMED: Final[Mapping[str, type]] = {
    **{f"Recorded{kind.capitalize()}": told for kind, told in pages.RECORDED_TYPES.items()},
    **{
        kind.__name__.removesuffix("Map"): kind
        for kind in (
            pages.ReadinessMap, pages.RoomsMap, pages.LeaderMap, pages.LeaderboardMap, pages.RivalMap,
            pages.ResultMap, pages.PlayedMap, pages.PlayerPageMap, pages.DayLineMap, pages.DayMap,
            pages.TournamentsMap, pages.RecordedPlayerMap, pages.SitterMap, pages.RecordResultMap,
            pages.RecordMap, PersonMap, RankMap, RoomLine, TournamentLine, TournamentMap,
        )
    },
}  # fmt: skip


def page_schemas() -> dict[str, Schema]:
    """Return the schema of all that is in the answers by name; what connections have, too, is the same."""
    made = {**described(_NAMED), **schemas()}
    made["Recorded"] = {
        "title": "Recorded",
        "description": "An event of any kind as it is stored: `kind` says which.",
        "oneOf": [ref(f"Recorded{kind.capitalize()}") for kind in pages.RECORDED_TYPES],
    }
    tournament = made["Tournament"]
    own: Schema = {"tournament": {"description": meaning("", "tournament"), "type": "string"}}
    made["TournamentPage"] = {
        **tournament,
        "title": "TournamentPage",
        "description": pages.TournamentPageMap.__doc__,
        "properties": {**own, **tournament["properties"]},
        "required": ["tournament", *tournament["required"]],
    }
    wanted = [answer.schema for page in PAGES for answer in page.answers if answer.schema]
    wanted += [_named(parameter.schema) for page in PAGES for parameter in page.parameters]
    return {name: made[name] for name in sorted(_reached(made, wanted))}


def document() -> dict[str, Any]:
    """Make the document."""
    return {
        "openapi": VERSION,
        "info": {
            "title": "tenmatch",
            "version": "1",
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The server that has this document."}],
        "tags": [{"name": topic} for topic in dict.fromkeys(page.topic for page in PAGES)],
        "paths": {page.path: {"get": _operation(page)} for page in PAGES},
        "components": {"schemas": page_schemas()},
    }


def _operation(page: Page) -> dict[str, Any]:
    made: dict[str, Any] = {"operationId": page.name, "tags": [page.topic], "summary": page.about}
    if page.parameters:
        made["parameters"] = [
            {
                "name": parameter.name,
                "in": parameter.place,
                "description": parameter.about,
                "required": parameter.place == "path",
                "schema": parameter.schema,
            }
            for parameter in page.parameters
        ]
    made["responses"] = {str(answer.status): _response(answer) for answer in page.answers}
    return made


def _response(answer: Answer) -> dict[str, Any]:
    made: dict[str, Any] = {"description": answer.about}
    if answer == NOT_NOW:
        made["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    if answer.content is not None:
        plain: Schema = {"type": "object"} if answer.content == JSON else {"type": "string"}
        made["content"] = {answer.content: {"schema": ref(answer.schema) if answer.schema else plain}}
    return made


def _reached(made: Mapping[str, Schema], names: list[str]) -> set[str]:
    """Return the names of these schemas and of all that they point to."""
    reached: set[str] = set()
    left = [name for name in names if name]
    while left:
        name = left.pop()
        if name not in reached:
            reached.add(name)
            left += _pointers(made[name])
    return reached


def _pointers(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield _named(part)
        for value in part.values():
            yield from _pointers(value)
    elif isinstance(part, list):
        for item in part:
            yield from _pointers(item)


def _named(schema: Schema) -> str:
    """Return the name of the schema that is pointed to; nothing where it stands there itself."""
    return str(schema.get("$ref", "")).rpartition("/")[2]
