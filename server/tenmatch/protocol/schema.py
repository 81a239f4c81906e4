"""JSON Schemas of everything that is said, made from the types that decode and encode it.

`msgspec` writes the schema of each type. Here they get the names that clients know them by, a line for each
field (`tenmatch.protocol.glossary`), and what a type cannot say: fields that go together, maps whose fields
depend on their kind, texts of which there are only a few.

Schemas are open, as the wire is: what a client does not know it ignores.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, get_args, get_type_hints

import msgspec
from msgspec import Struct

from tenmatch.game.answers import Obstacle
from tenmatch.game.events import EndReason, Level
from tenmatch.game.options import PLAYERS, RANGES, Mode, Options, Teams
from tenmatch.game.room import Phase
from tenmatch.game.tournament.events import How
from tenmatch.game.tournament.plan import Format
from tenmatch.game.tournament.state import Phase as TournamentPhase
from tenmatch.protocol import maps
from tenmatch.protocol.from_client import TYPES
from tenmatch.protocol.glossary import meaning
from tenmatch.protocol.pages import PERIODS
from tenmatch.protocol.phrases import PHRASES
from tenmatch.protocol.record import FORMAT
from tenmatch.protocol.to_client import AnyToClient
from tenmatch.protocol.tournaments import (
    TOURNAMENT_EVENT_TYPES,
    EntrantMap,
    GameMap,
    MatchMap,
    PlanMap,
    StandingMap,
    TournamentMap,
)
from tenmatch.rules.deal import SIZES
from tenmatch.rules.judge import Fault

Schema = dict[str, Any]

_REF: Final = "#/components/schemas/"
_NOT_ALWAYS: Final = frozenset({"teams", "chat"})
"""Options in effect that are left out where they are as they are by themselves."""
_OPTIONAL_AND_NULL: Final = frozenset({"turn"})
"""Fields of the server's that may be absent, and null: in a game in turns it can be nobody's turn."""


def client(t: str) -> str:
    """Return the name of the schema of a client's message."""
    return f"Client{_camel(t)}"


def server(t: str) -> str:
    """Return the name of the schema of a message of the server's."""
    return f"Server{_camel(t)}"


def event(kind: str) -> str:
    """Return the name of the schema of a kind of event."""
    return f"Event{kind.capitalize()}"


def tournament_event(kind: str) -> str:
    """Return the name of the schema of a kind of event of tournaments."""
    return f"TournamentEvent{kind.capitalize()}"


def _camel(t: str) -> str:
    return "".join(part.capitalize() for part in t.split("_"))


def ref(name: str) -> Schema:
    """Point to a schema."""
    return {"$ref": f"{_REF}{name}"}


TOLD: Final[Mapping[str, type[Struct]]] = {
    str(message.__struct_config__.tag): message for message in get_args(AnyToClient)
}
"""Every message of the server's but `event` and `tournament_event`, by its `t`."""
HAPPENINGS: Final = ("event", "tournament_event")
"""What is said of an event: messages whose fields depend on its kind."""

_NAMED: Final[Mapping[str, type]] = {
    **{client(t): message for t, message in TYPES.items()},
    **{server(t): message for t, message in TOLD.items()},
    **{event(kind): told for kind, told in maps.EVENT_TYPES.items()},
    **{tournament_event(kind): told for kind, told in TOURNAMENT_EVENT_TYPES.items()},
    **{
        kind.__name__.removesuffix("Map"): kind
        for kind in (
            maps.PersonMap, maps.PlayerMap, maps.SeatMap, maps.RankMap, maps.BoardMap, maps.ProgressMap,
            maps.StateMap, maps.RoomLine, maps.LimitsMap, Options, Mode, Phase, Level, Teams, Format, How,
            EntrantMap, GameMap, MatchMap, StandingMap, PlanMap, TournamentMap,
        )
    },
}  # fmt: skip
"""What a name stands for. Types inside these have their own names."""


def schemas() -> dict[str, Schema]:
    """Return the schema of all that is said on a connection by its name; they point to each other."""
    made = described(_NAMED)
    made["Asked"] = _asked()
    made["TournamentPhase"] = {**_texts([*TournamentPhase]), "title": "TournamentPhase"}
    made |= {
        name: {"title": name, "description": about, "oneOf": [*map(ref, names)]}
        for name, about, names in (
            ("Happening", "An event of any kind: `kind` says which.", map(event, maps.EVENT_TYPES)),
            (
                "TournamentHappening",
                "An event of a tournament, of any kind: `kind` says which.",
                map(tournament_event, TOURNAMENT_EVENT_TYPES),
            ),
            ("FromClient", "Any message of a client's.", map(client, TYPES)),
            ("ToClient", "Any message of the server's.", map(server, (*TOLD, *HAPPENINGS))),
        )
    }
    made[server("event")] = _happened("event", "Something happened in a room.", "room", "from")
    made[server("tournament_event")] = _happened(
        "tournament_event", "Something happened in a tournament.", "tournament"
    )
    return dict(sorted(made.items()))


