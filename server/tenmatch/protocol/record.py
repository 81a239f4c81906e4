"""A finished game as one JSON object that proves itself: `tenmatch-record/1` (server/protocol.md, "Records").

Its events are those of the log up to `ended`, field by field as they are stored, so the log's bytes and its
chain can be computed from it again. Everything in its heading follows from them.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from tenmatch.game.daily import revealed_at
from tenmatch.game.events import AnyEvent, Created, Ended, EndReason, Player, Rank, Seated, Started, Unseated
from tenmatch.game.ids import Millis, SeatNumber, Seq
from tenmatch.game.options import Mode, Options
from tenmatch.protocol.limits import MAX_EXACT
from tenmatch.protocol.stored import Entry

FORMAT: Final = "tenmatch-record/1"


class RecordError(ValueError):
    """A text is no record; the message says why."""

    def __init__(self, text: str, event: int | None = None) -> None:
        super().__init__(text)
        self.event = event  # the one that is wrong, by its place from 1; None: the record as a whole


class Sitter(msgspec.Struct, frozen=True, kw_only=True):
    """Who played on a seat."""

    seat: SeatNumber
    player: Player


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How the game ended."""

    reason: EndReason
    ranking: tuple[Rank, ...]


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of the game as a whole."""

    format: str
    rules: int  # version of the rules
    mode: Mode
    options: Options
    commit: str | None  # SHA-256 of the seed, hex; None for the classic deal, as is
    seed: str | None
    salt: str  # hex; opens the chain
    players: tuple[Sitter, ...]  # by seat
    result: Result


class Recorded(msgspec.Struct, frozen=True):
    """An event, and where it stands in the log."""

    seq: Seq
    chain: int
    event: AnyEvent


class Record(msgspec.Struct, frozen=True):
    """A finished game."""

    heading: Heading
    events: tuple[Recorded, ...]


def record_of(entries: Sequence[Entry]) -> Record | None:
    """Make the record of a room from its whole log; None where no game was played to its end."""
    events = [entry.event for entry in entries]
    end = next((place for place, event in enumerate(events) if isinstance(event, Ended)), None)
    if end is None or not any(isinstance(event, Started) for event in events):
        return None
    created, ended = events[0], events[end]
    assert isinstance(created, Created), "a log begins with created"
    assert isinstance(ended, Ended), "found as such"
    if created.daily is None and ended.seed != created.seed:
        return None
    recorded = tuple(Recorded(entry.seq, entry.chain, entry.event) for entry in entries[: end + 1])
    return Record(heading_of(created, events[:end], ended), recorded)


def heading_of(created: Created, events: Sequence[AnyEvent], ended: Ended) -> Heading:
    """Say of a game as a whole what its events come to."""
    players: dict[SeatNumber, Player] = {}
    for event in events:
        if isinstance(event, Seated):
            players[event.seat] = event.player
        elif isinstance(event, Unseated):
            players.pop(event.seat, None)
    return Heading(
        format=FORMAT,
        rules=created.rules,
        mode=created.mode,
        options=created.options,
        commit=created.commit,
        seed=created.seed,
        salt=created.salt,
        players=tuple(Sitter(seat=seat, player=player) for seat, player in sorted(players.items())),
        result=Result(reason=ended.reason, ranking=ended.ranking),
    )


def public_at(record: Record) -> Millis:
    """Return from when on anyone may have a record: who watches with a delay sees the end so much later."""
    delay = record.heading.options.spectator_delay_ms
    return Millis(record.events[-1].event.at + delay)


def hidden_until(record: Record) -> Millis:
    """Return until when a record is kept but nobody's to see: that of a daily, until its seed is told."""
    created = record.events[0].event
    assert isinstance(created, Created), "a log begins with created"
    return revealed_at(created.daily) if created.daily else Millis(0)


# As text


def encode(record: Record) -> bytes:
    """Write a record as JSON."""
    return msgspec.json.encode(_plain(record))


def decode(text: bytes) -> Record:
    """Read a record. Whether what it says can be so is `tenmatch.protocol.verifier.verify` to judge.

    Raises:
        RecordError: It is none: not JSON, or not exactly the fields that a record has.
    """
    said = _read(text)
    told = said.pop("events", None)
    if not isinstance(told, list):
        raise RecordError("a record has a list of events")
    events = tuple(_event(event, number) for number, event in enumerate(told, 1))
    return Record(_exactly(said, Heading), events)


def _plain(record: Record) -> dict[str, Any]:
    events = [
        {"seq": entry.seq, "chain": entry.chain, **msgspec.to_builtins(entry.event)}
        for entry in record.events
    ]
    return {**msgspec.to_builtins(record.heading), "events": events}


def _read(text: bytes) -> dict[str, Any]:
    try:
        said = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RecordError(f"not JSON: {error}") from error
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise RecordError(f"a record is an object with the format {FORMAT!r}")
    if not _is_exact(said):
        raise RecordError("there is a number in it that is not exact in every language")
    return said


def _is_exact(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_is_exact, value.values()))
    if isinstance(value, list):
        return all(map(_is_exact, value))
    return not isinstance(value, int) or -MAX_EXACT <= value <= MAX_EXACT


def _event(said: object, number: int) -> Recorded:
    if not isinstance(said, dict):
        raise RecordError("it is no object", number)
    place = _exactly({name: said.pop(name, None) for name in ("seq", "chain")}, _Place, number)
    return Recorded(place.seq, place.chain, _exactly(said, AnyEvent, number))


class _Place(msgspec.Struct, frozen=True):
    seq: Seq
    chain: int


def _exactly(said: dict[str, Any], kind: Any, event: int | None = None) -> Any:
    """Read what must be written as we write it: nothing more, nothing less, though in whatever order."""
    try:
        found = msgspec.convert(said, kind)
    except msgspec.ValidationError as error:
        raise RecordError(str(error), event) from error
    if wrong := difference(said, msgspec.to_builtins(found)):
        raise RecordError(f"{wrong.path} is {shown(wrong.said)}, should be {shown(wrong.due)}", event)
    return found


# Where two differ


class Difference(NamedTuple):
    """The first place where something else is said than is due; UNSET stands for nothing there."""

    path: str
    said: Any
    due: Any


def difference(said: Any, due: Any, path: str = "") -> Difference | None:
    """Return the first place where two values differ that are made of maps, lists and plain values."""
    if isinstance(said, dict) and isinstance(due, dict):
        named = [*due, *(name for name in said if name not in due)]
        parts = [
            (f"{path}.{name}".lstrip("."), said.get(name, UNSET), due.get(name, UNSET)) for name in named
        ]
    elif isinstance(said, list | tuple) and isinstance(due, list | tuple):
        both = zip_longest(said, due, fillvalue=UNSET)
        parts = [(f"{path}[{place}]", *items) for place, items in enumerate(both)]
    else:
        return None if said == due else Difference(path, said, due)
    found = (difference(one, other, part) for part, one, other in parts)
    return next(filter(None, found), None)


def shown(value: object) -> str:
    """Show a value in a message, briefly."""
    text = "nothing" if value is UNSET else msgspec.json.encode(value).decode()
    return text if len(text) <= 100 else f"{text[:100]}…"
