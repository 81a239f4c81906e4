"""Logs as version 1 stored them (tests/vectors/stored.json), and events of any kind and content."""

import json
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args, get_type_hints

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from tests.game.rooms import fold

from tenmatch.game.events import AnyEvent, Player, Rank
from tenmatch.game.options import Options
from tenmatch.game.room import Room
from tenmatch.protocol.stored import Entry, open_all

_VECTORS = Path(__file__).parents[1] / "vectors" / "stored.json"


class Log(NamedTuple):
    """A frozen log, and what it must be read as."""

    salt: bytes
    raws: list[bytes]
    events: list[AnyEvent]
    entries: list[Entry]

    def room(self, seq: int | None = None) -> Room:
        """Return the room after the event *seq*, or the last."""
        return fold(self.events[:seq])


def _log(kept: dict[str, Any]) -> Log:
    raws = [bytes.fromhex(entry["raw"]) for entry in kept["entries"]]
    events = [msgspec.convert(entry["event"], AnyEvent) for entry in kept["entries"]]
    return Log(bytes.fromhex(kept["salt"]), raws, events, open_all(raws, 0, 0))


LOGS: Final = {
    name: _log(kept) for name, kept in json.loads(_VECTORS.read_text()).items() if isinstance(kept, dict)
}

patient: Final = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""However busy the machine is, that is no failure."""

_NUMBERS = st.integers(-(2**63), 2**64 - 1)  # what MessagePack can hold
_TEXTS = st.text(max_size=30)


def _values(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for the values of a field's type."""
    kind = getattr(kind, "__supertype__", kind)
    if kind is type(None):
        return st.none()
    if kind is bool:
        return st.booleans()
    if kind is int:
        return _NUMBERS
    if kind is str:
        return _TEXTS
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    if isinstance(kind, type) and issubclass(kind, Options | Player | Rank):
        return structs(kind)
    if getattr(kind, "__origin__", None) is tuple:
        return st.lists(_values(get_args(kind)[0]), max_size=4).map(tuple)
    return st.one_of(*map(_values, get_args(kind)))


def structs(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for the values of a struct's type, of any content its fields can have."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{name: _values(hints[name]) for name in kind.__struct_fields__})


KINDS: Final[tuple[Any, ...]] = get_args(AnyEvent)
EVENTS: Final[st.SearchStrategy[AnyEvent]] = st.sampled_from(KINDS).flatmap(structs)
"""Events of any kind and content."""
