"""Another game with the same people."""

from typing import Any

import pytest
from tests.live.client import CODECS
from tests.live.node import Node
from tests.live.table import Meet, Table, enter

SHORT: dict[str, Any] = {"size": 12, "adds": 0, "seed": "0008" * 16}  # one pair is all there is
THREE = (*CODECS, CODECS[0])


async def finished(meet: Meet, mode: str, **options: Any) -> Table:
    """Play a short game to its end."""
    table = await Table.begin(meet, mode, **{**SHORT, **options})
    await table.play_on()
    return table


@pytest.mark.parametrize("mode", ["race", "turns"])
async def test_when_all_want_it_they_play_again_in_turned_order(node: Node, meet: Meet, mode: str) -> None:
    table = await finished(meet, mode, codecs=THREE)
    for player in table.players:
        await player.ok("rematch", room=table.room, want=True)
    again = await enter(table, [1, 2, 0])
    await table.prove(node)
    assert again.judge.now.phase == "playing"
    assert again.judge.told[0]["options"] == table.judge.told[0]["options"]
    await again.play(0, "resign")
    await again.play(1, "resign")
    await again.prove(node)


async def test_wanting_can_be_taken_back(meet: Meet) -> None:
    table = await finished(meet, "race", codecs=THREE)
    first, second, third = table.players
    for want in (True, False, True):
        await first.ok("rematch", room=table.room, want=want)
    await first.ok("rematch", room=table.room, want=True)  # nothing to change
    await second.ok("rematch", room=table.room, want=True)
    await second.ok("rematch", room=table.room, want=False)
    assert await table.watchers[0].denied("rematch", room=table.room, want=True) == "not_allowed"
    await table.sync(third.rooms[table.room].seq)
    wants = [(e["seat"], e["want"]) for e in table.judge.told if e["kind"] == "rematch"]
    assert wants == [(0, True), (0, False), (0, True), (1, True), (1, False)]


async def test_a_rematch_is_for_after_the_end(meet: Meet) -> None:
    table = await Table.begin(meet, "race", size=27)
    assert await table.players[0].denied("rematch", room=table.room, want=True) == "not_allowed"


async def test_computer_players_come_along_and_the_lowest_person_is_host(meet: Meet) -> None:
    table = await Table.open(meet, "race", codecs=CODECS, **{**SHORT, "max_players": 3})
    await table.players[0].ok("bot", room=table.room, level="easy")
    for player in table.players:
        await player.ok("ready", room=table.room, ready=True)
    await table.players[0].event(table.room, "started")
    await table.sync()
    await table.play_on(0)
    for player in table.players:
        await player.ok("rematch", room=table.room, want=True)
    again = await enter(table, [1, 2, 0])
    assert again.judge.told[0]["host"] == 0
    assert again.judge.now.chair(1).bot
    await again.play(0, "resign")
    await again.agree()
