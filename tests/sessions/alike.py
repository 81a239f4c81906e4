"""Do two recordings of a session say the same?

Ids, tokens and moments are others each time. An id stands for one thing all the same, so it must have the
same counterpart wherever it occurs.
"""

from collections.abc import Mapping
from typing import Any, Final

from tenmatch.app.mock.play import MOMENTS
from tenmatch.game.answers import Obstacle
from tenmatch.protocol.limits import ErrorCode
from tenmatch.rules.judge import Fault

DRAWN: Final = frozenset({"chain", "id", "seated", "room", "from", "code", "salt", "seed", "player"})
"""What is drawn anew each time; `code` also names what was wrong."""
OWN: Final = frozenset({"token", "node", "version", "clocks"})
"""What a server has for itself; and clocks, which run."""
WORDS: Final = frozenset(map(str, (*ErrorCode, *Obstacle, *Fault)))


def differing(recorded: Any, heard: Any) -> str | None:
    """Return the first difference between two recordings that is not for being another time; None: alike."""
    return _differing(recorded, heard, "", {})


def _differing(one: Any, other: Any, path: str, pairs: dict[object, object]) -> str | None:
    name = path.rpartition(".")[2].partition("[")[0]
    if isinstance(one, Mapping) and isinstance(other, Mapping) and one.keys() == other.keys():
        parts = [(f"{path}.{key}", one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        parts = [(f"{path}[{place}]", *both) for place, both in enumerate(zip(one, other, strict=True))]
    elif one == other or (type(one) is type(other) and _may_differ(name, one, other, pairs)):
        return None
    else:
        return f"{path}: {one!r} was recorded, {other!r} came"
    return next(filter(None, (_differing(a, b, where, pairs) for where, a, b in parts)), None)


def _may_differ(name: str, one: object, other: object, pairs: dict[object, object]) -> bool:
    if name in MOMENTS or name in OWN:
        return True
    if name not in DRAWN or {one, other} & WORDS:
        return False
    return pairs.setdefault(one, other) == other
