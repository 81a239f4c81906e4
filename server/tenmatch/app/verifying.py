"""`tenmatch verify`: whether records prove their games, a line for each; in words, or as JSON."""

import sys
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET

from tenmatch.protocol.record import Record
from tenmatch.protocol.verifier import Wrong, check

STANDARD_INPUT: Final = "-"
LONGEST: Final = 200  # characters of what stands in place of a record that are told


class Report(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one record. A field that has nothing to say is left out."""

    file: str
    ok: bool
    text: str  # for people
    event: int | None = None  # that is wrong, by its seq
    what: str | None = None  # the field in it
    said: Any = UNSET
    due: Any = UNSET

    def __str__(self) -> str:
        return f"{self.file}: {self.text}"


def report(file: str) -> Report:
    """Verify the record in a file, or on the standard input where that is `-`."""
    try:
        text = sys.stdin.buffer.read() if file == STANDARD_INPUT else Path(file).read_bytes()
    except OSError as error:
        return Report(file=file, ok=False, text=f"it cannot be read: {error.strerror}")
    found = check(text)
    if isinstance(found, Record):
        return Report(file=file, ok=True, text=f"proven: {_summary(found)}")
    return _failed(file, found, _instead(text))


def _instead(text: bytes) -> str:
    """Return what was read, where it is a line for people, as a server answers that has no such record."""
    words = text.decode(errors="replace").strip()
    if not text:
        return "; it is empty"
    told = words.isprintable() and words[:1].isalpha() and len(words) <= LONGEST
    return f"; it says: {words}" if told else ""


def _failed(file: str, wrong: Wrong, instead: str) -> Report:
    return Report(
        file=file,
        ok=False,
        text=f"{wrong}{instead}",
        event=wrong.event,
        what=wrong.what,
        said=wrong.said,
        due=wrong.due,
    )


def _summary(record: Record) -> str:
    heading = record.heading
    names = {sitter.seat: sitter.player.name for sitter in heading.players}
    places = (f"{rank.place}. {names[rank.seat]} {rank.score}" for rank in heading.result.ranking)
    ended = f"{heading.mode.value}, {len(record.events)} events, ended {heading.result.reason.value}"
    return f"{ended}; {', '.join(places)}"


def as_json(found: Report) -> str:
    """Write a report as JSON."""
    return msgspec.json.encode(found).decode()
