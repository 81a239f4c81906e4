"""Races through the public protocol, each move judged by the independent oracle as well."""

import asyncio

import pytest
from tests.live.client import CODECS
from tests.live.node import Node
from tests.live.table import Meet, Table

BOTH_WAYS = [CODECS, (CODECS[0], CODECS[0]), (CODECS[1], "")]
CLEARS = {"size": 10, "seed": "002f" * 16}  # five first pairs clear it
ADDS_TWICE = {"size": 10, "adds": 2, "seed": "0011" * 16}  # four first pairs, Add, Add, and no pair
SHORT = {"size": 12, "adds": 0, "seed": "0008" * 16}  # one pair is all there is
LONG = {"size": 27, "adds": 5, "seed": "006d" * 16}


@pytest.mark.parametrize("codecs", BOTH_WAYS, ids=["mixed", "msgpack", "json"])
async def test_a_race_is_played_until_it_is_stuck(node: Node, meet: Meet, codecs: tuple[str, ...]) -> None:
    table = await Table.begin(meet, "race", codecs=codecs, **LONG)
    await table.play_on()
    assert table.judge.told[-1]["reason"] == "stuck"
    await table.prove(node)


async def test_who_clears_the_board_ends_the_race(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **CLEARS)
    await table.play_on()
    assert table.judge.told[-1]["reason"] == "cleared"
    await table.prove(node)


async def test_eight_play_and_share_places(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", codecs=CODECS * 4, **SHORT)
    await table.match(5)
    assert [line["place"] for line in table.judge.told[-1]["ranking"]] == [1, 2, 2, 2, 2, 2, 2, 2]
    await table.prove(node)


async def test_every_wrong_pair_is_named_and_costs_nothing_without_penalties(meet: Meet) -> None:
    table = await Table.begin(meet, "race", penalty=False, **LONG)
    for code in ("values", "not_connected", "blocked", "same_number"):
        refused = await table.match(0, table.wrong_pair(code))
        assert refused["code"] == code
    assert (await table.match(1, (0, 27)))["code"] == "no_such_number"
    gone, _ = pair = table.judge.game.pairs()[0]
    await table.match(0, pair)
    assert (await table.match(1, (gone, 26)))["code"] == "inactive"
    assert (await table.play(1, "call"))["code"] == "pairs_left"
    await table.agree()


@pytest.mark.parametrize("code", ["values", "not_connected", "blocked", "same_number", "pairs_left"])
async def test_a_mistake_costs_points_and_locks_the_seat(meet: Meet, code: str) -> None:
    table = await Table.begin(meet, "race", **LONG)
    if code == "pairs_left":
        mistaken = await table.play(0, "call")
    else:
        mistaken = await table.match(0, table.wrong_pair(code))
    assert (mistaken["kind"], mistaken["code"]) == ("mistaken", code)
    assert (await table.match(0))["code"] == "locked"
    assert (await table.play(0, "call"))["code"] == "locked"
    assert (await table.match(1))["kind"] == "matched"
    assert (await table.play(0, "resign"))["kind"] == "resigned"
    await table.agree()


async def test_a_right_call_brings_the_add_at_once(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **ADDS_TWICE)
    await table.play_on()
    kinds = [event["kind"] for event in table.judge.told]
    assert kinds[-5:] == ["called", "added", "called", "added", "ended"]
    await table.prove(node)


async def test_of_two_who_claim_the_same_pair_one_has_it_and_the_other_pays_nothing(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    while table.judge.now.adds_left:
        if not (pairs := table.judge.game.pairs()):
            await table.play(0, "call")
            continue
        seen = table.seq
        answers = await asyncio.gather(*(table.match(seat, pairs[0], seen=seen) for seat in (0, 1)))
        assert {answer.get("kind", answer.get("code")) for answer in answers} == {"matched", "stale"}
    await table.agree()


async def test_what_was_seen_excuses_only_a_board_that_was(meet: Meet) -> None:
    table = await Table.begin(meet, "race", codecs=CODECS * 2, **LONG)
    pair, seen = table.judge.game.pairs()[0], table.seq
    await table.match(0, pair)
    assert (await table.match(1, pair, seen=seen))["code"] == "stale"
    assert (await table.match(1, pair, seen=0))["code"] == "inactive"
    assert (await table.match(2, pair, seen=table.seq + 50))["code"] == "inactive"
    assert (await table.match(3, pair, seen=table.seq))["code"] == "inactive"
    await table.agree()


async def test_a_call_that_was_right_a_moment_ago_is_stale(meet: Meet) -> None:
    table = await Table.begin(meet, "race", size=9, adds=1, seed="0021" * 16)
    while table.judge.game.pairs():
        await table.match(0)
    seen = table.seq
    assert (await table.play(0, "call"))["kind"] == "called"
    assert (await table.play(1, "call", seen=seen))["code"] == "stale"
    await table.agree()


async def test_who_resigns_is_out_and_the_last_one_in_wins(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", codecs=CODECS + CODECS[:1], **LONG)
    await table.match(0)
    await table.play(0, "resign")
    assert (await table.match(0))["code"] == "out"
    assert (await table.play(0, "resign"))["code"] == "out"
    await table.match(1)
    await table.play(1, "resign")
    assert table.judge.told[-1]["reason"] == "last_one_in"
    assert [line["seat"] for line in table.judge.told[-1]["ranking"]] == [2, 0, 1]
    assert (await table.match(2, (0, 1)))["code"] == "not_playing"
    await table.prove(node)


async def test_moves_of_other_modes_are_refused(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    assert (await table.play(0, "pass"))["code"] == "wrong_mode"
    assert (await table.play(0, "add"))["code"] == "wrong_mode"
    await table.agree()


@pytest.mark.slow
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
async def test_a_race_against_a_computer_player(node: Node, meet: Meet, level: str) -> None:
    table = await Table.open(meet, "race", codecs=CODECS[:1], **{**LONG, "max_players": 2, "size": 9})
    human = table.players[0]
    await human.ok("bot", room=table.room, level=level)
    await human.ok("ready", room=table.room, ready=True)
    first = await human.find(lambda message: message.get("n") == 1 and message.get("seat") == 1)
    assert first["kind"] in ("matched", "mistaken")
    await table.sync()
    await table.play_on()
    await table.prove(node)


async def test_who_leaves_only_computer_players_behind_ends_the_race(node: Node, meet: Meet) -> None:
    table = await Table.open(meet, "race", codecs=CODECS[:1], **{**LONG, "max_players": 3})
    for _ in range(2):
        await table.players[0].ok("bot", room=table.room, level="hard")
    await table.players[0].ok("start", room=table.room)
    await table.players[0].event(table.room, "started")
    await table.sync()
    await table.play(0, "resign")
    assert table.judge.told[-1]["reason"] == "abandoned"
    await table.prove(node)
