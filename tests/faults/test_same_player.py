"""P24, P25, P26: the same player, key or move comes more than once, over several nodes, at once."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import cycle
from typing import Any, NamedTuple

import msgpack
import pytest
import redis
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import percentile
from tests.faults.promise import Promise
from tests.live.client import CODECS, Client, Closed, Message
from tests.live.table import Table
from websockets.exceptions import ConnectionClosed

SOCKETS = 20
TAKEN_OVER = 4501
KEYS = amount(5, 50)
REPLAYS = amount(10, 50)
TAKEOVERS = amount(25, 500)
ROUNDS_A_GAME = 60
LOOKED_ON_S = 0.05  # whether the seat goes back and forth
TOLD_S = 1.0  # for the connection that lost the seat
LONG: dict[str, Any] = {"size": 180, "penalty": False, "seed": "006d" * 16}

pytestmark = pytest.mark.slow

Come = Callable[..., Awaitable[Client]]


@pytest.fixture(scope="module")
def unguarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """Nodes that forget what they should not."""
    without = "keys_forgotten,numbers_forgotten,never_superseded"
    with Deployment(tmp_path_factory.mktemp("unguarded"), nodes=2, without=without) as deployment:
        yield deployment


@pytest.fixture
async def come(request: pytest.FixtureRequest) -> AsyncIterator[Come]:
    """Return what connects a client to one node after the other; a twin's nodes have no guards."""
    name = "unguarded" if request.node.get_closest_marker("twin") else "deployment"
    urls = cycle(request.getfixturevalue(name).addresses())
    clients: list[Client] = []

    async def come(codec: str = CODECS[0], **hello: Any) -> Client:
        clients.append(await Client.connect(next(urls), codec))
        await clients[-1].hello(**hello)
        return clients[-1]

    yield come
    for client in clients:
        await client.close()


def made(deployment: Deployment) -> int:
    """Count the rooms there are."""
    with redis.Redis.from_url(deployment.redis.url) as store:
        return sum(1 for _ in store.scan_iter("tm:*:log", 1_000))


# -- P24


async def rooms_made(come: Come, deployment: Deployment, keys: int) -> tuple[int, int]:
    """Let one player make a room under each key over many sockets at once; count rooms told of, and made."""
    player = await come()
    sockets = [await come(token=player.token) for _ in range(SOCKETS)]
    for socket in sockets:
        await socket.ask("lobby", on=True)  # who has nothing left is sent away by a newer one of the player
    before, told = made(deployment), set()
    for number in range(keys):
        asked = {"mode": "race", "key": f"key {number}"}
        answers = await asyncio.gather(*(socket.ask("create", **asked) for socket in sockets))
        told |= {answer.get("room") for answer in answers}
    return len(told), made(deployment) - before


@pytest.mark.promise("P24")
async def test_a_key_makes_one_room(come: Come, deployment: Deployment, promise: Promise) -> None:
    told, stored = await rooms_made(come, deployment, KEYS)
    promise.equals(f"rooms told to {SOCKETS} sockets, for {KEYS} keys", told, KEYS)
    promise.equals("rooms made", stored, KEYS)


@pytest.mark.twin("P24")
async def test_a_forgotten_key_makes_many(come: Come, unguarded: Deployment, promise: Promise) -> None:
    told, _ = await rooms_made(come, unguarded, 1)
    promise.equals(f"rooms told to {SOCKETS} sockets, for 1 key", told, 1)


# -- P25


class Replays(NamedTuple):
    """What came of moves that were sent again."""

    answers: int  # on connections of the same player
    other: int  # of these, not the answer that was given first
    allowed: int  # on connections of somebody else, that were not refused
    grown: int  # events by which logs grew


async def replay(come: Come, rounds: int) -> Replays:
    """Make moves, and send the very same bytes again on all kinds of connections."""
    table = await Table.begin(come, "race", codecs=(CODECS[0], CODECS[0]), **LONG)
    first, second = table.players
    watcher = table.watchers[0]
    answers = other = allowed = grown = 0
    for number in range(1, rounds + 1):
        n = 1_000 + number  # the other player has no such move
        a, b = table.judge.game.pairs()[0]
        frame = msgpack.packb({"t": "match", "room": table.room, "n": n, "a": a, "b": b, "seen": table.seq})
        given = await _sent(first, frame, table.room, n)
        await table.sync(given["seq"])
        head = table.seq
        newer = await come(token=first.token)
        repeated = [await _sent(first, frame, table.room, n)]
        await newer.ask("join", room=table.room)
        repeated.append(await _sent(newer, frame, table.room, n))
        answers += len(repeated)
        other += sum(answer != given for answer in repeated)
        for somebody in (second, watcher):
            answer = await _sent(somebody, frame, table.room, n)
            allowed += answer["t"] != "refused"
        after = await newer.ask("join", room=table.room)
        grown += after["seq"] - head
        table.players[0] = first = newer
        table.teller = first
        await first.whole(table.room)
    return Replays(answers, other, allowed, grown)


