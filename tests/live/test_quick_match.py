"""Quick match by the public protocol, over two nodes: two hundred at once, ready checks, and the computer."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

import msgpack
import pytest
from tests.live.client import CODECS, Client, Closed, Message
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.store.waiting import until
from websockets.exceptions import ConnectionClosed

CROWD = 200


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Two nodes on one port."""
    limits = dict.fromkeys(("matches_per_s", "messages_per_s", "sockets_per_address"), 0)
    with Node(tmp_path_factory.mktemp("quick"), "--workers", "2", **limits) as node:
        yield node


async def seek(client: Client, mode: str, **fields: Any) -> None:
    await client.ok("queue", mode=mode, on=True, **fields)


async def call(client: Client, *, within: float = 10.0) -> str:
    """Return the room to which a client is called, when it is."""
    await client.until(lambda: any(message["t"] == "paired" for message in client.inbox), within=within)
    return str((await client.told("paired"))["room"])


async def gather(meet: Meet, room: str, *players: Client) -> Table:
    """Let players come to their room, and a watcher, and judge all that has happened there."""
    seats: dict[int, Client] = {}
    for player in players:
        joined = await player.ask("join", room=room)
        assert joined["state"]["seats"][joined["seat"]]["ready"]
        seats[joined["seat"]] = player
    watcher = await meet()
    assert (await watcher.ask("join", room=room, watch=True))["seat"] is None
    table = Table(room, [player for _, player in sorted(seats.items())], [watcher])
    table.teller = watcher
    await watcher.whole(room)
    await table.sync()
    return table


async def play_a_little(table: Table, node: Node) -> None:
    """Begin, take some pairs and give up; then everyone can prove what happened."""
    await table.teller.event(table.room, "started")
    for _ in range(4):
        await table.sync()
        await table.match(table.judge.now.turn or 0)
    await table.play(0, "resign")
    assert table.over
    await table.prove(node)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["race", "turns", "mirror"])
async def test_two_who_do_not_know_each_other_play(node: Node, meet: Meet, mode: str) -> None:
    ann, ben = await meet(CODECS[0]), await meet(CODECS[1])
    await asyncio.gather(seek(ann, mode), seek(ben, mode))
    room = await call(ann)
    assert await call(ben) == room
    table = await gather(meet, room, ann, ben)
    created = table.judge.told[0]
    assert created["join_by"] == created["at"] + 10_000
    assert [event["kind"] for event in table.judge.told[1:3]] == ["seated", "seated"]
    await play_a_little(table, node)


@pytest.mark.slow
async def test_what_takes_time_happens_at_its_time(node: Node, meet: Meet) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(who_does_not_come_within_ten_seconds_is_left_out(node, meet))
        group.create_task(whoever_waits_for_fifteen_seconds_is_offered_the_computer(node, meet))


async def who_does_not_come_within_ten_seconds_is_left_out(node: Node, meet: Meet) -> None:
    ann, ben = await meet(), await meet()
    await seek(ann, "race")
    await seek(ben, "race")
    room = await call(ann)
    table = await gather(meet, room, ann)
    await table.teller.until(lambda: table.teller.rooms[room].events[-1]["kind"] == "ended", within=15)
    await table.sync()
    created, ended = table.judge.told[0], table.judge.told[-1]
    assert (ended["at"], ended["reason"]) == (created["at"] + 10_000, "abandoned")
    await table.agree()
    assert await ann.told("queued") == {"t": "queued", "mode": "race", "rated": False, "on": True}
    assert await ben.told("queued") == {"t": "queued", "mode": "race", "rated": False, "on": False}
    ann.inbox.clear()
    await seek(ben, "race")
    ben.inbox.clear()
    assert await call(ann) == await call(ben) != room


async def whoever_waits_for_fifteen_seconds_is_offered_the_computer(node: Node, meet: Meet) -> None:
    ann = await meet(CODECS[1])
    began = (await ann.ask("ping"))["time"]
    await seek(ann, "turns")
    await ann.until(lambda: ann.inbox[-1]["t"] == "queued", within=25)
    assert ann.inbox[-1] == {"t": "queued", "mode": "turns", "rated": False, "on": True, "bot": "medium"}
    assert (await ann.ask("ping"))["time"] - began >= 15_000
    await seek(ann, "turns", bot=True)
    table = await gather(meet, await call(ann), ann)
    assert [chair and chair.player.get("bot") for chair in table.judge.now.chairs] == [None, "medium"]
    await table.teller.event(table.room, "started")
    await table.sync()
    await table.match(0)
    await table.teller.until(lambda: table.teller.rooms[table.room].events[-1].get("seat") == 1)
    await table.sync()
    await table.play(0, "resign")
    await table.prove(node)


