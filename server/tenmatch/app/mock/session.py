"""Recorded sessions: JSON objects, one a line (tests/vectors/sessions/README.md).

{"session": NAME, "format": "tenmatch-session/1", "about": TEXT, "raw": BOOLEAN}   the first line
{"note": TEXT}          what happens here, for people
{"connect": true}       the client connects
{"in": MESSAGE}         the client says this
{"out": MESSAGE}        the server says this
{"cut": true}           the connection breaks
{"close": CODE}         the server closes it
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import msgspec

FORMAT: Final = "tenmatch-session/1"


class BadSession(Exception):
    """A file is no recorded session; the message says why."""


class Kind(StrEnum):
    """What a line stands for."""

    NOTE = "note"
    CONNECT = "connect"
    IN = "in"
    OUT = "out"
    CUT = "cut"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Step:
    """A line of a session."""

    line: int  # from 1
    kind: Kind
    value: Any  # of IN and OUT a message, of NOTE a text, of CLOSE a code


@dataclass(frozen=True, slots=True)
class Session:
    """What went over the connections of one client, in order."""

    name: str
    about: str
    raw: bool  # it has messages that no client would send which means well
    steps: tuple[Step, ...]


def read(path: Path) -> Session:
    """Read a session.

    Raises:
        BadSession: There is none in that file.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise BadSession(f"{path} cannot be read: {error.strerror}") from error
    objects = [(number, _object(path, number, line)) for number, line in enumerate(lines, 1) if line.strip()]
    heading = objects[0][1] if objects else {}
    if heading.get("format") != FORMAT:
        raise BadSession(f"{path} does not begin with a line that has the format {FORMAT!r}")
    steps = tuple(_step(path, number, line) for number, line in objects[1:])
    return Session(
        str(heading.get("session")), str(heading.get("about", "")), bool(heading.get("raw")), steps
    )


def _object(path: Path, number: int, line: bytes) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise BadSession(f"{path}, line {number}: {error}") from error


def _step(path: Path, number: int, line: Mapping[str, Any]) -> Step:
    if len(line) == 1:
        [(kind, value)] = line.items()
        shape = {Kind.NOTE: str, Kind.IN: dict, Kind.OUT: dict, Kind.CLOSE: int}
        if kind in tuple(Kind) and isinstance(value, shape.get(Kind(kind), object)):
            return Step(number, Kind(kind), value)
    raise BadSession(f"{path}, line {number}: it is none of {', '.join(Kind)}")
