"""Too much of everything: who sends or leaves unread too much is held back, and nobody else notices."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any

import pytest
from tests.live.client import CODECS, PATIENCE_S, Client, Closed, Message
from tests.live.conftest import Knock
from tests.live.figures import scrape
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.live.wire import Wire, frame

LONG: dict[str, Any] = {"size": 27, "adds": 5, "seed": "006d" * 16}
HELLO = frame(1, b'{"t":"hello","id":1}')


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server with the limits it has by itself."""
    with Node(tmp_path_factory.mktemp("limits")) as node:
        yield node


@pytest.fixture
async def game(meet: Meet) -> AsyncIterator[Table]:
    """A game that goes on all the while, and is judged."""
    table = await Table.begin(meet, "race", **LONG)
    yield table
    await table.match(0)
    await table.match(1)
    await table.agree()


async def test_over_sixty_messages_at_once_are_dropped_and_said_to_be(game: Table, meet: Meet) -> None:
    client = await meet()
    answers = await asyncio.gather(*(client.ask("ping") for _ in range(100)))
    assert {answer.get("code", "pong") for answer in answers} == {"pong", "rate_limited"}
    assert [answer["t"] for answer in answers[:55]] == ["pong"] * 55
    assert 20 <= [answer["t"] for answer in answers].count("error") <= 45
    assert client.close_code is None


async def patiently(player: Client, *excuses: str, **move: Any) -> Message:
    """Make a match, again after a while if it was dropped for one of these reasons."""
    while (answer := await player.move("match", **move))["t"] == "error":
        assert answer["code"] in excuses
        await asyncio.sleep(0.1)  # as clients must
    return answer


async def test_a_dropped_move_may_be_sent_again(meet: Meet) -> None:
    table = await Table.begin(meet, "turns", **LONG)
    player, (a, b) = table.players[0], table.judge.game.pairs()[0]
    for _ in range(80):
        await player.say("ping")
    dropped = await player.move("match", table.room, n=1, a=a, b=b, seen=table.seq)
    assert (dropped["t"], dropped["code"], dropped["n"]) == ("error", "rate_limited", 1)
    await table.sync()
    assert table.judge.told[-1]["kind"] == "started"
    made = await patiently(player, "rate_limited", room=table.room, n=1, a=a, b=b, seen=table.seq)
    assert made["kind"] == "matched"
    await table.agree()


@pytest.mark.slow
async def test_a_flood_is_closed_with_1008(node: Node, game: Table) -> None:
    wire = await Wire.upgraded(node.url, then=HELLO)
    await wire.send(frame(1, b'{"t":"ping"}') * 2000)
    assert await wire.close_code() == 1008


@pytest.mark.slow
async def test_a_flood_of_nonsense_is_closed_with_1008(node: Node, game: Table) -> None:
    wire = await Wire.upgraded(node.url, then=HELLO)
    await wire.send(frame(1, b"7") * 2000)
    assert await wire.close_code() == 1008


@pytest.mark.slow
async def test_a_flood_of_control_frames_is_closed_with_1008(node: Node, game: Table) -> None:
    wire = await Wire.upgraded(node.url, then=HELLO)
    await wire.send(frame(10) * 20_000)
    assert await wire.close_code() == 1008


async def test_endless_fragments_end(node: Node, game: Table) -> None:
    wire = await Wire.upgraded(node.url, then=HELLO)
    await wire.send(frame(1, b"[", fin=False) + frame(0, b"[", fin=False) * 10_000)
    assert await wire.close_code() in (1008, 1009)


async def test_over_eight_matches_at_once_are_too_fast(meet: Meet) -> None:
    table = await Table.begin(meet, "race", penalty=False, **LONG)
    player, (a, b) = table.players[0], table.wrong_pair("values")
    answers = [await player.move("match", table.room, a=a, b=b, seen=table.seq) for _ in range(20)]
    assert [answer["code"] for answer in answers[:8]] == ["values"] * 8
    fast = [answer for answer in answers if answer["t"] == "error"]
    assert {answer["code"] for answer in fast} == {"too_fast"}
    assert all(answer["room"] == table.room for answer in fast)
    pair = table.judge.game.pairs()[0]
    made = await patiently(player, "too_fast", room=table.room, n=99, a=pair[0], b=pair[1], seen=0)
    assert made["kind"] == "matched"
    await table.sync(made["seq"])
    assert (await table.match(1))["kind"] == "matched"  # another seat is not held back
    await table.agree()


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server with small limits for what connections do together, and for what makes work."""
    small = {"sockets_per_player": 2, "joins_per_minute": 5, "rooms_per_address": 3}
    with Node(tmp_path_factory.mktemp("strict"), messages_per_s_player=10, **small) as node:
        yield node


async def welcomed(meet: Meet, **hello: Any) -> Client:
    """Be welcome as soon as the server has noticed that somebody left."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(Closed):
                return await meet(**hello)


@pytest.mark.slow
async def test_a_players_connections_are_limited(strict: Node, meet: Meet, knock: Knock) -> None:
    first = await meet(url=strict.url)
    await meet(url=strict.url, token=first.token)
    third = await knock(url=strict.url)
    await third.say("hello", token=first.token)
    assert await third.closed() == 1013
    await first.close()
    assert (await welcomed(meet, url=strict.url, token=first.token)).player == first.player


