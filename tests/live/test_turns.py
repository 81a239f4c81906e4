"""Games in turns through the public protocol, each move judged by the independent oracle as well."""

import pytest
from tests.live.client import CODECS
from tests.live.node import Node
from tests.live.table import Meet, Table

LONG = {"size": 27, "adds": 5, "seed": "006d" * 16}
CLEARS = {"size": 9, "adds": 1, "seed": "0021" * 16}  # four first pairs, an Add, and one that clears it
THREE = (*CODECS, CODECS[0])


@pytest.mark.parametrize("codecs", [CODECS, THREE, CODECS * 2], ids=["two", "three", "four"])
async def test_a_game_in_turns_is_played_until_it_is_stuck(
    node: Node, meet: Meet, codecs: tuple[str, ...]
) -> None:
    table = await Table.begin(meet, "turns", codecs=codecs, **LONG)
    await table.play_on()
    assert table.judge.told[-1]["reason"] == "stuck"
    await table.prove(node)


async def test_who_clears_the_board_ends_the_game(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "turns", **CLEARS)
    await table.play_on()
    assert table.judge.told[-1]["reason"] == "cleared"
    await table.prove(node)


async def test_the_classic_deal_has_no_seed(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "turns", deal="classic", size=27, seed=None, adds=0)
    await table.play_on()
    assert table.judge.told[-1]["seed"] is None
    await table.prove(node)


@pytest.mark.parametrize("deal", [{"size": 35}, {"size": 36}, {"deal": "even", "size": 36}, {"size": 100}])
async def test_every_deal_is_the_one_committed_to(node: Node, meet: Meet, deal: dict[str, object]) -> None:
    table = await Table.begin(meet, "turns", **deal)
    await table.match(0)
    await table.play(1, "resign")
    await table.prove(node)


async def test_a_seed_that_nobody_named_is_shown_at_the_end_alone(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "turns", seed=None, size=20)
    await table.play(1, "resign")
    seed = table.judge.told[-1]["seed"]
    early = [message for message in table.players[0].inbox if message.get("kind") != "ended"]
    assert len(seed) == 64
    assert seed not in str(early)
    await table.prove(node)


async def test_only_whose_turn_it_is_may_match_or_pass(meet: Meet) -> None:
    table = await Table.begin(meet, "turns", **LONG)
    assert (await table.match(1))["code"] == "not_your_turn"
    assert (await table.play(1, "pass"))["code"] == "not_your_turn"
    await table.match(0)
    assert (await table.match(0))["code"] == "not_your_turn"
    assert (await table.play(1, "call"))["code"] == "wrong_mode"
    await table.agree()


async def test_a_mistake_costs_points_but_neither_the_turn_nor_a_lock(meet: Meet) -> None:
    table = await Table.begin(meet, "turns", **LONG)
    for code in ("values", "not_connected", "blocked"):
        assert (await table.match(0, table.wrong_pair(code)))["code"] == code
    assert (await table.match(0))["kind"] == "matched"
    await table.agree()


async def test_without_penalties_a_mistake_is_only_refused(meet: Meet) -> None:
    table = await Table.begin(meet, "turns", penalty=False, **LONG)
    assert (await table.match(0, table.wrong_pair("blocked")))["t"] == "refused"
    assert (await table.match(0))["kind"] == "matched"
    await table.agree()


async def test_when_all_have_passed_the_server_adds_and_at_last_ends(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "turns", codecs=THREE, **{**LONG, "adds": 1})
    await table.play(0, "pass")
    await table.play(1, "pass")
    await table.match(2)
    for seat in (0, 1, 2):
        assert table.judge.now.adds_left == 1
        await table.play(seat, "pass")
    assert table.judge.now.adds_left == 0
    for seat in (0, 1, 2):
        await table.play(seat, "pass")
    assert table.judge.told[-1]["reason"] == "stuck"
    await table.prove(node)


async def test_with_row_again_a_closed_row_gives_one_more_turn(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "turns", row_again=True, **LONG)
    await table.play_on()
    closed = [event for event in table.judge.told if event.get("rows")]
    assert any(event["turn"] == event["seat"] for event in closed)
    await table.prove(node)


async def test_who_resigns_is_skipped(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "turns", codecs=THREE, **LONG)
    await table.match(0)
    await table.play(2, "resign")
    await table.match(1)
    await table.match(0)
    await table.play(1, "resign")
    assert [line["seat"] for line in table.judge.told[-1]["ranking"]] == [0, 1, 2]
    await table.prove(node)


@pytest.mark.slow
async def test_a_game_in_turns_against_a_computer_player(node: Node, meet: Meet) -> None:
    table = await Table.open(meet, "turns", codecs=CODECS[:1], **{**CLEARS, "max_players": 2})
    human = table.players[0]
    await human.ok("bot", room=table.room, level="hard")
    await human.ok("ready", room=table.room, ready=True)
    await human.event(table.room, "started")
    await table.sync()
    while not table.over:
        if table.judge.now.turn == 0:
            await table.match(0)
        else:
            await table.sync(table.seq + 1)
    await table.prove(node)
