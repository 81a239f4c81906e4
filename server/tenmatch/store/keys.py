"""Every key and channel in the store, what lies under it and how long.

The part in braces is the hash tag: what one script touches together shares it, so that it lies in one slot of
a cluster.

| key                  | type    | what lies there                                    | expiry               |
|----------------------|---------|----------------------------------------------------|----------------------|
| tm:{ROOM}:log        | list    | its events, an entry each; also of a tournament    | renewed by appends   |
| tm:{ROOM}:here       | hash    | connection counter, holders of seats, watchers     | with the log         |
| tm:{ROOM}:feed       | channel | new entries, and notes (see store.published)       |                      |
| tm:{ROOM}:record     | string  | the finished game, as JSON in gzip (store.records) | as set; none: 0 days |
| tm:{ROOM}:observed   | list    | notes on its players beside it (store.observed)    | as set; none: 0 days |
| tm:{probe:NODE:I}    | channel | a node's messages to itself, one for each shard    |                      |
| tm:{due:K}           | zset    | room by the ms when somebody must look             | none: members go     |
| tm:{nodes}:said      | hash    | node → what it says of itself (store.nodes)        | none: members go     |
| tm:{nodes}:at        | zset    | node by the ms when it said so; out after 10 s     | none: members go     |
| tm:{alive}           | string  | ms of the latest heartbeat of any node             | none: one            |
| tm:{alive}:outages   | zset    | "FROM-TO" in ms by TO: times without a beat        | 24 h after the last  |
| tm:{lobby}:lines     | hash    | room → its line in the public list                 | none: members go     |
| tm:{lobby}:ranks     | zset    | room by its rank, highest first                    | none: members go     |
| tm:{lobby}:worth     | zset    | games by how much they are worth watching          | none: members go     |
| tm:{lobby}:fresh     | zset    | room by the ms of its last put; out after 30 s     | none: members go     |
| tm:{lobby}:version   | string  | grows with every change of the list                | none: one            |
| tm:{tournaments}:lines | hash  | the list of tournaments, as that of rooms          | none: members go     |
| tm:{tournaments}:ranks | zset  | likewise                                           | none: members go     |
| tm:{tournaments}:fresh | zset  | likewise                                           | none: members go     |
| tm:{tournaments}:worth | zset  | likewise                                           | none: members go     |
| tm:{tournaments}:version | string | likewise                                        | none: one            |
| tm:{queue}:seekers   | hash    | player → what they seek, or with whom (seek.lua)   | none: members go     |
| tm:{queue}:waiting:QUEUE | zset | player by place: who waits in a queue             | none: members go     |
| tm:{queue}:pairings  | hash    | room → who is to meet there (pair.lua)             | none: members go     |
| tm:{queue}:due       | zset    | those rooms by the ms when somebody must look      | none: members go     |
| tm:{queue}:unsought:PLAYER | string | that a player wanted it no longer             | 6 s                  |
| tm:{code:CODE}       | string  | the room that a code stands for                    | as asked             |
| tm:{PLAYER}:made:KEY | string  | the room that a player made under a key of theirs  | 600 s                |
| tm:{PLAYER}:rooms    | zset    | rooms a player made, by the ms they count until    | with its last member |
| tm:{PLAYER}:tournaments | zset | those they announced, by the ms they count until | with its last member |
| tm:{PLAYER}:seats    | zset    | rooms a player sits in, by the ms they count until | with its last member |
| tm:{PLAYER}:standing:MODE | string | what a player's rated games came to       | as set; none: 0 days |
| tm:{PLAYER}:games:MODE | list  | these games (store.ratings)                      | as set; none: 0 days |
| tm:{board:MODE}      | zset    | players by rating (store.boards)                   | none: members go     |
| tm:{board:MODE}:seen | zset    | players by the ms of their latest rated game       | none: members go     |
| tm:{board:MODE}:WEEK | zset    | players by rating who played in that week          | 21 d after the last  |
| tm:{reports}:texts   | hash    | name → a report on a player (store.reports)        | as set; none: 0 days |
| tm:{reports}:at      | zset    | their names by the ms when they came               | as set; none: 0 days |
| tm:{reports}:by:PLAYER | zset  | a player's of a day, by the ms they count until    | with its last member |
| tm:{at:ADDRESS}:rooms | zset   | rooms made from there, by the ms they count until  | with its last member |
| tm:{at:ADDRESS}:tournaments | zset | likewise tournaments                         | with its last member |
| tm:{at:ADDRESS}:in:TOURNAMENT | zset | its players who signed up from there       | with its last member |
| tm:{at:ADDRESS}:reports | zset | likewise reports sent from there                | with its last member |
| tm:{daily:DAY}:seed  | string  | its seed and the ms when it was drawn              | as records           |
| tm:{daily:DAY}:rooms | hash    | player → the room of their attempt                 | as records           |
| tm:{daily:DAY}:played | hash   | player → what their attempt came to                | as records           |
| tm:{daily:DAY}:board | zset    | players by what their attempts are worth           | as records           |
| tm:secret            | string  | what guests' tokens are signed with                | none: one            |
"""

from typing import Final
from zlib import crc32

from tenmatch.game.ids import Day, PlayerId, RoomCode, RoomId, TournamentId

DUE_BUCKETS: Final = 16

