"""Persons in rooms on a real server, each of whose requests has to come to what the model foretells.

Beside the model, a judge checks all that the events say; a scribe, who watches every room, reads them to it.
"""

from typing import Any, Final, Self

from tests.hostile.room_model import Outcome, RoomModel
from tests.live.client import CODECS, Client, Closed, told
from tests.live.oracle_room import RoomJudge
from tests.rules.oracle import OracleGame
from websockets.exceptions import ConnectionClosed

Message = dict[str, Any]

RACE: Final = {"penalty": False, "size": 90}
"""A mistake would lock, and a board without pairs be added to, in their own time: not in these races."""


async def _lives(client: Client) -> bool:
    try:
        return bool((await client.ask("ping"))["t"] == "pong")
    except (Closed, ConnectionClosed):
        return False


class Place:
    """A room: what the model and the judge know of it, and who is in it."""

    def __init__(self, room: str, model: RoomModel) -> None:
        self.room, self.model, self.judge = room, model, RoomJudge()
        self.inside: dict[int, int | None] = {}  # the persons who joined and did not leave, and their seats
        self.last_n: dict[int, int] = {}  # by seats
        self.last_move: dict[int, Message] = {}


class Company:
    """Persons, by their numbers, and the rooms they make."""

    def __init__(self, url: str) -> None:
        """Gather nobody yet; use `Company.gather`."""
        self.places: list[Place] = []
        self.away: set[int] = set()
        self._url = url
        self._clients: list[Client] = []  # by persons
        self._scribe: Client
        self._all: list[Client] = []

    @classmethod
    async def gather(cls, url: str, persons: int) -> Self:
        """Let persons come, half of them with each codec."""
        company = cls(url)
        company._clients = [await company._connect(CODECS[number % 2]) for number in range(persons)]
        company._scribe = await company._connect(CODECS[0])
        return company

    async def _connect(self, codec: str, **hello: str) -> Client:
        client = await Client.connect(self._url, codec)
        self._all.append(client)
        await client.hello(**hello)
        return client

    async def part(self) -> None:
        """See that nothing happened but what was foretold, and let everyone go."""
        try:
            for place in self.places:
                snapshot = await self._scribe.ask("join", room=place.room, watch=True)
                assert snapshot["seq"] == place.model.seq
                place.judge.check_snapshot(snapshot)
        finally:
            for client in self._all:
                await client.close()
        assert not [fault for client in self._all for fault in client.faults]

    async def _told(self, place: Place, outcome: Outcome) -> None:
        """Wait for the events foretold and judge them; all who are in the room have to hear them."""
        before = len(place.judge.told)
        await self._scribe.reach(place.room, place.model.seq)
        place.judge.take(self._scribe.rooms[place.room].events)
        assert [event["kind"] for event in place.judge.told[before:]] == outcome.kinds
        if "started" in outcome.kinds:
            place.model.game = OracleGame(place.judge.told[-1]["board"])
        assert place.judge.now.phase == place.model.phase
        assert (place.judge.game.text() if place.judge.now.sheets else "") == place.model.game.text()
        for person in place.inside.keys() - self.away:
            await self._clients[person].reach(place.room, place.model.seq)
            assert self._clients[person].rooms[place.room].chain == place.judge.told[-1]["chain"]

    # -- rooms and seats

    async def create(self, person: int, mode: str, players: int, **options: Any) -> None:
        """Make a room; asking again with the same key makes no other."""
        model = RoomModel(mode, options["adds"], [person, *[None] * (players - 1)])
        options |= {"max_players": players, "countdown_ms": 0, **(RACE if mode == "race" else {})}
        asked = {"mode": mode, "options": options, "key": f"key {len(self.places)}"}
        made = await self._clients[person].ask("create", **asked)
        again = await self._clients[person].ask("create", **asked)
        assert (made["t"], made["seat"]) == ("snapshot", 0), made
        assert (again["room"], again["seq"]) == (made["room"], 2)
        place = Place(made["room"], model)
        self.places.append(place)
        place.inside[person] = 0
        await self._scribe.ask("join", room=place.room, watch=True, after=0, chain=0)
        await self._told(place, Outcome("in", ["created", "seated"]))

    async def join(self, person: int, place: Place, watch: bool, **fields: int) -> Message:
        """Sit down or watch, and return the answer."""
        outcome = place.model.join(person, watch)
        answer = await self._clients[person].ask("join", room=place.room, watch=watch, **fields)
        if outcome.answer == "in":
            assert answer["t"] in ("snapshot", "resumed"), answer
            place.inside[person] = place.model.seat_of(person)
            assert answer["seat"] == place.inside[person]
        else:
            assert answer.get("code") == outcome.answer, answer
        await self._told(place, outcome)
        return answer

    async def ask(self, person: int, place: Place, outcome: Outcome, t: str, **fields: Any) -> None:
        """Ask for something in a room."""
        answer = await self._clients[person].ask(t, room=place.room, **fields)
        assert answer.get("code", answer["t"]) == outcome.answer, answer
        await self._told(place, outcome)

    # -- moves

    async def move(self, person: int, place: Place, t: str, n: int = 0, **fields: Any) -> None:
        """Make a move, with a new number unless one is given."""
        seat = place.inside.get(person)
        if not n:
            n = place.last_n[seat or 0] = place.last_n.get(seat or 0, 0) + 1 + place.model.seq % 3
        outcome = place.model.move(seat, t, n, (fields.get("a", 0), fields.get("b", 0)))
        answer = await self._clients[person].move(t, place.room, n=n, **fields)
        if outcome.answer == "again":
            assert answer == place.judge.told[outcome.again - 1]
            return
        assert answer.get("kind", answer.get("code")) == outcome.answer, answer
        await self._told(place, outcome)
        if seat is not None:
            place.judge.check_answer(seat, {"t": t, "n": n, **fields}, answer)
            place.last_move[seat] = {"t": t, "n": n, **fields}

    # -- away, and back

    async def go(self, person: int, *, politely: bool) -> None:
        """Close, or break off."""
        self.away.add(person)
        await (self._clients[person].close() if politely else self._clients[person].drop())

    async def come_back(self, person: int, lie: str) -> None:
        """Come back and ask for what one missed; who claims to hold what is not in the log gets all anew."""
        self.away.remove(person)
        client = self._clients[person] = await self._clients[person].again()
        for place in self.places:
            if person not in place.inside:
                continue
            held = client.rooms[place.room]
            missed = place.judge.told[held.seq :]
            after = held.seq + (10_000 if lie == "after" else 0)
            chain = held.chain ^ (1 if lie == "chain" else 0)
            watch = place.inside.pop(person) is None
            answer = await self.join(person, place, watch, after=after, chain=chain)
            if answer["t"] == "resumed":
                assert not lie
                assert [told(place.room, event) for event in answer["events"]][: len(missed)] == missed
            elif answer["t"] == "snapshot":
                assert lie
                assert answer["reset"]

    async def survive(self) -> None:
        """Let those come back who were on a node that died."""
        if not await _lives(self._scribe):
            self._scribe = await self._scribe.again()
            for place in self.places:
                answer = await self._scribe.resume(place.room, watch=True)
                assert (answer["t"], answer["events"]) == ("resumed", []), "nothing happened meanwhile"
        for person in set(range(len(self._clients))) - self.away:
            if not await _lives(self._clients[person]):
                self.away.add(person)
                await self.come_back(person, lie="")

    async def take_over(self, person: int) -> None:
        """Come with a second connection, which takes the seats; the first, with none left, is sent away."""
        old = self._clients[person]
        mine = [place for place in self.places if person in place.inside]
        self._clients[person] = await self._connect(old.codec, token=old.token)
        for place in mine:
            await self.join(person, place, watch=False)
        assert await old.closed() == 4501
        detached = {message["room"] for message in old.inbox if message["t"] == "detached"}
        assert detached >= {place.room for place in mine}
