"""What somebody reports of another player, as it is kept for the organiser: JSON, one object a report."""

from enum import StrEnum
from typing import Final

import msgspec

from tenmatch.game.ids import Millis, RoomId, SeatNumber
from tenmatch.protocol.maps import PersonMap

SAID: Final = 20
"""Lines of the reported player's that are kept with a report, at most: the last ones."""


class Reason(StrEnum):
    """What is reported."""

    ABUSE = "abuse"  # insults, threats, a name that is one
    CHEATING = "cheating"
    STALLING = "stalling"  # holding the game up, leaving on purpose
    OTHER = "other"


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A line of chat."""

    at: Millis
    text: str


class Report(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A report. Another one by the same player on the same other in the same room takes its place."""

    at: Millis
    room: RoomId
    mode: str
    about: PersonMap
    seat: SeatNumber | None = None  # on which the reported player sits; absent: they watch, or have left
    by: PersonMap
    reason: Reason
    text: str | None = None  # in the reporter's words
    said: tuple[Said, ...] = ()  # what the reported player said there, as far as the reporter was told


_DECODER: Final = msgspec.json.Decoder(Report)


def encode(report: Report) -> bytes:
    """Write a report as it is kept."""
    return msgspec.json.encode(report)


def decode(kept: bytes) -> Report:
    """Read a report that is kept. Raises msgspec.MsgspecError for what is none."""
    return _DECODER.decode(kept)
