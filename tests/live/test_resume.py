"""Coming back to a room: with what one holds of it, or with what never was."""

from itertools import product

import pytest
from tests.live.client import CODECS, told
from tests.live.node import Node
from tests.live.table import Meet, Table

LONG = {"size": 27, "adds": 5, "seed": "006d" * 16}
PLACES = ("zero", "before the head", "head", "after the head")


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(("place", "right"), [*product(PLACES, (True, False))])
async def test_whoever_holds_what_happened_gets_the_rest_and_others_a_reset(
    meet: Meet, codec: str, place: str, right: bool
) -> None:
    table = await Table.begin(meet, "race", **LONG)
    await table.match(0)
    await table.match(1)
    after = {"zero": 0, "before the head": table.seq - 1, "head": table.seq, "after the head": table.seq + 1}[
        place
    ]
    chain = table.judge.told[after - 1]["chain"] if 0 < after <= table.seq else 0
    watcher = await meet(codec)
    fields = {"room": table.room, "watch": True, "after": after, "chain": chain if right else chain ^ 1}
    answer = await watcher.ask("join", **fields)
    if right and after <= table.seq:
        assert (answer["t"], answer["seq"], answer["seat"]) == ("resumed", table.seq, None)
        assert [told(table.room, event) for event in answer["events"]] == table.judge.told[after:]
    else:
        assert (answer["t"], answer["reset"]) == ("snapshot", True)
        table.judge.check_snapshot(answer)
    await table.match(0)  # and from here on everything comes as to anybody else
    await watcher.reach(table.room, table.seq)


@pytest.mark.parametrize("after", [2**53, 10**6])
async def test_far_beyond_the_head_is_a_reset(meet: Meet, after: int) -> None:
    table = await Table.open(meet, "race")
    answer = await table.players[0].ask("join", room=table.room, after=after, chain=0)
    assert (answer["t"], answer["reset"]) == ("snapshot", True)


async def test_a_plain_join_is_a_snapshot_without_a_reset(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    answer = await table.players[1].ask("join", room=table.room)
    assert answer["t"] == "snapshot"
    assert not answer.get("reset")
    table.judge.check_snapshot(answer)


@pytest.mark.parametrize(
    "fields",
    [
        {"after": 0},
        {"chain": 0},
        {"after": -1, "chain": 0},
        {"after": 2**63, "chain": 0},
        {"after": "1", "chain": 0},
        {"after": 1, "chain": 2**32},
        {"after": 1.5, "chain": 0},
        {"after": True, "chain": 0},
    ],
)
@pytest.mark.parametrize("codec", CODECS)
async def test_what_one_holds_has_to_be_said_in_full(
    meet: Meet, codec: str, fields: dict[str, object]
) -> None:
    client = await meet(codec)
    answer = await client.ask("join", room="2222222222", **fields)
    assert (answer["t"], answer["code"]) == ("error", "bad_message")
    assert answer["field"] == ({"after", "chain"} - fields.keys() or {_wrong(fields)}).pop()


def _wrong(fields: dict[str, object]) -> str:
    return "chain" if fields["chain"] != 0 else "after"


@pytest.mark.parametrize("seat", [0, 1])
async def test_a_player_who_was_cut_off_gets_exactly_what_was_missed(
    node: Node, meet: Meet, seat: int
) -> None:
    table = await Table.begin(meet, "race", **LONG)
    await table.players[1].whole(table.room)
    table.teller, lost = table.players[1 - seat], table.players[seat]
    await lost.drop()
    missed = [(await table.match(1 - seat))["seq"] for _ in range(3)]
    back = await lost.again()
    answer = await back.resume(table.room)
    assert (answer["t"], answer["seat"]) == ("resumed", seat)
    assert [event["seq"] for event in answer["events"]] == missed
    table.players[seat] = back
    assert back.rooms[table.room].seq == table.seq
    await table.play_on()
    await table.prove(node)


async def test_coming_back_again_and_again_with_nothing_new_brings_nothing(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    lost = table.players[1]
    await lost.whole(table.room)
    for codec in (*CODECS, *CODECS, CODECS[0]):
        await lost.drop()
        lost = table.players[1] = await lost.again(codec=codec)
        for _ in range(2):  # and once more on the same connection
            answer = await lost.resume(table.room)
            assert (answer["t"], answer["seat"]) == ("resumed", 1)
            assert (answer["seq"], answer["events"]) == (table.seq, [])
    assert len(node.entries(table.room)) == table.seq
    assert (await table.match(1))["seq"] == table.seq
    assert [message["seq"] for message in lost.inbox if message["t"] == "event"] == [table.seq]
    await table.agree()


@pytest.mark.parametrize("codec", CODECS)
async def test_who_was_cut_off_before_anything_came_gets_it_all(meet: Meet, codec: str) -> None:
    table = await Table.open(meet, "race", codecs=CODECS[:1], max_players=3)
    for seat in (1, 2):
        lost = await meet(codec)
        await lost.say("join", room=table.room)
        await lost.drop()
        assert not lost.rooms
        back = await lost.again()
        answer = await back.ask("join", room=table.room, after=0, chain=0)
        assert (answer["t"], answer["seat"]) == ("resumed", seat)
        assert [event["seq"] for event in answer["events"]] == [*range(1, answer["seq"] + 1)]
        assert [event["seat"] for event in answer["events"] if event["kind"] == "seated"] == [
            *range(seat + 1)
        ]
        table.players.append(back)
        await back.ok("ready", room=table.room, ready=True)
    await table.sync(answer["seq"] + 1)


async def test_a_watcher_comes_back_the_same_way(meet: Meet) -> None:
    table = await Table.begin(meet, "turns", **LONG)
    watcher = table.watchers.pop()
    await watcher.drop()
    await table.match(0)
    back = await watcher.again(codec=CODECS[1])
    held = back.rooms[table.room]
    fields = {"room": table.room, "watch": True, "after": held.seq, "chain": held.chain}
    answer = await back.ask("join", **fields)
    assert (answer["t"], answer["seat"], len(answer["events"])) == ("resumed", None, 1)
    table.watchers.append(back)
    await table.match(1)
    await table.agree()


async def test_welcome_names_the_rooms_in_which_one_still_sits(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    open_one = await Table.open(meet, "race")
    token = table.players[1].token
    assert (await table.players[1].ask("join", room=open_one.room, watch=True))["seat"] is None
    assert (await (await meet()).hello())["seated"] == []
    again = await meet(token=token)
    assert (await again.hello())["seated"] == [table.room]
    assert (await again.ask("join", room=table.room))["seat"] == 1
    table.players[1] = again
    await again.whole(table.room)
    await table.play(1, "resign")
    assert (await again.hello())["seated"] == []
