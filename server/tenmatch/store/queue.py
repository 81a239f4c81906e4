"""Who seeks a match, and the matches that are being made of them.

A player has one entry, in whichever queue: it waits, or is one of a match. All of it lies in one slot, so
what is decided about a player is decided once, whatever node asks. An entry counts only as long as a node
says again that a connection seeks for it. A match is made here, and is being made until somebody says what
came of it: any node can carry that on.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from tenmatch.game.events import Level
from tenmatch.game.ids import Millis, PlayerId, RoomId
from tenmatch.game.options import Mode
from tenmatch.game.pairing import Waiting
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import Script

COUNTS: Final = Millis(6_000)
"""What was said of a player counts for so long; it is to be said again every 2 s."""
FINISHED: Final = Millis(13_000)
"""When a match is made, nodes of its players see to it; after so long any other does."""
LOOKED_AFTER: Final = Millis(5_000)
"""Who took on a match is left alone with it for so long."""

_SEEK: Final = Script("seek")
_SEEKING: Final = Script("seeking")
_UNSEEK: Final = Script("unseek")
_WAITING: Final = Script("waiting")
_MATCH: Final = Script("match")
_UNMATCH: Final = Script("unmatch")
_MATCHES: Final = Script("matches")


class Queue(NamedTuple):
    """What is sought: those who wait for the same are matched with each other."""

    mode: Mode
    rated: bool

    @property
    def name(self) -> str:
        """The word for it in the store."""
        return f"{self.mode.value}:{'rated' if self.rated else 'casual'}"


QUEUES: Final = {
    queue.name: queue for queue in (Queue(mode, rated) for mode in Mode for rated in (False, True))
}


class Sought(NamedTuple):
    """What a player seeks, and through which connection."""

    player: PlayerId
    name: str
    rating: int
    queue: Queue
    ticket: str  # names the connection, unlike any other
    since: Millis | None = None  # where the store does not know the player: when they came; None: now
    ahead: bool = False  # and whether they are served before others


class State(StrEnum):
    """How it stands with a player, as far as one connection is concerned."""

    WAITING = "waiting"
    MATCHED = "matched"
    TAKEN = "taken"  # another connection seeks for the player
    GONE = "gone"  # the store does not know the player (any more)


class Standing(NamedTuple):
    """How it stands with a player."""

    state: State
    room: RoomId | None = None  # of the match that is being made
    since: Millis = Millis(0)  # when the player came, where they wait or are matched


class Paired(msgspec.Struct, frozen=True, array_like=True):
    """One of those whom a match is made for."""

    player: PlayerId
    name: str
    rating: int


class Match(msgspec.Struct, frozen=True, array_like=True):
    """A match that is being made."""

    room: RoomId
    queue: str  # its name
    made_at: Millis
    level: str  # of the computer player in it; empty: none
    players: tuple[Paired, ...]


async def seek(store: Store, sought: Sought) -> Standing:
    """Let a player wait, instead of what they sought before; a match being made for them stays.

    Raises:
        StoreDown: They may wait or not; if nobody says it again, they soon do not.
    """
    since = "" if sought.since is None else sought.since
    _, *answer = await store.run(
        _SEEK,
        [keys.SEEKERS, keys.waiting(sought.queue.name)],
        *(sought.player, sought.ticket, sought.queue.name, COUNTS, since, int(sought.ahead)),
        *(sought.name, sought.rating),
    )
    return _standing(*answer)


async def seeking(store: Store, sought: Iterable[Sought]) -> list[Standing]:
    """Say that these connections still seek for their players, and hear how it stands with each.

    Raises:
        StoreDown: It may not have been heard.
    """
    calls = [_SEEKING.call([keys.SEEKERS], [one.player, one.ticket, COUNTS]) for one in sought]
    return [_standing(*answer) for _, *answer in await store.run_all(_SEEKING, calls)]


def _standing(state: bytes, room: bytes, since: int) -> Standing:
    return Standing(State(state.decode()), RoomId(room.decode()) if room else None, Millis(since))


async def unseek(store: Store, player: PlayerId, queue: Queue, ticket: str = "") -> RoomId | None:
    """Let a player wait no longer, if it is for this connection (or whichever) that they do.

    Returns:
        The room of the match that is being made for them, which this does not change.

    Raises:
        StoreDown: They may still wait.
    """
    _, room = await store.run(_UNSEEK, [keys.SEEKERS, keys.waiting(queue.name)], player, ticket)
    return RoomId(room.decode()) if room else None


async def waiting(store: Store, queues: Sequence[Queue], many: int) -> list[list[Waiting]]:
    """Return who waits in each queue, those first who are served first; nobody whose connection is gone.

    Raises:
        StoreDown: It could not be read.
    """
    calls = [_WAITING.call([keys.SEEKERS, keys.waiting(one.name)], [one.name, many]) for one in queues]
    return [_waiting(said) for _, *said in await store.run_all(_WAITING, calls)]


def _waiting(said: Sequence[bytes]) -> list[Waiting]:
    return [
        Waiting(PlayerId(said[i].decode()), int(said[i + 1]), Millis(int(said[i + 2])))
        for i in range(0, len(said), 3)
    ]


class Wanted(NamedTuple):
    """A match that is to be made."""

    room: RoomId  # a new name
    queue: Queue
    players: tuple[PlayerId, ...]
    level: Level | None = None  # of a computer player that plays with them


async def match(store: Store, matches: Iterable[Wanted]) -> list[bool]:
    """Take players out of their queues for matches; tell of each whether all of its players still waited.

    All nodes hear of it as a note on the channel of `keys.QUEUE`.

    Raises:
        StoreDown: Any of them may have been made; the same call may be made again.
    """
    calls = [
        _MATCH.call(
            [
                keys.SEEKERS,
                keys.waiting(one.queue.name),
                keys.MATCHES,
                keys.MATCHES_DUE,
                keys.feed(keys.QUEUE),
            ],
            [one.room, one.queue.name, one.level or "", FINISHED, *one.players],
        )
        for one in matches
    ]
    return [bool(made) for _, made in await store.run_all(_MATCH, calls)]


async def unmatch(store: Store, match: Match, again: Iterable[PlayerId] = ()) -> bool:
    """Be done with a match; who is to wait *again* is served before all others. Return False if it was done.

    Raises:
        StoreDown: It may have been done; doing it again does no harm.
    """
    _, done = await store.run(
        _UNMATCH,
        [keys.SEEKERS, keys.waiting(match.queue), keys.MATCHES, keys.MATCHES_DUE, keys.feed(keys.QUEUE)],
        match.room,
        *again,
    )
    return bool(done)


async def match_in(store: Store, room: RoomId) -> Match | None:
    """Return the match that is being made in a room.

    Raises:
        StoreDown: It could not be read.
    """
    kept: bytes | None = await store.call("HGET", keys.MATCHES, room)
    return None if kept is None else _match(kept)


async def left_behind(store: Store, many: int) -> list[Match]:
    """Take on matches that nobody has looked after in time; others leave them to us for a while.

    Raises:
        StoreDown: Some may have been taken on.
    """
    _, *kept = await store.run(_MATCHES, [keys.MATCHES, keys.MATCHES_DUE], many, LOOKED_AFTER)
    return [_match(one) for one in kept]


def _match(kept: bytes) -> Match:
    return msgspec.msgpack.decode(kept, type=Match)


def read_note(payload: bytes) -> list[PlayerId]:
    """Read a note of kind `published.QUEUED`: of whom there is news. Raises ValueError for what is none."""
    return msgspec.msgpack.decode(payload, type=list[PlayerId])