@pytest.mark.slow
async def test_a_players_connections_share_what_one_may_send(strict: Node, meet: Meet) -> None:
    first = await meet(url=strict.url)
    second = await meet(url=strict.url, token=first.token)
    answers = await asyncio.gather(*(client.ask("ping") for _ in range(50) for client in (first, second)))
    assert {answer.get("code", "pong") for answer in answers} == {"pong", "rate_limited"}
    assert (await (await meet(url=strict.url)).ask("ping"))["t"] == "pong"


@pytest.mark.slow
async def test_rooms_made_and_joined_are_limited(strict: Node, meet: Meet) -> None:
    maker = await meet(url=strict.url)
    made = [await maker.ask("create", mode="race") for _ in range(3)]
    assert await (await meet(url=strict.url)).denied("create", mode="race") == "too_many_rooms"
    guest = await meet(url=strict.url)
    for _ in range(5):
        assert (await guest.ask("join", room=made[0]["room"]))["seat"] == 1
    assert await guest.denied("join", room=made[1]["room"]) == "rate_limited"
    await guest.ok("ready", room=made[0]["room"], ready=True)


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server that takes as much as anybody sends, and counts."""
    free = dict.fromkeys(("matches_per_s", "messages_per_s", "rooms_per_player"), 0)
    with Node(tmp_path_factory.mktemp("patient"), metrics_port=0, **free) as node:
        yield node


@pytest.mark.slow
async def test_who_asks_for_much_and_reads_nothing_is_closed(patient: Node, meet: Meet) -> None:
    host = await meet(url=patient.url)
    for _ in range(40):
        await host.ask("create", mode="race")
    await host.ask("lobby", on=True)
    await host.find(lambda message: len(message.get("rooms") or message.get("changed") or ()) >= 30)
    wire = await Wire.upgraded(patient.url, then=HELLO, narrow=True)
    before = too_slow(patient)
    with suppress(ConnectionError, asyncio.IncompleteReadError):  # 2 s later it is cut off, read or not
        async with asyncio.timeout(PATIENCE_S):
            while (
                too_slow(patient) == before
            ):  # nothing is read until then, and how much kernels hold is theirs
                await wire.send(frame(1, b'{"t":"lobby","on":true}') * 200)
        assert await wire.close_code() == 1013
    assert too_slow(patient) > before


def too_slow(node: Node) -> float:
    """Return how many connections a server has closed since nobody read there."""
    closed = (sample for sample in scrape(node).samples if sample.name == "tenmatch_sockets_closed_total")
    return sum(sample.value for sample in closed if sample.labels["code"] == "1013")


async def change_minds(table: Table, times: int) -> int:
    """Let the host be ready and no longer so often, and return the seq after that."""
    host = table.players[0]
    before = host.rooms[table.room].seq
    for turn in range(times):
        await host.say("ready", room=table.room, ready=turn % 2 == 0)
        if turn % 500 == 499:
            await host.reach(table.room, before + turn)
    await host.reach(table.room, before + times)
    return before + times


@pytest.mark.slow
async def test_a_player_who_reads_too_slowly_is_closed_and_comes_back(patient: Node, meet: Meet) -> None:
    table = await Table.open(_to(meet, patient), "race", codecs=CODECS[:1], max_players=2)
    slow = await Wire.upgraded(patient.url, then=HELLO, narrow=True)
    token = json.loads((await slow.receive())[1])["token"]
    await slow.send(frame(1, json.dumps({"t": "join", "room": table.room}).encode()))
    await table.players[0].event(table.room, "seated", seat=1)
    head = await change_minds(table, 4600)
    assert await slow.close_code() == 1013
    back = await meet(CODECS[0], url=patient.url, token=token)
    answer = await back.ask("join", room=table.room, after=0, chain=0)
    assert (answer["t"], answer["seq"], answer["seat"]) == ("snapshot", head, 1)  # more than 500 events
    assert not answer.get("reset")


@pytest.mark.slow
async def test_a_watcher_who_reads_too_slowly_skips_to_one_snapshot(patient: Node, meet: Meet) -> None:
    table = await Table.open(_to(meet, patient), "race")
    slow = await Wire.upgraded(patient.url, then=HELLO, narrow=True)
    await slow.send(frame(1, json.dumps({"t": "join", "room": table.room, "watch": True}).encode()))
    head = await change_minds(table, 3000)
    seq, snapshots = 0, 0
    while seq < head:
        _, payload = await slow.receive()
        message = json.loads(payload)
        if message["t"] == "snapshot":
            snapshots += 1
            assert message["seq"] > seq
            seq = message["seq"]
        elif message["t"] == "event":
            assert message["seq"] == seq + 1
            seq = message["seq"]
    assert snapshots >= 2
    slow.close()
    await table.agree()


def _to(meet: Meet, node: Node) -> Meet:
    return lambda codec=CODECS[0], **hello: meet(codec, url=node.url, **hello)
