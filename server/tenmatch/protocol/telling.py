"""The message that tells those in a room of an event: `event` (server/protocol.md, "Server to client").

Any event can be told by way of its map. By far the most are matches in a race, which have what every match
has and no more; those are put straight into a message whose fields stand where the map would have them, in a
third of the time.
"""

from operator import attrgetter
from typing import Final

from msgspec import NODEFAULT, defstruct
from msgspec.structs import fields

from tenmatch.game.events import Matched
from tenmatch.game.ids import RoomId
from tenmatch.protocol import to_client
from tenmatch.protocol.codec import Sendable
from tenmatch.protocol.stored import Entry
from tenmatch.protocol.viewers import event_map

_KIND: Final = str(Matched.__struct_config__.tag)
_MUST: Final = [field for field in fields(Matched) if field.default is NODEFAULT and field.name != "at"]
_MAY: Final = [field for field in fields(Matched) if field.default is None and field.name != "hash"]
_HEAD: Final = [("t", str), ("room", str), ("seq", int), ("chain", int), ("at", int), ("hash", int | None)]

_Match = defstruct(
    "_Match", [*_HEAD, ("kind", str), *((field.name, field.type) for field in _MUST)], frozen=True
)
_own: Final = attrgetter(*(field.name for field in _MUST))
_more: Final = attrgetter(*(field.name for field in _MAY))
_NO_MORE: Final = (None,) * len(_MAY)


def event_message(room: RoomId, entry: Entry) -> Sendable:
    """Make the message that tells of an event in *room* all that may be told of it."""
    event = entry.event
    if type(event) is Matched and _more(event) == _NO_MORE:
        return _Match("event", room, entry.seq, entry.chain, event.at, event.hash, _KIND, *_own(event))
    return to_client.event(room, event_map(entry))