def described(named: Mapping[str, type]) -> dict[str, Schema]:
    """Return the schemas of types by the names they are to have, and of what is inside them by its own."""
    pointers, found = msgspec.json.schema_components(named.values(), ref_template="{name}")
    names = {name: _plain(name) for name in found}
    names |= {
        pointer["$ref"]: name
        for name, pointer in zip(named, pointers, strict=True)
        if "$ref" in pointer  # else it is no object
    }
    made = {names[name]: _renamed(schema, names) for name, schema in found.items()}
    for name, schema in made.items():
        if "properties" in schema:
            _finish(name, schema, named.get(name))
    return made


def _plain(name: str) -> str:
    return name.rpartition(".")[2].removesuffix("Map")


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    if isinstance(part, dict):
        if "$ref" in part:
            return ref(names[part["$ref"]])
        if "prefixItems" in part:  # which AsyncAPI does not know; our pairs are of two alike
            part = {**part, "items": part["prefixItems"][0]}
            del part["prefixItems"]
        return {key: _renamed(value, names) for key, value in part.items()}
    return [_renamed(item, names) for item in part] if isinstance(part, list) else part


def _finish(name: str, schema: Schema, kind: type | None) -> None:
    """Give a schema of an object its name, and each of its fields what its type does not say."""
    schema["title"] = name
    required = schema["required"] = list(schema.get("required", ()))
    if name == "Options":
        required += [field for field in schema["properties"] if field not in _NOT_ALWAYS]
    properties = {field: schema["properties"][field] for field in _in_order(kind, schema["properties"])}
    for field, found in properties.items():
        said = _INSTEAD.get((name, field), found)
        if field not in required and _left_out(name, field):
            said = _never_null(said)
        properties[field] = _described(said, meaning(name, field))
    schema["properties"] = properties
    schema["required"] = [field for field in properties if field in required]
    schema.update(_TOGETHER.get(name, {}))


def _in_order(kind: type | None, fields: Mapping[str, Schema]) -> Iterator[str]:
    """Yield the fields as the type declares them, its tag first; those of a TypedDict come sorted."""
    declared = [] if kind is None or issubclass(kind, Struct) else [*get_type_hints(kind)]
    yield from declared or fields


def _left_out(name: str, field: str) -> bool:
    """Tell whether a field that may be absent is never null, as in all that the server tells and keeps."""
    return (
        name.startswith(("Server", "Event", "TournamentEvent", "Recorded"))
        and field not in _OPTIONAL_AND_NULL
    )


def _never_null(said: Schema) -> Schema:
    """Return the schema of a field that is left out where it has no value."""
    if "anyOf" in said:
        kept = [one for one in said["anyOf"] if one != {"type": "null"}]
        said = {key: value for key, value in said.items() if key != "anyOf"}
        said |= kept[0] if len(kept) == 1 else {"anyOf": kept}
    return {key: value for key, value in said.items() if key != "default" or value is not None}


def _described(said: Schema, text: str | None) -> Schema:
    if len(said.get("enum", ())) == 1:
        said = {"const": said["enum"][0]}
    if text is None:
        return said
    if "$ref" in said:  # beside which nothing else counts
        said = {"allOf": [{"$ref": said["$ref"]}]}
    return {"description": text, **said}


# What the types do not say


def _texts(values: Sequence[str]) -> Schema:
    return {"type": "string", "enum": [str(value) for value in values]}


