"""The frames recorded in server/protocol.md, read from its text."""

import re
from pathlib import Path
from typing import Final, NamedTuple

_PAGE = Path(__file__).parents[2] / "server" / "protocol.md"
_FRAME = re.compile(
    r"^#### (?P<title>.+)\n\n```json\n(?P<json>.*)\n```\n\n```msgpack\n(?P<hex>[0-9a-f\n]+)\n```$",
    re.MULTILINE,
)


class Frame(NamedTuple):
    """A message as both codecs write it."""

    title: str
    json: bytes
    msgpack: bytes

    @property
    def types(self) -> list[str]:
        """The `t`, and for an event its `kind`."""
        return re.findall("`(.+?)`", self.title)


def page() -> str:
    """Return the text of the wire reference."""
    return _PAGE.read_text()


def _section(title: str) -> list[Frame]:
    section = page().partition(f"\n### {title}\n")[2].partition("\n### ")[0]
    frames = [
        Frame(found["title"], found["json"].encode(), bytes.fromhex(found["hex"].replace("\n", "")))
        for found in _FRAME.finditer(section)
    ]
    assert len(frames) == section.count("\n#### "), f"a frame under {title!r} cannot be read"
    return frames


FROM_CLIENT: Final = _section("From the client")
TO_CLIENT: Final = _section("From the server")
EVENTS: Final = _section("Events, one of each kind")
TOURNAMENT_EVENTS: Final = _section("Events of tournaments, one of each kind")
