"""The same games where the players sit on two nodes: two workers on one port, over one store."""

import asyncio
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from tests.live.client import CODECS, Client
from tests.live.node import Node
from tests.live.table import Meet, Table

LONG: dict[str, Any] = {"size": 27, "adds": 5, "seed": "006d" * 16}
THREE = (*CODECS, CODECS[0])


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Two nodes on one port."""
    folder = tmp_path_factory.mktemp("workers")
    with Node(folder, "--workers", "2", matches_per_s=0, messages_per_s=0, rooms_per_player=0) as node:
        yield node


@pytest.fixture
def spread(meet: Meet) -> Meet:
    """Return what connects clients to the two nodes by turns."""
    last = ""

    async def spread(codec: str = CODECS[0], *, apart: str = "", **hello: Any) -> Client:
        nonlocal last
        client = await meet(codec, **hello)
        while client.node == (apart or last):
            await client.close()
            client = await meet(codec, **hello)
        last = client.node
        return client

    return spread


@pytest.mark.parametrize("mode", ["race", "turns", "mirror"])
@pytest.mark.parametrize("codecs", [CODECS, THREE], ids=["two", "three"])
async def test_a_game_over_two_nodes_is_one_game(
    node: Node, spread: Meet, mode: str, codecs: tuple[str, ...]
) -> None:
    table = await Table.begin(spread, mode, codecs=codecs, **LONG)
    assert len({player.node for player in table.players}) == 2
    await table.play_on()
    assert table.judge.told[-1]["reason"] == "stuck"
    await table.prove(node)


async def test_of_two_claims_at_once_on_two_nodes_the_log_takes_one(node: Node, spread: Meet) -> None:
    table = await Table.begin(spread, "race", **LONG)
    while not table.over:
        if not (pairs := table.judge.game.pairs()):
            await table.play(table.seq % 2, "call")
            continue
        seen = table.seq
        answers = await asyncio.gather(*(table.match(seat, pairs[0], seen=seen) for seat in (0, 1)))
        results = {answer.get("kind", answer.get("code")) for answer in answers}
        assert results in ({"matched", "stale"}, {"matched", "not_playing"})
    await table.prove(node)


async def test_a_move_sent_again_on_the_other_node_is_the_same_move(spread: Meet) -> None:
    table = await Table.begin(spread, "race", **LONG)
    older = table.players[1]
    matched = await table.match(1)
    newer = await spread(CODECS[0], apart=older.node, token=older.token)
    await newer.ask("join", room=table.room)
    assert (await older.told("detached"))["reason"] == "taken_over"
    assert await older.closed() == 4501
    again = await newer.move(
        "match", table.room, n=matched["n"], a=matched["a"], b=matched["b"], seen=matched["seq"] - 1
    )
    assert again == matched
    assert (await newer.resume(table.room))["events"] == []


async def test_of_one_move_on_two_nodes_at_once_one_is_made(spread: Meet) -> None:
    """The older connection loses the seat in the same breath in which both send the move."""
    table = await Table.begin(spread, "race", **LONG)
    older = table.players[1]
    (a, b), seen = table.judge.game.pairs()[0], table.seq
    newer = await spread(CODECS[0], apart=older.node, token=older.token)
    await newer.say("join", room=table.room)
    for client in (older, newer):
        await client.say("match", room=table.room, n=1, a=a, b=b, seen=seen)
    await newer.find(lambda message: message.get("n") == 1)
    assert await older.closed() == 4501
    table.players[1] = newer
    await table.sync(newer.rooms[table.room].seq)
    assert len([event for event in table.judge.told if event.get("seat") == 1 and event.get("n") == 1]) == 1


@pytest.mark.slow
async def test_a_seat_has_one_connection_however_many_join_at_once(spread: Meet) -> None:
    table = await Table.begin(spread, "race", **LONG)
    token = table.players[1].token
    for _ in range(10):
        pair = [await spread(token=token) for _ in range(2)]
        await asyncio.gather(*(client.ask("join", room=table.room) for client in pair))
        loser = await _first_closed(pair)
        winner = pair[1 - pair.index(loser)]
        assert loser.close_code == 4501
        refused = await winner.move("match", table.room, a=0, b=0, seen=0, n=2**31 - 1)
        assert refused.get("code") in ("same_number", "locked")
        assert winner.close_code is None
        await winner.close()


async def _first_closed(clients: list[Client]) -> Client:
    waits = [asyncio.ensure_future(client.closed()) for client in clients]
    done, open_ones = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED, timeout=10)
    for wait in open_ones:
        wait.cancel()
    await asyncio.gather(*open_ones, return_exceptions=True)
    return clients[waits.index(done.pop())]


async def test_the_same_key_on_two_nodes_at_once_makes_one_room(spread: Meet) -> None:
    maker = await spread()
    others = [await spread(token=maker.token) for _ in range(10)]
    made = await asyncio.gather(*(other.ask("create", mode="race", key="once") for other in others))
    assert len({answer["room"] for answer in made}) == 1
    assert {answer["seat"] for answer in made} == {0}
    assert {answer["seq"] for answer in made} == {2}


async def test_seats_are_given_once_however_many_come(spread: Meet) -> None:
    host = await spread()
    made = await host.ask("create", mode="race", options={"max_players": 8})
    guests = [await spread() for _ in range(12)]
    answers = await asyncio.gather(*(guest.ask("join", code=made["code"]) for guest in guests))
    seats = sorted(answer["seat"] for answer in answers if answer["t"] == "snapshot")
    assert seats == [1, 2, 3, 4, 5, 6, 7]
    assert [answer["code"] for answer in answers if answer["t"] == "error"] == ["room_full"] * 5


async def test_talk_and_presence_cross_from_node_to_node(spread: Meet) -> None:
    table = await Table.open(spread, "race")
    host, guest = table.players
    assert host.node != guest.node
    await guest.ok("chat", room=table.room, text="hello over there")
    await host.told("chat", text="hello over there")
    for client in (host, guest, table.watchers[0]):
        await client.told("presence", online=[True, True], watching=1)
    await host.ok("kick", room=table.room, seat=1)
    assert (await guest.told("detached"))["reason"] == "kicked"
    assert await guest.denied("join", room=table.room) == "not_allowed"


async def test_whoever_comes_to_the_other_node_gets_exactly_what_was_missed(node: Node, spread: Meet) -> None:
    table = await Table.begin(spread, "race", **LONG)
    lost = table.players[1]
    await lost.drop()
    for _ in range(3):
        await table.match(0)
    back = await spread(CODECS[0], apart=lost.node, token=lost.token)
    back.rooms = lost.rooms
    answer = await back.resume(table.room)
    assert (answer["t"], len(answer["events"])) == ("resumed", 3)
    table.players[1] = back
    await table.play_on()
    await table.prove(node)


@pytest.mark.slow
async def test_the_death_of_a_node_costs_nobody_a_move_on_a_board_of_their_own(
    node: Node, spread: Meet
) -> None:
    table = await Table.begin(spread, "mirror", codecs=THREE, **LONG)
    for seat in table.seats:
        await table.match(seat)
    before = node.workers()
    os.kill(before[0], signal.SIGKILL)
    dead = (await _first_closed([*table.players, *table.watchers])).node
    for group in (table.players, table.watchers):
        for place, client in enumerate(group):
            if client.node != dead:
                continue
            assert await client.closed() == 1006
            group[place] = back = await client.again()
            watch = client.rooms[table.room].seat is None
            assert (await back.resume(table.room, watch=watch))["t"] == "resumed"
    table.teller = table.watchers[0]
    await table.play_on()
    await table.prove(node)
    while len(node.workers()) < 2 or node.workers() == before:
        await table.players[0].ask("ping")


@pytest.mark.slow
async def test_the_death_of_a_node_costs_nobody_a_move(node: Node, spread: Meet, meet: Meet) -> None:
    table = await Table.begin(spread, "race", codecs=THREE, **LONG)
    await table.match(0)
    before = node.workers()
    os.kill(before[0], signal.SIGKILL)
    dead = await _first_closed(table.players)
    alive = [player for player in table.players if player.node != dead.node]
    assert dead.close_code == 1006
    assert len(alive) in (1, 2)
    table.teller = alive[0]
    await table.teller.whole(table.room)
    await table.match(table.players.index(alive[0]))
    for place, player in enumerate(table.players):
        if player.node == dead.node:
            await player.closed()
            table.players[place] = back = await player.again()
            assert (await back.resume(table.room))["t"] == "resumed"
    table.watchers.clear()
    await table.play_on()
    table.watchers.append(await meet())
    await table.watchers[0].ask("join", room=table.room, watch=True)
    await table.prove(node)
    while len(node.workers()) < 2 or node.workers() == before:
        await table.players[0].ask("ping")