async def _sent(client: Client, frame: bytes, room: str, n: int) -> Message:
    since = len(client.inbox)
    await client.raw(frame)
    return await client.answer(room, n, since=since)


@pytest.mark.promise("P25")
async def test_a_move_that_is_sent_again_is_the_same_move(come: Come, promise: Promise) -> None:
    replays = await replay(come, REPLAYS)
    promise.at_least("moves sent again by their player, to any node", replays.answers, 2 * REPLAYS)
    promise.equals("answered otherwise than at first", replays.other, 0)
    promise.equals("taken from somebody else", replays.allowed, 0)
    promise.equals("events by which logs grew", replays.grown, 0)


@pytest.mark.twin("P25")
async def test_a_forgotten_number_is_another_move(come: Come, promise: Promise) -> None:
    replays = await replay(come, 1)
    promise.equals("answered otherwise than at first", replays.other, 0)


# -- P26


class Takeovers(NamedTuple):
    """What came of two connections that took one seat at once, again and again."""

    undecided: int  # rounds after which not exactly one of them had the seat
    switches: int  # at most, in one round
    seconds: float  # in nine rounds of ten, from when both were in until the loser was told
    doubled: int  # moves that are in a log twice


async def take_over(come: Come, rounds: int) -> Takeovers:
    """Let a player come twice in one moment, move over both connections, and see who is left."""
    outcomes = []
    for first in range(0, rounds, ROUNDS_A_GAME):
        table = await Table.begin(come, "race", codecs=(CODECS[0], CODECS[0]), **LONG)
        several = min(ROUNDS_A_GAME, rounds - first)
        outcomes += [await _take_over_once(come, table, number) for number in range(1, several + 1)]
    undecided, switches, seconds, doubled = zip(*outcomes, strict=True)
    return Takeovers(sum(undecided), max(switches), percentile(sorted(seconds), 0.9), sum(doubled))


async def _take_over_once(come: Come, table: Table, number: int) -> tuple[bool, int, float, int]:
    host, room, token = table.players[0], table.room, table.players[1].token
    pair = [await come(token=token) for _ in range(2)]
    for client in pair[: number % 3]:  # with something left to them they are not sent away
        await client.ask("lobby", on=True)
    await asyncio.gather(*(client.ask("join", room=room) for client in pair))
    began = time.monotonic()
    a, b = table.judge.game.pairs()[0]
    await asyncio.gather(*(_say(client, room, n=number, a=a, b=b) for client in pair))
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(2 * TOLD_S):
            while not any(map(_detached, pair)):  # noqa: ASYNC110  # no event tells of it
                await asyncio.sleep(0.002)
    seconds = time.monotonic() - began
    await asyncio.sleep(LOOKED_ON_S)
    held = [await _holds(client, room, 10_000 + number) for client in pair]
    for client in pair:
        await client.close()
    await table.sync((await host.resume(room))["seq"])
    made = [event for event in table.judge.told if (event.get("seat"), event.get("n")) == (1, number)]
    return held.count(True) != 1, sum(map(_detached, pair)), seconds, max(0, len(made) - 1)


def _detached(client: Client) -> int:
    return sum(message["t"] == "detached" for message in client.inbox)


async def _say(client: Client, room: str, **fields: int) -> None:
    """Move; who lost the seat may have been sent away already."""
    with contextlib.suppress(ConnectionClosed):
        await client.say("match", room=room, seen=0, **fields)


async def _holds(client: Client, room: str, n: int) -> bool:
    """Tell whether a client's moves are judged: this one is refused in any case."""
    try:
        answer = await client.move("match", room, n=n, a=0, b=0, seen=0)
    except (Closed, ConnectionClosed):
        assert await client.closed() == TAKEN_OVER
        return False
    return answer.get("code") != "not_seated"


@pytest.mark.promise("P26")
async def test_a_seat_has_one_connection(come: Come, promise: Promise) -> None:
    taken = await take_over(come, TAKEOVERS)
    promise.equals(f"of {TAKEOVERS} rounds, without one who has the seat", taken.undecided, 0)
    promise.at_most("switches in a round", taken.switches, 1)
    promise.at_most("until the loser was told", taken.seconds, TOLD_S, "s")
    promise.equals("moves doubled", taken.doubled, 0)


@pytest.mark.twin("P26")
async def test_else_both_keep_it(come: Come, promise: Promise) -> None:
    taken = await take_over(come, 1)
    promise.equals("of 1 round, without one who has the seat", taken.undecided, 0)
