"""A client for Python: play, watch, and write players of your own.

    async with Client("http://127.0.0.1:8765", name="Ann") as client:
        room = await client.join("K7MPQ2")
        await room.ready()
        state = await room.until(lambda room: room.phase is Phase.PLAYING)
        answer = await room.match(*state.pairs()[0])

It comes back by itself after any loss and resumes every room where it was; each move is made once. Each event
is folded by the same rules as the server's, and the board after it compared with the server's hash.

It stands on `rules`, `game` and `protocol`, and knows nothing of how the server works.
"""

from tenmatch.client.client import Client
from tenmatch.client.errors import (
    BadUrl,
    ClientError,
    Closed,
    Denied,
    Detached,
    Disconnected,
    NotOurs,
    TimedOut,
    Unreachable,
)
from tenmatch.client.follower import RoomStatus
from tenmatch.client.happenings import Happening, Happenings, Shown, Step
from tenmatch.client.heard import Told, Unknown
from tenmatch.client.link import Ending, Status
from tenmatch.client.moves import Answer
from tenmatch.client.room import Room
from tenmatch.client.state import State
from tenmatch.game.events import (
    Added,
    Called,
    Created,
    Ended,
    EndReason,
    Flagged,
    Level,
    Matched,
    Mistaken,
    Passed,
    Player,
    Rank,
    Readied,
    Rematch,
    Resigned,
    Seated,
    Shifted,
    Started,
    Starting,
    Unseated,
)
from tenmatch.game.options import Mode, Options
from tenmatch.game.room import Phase
from tenmatch.game.seat import Seat
from tenmatch.protocol.maps import Progress, RoomLine
from tenmatch.protocol.to_client import Chat, Presence, Refused
from tenmatch.rules.board import COLUMNS, Board
from tenmatch.rules.judge import judge, pairs
from tenmatch.rules.notation import text
from tenmatch.rules.score import pair_points

__all__ = [
    "COLUMNS",
    "Added",
    "Answer",
    "BadUrl",
    "Board",
    "Called",
    "Chat",
    "Client",
    "ClientError",
    "Closed",
    "Created",
    "Denied",
    "Detached",
    "Disconnected",
    "EndReason",
    "Ended",
    "Ending",
    "Flagged",
    "Happening",
    "Happenings",
    "Level",
    "Matched",
    "Mistaken",
    "Mode",
    "NotOurs",
    "Options",
    "Passed",
    "Phase",
    "Player",
    "Presence",
    "Progress",
    "Rank",
    "Readied",
    "Refused",
    "Rematch",
    "Resigned",
    "Room",
    "RoomLine",
    "RoomStatus",
    "Seat",
    "Seated",
    "Shifted",
    "Shown",
    "Started",
    "Starting",
    "State",
    "Status",
    "Step",
    "TimedOut",
    "Told",
    "Unknown",
    "Unreachable",
    "Unseated",
    "judge",
    "pair_points",
    "pairs",
    "text",
]
