"""Players and watchers in many rooms over all nodes, who play legal moves at a rate of so many a second."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from typing import Any, Final, cast

from redis import Redis
from redis.cluster import RedisCluster
from tests.faults.games import prepared
from tests.faults.oracle import Flaw, examine
from tests.faults.person import Person, Record
from tests.store.waiting import until

CONTENTION: Final = 0.1  # of the moves are claimed by both players at once
OPTIONS: Final = {"max_players": 2, "countdown_ms": 0, "seconds": 3600, "penalty": False}
READY_S: Final = 60.0  # for all rooms to have begun
LOOK_S: Final = 0.02  # between two looks at all logs
SETTLE_S: Final = 30.0  # for all moves to be answered, once everything works again


class Party:
    """Two players and their watchers, who play one prepared game after the other, each in a new room."""

    def __init__(
        self, number: int, watchers: int, addresses: Callable[[], list[str]], record: Record
    ) -> None:
        """Gather people who are nowhere yet."""
        self.room = ""  # "" while the host makes it
        self.games = 0
        self._number = number
        self._game = random.choice(prepared())
        seats = [0, 1, *[None] * watchers]
        self.persons = [
            Person(
                f"party {number} {'player' if seat is not None else 'watcher'} {place}",
                self,
                seat,
                addresses,
                record,
            )
            for place, seat in enumerate(seats)
        ]
        self.players = self.persons[:2]

    def create(self) -> dict[str, Any]:
        """Return what the host asks for; asked again, it leads to the same room."""
        options = {**OPTIONS, "size": 180, "seed": self._game.seed}
        key = f"{self._number} {self.games}"
        return {"t": "create", "mode": "race", "private": True, "options": options, "key": key}

    def made(self, room: str) -> None:
        """Let the others come to a room that was made."""
        self.room = room
        for person in self.persons[1:]:
            person.enter()

    @property
    def plays(self) -> bool:
        """Whether both players are in the room, and it has begun."""
        return all(player.at_head and player.started and player.room == self.room for player in self.players)

    @property
    def quiet(self) -> bool:
        """Whether no move waits for its answer."""
        return all(player.move is None for player in self.players)

    def step(self, contention: float = CONTENTION) -> int:
        """Claim the next pair, both players in that part of all cases; return how many moves were sent."""
        if not (self.plays and self.quiet):
            return 0
        at = max(player.matched for player in self.players)
        if at >= len(self._game.pairs):
            self._next_game()
            return 0
        movers = self.players if random.random() < contention else [random.choice(self.players)]
        for player in movers:
            player.claim(self._game.pairs[at])
        return len(movers)

    def _next_game(self) -> None:
        self.games += 1
        self._game = random.choice(prepared())
        self.room = ""
        self.players[0].enter()


class Load:
    """All parties, and what they did and saw."""

    def __init__(
        self, addresses: Callable[[], list[str]], *, rooms: int, rate: float, watchers: int = 1
    ) -> None:
        """Gather parties; use `playing`.

        Args:
            addresses: Tells the URLs of the nodes that can be tried at the moment.
            rate: Moves a second, of all rooms together.
        """
        self.record = Record()
        self.rate = rate
        self.sent = 0
        self.resting = False  # nobody begins a move
        self.parties = [Party(number, watchers, addresses, self.record) for number in range(rooms)]
        self.persons = [person for party in self.parties for person in party.persons]

    async def pace(self) -> None:
        """Send moves at the rate, until cancelled; what cannot be sent in time is left out."""
        due = time.monotonic()
        while True:
            for party in random.sample(self.parties, len(self.parties)):
                if self.resting or (sent := party.step()) == 0:
                    continue
                self.sent += sent
                due = max(due + sent / self.rate, time.monotonic() - 0.1)
                if (ahead := due - time.monotonic()) > 0:
                    await asyncio.sleep(ahead)
            await asyncio.sleep(0.005)  # also where nobody could move

    async def settle(self, redis_url: str, within: float = SETTLE_S) -> list[Flaw]:
        """Let moves be answered and everyone be at the head, then return all that is wrong."""
        self.resting = True
        self.hurry()
        await until(lambda: all(party.quiet for party in self.parties), within)
        with closing(store_at(redis_url)) as redis:
            await until(lambda: not self.stragglers(redis), within, LOOK_S)
        return self.examine(redis_url)

    def hurry(self) -> None:
        """Let those who wait before they try again do so now."""
        for person in self.persons:
            person.hurry()

    def examine(self, redis_url: str) -> list[Flaw]:
        """Return all that is wrong as it is now."""
        return examine(self.record.history, self.logs(redis_url))

    def logs(self, redis_url: str) -> dict[str, list[bytes]]:
        """Return the logs of all rooms there were, as they are stored."""
        with closing(store_at(redis_url)) as redis:
            return {room: _log(redis, room) for room in self.record.history.rooms}

    def heads(self, redis: Redis) -> dict[str, int]:
        """Return where the logs end of the rooms that are played in."""
        rooms = [party.room for party in self.parties if party.room]
        with redis.pipeline(transaction=False) as asked:
            for room in rooms:
                asked.llen(_key(room))
            return dict(zip(rooms, asked.execute(), strict=True))

    def unanswered(self) -> list[str]:
        """List who waits for the answer to a move."""
        return [player.name for party in self.parties for player in party.players if player.move is not None]

    def stragglers(self, redis: Redis) -> list[str]:
        """List who is not at the head of the room's log, and where each stands."""
        heads = self.heads(redis)
        return [
            f"{person} and not {party.room} at {heads.get(party.room)}"
            for party in self.parties
            for person in party.persons
            if not (person.at_head and person.room == party.room and person.view)
            or person.view.seq != heads.get(party.room)
        ]

    # -- figures

    def on(self, url: str) -> list[Person]:
        """List who is in a room through the node at *url* now."""
        return [person for person in self.persons if person.at_head and person.url == url]

    @property
    def gaps(self) -> int:
        """Count events that came with others missing before them."""
        return sum(view.gaps for view in self.record.history.views())

    @property
    def doubles(self) -> int:
        """Count events that came again, and answered nothing."""
        return sum(view.doubles for view in self.record.history.views())

    def played_since(self, moment: float) -> int:
        """Count the rooms in which a move was acknowledged since."""
        return sum(self.record.latest.get(party.room, 0.0) > moment for party in self.parties)

    def answers(self, *kinds: str) -> int:
        """Count the answers of some kinds."""
        return sum(wait.answer in kinds for wait in self.record.waits)

    def interruptions(self, since: float = 0.0) -> list[float]:
        """Return for how many seconds each client was without its room, in rising order."""
        return sorted(each.seconds for each in self.record.interruptions if each.lost >= since)


