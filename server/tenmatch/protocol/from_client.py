"""What a client may say: the message types, their fields and the ranges of these.

server/protocol.md, "Client to server". `t` is the tag. Unknown keys are ignored; for an optional field
null is the same as absence. The ranges here say what can be a value at all; whether it fits the game is asked
behind.
"""

from typing import Annotated, Final, get_args

from msgspec import Meta, Struct

from tenmatch.game.events import Level
from tenmatch.game.ids import (
    PLAYER_ID_LENGTH,
    ROOM_CODE_LENGTH,
    ROOM_ID_LENGTH,
    TOURNAMENT_ID_LENGTH,
    MoveNumber,
    PlayerId,
    RoomCode,
    RoomId,
    SeatNumber,
    Seq,
    TournamentId,
)
from tenmatch.protocol import limits
from tenmatch.protocol.report import Reason
from tenmatch.rules.board import NumberId

RequestId = Annotated[int, Meta(ge=0, le=limits.MAX_REQUEST_ID)]
# More than the letters ids are spelt with, so that a mistyped id is one of no room rather than no id. The
# length stands in the pattern too, as the end of a pattern would let a line break pass.
RoomName = Annotated[
    RoomId,
    Meta(
        min_length=ROOM_ID_LENGTH, max_length=ROOM_ID_LENGTH, pattern=f"^[A-Za-z0-9_-]{{{ROOM_ID_LENGTH}}}$"
    ),
]
TournamentName = Annotated[
    TournamentId,
    Meta(
        min_length=TOURNAMENT_ID_LENGTH,
        max_length=TOURNAMENT_ID_LENGTH,
        pattern=f"^[A-Za-z0-9_-]{{{TOURNAMENT_ID_LENGTH}}}$",
    ),
]
CodeName = Annotated[
    RoomCode,  # read aloud and typed by people: upper case is the same
    Meta(
        min_length=ROOM_CODE_LENGTH,
        max_length=ROOM_CODE_LENGTH,
        pattern=f"^[A-Za-z0-9]{{{ROOM_CODE_LENGTH}}}$",
    ),
]
JoinedRoom = Annotated[RoomId, Meta(min_length=ROOM_ID_LENGTH, max_length=ROOM_ID_LENGTH)]
"""A room that this connection must have joined already: looked up among those, so its letters need no check
(which takes longer than all the rest of a match)."""
PlayerName = Annotated[PlayerId, Meta(min_length=PLAYER_ID_LENGTH, max_length=PLAYER_ID_LENGTH)]
SeatName = Annotated[SeatNumber, Meta(ge=0, le=limits.MAX_SEAT)]
N = Annotated[MoveNumber, Meta(ge=1, le=limits.MAX_MOVE_NUMBER)]
Number = Annotated[NumberId, Meta(ge=0, le=limits.MAX_EXACT)]
Seen = Annotated[Seq, Meta(ge=0, le=limits.MAX_EXACT)]
Chain = Annotated[int, Meta(ge=0, le=limits.MAX_CHAIN)]
OptionValue = bool | int | float | str | None
"""What an option can be at all; which values it may have is `tenmatch.game.options.choose` to say."""


class FromClient(Struct, frozen=True, kw_only=True, tag_field="t", tag=str.lower):
    """A message of a client."""


class Request(FromClient, frozen=True, kw_only=True):
    """A message that is answered by `re`, if it carries an `id`."""

    id: RequestId | None = None


class Move(FromClient, frozen=True, kw_only=True):
    """A message that is answered by (`room`, `n`)."""

    room: JoinedRoom
    n: N  # the same n is the same move


class Hello(Request, frozen=True, kw_only=True):
    """Say who one is; first on every connection, and later to renew the same player's token."""

    token: Annotated[str, Meta(max_length=limits.TOKEN_LENGTH)] | None = None  # without: a new guest
    name: Annotated[str, Meta(min_length=1, max_length=limits.NAME_LENGTH)] | None = None
    agent: Annotated[str, Meta(max_length=limits.AGENT_LENGTH)] | None = None  # the client's software