_INSTEAD: Final[Mapping[tuple[str, str], Schema]] = {
    ("ClientCreate", "options"): {"anyOf": [ref("Asked"), {"type": "null"}], "default": None},
    ("ClientCreate", "mode"): ref("Mode"),
    ("ClientQueue", "mode"): ref("Mode"),
    ("ClientChat", "phrase"): {"anyOf": [_texts([*PHRASES]), {"type": "null"}], "default": None},
    ("State", "options"): ref("Options"),
    ("State", "mode"): ref("Mode"),
    ("State", "phase"): ref("Phase"),
    ("RoomLine", "mode"): ref("Mode"),
    ("RoomLine", "phase"): ref("Phase"),
    ("Player", "bot"): ref("Level"),
    ("ServerQueued", "mode"): ref("Mode"),
    ("ServerResumed", "events"): {"type": "array", "items": ref("Happening")},
    ("ServerTournamentResumed", "events"): {"type": "array", "items": ref("TournamentHappening")},
    ("ClientTournamentCreate", "options"): {"anyOf": [ref("Asked"), {"type": "null"}], "default": None},
    ("ClientTournamentCreate", "mode"): ref("Mode"),
    ("ClientTournamentCreate", "format"): ref("Format"),
    ("Plan", "format"): ref("Format"),
    ("Plan", "mode"): ref("Mode"),
    ("Plan", "options"): ref("Options"),
    ("Tournament", "phase"): ref("TournamentPhase"),
    ("Game", "how"): {"anyOf": [ref("How"), {"type": "null"}]},
    ("RoomLine", "teams"): ref("Teams"),
    ("TournamentLine", "format"): ref("Format"),
    ("TournamentLine", "mode"): ref("Mode"),
    ("TournamentLine", "phase"): ref("TournamentPhase"),
    ("Leaderboard", "mode"): ref("Mode"),
    ("Leaderboard", "period"): _texts(PERIODS),
    ("RecordedPlayer", "bot"): {"anyOf": [ref("Level"), {"type": "null"}]},
    ("RecordedMistaken", "code"): _texts([*Fault, Obstacle.PAIRS_LEFT]),
    ("Record", "format"): {"const": FORMAT},
    ("Record", "mode"): ref("Mode"),
    ("Record", "options"): ref("Options"),
    ("Record", "events"): {"type": "array", "items": ref("Recorded")},
    ("RecordResult", "reason"): _texts([*EndReason]),
    ("ServerRefused", "code"): _texts([*Obstacle, *Fault]),
    ("EventMistaken", "code"): _texts([*Fault, Obstacle.PAIRS_LEFT]),
    ("ServerDetached", "reason"): _texts(["taken_over", "kicked", "closed"]),
}


def _has(field: str, kind: str) -> Schema:
    """Say that a field is there, and not null."""
    return {"properties": {field: {"type": kind}}, "required": [field]}


_BOTH_OR_NONE: Final = [
    {"if": _has("after", "integer"), "then": _has("chain", "integer")},
    {"if": _has("chain", "integer"), "then": _has("after", "integer")},
]
_TOGETHER: Final[Mapping[str, Schema]] = {
    "ClientJoin": {
        "oneOf": [_has("room", "string"), _has("code", "string")],
        "allOf": _BOTH_OR_NONE,
    },
    "ClientTournamentWatch": {"allOf": _BOTH_OR_NONE},
    "ClientChat": {"oneOf": [_has("text", "string"), _has("phrase", "string")]},
}


def _asked() -> Schema:
    """Return the schema of the options of `create`: as those in effect, each with its range, and the seed."""
    sizes, players = [*SIZES.values()], [*PLAYERS.values()]
    ranges: dict[str, tuple[int, int]] = {
        "size": (min(map(min, sizes)), max(map(max, sizes))),
        **{field: (allowed[0], allowed[-1]) for field, allowed in RANGES.items()},
        "max_players": (min(map(min, players)), max(map(max, players))),
    }
    fields: dict[str, Schema] = {}
    _, found = msgspec.json.schema_components([Options], ref_template="{name}")
    for field, schema in found["Options"]["properties"].items():
        said = {"type": schema.get("type", "string")}
        if field in ranges:
            said |= dict(zip(("minimum", "maximum"), ranges[field], strict=True))
        elif "$ref" in schema:
            said = ref(schema["$ref"])
        fields[field] = _described({"anyOf": [said, {"type": "null"}]}, meaning("Asked", field))
    seed = {"type": "string", "pattern": "^[0-9a-fA-F]{64}$"}
    fields["seed"] = _described({"anyOf": [seed, {"type": "null"}]}, meaning("Asked", "seed"))
    return {
        "title": "Asked",
        "description": "Options of `create`. What is absent or null is as it is by itself.",
        "type": "object",
        "properties": fields,
        "additionalProperties": False,  # unlike elsewhere: an option that there is not is refused
    }


def _happened(t: str, about: str, where: str, *others: str) -> Schema:
    """Return the schema of a message that tells an event: where it happened, and the event itself."""
    around = {"t": {"const": t}, **{field: {"type": "string"} for field in (where, *others)}}
    fields = {field: _described(said, meaning(server(t), field)) for field, said in around.items()}
    return {
        "title": server(t),
        "description": about,
        "allOf": [
            {"type": "object", "properties": fields, "required": ["t", where]},
            ref("Happening" if t == "event" else "TournamentHappening"),
        ],
    }