class Person:
    """One of a crowd: wants a game, does what a client must when its node dies, and gets there."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.room: str | None = None  # where the game is played

    def was_called(self) -> bool:
        """Tell whether there was an opponent."""
        return any(message["t"] == "paired" for message in self.client.inbox)

    async def get_a_game(self) -> None:
        """Return when one's game has started."""
        while self.room is None:
            try:
                self.room = await self._try()
            except (Closed, ConnectionClosed):
                self.client = await self.client.again()

    async def _try(self) -> str | None:
        client, since = self.client, len(self.client.inbox)
        answer = await client.ask("queue", mode="race", on=True)
        if answer.get("code") == "not_allowed":  # it has begun, and the word of it was lost with the node
            return str((await client.hello(token=client.token))["seated"][0])
        room = str((await self._heard(since, "paired"))["room"])
        joined = await client.ask("join", room=room)
        while joined["t"] == "snapshot" and joined["state"]["phase"] in ("open", "starting"):
            await self._heard(since, "started", "ended")
            joined = await client.ask("join", room=room)
        return room if joined.get("state", {}).get("phase") == "playing" else None

    async def _heard(self, since: int, *kinds: str) -> Message:
        """Return the first message since then, or event, of one of these kinds, when it comes."""

        def found() -> Message | None:
            inbox = self.client.inbox[since:]
            return next(
                (message for message in inbox if {message["t"], message.get("kind")} & {*kinds}), None
            )

        await self.client.until(lambda: found() is not None, within=60)
        message = found()
        assert message is not None
        return message


@pytest.mark.slow
@pytest.mark.parametrize("called", [1, CROWD // 2])
async def test_two_hundred_at_once_while_a_node_dies(node: Node, meet: Meet, called: int) -> None:
    """Everyone is in exactly one match, or still waits; nobody is lost."""
    crowd = [Person(await meet(CODECS[number % 2])) for number in range(CROWD)]
    assert len({person.client.node for person in crowd}) == 2
    games = [asyncio.create_task(person.get_a_game()) for person in crowd]
    try:
        await until(lambda: sum(map(Person.was_called, crowd)) >= called)
        os.kill(node.workers()[0], signal.SIGKILL)
        await asyncio.wait(games, timeout=90)
    finally:
        for game in games:
            game.cancel()
        results = await asyncio.gather(*games, return_exceptions=True)
    assert [result for result in results if isinstance(result, Exception)] == []
    played, waiting = _played(node), _waiting(node)
    places = Counter(player for players in played.values() for player in players)
    for person in crowd:
        me = person.client.player
        assert places[me] + (me in waiting) == 1, person.room
        assert person.room is None or me in played[person.room]
    assert len([person for person in crowd if person.room is None]) <= 1, "two who wait could play each other"


def _played(node: Node) -> dict[str, list[str]]:
    """Return who sits in each quick match that was played, as it is stored."""
    with node.store() as store:
        names = [key.decode() for key in store.scan_iter("tm:{*}:log")]
    logs = [
        (name[4:14], [msgpack.unpackb(entry[5:]) for entry in node.entries(name[4:14])]) for name in names
    ]
    return {
        room: [event["player"]["id"] for event in log if event["kind"] == "seated"]
        for room, log in logs
        if "join_by" in log[0] and any(event["kind"] == "started" for event in log)
    }


def _waiting(node: Node) -> set[str]:
    """Return who waits, as it is stored: those who have no room to come to."""
    with node.store() as store:
        known = cast("dict[bytes, bytes]", store.hgetall("tm:{queue}:seekers"))
    return {player.decode() for player, entry in known.items() if not msgpack.unpackb(entry)[7]}


@pytest.mark.slow
async def test_who_waited_on_a_node_that_died_waits_no_longer(node: Node, meet: Meet) -> None:
    clients = [await meet(), await meet()]
    while len({client.node for client in clients}) < 2:
        clients.append(await meet())
    one, other = clients[0], next(client for client in clients if client.node != clients[0].node)
    await seek(one, "mirror")
    await seek(other, "turns")
    assert {one.player, other.player} <= _waiting(node)
    os.kill(node.workers()[0], signal.SIGKILL)
    await until(lambda: None is not (one.close_code or other.close_code))
    alive = one if one.close_code is None else other
    dead = other if alive is one else one
    async with asyncio.timeout(20):
        while dead.player in _waiting(node):
            await alive.ask("ping")
    assert alive.player in _waiting(node)