class Create(Request, frozen=True, kw_only=True):
    """Make a room and sit on its seat 0."""

    mode: Annotated[str, Meta(max_length=limits.KEY_LENGTH)]  # which ones there are is the game's to say
    options: dict[str, OptionValue] | None = None
    private: bool | None = None
    key: Annotated[str, Meta(min_length=1, max_length=limits.KEY_LENGTH)] | None = None  # same key, same room


class Join(Request, frozen=True, kw_only=True):
    """Enter a room, to sit or to watch, or go on where one was."""

    room: RoomName | None = None  # this or
    code: CodeName | None = None  # that
    watch: bool | None = None
    seat: SeatName | None = None  # a free one that is wanted, else the lowest
    after: Seen | None = None  # the last event that the client holds
    chain: Chain | None = None  # its chain

    def __post_init__(self) -> None:
        if (self.room is None) == (self.code is None):
            raise ValueError("Object needs exactly one of `room` and `code`")
        _both_or_none(self.after, self.chain)


def _both_or_none(after: int | None, chain: int | None) -> None:
    if after is not None and chain is None:
        raise ValueError("Object missing required field `chain`, which goes with `after`")
    if chain is not None and after is None:
        raise ValueError("Object missing required field `after`, which goes with `chain`")


class Leave(Request, frozen=True, kw_only=True):
    """Leave a room; in play the seat stays."""

    room: RoomName


class Ready(Request, frozen=True, kw_only=True):
    """Be ready to start, or no longer."""

    room: RoomName
    ready: bool


class Start(Request, frozen=True, kw_only=True):
    """Start with those who sit there (host)."""

    room: RoomName


class SeatBot(Request, frozen=True, kw_only=True, tag="bot"):
    """Give a seat to a computer player (host)."""

    room: RoomName
    level: Level
    seat: SeatName | None = None  # a free one, else the lowest


class Kick(Request, frozen=True, kw_only=True):
    """Free another's seat before the start (host)."""

    room: RoomName
    seat: SeatName


class Match(Move, frozen=True, kw_only=True):
    """Claim that two numbers form a legal pair."""

    a: Number
    b: Number
    seen: Seen  # the last event that the player had seen


class CallNoPair(Move, frozen=True, kw_only=True, tag="call"):
    """Call "no pair left" (race)."""

    seen: Seen  # the last event that the player had seen


class Add(Move, frozen=True, kw_only=True):
    """Add on one's own board (mirror)."""


class Pass(Move, frozen=True, kw_only=True):
    """Let one's turn go (turns)."""


class Resign(Move, frozen=True, kw_only=True):
    """Give up."""


class WantRematch(Request, frozen=True, kw_only=True, tag="rematch"):
    """Want a rematch, or no longer."""

    room: RoomName
    want: bool


class Chat(Request, frozen=True, kw_only=True):
    """Say something to the room: in words, or by the key of a phrase that all read in their language."""

    room: RoomName
    text: Annotated[str, Meta(min_length=1, max_length=limits.TEXT_LENGTH)] | None = None  # this or
    phrase: Annotated[str, Meta(min_length=1, max_length=limits.KEY_LENGTH)] | None = None  # that

    def __post_init__(self) -> None:
        if (self.text is None) == (self.phrase is None):
            raise ValueError("Object needs exactly one of `text` and `phrase`")


class SendReport(Request, frozen=True, kw_only=True, tag="report"):
    """Report another player in the room to the organiser."""

    room: RoomName
    player: PlayerName
    reason: Reason
    text: Annotated[str, Meta(min_length=1, max_length=limits.TEXT_LENGTH)] | None = None


class Focus(Request, frozen=True, kw_only=True):
    """Say that one's page is to be seen, or no longer."""

    room: RoomName
    on: bool


class Seek(Request, frozen=True, kw_only=True, tag="queue"):
    """Wait for a quick match, or no longer."""

    mode: Annotated[str, Meta(max_length=limits.KEY_LENGTH)]
    rated: bool | None = None
    on: bool
    bot: bool | None = None  # a computer player will do: there is no more waiting


