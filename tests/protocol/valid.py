"""Is a message, or an answer over HTTP, what its schema says, and nothing more?

The schemas are open, as the wire is. Here they are shut.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

import jsonschema_rs

from tenmatch.protocol.openapi import page_schemas
from tenmatch.protocol.schema import HAPPENINGS, Schema, client, ref, schemas, server

OPEN: Final = {**page_schemas(), **schemas()}


def _shut(name: str, schema: Schema) -> Schema:
    """Let a schema have no field that it does not name; those of an event are named in two places."""
    if name in map(server, HAPPENINGS):
        return {**schema, "unevaluatedProperties": False}
    if "events" in schema.get("properties", ()):
        each = schema["properties"]["events"]["items"]
        events = {"type": "array", "items": {**each, "unevaluatedProperties": False}}
        schema = {**schema, "properties": {**schema["properties"], "events": events}}
    if "properties" in schema and not name.startswith(("Event", "TournamentEvent")):
        return {**schema, "additionalProperties": False}
    return schema


_SHUT: Final = {name: _shut(name, schema) for name, schema in OPEN.items()}
_made: Final[dict[str, jsonschema_rs.Draft202012Validator]] = {}


def validator(name: str) -> jsonschema_rs.Draft202012Validator:
    """Return what checks messages against the shut schema of that name."""
    if name not in _made:
        whole = {**ref(name), "components": {"schemas": _SHUT}}
        _made[name] = jsonschema_rs.Draft202012Validator(whole)
    return _made[name]


def fits(message: Mapping[str, Any]) -> bool:
    """Tell whether a message of a client's, of a type that there is, fits its schema."""
    name = client(cast(str, message["t"]))
    return name in OPEN and validator(name).is_valid(message)


def complaint(message: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a message of the server's, if anything."""
    name = server(cast(str, message["t"]))
    if name not in OPEN:
        return f"no message has the type {message['t']!r}"
    return misfit(name, message)


def misfit(name: str, value: object) -> str | None:
    """Return in what a value is not as the schema of that name says, if it is not."""
    found = next(iter(validator(name).iter_errors(value)), None)
    return f"{found.message[:300]} in {value}" if found else None