@asynccontextmanager
async def playing(
    addresses: Callable[[], list[str]], *, rooms: int, rate: float, watchers: int = 1
) -> AsyncIterator[Load]:
    """Let people come, start their games, and play until the block ends; then they go."""
    load = Load(addresses, rooms=rooms, rate=rate, watchers=watchers)
    tasks = [asyncio.create_task(person.live()) for person in load.persons]
    try:
        await until(lambda: all(party.plays for party in load.parties), READY_S)
        tasks.append(asyncio.create_task(load.pace()))
        yield load
        assert not any(task.done() for task in tasks), [task for task in tasks if task.done()]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def store_at(url: str) -> Redis:
    """Return a client of a store: of one server, or of a cluster, named redis+cluster:// and a member."""
    kind, _, where = url.partition("redis+cluster://")
    return Redis.from_url(url) if kind else cast("Redis", RedisCluster.from_url(f"redis://{where}"))


def _log(redis: Redis, room: str) -> list[bytes]:
    return cast("list[bytes]", redis.lrange(_key(room), 0, -1))


def _key(room: str) -> str:
    return f"tm:{{{room}}}:log"


def percentile(values: list[float], part: float) -> float:
    """Return the value below which that part of rising *values* lies; 0 of none."""
    return values[min(len(values) - 1, int(len(values) * part))] if values else 0.0
