"""Records with one thing changed, for verifiers to find: as they are, or sealed anew so only rules tell."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgpack
from tests.game.whole import GAMES
from tests.protocol.logs import LOGS

from tenmatch.protocol.record import encode, record_of
from tenmatch.protocol.stored import Entry, seal_all

Json = Any
Path = tuple[str | int, ...]

REASONS: Final = ("cleared", "stuck", "time", "last_one_in", "abandoned")
WORDS: Final = {  # other words that could stand in a field
    "kind": ("matched", "mistaken", "passed", "resigned", "flagged", "shifted"),
    "code": ("values", "blocked", "not_connected", "inactive", "pairs_left"),
    "reason": (*REASONS, "left", "kicked", "absent"),
    "mode": ("race", "turns", "mirror"),
    "deal": ("random", "even", "classic"),
    "bot": ("easy", "medium", "hard"),
}


class Forged(NamedTuple):
    """A record that is not what it was."""

    how: str
    record: Json
    path: Path  # what was changed


def genuine(name: str) -> Json:
    """Return the record of a whole game, or of a frozen log."""
    entries = LOGS[name.removeprefix("frozen ")].entries if name.startswith("frozen ") else played(name)
    record = record_of(entries)
    assert record is not None
    return json.loads(encode(record))


def played(name: str) -> list[Entry]:
    """Return the log of a whole game."""
    game = GAMES[name]()
    return seal_all(game.events, 0, 0, bytes.fromhex(game.room.salt))


NAMES: Final = (*GAMES, *(f"frozen {name}" for name in LOGS))
"""All games of which there are records."""


# One thing changed


def changed(record: Json) -> Iterator[Forged]:
    """Yield records with one thing changed, for every value and every place in one."""
    for path, value in _parts(record):
        if not path:
            continue
        for other in _others(str(path[-1]), value):
            yield _with(record, path, partial(_replaced, other))
        if isinstance(path[-1], str):
            yield _with(record, path, _dropped, "without ")
            yield _with(record, path, _renamed, "with another name for ")


def _parts(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from _parts(part, (*path, key))


def _others(name: str, value: Json) -> list[Json]:
    """Return other values that could stand in place of one."""
    return [other for other in _candidates(name, value) if json.dumps(other) != json.dumps(value)]


def _candidates(name: str, value: Json) -> list[Json]:
    if isinstance(value, bool):
        return [not value, int(value), None]
    if isinstance(value, int):
        return [value + 1, value - 1, -value - 1, value + 0.5, str(value), None]
    if isinstance(value, str):
        places = {0, len(value) // 2, len(value) - 1} if value else ()
        return [*WORDS.get(name, ()), *(_respelt(value, place) for place in places), value + "x", None]
    if isinstance(value, list):
        return [value[:-1], value[1:], [*value, *value[-1:]], value[::-1], None] if value else [[0], None]
    if isinstance(value, dict):
        return [{**value, "more": 1}, None]
    return [0, "", False, []]


def _respelt(text: str, place: int) -> str:
    """Write another letter, digit or sign of the same sort in one place of a text."""
    sign = text[place]
    other = chr(ord(sign) ^ 1) if sign not in "/." else "1"
    return text[:place] + other + text[place + 1 :]


def _replaced(other: Json, holder: Json, key: str | int) -> None:
    holder[key] = other


def _dropped(holder: Json, key: str | int) -> None:
    del holder[key]


def _renamed(holder: Json, key: str | int) -> None:
    holder[f"{key}_"] = holder.pop(key)


def _with(record: Json, path: Path, change: Callable[[Json, str | int], None], how: str = "") -> Forged:
    forged = deepcopy(record)
    holder = forged
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    now = holder.get(path[-1]) if isinstance(holder, dict) else holder
    return Forged(f"{how}{'.'.join(map(str, path))}: {json.dumps(now)[:80]}", forged, path)


# Sealed anew


def sealed(forged: Forged) -> Forged | None:
    """Seal the events of a forged record anew and write its heading after them; None where that cannot be."""
    record = deepcopy(forged.record)
    try:
        chain, salt = 0, bytes.fromhex(record["events"][0]["salt"])
        for seq, event in enumerate(record["events"], 1):
            chain = chain_of(event, chain, salt)
            event["seq"], event["chain"] = seq, chain
        return Forged(
            f"sealed anew, {forged.how}", _heading(record) | {"events": record["events"]}, forged.path
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def chain_of(event: Json, previous: int, salt: bytes) -> int:
    """Compute the chain of an event as recorded (server/protocol.md, "What is stored")."""
    body = msgpack.packb({name: value for name, value in event.items() if name not in ("seq", "chain")})
    return int.from_bytes(sha256(salt + previous.to_bytes(4) + body).digest()[:4])


def _heading(record: Json) -> Json:
    created, *_, ended = record["events"]
    players: dict[int, Json] = {}
    for event in record["events"]:
        if event["kind"] == "seated":
            players[event["seat"]] = event["player"]
        elif event["kind"] == "unseated":
            players.pop(event["seat"])
    names = ("rules", "mode", "options", "commit", "seed", "salt")
    return {
        "format": record["format"],
        **{name: created.get(name) for name in names},
        "players": [{"seat": seat, "player": player} for seat, player in sorted(players.items())],
        "result": {"reason": ended["reason"], "ranking": ended["ranking"]},
    }
