"""Which connection holds a seat, who is online, how many watch: forgotten unless said again.

Each connection that takes a seat gets a number, higher than any before in its room, on whatever node it is.
The highest holds the seat. Nothing in a game depends on what lies here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from struct import Struct, error
from typing import Final, NamedTuple

from tenmatch.game.ids import Millis, RoomId, SeatNumber
from tenmatch.store import keys
from tenmatch.store.connect import Store
from tenmatch.store.link import Script, pack

COUNTS: Final = Millis(15_000)
"""What was said of who is there counts for so long; it is to be renewed every 5 s."""

GONE: Final = "-"
"""In the place of the node, once a seat's connection has gone."""

_ARRIVE: Final = Script("arrive")
_RENEW: Final = Script("renew")
_DEPART: Final = Script("depart")
_ARRIVAL: Final = Struct(">BI")


class Arrival(NamedTuple):
    """A connection took a seat; whoever held it with a lower number holds it no longer."""

    seat: SeatNumber
    number: int
    node: str


class Held(NamedTuple):
    """What one node has to say of a room."""

    room: RoomId
    seats: Mapping[SeatNumber, int]  # the numbers of the connections that hold them
    watching: int = 0


@dataclass(frozen=True, slots=True)
class Here:
    """Who is in a room, on all nodes together."""

    online: frozenset[SeatNumber]
    watching: int
    superseded: Mapping[SeatNumber, int]  # seats that the asking node held: the higher number that has them
    last_seen: Mapping[SeatNumber, Millis]  # of every seat ever taken; now, more or less, for who is online
    time: Millis  # the store's


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has a seat."""

    node: str
    number: int  # of the connection, among those that ever had it


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Who is in a room, and on which nodes."""

    seats: Mapping[SeatNumber, Holder]  # of players who are connected
    watching: Mapping[str, int]  # by node


def read_arrival(payload: bytes) -> Arrival:
    """Read a note of kind `published.ARRIVED`. Raises ValueError for what is none."""
    try:
        seat, number = _ARRIVAL.unpack_from(payload)
    except error as short:
        raise ValueError(f"no arrival in {len(payload)} bytes") from short
    return Arrival(SeatNumber(seat), number, payload[_ARRIVAL.size :].decode())


class Presence:
    """Speaks for one node of who is there."""

    def __init__(self, store: Store, node: str) -> None:
        self._store = store
        self._node = node

    async def arrive(self, room: RoomId, seat: SeatNumber) -> int:
        """Take a seat for a new connection and tell all nodes; return the connection's number.

        Raises:
            StoreDown: It may have been taken or not; taking it again does no harm.
        """
        _, number = await self._store.run(
            _ARRIVE, [keys.here(room), keys.log(room), keys.feed(room)], seat, self._node
        )
        return int(number)

    async def depart(self, room: RoomId, seat: SeatNumber, number: int) -> bool:
        """Let go of a seat; return False where a newer connection has it.

        Raises:
            StoreDown: It may have been let go or not; it will be, when nobody renews it.
        """
        _, gone = await self._store.run(_DEPART, [keys.here(room)], seat, number)
        return bool(gone)

    async def renew(self, rooms: Sequence[Held]) -> list[Here]:
        """Say what this node holds, and hear who is there, room by room; with nothing held it only asks.

        Raises:
            StoreDown: Some may have been renewed.
        """
        answers = await self._store.run_all(_RENEW, [self._renewal(held) for held in rooms])
        return [_here(held, *answer) for held, answer in zip(rooms, answers, strict=True)]

    def _renewal(self, held: Held) -> bytes:
        seats = [value for seat_and_number in held.seats.items() for value in seat_and_number]
        return _RENEW.call(
            [keys.here(held.room), keys.log(held.room)], [self._node, held.watching, COUNTS, *seats]
        )


async def whereabouts(store: Store, rooms: Sequence[RoomId]) -> list[Whereabouts]:
    """Return of each room who is there and where, saying nothing oneself.

    Raises:
        StoreDown: It could not be read.
    """
    oldest = store.clock.now() - COUNTS
    fields = await store.pipeline([pack("HGETALL", keys.here(room)) for room in rooms])
    return [_whereabouts(dict(zip(said[::2], said[1::2], strict=True)), oldest) for said in fields]


def _whereabouts(fields: Mapping[bytes, bytes], oldest: int) -> Whereabouts:
    seats, watching = {}, {}
    for field, value in fields.items():  # as scripts/arrive.lua describes them
        kind, _, name = field.decode().partition(":")
        number, *said = value.decode().split(" ")
        if kind == "n" or int(said[0]) <= oldest:
            continue
        if kind == "w":
            watching[name] = int(number)
        elif said[1] != GONE:
            seats[SeatNumber(int(name))] = Holder(said[1], int(number))
    return Whereabouts(dict(sorted(seats.items())), dict(sorted(watching.items())))


def _here(held: Held, time: int, watching: int, *said: int) -> Here:
    seats = {
        SeatNumber(said[i]): (said[i + 1], Millis(said[i + 2]), bool(said[i + 3]))
        for i in range(0, len(said), 4)
    }
    return Here(
        online=frozenset(seat for seat, (_, _, online) in seats.items() if online),
        watching=watching,
        superseded={seat: seats[seat][0] for seat, number in held.seats.items() if seats[seat][0] > number},
        last_seen={seat: when for seat, (_, when, _) in seats.items()},
        time=Millis(time),
    )
