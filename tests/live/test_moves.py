"""A move is made once, however often it is sent; and only by who holds the seat."""

import asyncio
from typing import Any

import pytest
from tests.live.client import CODECS, Client
from tests.live.line import Line
from tests.live.node import Node
from tests.live.table import Meet, Table

LONG: dict[str, Any] = {"size": 27, "adds": 5, "seed": "006d" * 16}
NOT_MATCH: list[tuple[str, dict[str, Any]]] = [
    ("call", {"seen": 0}),
    ("pass", {}),
    ("resign", {}),
    ("add", {}),
]


async def test_the_same_n_on_the_same_connection_brings_back_the_same_event(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    player = table.players[1]
    matched = await table.match(1)
    await table.match(0)
    move = {"n": matched["n"], "a": matched["a"], "b": matched["b"], "seen": 0}
    assert await player.move("match", table.room, **move) == matched
    assert await player.move("match", table.room, **move) == matched
    await table.agree()


async def test_the_same_n_with_other_content_brings_back_what_was_logged(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    matched = await table.match(0)
    other = {"n": matched["n"], "a": 0, "b": 0, "seen": 0}
    assert await table.players[0].move("match", table.room, **other) == matched
    for t, fields in NOT_MATCH:
        assert await table.players[0].move(t, table.room, n=matched["n"], **fields) == matched
    await table.agree()


async def test_a_mistake_is_made_once_too(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    mistaken = await table.match(0, table.wrong_pair("blocked"))
    legal = table.judge.game.pairs()[0]
    again = await table.players[0].move("match", table.room, n=1, a=legal[0], b=legal[1], seen=table.seq)
    assert again == mistaken  # even where it would be locked, or right
    await table.agree()


@pytest.mark.parametrize("codec", CODECS)
async def test_the_same_n_on_a_new_connection_brings_back_the_same_event(meet: Meet, codec: str) -> None:
    table = await Table.begin(meet, "turns", codecs=(CODECS[0], codec), **LONG)
    matched = await table.match(0)
    table.teller = table.players[0] = await meet(token=table.players[0].token)
    await table.teller.whole(table.room)
    move = {"n": 1, "a": matched["a"], "b": matched["b"], "seen": matched["seq"] - 1}
    assert await table.players[0].move("match", table.room, **move) == matched
    await table.match(1)
    await table.agree()


async def test_the_same_n_is_looked_up_before_any_obstacle(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "turns", **LONG)
    matched = await table.match(0)
    move = {"n": 1, "a": matched["a"], "b": matched["b"], "seen": 0}
    assert await table.players[0].move("match", table.room, **move) == matched  # not one's turn
    await table.play(0, "resign")  # out, and over
    assert await table.players[0].move("match", table.room, **move) == matched
    assert (await table.players[0].move("resign", table.room, n=2))["seq"] == table.seq - 1
    await table.prove(node)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("lost", ["move", "answer"])
async def test_a_move_on_a_dead_line_is_made_once_when_it_is_sent_again(
    node: Node, meet: Meet, lost: str, codec: str
) -> None:
    async with Line(node) as line:
        places = iter([line.url, node.url, node.url])

        async def spread(codec: str) -> Client:
            return await meet(codec, url=next(places))

        table = await Table.begin(spread, "race", codecs=(codec, CODECS[1]), **LONG)
        table.teller = table.players[1]
        await table.teller.whole(table.room)
        player, (a, b), seen = table.players[0], table.judge.game.pairs()[0], table.seq
        if lost == "move":
            line.freeze()
        else:
            line.answered = lambda answer: b""
        await player.say("match", room=table.room, n=1, a=a, b=b, seen=seen)
        if lost == "answer":
            await table.teller.event(table.room, "matched", seat=0, n=1)
        table.players[0] = back = await player.again(node.url)
        assert len((await back.resume(table.room))["events"]) == (lost == "answer")
        made = await back.move("match", table.room, n=1, a=a, b=b, seen=seen)
        assert (made["kind"], made["seat"], made["n"], made["seq"]) == ("matched", 0, 1, seen + 1)
        line.thaw()  # now it arrives, late
        await table.sync(made["seq"])
        await table.match(1)
        await player.drop()
        await table.match(0)
    await table.agree()
    made_moves = [(event["seat"], event["n"]) for event in table.judge.told if event["kind"] == "matched"]
    assert made_moves == [(0, 1), (1, 1), (0, 2)]


async def test_another_players_n_is_another_move(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    first, second = await table.match(0, n=7), await table.match(1, n=7)
    assert (first["seat"], second["seat"]) == (0, 1)
    assert first["seq"] != second["seq"]


async def test_numbers_may_have_gaps_and_come_in_any_order(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    for n in (5, 2**31 - 1, 3):
        assert (await table.match(0, n=n))["n"] == n
    snapshot = await table.watchers[0].ask("join", room=table.room, watch=True)
    assert snapshot["state"]["seats"][0]["last_n"] == 2**31 - 1
    await table.agree()


async def test_of_many_copies_in_one_breath_one_is_made_and_all_are_answered(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    player, (a, b) = table.players[0], table.judge.game.pairs()[0]
    for _ in range(10):
        await player.say("match", room=table.room, n=1, a=a, b=b, seen=table.seq)
    await player.ok("chat", room=table.room, text="that was it")
    await player.until(lambda: sum(m.get("n") == 1 for m in player.inbox) == 10)
    answers = [message for message in player.inbox if message.get("n") == 1]
    assert answers == [answers[0]] * 10
    await table.agree()


async def test_a_refused_move_may_be_sent_again_under_its_n(meet: Meet) -> None:
    table = await Table.begin(meet, "turns", **LONG)
    assert (await table.match(1, n=1))["code"] == "not_your_turn"
    await table.match(0)
    assert (await table.match(1, n=1))["kind"] == "matched"
    await table.agree()


async def test_moves_sent_without_waiting_are_made_in_their_order(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    player, pairs = table.players[0], table.judge.game.pairs()
    for n, (a, b) in enumerate(pairs, 1):
        await player.say("match", room=table.room, n=n, a=a, b=b, seen=table.seq)
    answers = await asyncio.gather(*(player.answer(table.room, n) for n in range(1, len(pairs) + 1)))
    made = [answer["n"] for answer in answers if answer["t"] == "event"]
    seqs = [answer["seq"] for answer in answers if answer["t"] == "event"]
    assert made[0] == 1
    assert seqs == sorted(seqs)
    await table.agree()


async def test_moves_before_the_start_are_refused(meet: Meet) -> None:
    table = await Table.open(meet, "race", **LONG)
    await table.sync()
    assert (await table.play(0, "match", a=0, b=1))["code"] == "not_playing"
    for t, fields in NOT_MATCH:
        assert (await table.play(1, t, **fields))["code"] == "not_playing"


async def test_only_who_holds_the_seat_makes_its_moves(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    stranger = await meet(CODECS[1])
    for other in (stranger, table.watchers[0]):
        for t, fields in [("match", {"a": 0, "b": 1, "seen": 0}), *NOT_MATCH]:
            refused = await other.move(t, table.room, n=1, **fields)
            assert (refused["t"], refused["code"]) == ("refused", "not_seated")
    table.judge.take(table.players[0].rooms[table.room].events)
    assert table.judge.told[-1]["kind"] == "started"  # nothing of it is in the log
    assert len(node.entries(table.room)) == table.seq


async def test_a_room_that_never_was_has_no_seats(meet: Meet) -> None:
    client = await meet()
    refused = await client.move("resign", "2222222222")
    assert (refused["t"], refused["code"], refused["seq"]) == ("refused", "not_seated", 0)
