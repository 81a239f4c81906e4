"""Mirror games: a board each, of which rivals are told the progress and watchers everything."""

from typing import Any

import pytest
from tests.live.client import CODECS
from tests.live.node import Node
from tests.live.spy import moves_named, only_progress
from tests.live.table import Meet, Table, enter

BOTH_WAYS = [CODECS, (CODECS[0], CODECS[0]), (CODECS[1], "")]
CLEARS: dict[str, Any] = {"size": 10, "seed": "002f" * 16}  # five first pairs clear it
ADDS_TWICE: dict[str, Any] = {
    "size": 10,
    "adds": 2,
    "seed": "0011" * 16,
}  # four first pairs, Add, Add, and no pair
SHORT: dict[str, Any] = {"size": 12, "adds": 0, "seed": "0008" * 16}  # one pair is all there is
LONG: dict[str, Any] = {"size": 27, "adds": 1, "seed": "006d" * 16}
THREE = (*CODECS, CODECS[0])


@pytest.mark.parametrize("codecs", BOTH_WAYS, ids=["mixed", "msgpack", "json"])
async def test_a_mirror_game_is_played_until_all_are_stuck(
    node: Node, meet: Meet, codecs: tuple[str, ...]
) -> None:
    table = await Table.begin(meet, "mirror", codecs=codecs, **LONG)
    await table.play_on()
    assert table.judge.told[-1]["reason"] == "stuck"
    await table.prove(node)


