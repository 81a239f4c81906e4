"""What takes its time: all of it at once, so that it takes as long as the longest."""

import asyncio
from typing import Any

import pytest
from tests.live.client import CODECS, Client
from tests.live.conftest import Knock
from tests.live.node import Node
from tests.live.table import Meet, Table, enter
from tests.live.wire import Wire, upgrade

LONG: dict[str, Any] = {"size": 27, "adds": 5, "seed": "006d" * 16}
ADDS_TWICE: dict[str, Any] = {"size": 10, "adds": 2, "seed": "0011" * 16}  # ends with an Add, an Add, no pair
SHORT: dict[str, Any] = {"size": 12, "adds": 0, "seed": "0008" * 16}  # one pair is all there is
THREE = (*CODECS, CODECS[0])


@pytest.mark.slow
async def test_what_takes_time_happens_at_its_time(node: Node, meet: Meet, knock: Knock) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(locks_grow_to_four_seconds_and_a_match_resets_them(meet))
        group.create_task(without_a_call_the_server_adds_after_three_seconds(node, meet))
        group.create_task(time_ends_the_race(node, meet))
        group.create_task(whose_clock_runs_out_is_out(node, meet))
        group.create_task(two_of_three_play_again_fifteen_seconds_later(node, meet))
        group.create_task(half_a_request_is_waited_for_five_seconds(node))
        group.create_task(who_says_no_hello_is_sent_away(knock))


async def locks_grow_to_four_seconds_and_a_match_resets_them(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    locks = []
    for _ in range(3):
        mistaken = await table.match(0, table.wrong_pair("values"))
        locks.append(mistaken["locked_until"] - mistaken["at"])
        await clock_passes(table.players[0], mistaken["locked_until"])
    await table.match(0)
    mistaken = await table.match(0, table.wrong_pair("values"))
    assert [*locks, mistaken["locked_until"] - mistaken["at"]] == [1000, 2000, 4000, 1000]
    await table.agree()


async def clock_passes(client: Client, moment: int) -> None:
    """Return when the server's clock has passed a moment."""
    now = (await client.ask("ping"))["time"]
    await asyncio.sleep((moment - now + 20) / 1000)  # time itself is what is waited for


async def without_a_call_the_server_adds_after_three_seconds(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **ADDS_TWICE)
    while table.judge.game.pairs():
        await table.match(0)
    await table.players[0].event(table.room, "ended")
    await table.sync()
    kinds = [event["kind"] for event in table.judge.told]
    assert kinds[-3:] == ["added", "added", "ended"]
    await table.prove(node)


async def time_ends_the_race(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", seconds=10, **LONG)
    await table.match(1)
    watched = table.watchers[0].rooms[table.room]
    await table.watchers[0].until(lambda: watched.events[-1]["kind"] == "ended", within=20)
    await table.sync(table.seq + 1)
    assert table.judge.told[-1]["reason"] == "time"
    await table.prove(node)


async def whose_clock_runs_out_is_out(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "turns", codecs=THREE, base_s=5, increment_s=0, **LONG)
    await table.match(0)
    await table.players[0].event(table.room, "flagged")
    await table.sync()
    assert (await table.match(1))["code"] == "out"
    await table.match(2)
    await table.play(0, "resign")
    assert table.judge.told[-1]["reason"] == "last_one_in"
    await table.prove(node)


async def two_of_three_play_again_fifteen_seconds_later(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", codecs=THREE, **SHORT)
    await table.play_on()
    await table.players[2].ok("rematch", room=table.room, want=True)
    await table.players[0].ok("rematch", room=table.room, want=True)
    again = await enter(table, [2, 0])
    assert again.judge.now.phase == "open"  # a seat is free
    assert [chair and chair.ready for chair in again.judge.now.chairs] == [True, True, None]
    named = table.judge.told[-1]["at"] - next(e["at"] for e in reversed(table.judge.told) if "want" in e)
    assert named >= 15_000
    assert await table.players[1].denied("rematch", room=table.room, want=True) == "not_allowed"
    await again.players[0].ok("start", room=again.room)
    await again.sync(again.seq + 2)
    await again.play_on()
    await again.prove(node)


async def half_a_request_is_waited_for_five_seconds(node: Node) -> None:
    wire = await Wire.open(node.url)
    await wire.send(upgrade(node.url)[:-2])
    assert await wire.rest() == b""


async def who_says_no_hello_is_sent_away(knock: Knock) -> None:
    silent = await knock()
    assert await silent.denied("ping") == "hello_first"
    assert await silent.closed() == 4000
