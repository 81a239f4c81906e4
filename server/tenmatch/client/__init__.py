"""A client for Python: play, watch, and write players of your own.

    async with Client("http://127.0.0.1:8765", name="Ann") as client:
        room = await client.join("K7MPQ2")
        await room.ready()
        state = await room.until(lambda room: room.phase is Phase.PLAYING)
        answer = await room.match(*state.pairs()[0])

It comes back by itself after any loss and resumes every room where it was; each move is made once. Each event
is folded by the same rules as the server's, and the board after it compared with the server's hash. What
needs no connection, as records and leaderboards, is in `Pages`: `client.pages`.

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
from tenmatch.client.pages import Pages
from tenmatch.client.room import Room
from tenmatch.client.standing import TournamentState
from tenmatch.client.state import State
from tenmatch.client.tournament import Tournament
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
from tenmatch.game.options import Mode, Options, Teams
from tenmatch.game.room import Phase
from tenmatch.game.seat import Seat
from tenmatch.game.teams import TEAMS
from tenmatch.game.tournament.events import Standing
from tenmatch.game.tournament.plan import Format, Plan
from tenmatch.game.tournament.state import Entrant, Game
from tenmatch.game.tournament.state import Phase as TournamentPhase
from tenmatch.protocol.maps import PersonMap, Progress, RoomLine
from tenmatch.protocol.pages import (
    DayLineMap,
    DayMap,
    LeaderboardMap,
    LeaderMap,
    PlayedMap,
    PlayerPageMap,
    ReadinessMap,
    ResultMap,
    RoomsMap,
    TournamentPageMap,
)
from tenmatch.protocol.phrases import PHRASES
from tenmatch.protocol.record import Record
from tenmatch.protocol.report import Reason
from tenmatch.protocol.to_client import Announcement, Chat, Presence, Refused
from tenmatch.protocol.tournaments import TournamentLine
from tenmatch.protocol.verifier import Wrong, verify
from tenmatch.rules.board import COLUMNS, Board
from tenmatch.rules.judge import judge, pairs
from tenmatch.rules.notation import text
from tenmatch.rules.score import pair_points

__all__ = [
    "COLUMNS",
    "PHRASES",
    "TEAMS",
    "Added",
    "Announcement",
    "Answer",
    "BadUrl",
    "Board",
    "Called",
    "Chat",
    "Client",
    "ClientError",
    "Closed",
    "Created",
    "DayLineMap",
    "DayMap",
    "Denied",
    "Detached",
    "Disconnected",
    "EndReason",
    "Ended",
    "Ending",
    "Entrant",
    "Flagged",
    "Format",
    "Game",
    "Happening",
    "Happenings",
    "LeaderMap",
    "LeaderboardMap",
    "Level",
    "Matched",
    "Mistaken",
    "Mode",
    "NotOurs",
    "Options",
    "Pages",
    "Passed",
    "PersonMap",
    "Phase",
    "Plan",
    "PlayedMap",
    "Player",
    "PlayerPageMap",
    "Presence",
    "Progress",
    "Rank",
    "Readied",
    "ReadinessMap",
    "Reason",
    "Record",
    "Refused",
    "Rematch",
    "Resigned",
    "ResultMap",
    "Room",
    "RoomLine",
    "RoomStatus",
    "RoomsMap",
    "Seat",
    "Seated",
    "Shifted",
    "Shown",
    "Standing",
    "Started",
    "Starting",
    "State",
    "Status",
    "Step",
    "Teams",
    "TimedOut",
    "Told",
    "Tournament",
    "TournamentLine",
    "TournamentPageMap",
    "TournamentPhase",
    "TournamentState",
    "Unknown",
    "Unreachable",
    "Unseated",
    "Wrong",
    "judge",
    "pair_points",
    "pairs",
    "text",
    "verify",
]