NODES_SAID: Final = "tm:{nodes}:said"
NODES_AT: Final = "tm:{nodes}:at"
NODES: Final = RoomId("nodes")
"""On whose `feed` nodes hear what an operator tells all of them."""
ALIVE: Final = "tm:{alive}"
OUTAGES: Final = "tm:{alive}:outages"
LOBBY_LINES: Final = "tm:{lobby}:lines"
LOBBY_RANKS: Final = "tm:{lobby}:ranks"
LOBBY_WORTH: Final = "tm:{lobby}:worth"
LOBBY_FRESH: Final = "tm:{lobby}:fresh"
LOBBY_VERSION: Final = "tm:{lobby}:version"
TOURNAMENTS_LISTED: Final = (
    "tm:{tournaments}:lines",
    "tm:{tournaments}:ranks",
    "tm:{tournaments}:fresh",
    "tm:{tournaments}:version",
    "tm:{tournaments}:worth",
)
SEEKERS: Final = "tm:{queue}:seekers"
PAIRINGS: Final = "tm:{queue}:pairings"
PAIRINGS_DUE: Final = "tm:{queue}:due"
QUEUE: Final = RoomId("queue")
"""On whose `feed` nodes hear of players that seek: a channel like a room's, of the queue."""
REPORTS: Final = "tm:{reports}:texts"
REPORTS_AT: Final = "tm:{reports}:at"
SECRET: Final = "tm:secret"


def log(room: RoomId) -> str:
    """Name the list of a room's entries."""
    return f"tm:{{{room}}}:log"


def here(room: RoomId) -> str:
    """Name the hash that says who is in a room."""
    return f"tm:{{{room}}}:here"


def feed(room: RoomId) -> str:
    """Name the channel on which a room's entries and notes are published."""
    return f"tm:{{{room}}}:feed"


def record(room: RoomId) -> str:
    """Name the record of a game that is over."""
    return f"tm:{{{room}}}:record"


def observed(room: RoomId) -> str:
    """Name the list of what was noted of a game's players."""
    return f"tm:{{{room}}}:observed"


def room_of_feed(channel: bytes) -> RoomId:
    """Return the room whose channel *channel* is; it must be one that `feed` names."""
    return RoomId(channel[4:-6].decode("ascii"))


def probe(node: str, number: int) -> str:
    """Name a channel on which a node hears itself; the numbers, 0 …, spread over the slots."""
    return f"tm:{{probe:{node}:{number}}}"


def due(bucket: int) -> str:
    """Name one of the sets of rooms to be looked at; *bucket* is 0 … DUE_BUCKETS - 1."""
    return f"tm:{{due:{bucket}}}"


def due_bucket(room: RoomId) -> int:
    """Return the bucket in which a room is marked, the same on every node."""
    return crc32(room.encode("ascii")) % DUE_BUCKETS


def waiting(queue: str) -> str:
    """Name the set of those who wait in a queue."""
    return f"tm:{{queue}}:waiting:{queue}"


def unsought(player: PlayerId) -> str:
    """Name what says that *player* wanted to seek no longer."""
    return f"tm:{{queue}}:unsought:{player}"


def code(code: RoomCode) -> str:
    """Name what a room's code leads to."""
    return f"tm:{{code:{code}}}"


def made(player: PlayerId, key: str) -> str:
    """Name the room that *player* made under *key*."""
    return f"tm:{{{player}}}:made:{key}"


def made_rooms(player: PlayerId) -> str:
    """Name the set of rooms that *player* made lately."""
    return f"tm:{{{player}}}:rooms"


def made_tournaments(player: PlayerId) -> str:
    """Name the set of tournaments that *player* announced and that are not over."""
    return f"tm:{{{player}}}:tournaments"


def tournaments_from(address: str) -> str:
    """Name the set of tournaments that were announced from *address* lately."""
    return f"tm:{{at:{address}}}:tournaments"


def entrants_from(address: str, tournament: TournamentId) -> str:
    """Name the set of players who signed up for *tournament* from *address*."""
    return f"tm:{{at:{address}}}:in:{tournament}"


def made_from(address: str) -> str:
    """Name the set of rooms that were made from *address* lately."""
    return f"tm:{{at:{address}}}:rooms"


def reports_from(address: str) -> str:
    """Name the set of reports that were sent from *address* lately."""
    return f"tm:{{at:{address}}}:reports"


def reports_by(player: PlayerId) -> str:
    """Name the set of reports that *player* has sent lately."""
    return f"tm:{{reports}}:by:{player}"


def standing(player: PlayerId, mode: str) -> str:
    """Name what a player's rated games in a mode came to."""
    return f"tm:{{{player}}}:standing:{mode}"


def games(player: PlayerId, mode: str) -> str:
    """Name the list of a player's rated games in a mode."""
    return f"tm:{{{player}}}:games:{mode}"


def board(mode: str, week: str | None = None) -> str:
    """Name the leaderboard of a mode, of all time or of a week."""
    return f"tm:{{board:{mode}}}" if week is None else f"tm:{{board:{mode}}}:{week}"


def board_seen(mode: str) -> str:
    """Name the set of a mode's players by their latest game."""
    return f"tm:{{board:{mode}}}:seen"


def daily_seed(day: Day) -> str:
    """Name the seed of a day's deal."""
    return f"tm:{{daily:{day}}}:seed"


def daily_rooms(day: Day) -> str:
    """Name the hash of a day's attempts by player."""
    return f"tm:{{daily:{day}}}:rooms"


def daily_played(day: Day) -> str:
    """Name the hash of what a day's attempts came to."""
    return f"tm:{{daily:{day}}}:played"


def daily_board(day: Day) -> str:
    """Name the board of a day."""
    return f"tm:{{daily:{day}}}:board"


def seats(player: PlayerId) -> str:
    """Name the set of rooms that *player* sits in."""
    return f"tm:{{{player}}}:seats"
