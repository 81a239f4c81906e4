"""Who seeks an opponent, and the pairings made of them: those who have been found for each other.

A player has one entry, in whichever queue: it waits, or is part of a pairing. All of it lies in one slot, so
what is decided about a player is decided once, whatever node asks. An entry counts only as long as a node
says again that a connection seeks for it. A pairing stays until somebody says what came of it: any node can
see to that.
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
"""The nodes of its players see a pairing through; after so long any other does."""
LOOKED_AFTER: Final = Millis(5_000)
"""Who took on a pairing is left alone with it for so long."""

_SEEK: Final = Script("seek")
_SEEKING: Final = Script("seeking")
_UNSEEK: Final = Script("unseek")
_WAITING: Final = Script("waiting")
_PAIR: Final = Script("pair")
_UNPAIR: Final = Script("unpair")
_PAIRINGS: Final = Script("pairings")


class Queue(NamedTuple):
    """What is sought: those who wait for the same are paired with each other."""

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
    """What a player seeks, and on which node."""

    player: PlayerId
    name: str
    rating: int
    queue: Queue
    node: str  # whose connection seeks for them
    since: Millis | None = None  # where the store does not know the player: when they came; None: now
    ahead: bool = False  # and whether they are served before others


class State(StrEnum):
    """How it stands with a player, as far as one node is concerned."""

    WAITING = "waiting"
    PAIRED = "paired"
    TAKEN = "taken"  # they wanted it no longer, or another node seeks for them
    GONE = "gone"  # the store does not know the player (any more)


class Standing(NamedTuple):
    """How it stands with a player."""

    state: State
    room: RoomId | None = None  # of the pairing
    since: Millis = Millis(0)  # when the player came, where they wait or are paired


class Partner(msgspec.Struct, frozen=True, array_like=True):
    """One of a pairing."""

    player: PlayerId
    name: str
    rating: int


class Pairing(msgspec.Struct, frozen=True, array_like=True):
    """Players who are to meet in a room, and not all of whom have come yet."""

    room: RoomId
    queue: str  # its name
    made_at: Millis
    level: str  # of the computer player in it; empty: none
    players: tuple[Partner, ...]


async def seek(store: Store, sought: Sought) -> Standing:
    """Let a player wait, instead of what they sought before; who is paired stays so.

    Raises:
        StoreDown: They may wait or not; if nobody says it again, they soon do not.
    """
    since = "" if sought.since is None else sought.since
    _, *answer = await store.run(
        _SEEK,
        [keys.SEEKERS, keys.waiting(sought.queue.name)],
        *(sought.player, sought.node, sought.queue.name, COUNTS, since, int(sought.ahead)),
        *(sought.name, sought.rating),
    )
    return _standing(*answer)


async def seeking(store: Store, sought: Iterable[Sought]) -> list[Standing]:
    """Say that connections here still seek for these players, and hear how it stands with each.

    Raises:
        StoreDown: It may not have been heard.
    """
    calls = [
        _SEEKING.call([keys.SEEKERS, keys.unsought(one.player)], [one.player, one.node, COUNTS])
        for one in sought
    ]
    return [_standing(*answer) for _, *answer in await store.run_all(_SEEKING, calls)]


def _standing(state: bytes, room: bytes, since: int) -> Standing:
    return Standing(State(state.decode()), RoomId(room.decode()) if room else None, Millis(since))


async def unseek(store: Store, player: PlayerId, queue: Queue, node: str = "") -> RoomId | None:
    """Let a player wait no longer: as they want it, or as it was for a connection of *node* that is gone.

    Returns:
        The room of their pairing, which this does not change.

    Raises:
        StoreDown: They may still wait.
    """
    names = [keys.SEEKERS, keys.waiting(queue.name), keys.unsought(player)]
    _, room = await store.run(_UNSEEK, names, player, node, COUNTS)
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
    """A pairing that is wanted."""

    room: RoomId  # a new name
    queue: Queue
    players: tuple[PlayerId, ...]
    level: Level | None = None  # of a computer player that plays with them


async def pair(store: Store, wanted: Iterable[Wanted]) -> list[bool]:
    """Take players out of their queues for pairings; tell of each whether all of its players waited.

    All nodes hear of it as a note on the channel of `keys.QUEUE`.

    Raises:
        StoreDown: Any of them may have been made; the same call may be made again.
    """
    calls = [
        _PAIR.call(
            [
                keys.SEEKERS,
                keys.waiting(one.queue.name),
                keys.PAIRINGS,
                keys.PAIRINGS_DUE,
                keys.feed(keys.QUEUE),
            ],
            [one.room, one.queue.name, one.level or "", FINISHED, *one.players],
        )
        for one in wanted
    ]
    return [bool(made) for _, made in await store.run_all(_PAIR, calls)]


async def unpair(store: Store, pairing: Pairing, again: Iterable[PlayerId] = ()) -> bool:
    """Be done with a pairing; who is to wait *again* is served first. Return False if it was done before.

    Raises:
        StoreDown: It may have been done; doing it again does no harm.
    """
    _, done = await store.run(
        _UNPAIR,
        [keys.SEEKERS, keys.waiting(pairing.queue), keys.PAIRINGS, keys.PAIRINGS_DUE, keys.feed(keys.QUEUE)],
        pairing.room,
        *again,
    )
    return bool(done)


async def pairing_in(store: Store, room: RoomId) -> Pairing | None:
    """Return the pairing whose players are to meet in a room.

    Raises:
        StoreDown: It could not be read.
    """
    kept: bytes | None = await store.call("HGET", keys.PAIRINGS, room)
    return None if kept is None else _pairing(kept)


async def left_behind(store: Store, many: int) -> list[Pairing]:
    """Take on pairings that nobody has looked after in time; others leave them to us for a while.

    Raises:
        StoreDown: Some may have been taken on.
    """
    _, *kept = await store.run(_PAIRINGS, [keys.PAIRINGS, keys.PAIRINGS_DUE], many, LOOKED_AFTER)
    return [_pairing(one) for one in kept]


def _pairing(kept: bytes) -> Pairing:
    return msgspec.msgpack.decode(kept, type=Pairing)


def read_note(payload: bytes) -> list[PlayerId]:
    """Read a note of kind `published.QUEUED`: of whom there is news. Raises ValueError for what is none."""
    return msgspec.msgpack.decode(payload, type=list[PlayerId])