class Daily(Request, frozen=True, kw_only=True):
    """Begin one's attempt at the daily, or go on with it."""


class Lobby(Request, frozen=True, kw_only=True):
    """Follow the list of rooms, or no longer."""

    on: bool


class Invited(Struct, frozen=True):
    """Who is invited to a tournament that is not open to all."""

    id: Annotated[
        PlayerId,
        Meta(
            min_length=PLAYER_ID_LENGTH,
            max_length=PLAYER_ID_LENGTH,
            pattern=f"^[a-z0-9]{{{PLAYER_ID_LENGTH}}}$",
        ),
    ]
    name: Annotated[str, Meta(min_length=1, max_length=limits.NAME_LENGTH)]


class CreateTournament(Request, frozen=True, kw_only=True, tag="tournament_create"):
    """Announce a tournament and be its host."""

    title: Annotated[str, Meta(min_length=1, max_length=limits.TITLE_LENGTH)]
    format: Annotated[str, Meta(max_length=limits.KEY_LENGTH)]  # which there are is the game's to say
    mode: Annotated[str, Meta(max_length=limits.KEY_LENGTH)]
    options: dict[str, OptionValue] | None = None  # of the games' rooms
    private: bool | None = None
    most: int | None = None  # players
    join_s: int | None = None  # in which who is called has to come
    minutes: int | None = None  # of an arena
    starts_in_s: Annotated[int, Meta(ge=1, le=limits.STARTS_IN_S)] | None = None  # without: by its host
    players: Annotated[list[Invited], Meta(max_length=limits.INVITED)] | None = None  # without: open to all
    enter: bool | None = None  # the host plays, too
    key: Annotated[str, Meta(min_length=1, max_length=limits.KEY_LENGTH)] | None = None  # same key, same one


class WatchTournament(Request, frozen=True, kw_only=True, tag="tournament_watch"):
    """Hear what happens in a tournament, and be called to one's games; or no longer."""

    tournament: TournamentName
    on: bool
    after: Seen | None = None  # the last event that the client holds
    chain: Chain | None = None  # its chain

    def __post_init__(self) -> None:
        _both_or_none(self.after, self.chain)


class EnterTournament(Request, frozen=True, kw_only=True, tag="tournament_enter"):
    """Take part."""

    tournament: TournamentName


class LeaveTournament(Request, frozen=True, kw_only=True, tag="tournament_leave"):
    """Play no further games."""

    tournament: TournamentName


class StartTournament(Request, frozen=True, kw_only=True, tag="tournament_start"):
    """Let the games begin (host)."""

    tournament: TournamentName


class KickFromTournament(Request, frozen=True, kw_only=True, tag="tournament_kick"):
    """Put a player out for good (host): before the start, or as if they had given up."""

    tournament: TournamentName
    player: PlayerName


class Ping(Request, frozen=True, kw_only=True):
    """Ask for a sign of life."""


AnyMove = Match | CallNoPair | Add | Pass | Resign
"""What is answered by (`room`, `n`)."""

AnyAside = Chat | SendReport | Focus
"""What is said in a room beside the game."""
AnyTournamentRequest = (
    CreateTournament
    | WatchTournament
    | EnterTournament
    | LeaveTournament
    | StartTournament
    | KickFromTournament
)
"""What is asked of a tournament, not of a room."""

AnyFromClient = (
    Hello
    | Create
    | Join
    | Leave
    | Ready
    | Start
    | SeatBot
    | Kick
    | Match
    | CallNoPair
    | Add
    | Pass
    | Resign
    | WantRematch
    | Chat
    | SendReport
    | Focus
    | Seek
    | Daily
    | Lobby
    | CreateTournament
    | WatchTournament
    | EnterTournament
    | LeaveTournament
    | StartTournament
    | KickFromTournament
    | Ping
)
"""Every message that a frame can become."""

TYPES: Final = {str(message.__struct_config__.tag): message for message in get_args(AnyFromClient)}
"""Every message type by its `t`."""