async def test_when_all_have_cleared_their_boards_the_game_is_over(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", codecs=THREE, **CLEARS)
    for seat in (1, 2, 0):
        await table.play_on(seat)
    ended = table.judge.told[-1]
    assert ended["reason"] == "cleared"
    assert [(line["seat"], line["place"]) for line in ended["ranking"]] == [(1, 1), (2, 2), (0, 3)]
    assert sum("ends_at" in event for event in table.judge.told) == 2  # of the start, and of the first clear
    await table.prove(node)


@pytest.mark.slow
async def test_who_has_cleared_in_time_decides_why_it_is_over(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", seconds=10, **CLEARS)
    await table.play_on(1)
    assert (await table.match(1, (0, 1)))["code"] == "done"
    await table.teller.until(lambda: table.teller.rooms[table.room].events[-1]["kind"] == "ended", within=20)
    await table.sync()
    assert table.judge.told[-1]["reason"] == "cleared"
    await table.prove(node)


async def test_ten_play_one_deal(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", codecs=CODECS * 5, **SHORT)
    await table.play_on()
    assert [line["place"] for line in table.judge.told[-1]["ranking"]] == [1] * 10
    await table.prove(node)


async def test_one_adds_while_pairs_are_left_until_none_is_possible(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", **ADDS_TWICE)
    assert (await table.play(0, "add"))["adds_left"] == 1
    assert (await table.play(0, "add"))["adds_left"] == 0
    assert (await table.play(0, "add"))["code"] == "no_add"
    await table.play_on()
    assert (await table.play(0, "add"))["code"] == "not_playing"
    await table.prove(node)


async def test_a_board_that_is_done_takes_no_moves(meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", **ADDS_TWICE)
    await table.play_on(0)
    for t in ("add", "pass", "call"):
        assert (await table.play(0, t))["code"] == "done"
    assert (await table.match(0, (0, 1)))["code"] == "done"
    assert (await table.match(1))["kind"] == "matched"
    await table.agree()


async def test_moves_of_other_modes_are_refused(meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", **LONG)
    assert (await table.play(0, "pass"))["code"] == "wrong_mode"
    assert (await table.play(0, "call"))["code"] == "wrong_mode"
    await table.agree()


async def test_a_mistake_locks_for_claims_and_not_for_an_add(meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", **LONG)
    mistaken = await table.match(0, table.wrong_pair("blocked"))
    assert mistaken["locked_until"] == mistaken["at"] + 1000
    assert (await table.match(0))["code"] == "locked"
    assert (await table.match(1))["kind"] == "matched"
    assert (await table.play(0, "add"))["kind"] == "added"
    await table.agree()


async def test_who_resigns_is_out_and_the_last_one_in_wins(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", codecs=THREE, **LONG)
    await table.match(0)
    await table.play(0, "resign")
    assert (await table.play(0, "add"))["code"] == "out"
    await table.play(1, "resign")
    assert table.judge.told[-1]["reason"] == "last_one_in"
    assert [line["seat"] for line in table.judge.told[-1]["ranking"]] == [2, 0, 1]
    await table.prove(node)


async def test_a_move_sent_again_is_the_same_move(meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", **LONG)
    added = await table.play(0, "add")
    matched = await table.match(1)
    assert await table.play(0, "add", n=added["n"]) == added
    assert await table.players[1].move("resign", table.room, n=matched["n"]) == matched
    await table.agree()


# Who is told what


async def test_rivals_are_told_no_more_than_progress_and_watchers_all(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", codecs=THREE, **LONG)
    await table.match(0, table.wrong_pair("values"))
    await table.match(1)
    await table.players[0].ask("join", room=table.room)
    await table.play(2, "resign")
    await table.play_on(1, 0)
    seen = [only_progress(player.inbox, seat) for seat, player in enumerate(table.players)]
    assert min(seen) > 10
    with pytest.raises(AssertionError):
        only_progress(table.watchers[0].inbox, 0)
    after = await table.players[0].ask("join", room=table.room)
    assert [board is not None for board in after["state"]["boards"]] == [True, True, True]
    await table.prove(node)


async def test_neither_chain_nor_hash_names_a_rivals_move(meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", **LONG)
    await table.play_on()
    ended, told = table.judge.told[-1], table.players[0].rooms[table.room].events
    public = [told[0][name].encode() for name in ("room", "code", "commit")]
    guesses = [b"", bytes(16), bytes.fromhex(ended["seed"]), *public]
    found = moves_named(told, table.judge, guesses)
    assert len(found) > 10
    assert not any(found.values())
    known = moves_named(told, table.judge, [bytes.fromhex(ended["salt"])])
    for seq, moves in known.items():  # the search is none that could not find anything
        [move] = moves
        assert move.items() <= table.judge.told[seq - 1].items()


async def test_who_comes_back_is_told_what_was_missed_as_it_was_told_to_others(
    node: Node, meet: Meet
) -> None:
    table = await Table.begin(meet, "mirror", **LONG)
    lost = table.players[1]
    await lost.whole(table.room)
    await lost.drop()
    await table.match(0)
    await table.play(0, "add")
    back = table.players[1] = await lost.again(codec=CODECS[0])
    answer = await back.resume(table.room)
    assert (answer["t"], answer["seat"]) == ("resumed", 1)
    assert [event["kind"] for event in answer["events"]] == ["progress", "progress"]
    only_progress([answer], 1)
    watcher = table.watchers[0]
    await watcher.drop()
    await match_unwatched(table, 1)
    seen = table.teller = table.watchers[0] = await watcher.again(codec=CODECS[1])
    answer = await seen.resume(table.room, watch=True)
    assert (answer["t"], answer["seat"], answer["events"][0]["kind"]) == ("resumed", None, "matched")
    await table.sync(answer["seq"])
    await table.play_on()
    await table.prove(node)


async def match_unwatched(table: Table, seat: int) -> None:
    """Let a player match a pair while nobody watches who could judge it at once."""
    (a, b), player = table.judge.now.board(seat).pairs()[0], table.players[seat]
    answer = await player.move("match", table.room, a=a, b=b, seen=0)
    assert answer["kind"] == "matched"


async def test_who_sits_down_after_watching_sees_one_board(meet: Meet) -> None:
    table = await Table.open(meet, "mirror", max_players=3, **LONG)
    guest = await meet()
    assert (await guest.ask("join", room=table.room, watch=True))["seat"] is None
    assert (await guest.ask("join", room=table.room))["seat"] == 2
    table.players.append(guest)
    for player in table.players:
        await player.ok("ready", room=table.room, ready=True)
    await table.teller.event(table.room, "started")
    await table.sync()
    assert (await guest.ask("join", room=table.room, watch=True))["seat"] == 2
    await table.match(0)
    assert (await guest.event(table.room, "progress"))["seat"] == 0
    await table.agree()


# Alone, again, and with computers


async def test_one_alone_practises_until_the_board_is_done(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", codecs=CODECS[:1], **CLEARS)
    await table.play_on()
    assert table.judge.told[-1]["reason"] == "cleared"
    await table.players[0].ok("rematch", room=table.room, want=True)
    again = await enter(table, [0])
    await table.prove(node)
    assert again.judge.now.phase == "playing"
    await again.play(0, "resign")
    assert again.judge.told[-1]["reason"] == "abandoned"
    await again.prove(node)


async def test_nobody_else_comes_into_practice(meet: Meet) -> None:
    table = await Table.open(meet, "mirror", codecs=CODECS[:1], **LONG)
    assert await (await meet()).denied("join", room=table.room) == "room_full"
    assert await table.players[0].denied("bot", room=table.room, level="easy") == "room_full"


async def test_they_play_another_deal_again_with_a_board_each(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "mirror", codecs=THREE, **SHORT)
    await table.play_on()
    for player in table.players:
        await player.ok("rematch", room=table.room, want=True)
    again = await enter(table, [1, 2, 0])
    await table.prove(node)
    assert again.judge.told[0]["options"] == table.judge.told[0]["options"]
    await again.play_on()
    await again.prove(node)


@pytest.mark.slow
async def test_computer_players_play_and_add_on_boards_of_their_own(node: Node, meet: Meet) -> None:
    options = {**ADDS_TWICE, "max_players": 3}
    table = await Table.open(meet, "mirror", codecs=CODECS[:1], **options)
    for level in ("hard", "medium"):
        await table.players[0].ok("bot", room=table.room, level=level)
    await table.players[0].ok("ready", room=table.room, ready=True)
    await table.teller.event(table.room, "started")
    await table.sync()
    await table.play_on(0)
    await table.teller.until(lambda: table.teller.rooms[table.room].events[-1]["kind"] == "ended", within=60)
    await table.sync()
    kinds = {event["kind"] for event in table.judge.told if event.get("seat") in (1, 2) and "n" in event}
    assert {"matched", "added"} <= kinds
    await table.prove(node)
