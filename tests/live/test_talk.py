"""What is said beside the game: chat, who is there, pings."""

import pytest
from tests.live.client import CODECS
from tests.live.table import Meet, Table


async def test_chat_reaches_everyone_in_the_room_and_nobody_else(meet: Meet) -> None:
    table = await Table.open(meet, "race")
    stranger = await meet()
    text = "Good game! 👏"
    await table.players[0].ok("chat", room=table.room, text=text)
    for client in [*table.players, *table.watchers]:
        said = await client.told("chat")
        assert said["player"] == {"id": table.players[0].player, "name": table.players[0].name}
        assert (said["room"], said["text"]) == (table.room, text)
        assert said.keys() == {"t", "room", "player", "text", "at"}
    await table.watchers[0].ok("chat", room=table.room, text="from the stand")
    await table.players[1].told("chat", text="from the stand")
    await stranger.ask("ping")
    assert not [message for message in stranger.inbox if message["t"] == "chat"]
    await table.sync()
    assert table.seq == 3  # chat is not logged


async def test_chat_comes_once_and_in_order(meet: Meet) -> None:
    table = await Table.open(meet, "race")
    for number in range(20):
        await table.players[number % 2].ok("chat", room=table.room, text=str(number))
    await table.watchers[0].told("chat", text="19")
    said = [message["text"] for message in table.watchers[0].inbox if message["t"] == "chat"]
    assert said == [str(number) for number in range(20)]


@pytest.mark.slow
@pytest.mark.parametrize("codec", CODECS)
async def test_what_is_said_between_events_moves_nobodys_place(meet: Meet, codec: str) -> None:
    table = await Table.begin(meet, "race", codecs=(CODECS[0], codec), size=27, seed="006d" * 16)
    player = table.players[1]
    await player.whole(table.room)
    held = player.rooms[table.room]
    await table.match(0)
    await player.reach(table.room, table.seq)
    for client in [*table.players, *table.watchers]:
        await client.ok("chat", room=table.room, text="well")
    passing = await meet()
    before = len(player.inbox)
    await passing.ask("join", room=table.room, watch=True)
    await player.told("presence", since=before, watching=2)
    await passing.ok("leave", room=table.room)
    await player.told("presence", since=before, watching=1)
    assert (held.seq, held.chain) == (table.seq, table.judge.told[-1]["chain"])
    assert (await player.resume(table.room))["events"] == []
    await player.drop()
    for client in [table.players[0], *table.watchers]:
        await client.ok("chat", room=table.room, text="while you were away")
    table.players[1] = back = await player.again()
    assert (await back.resume(table.room))["events"] == []
    assert (await table.match(1))["seq"] == table.seq
    await table.agree()


@pytest.mark.parametrize("text", ["", "x" * 201, 5, None, "\u200b\u0000", " \n "])
async def test_chat_needs_something_to_read(meet: Meet, text: object) -> None:
    table = await Table.open(meet, "race")
    answer = await table.players[0].ask("chat", room=table.room, text=text)
    assert (answer["t"], answer["code"], answer["field"]) == ("error", "bad_message", "text")


async def test_presence_tells_who_is_there(meet: Meet) -> None:
    table = await Table.open(meet, "race", max_players=3)
    host, guest = table.players
    await host.told("presence", online=[True, True, None], watching=1)
    await guest.drop()
    await host.told("presence", online=[True, False, None], watching=1)
    await host.ok("bot", room=table.room, level="easy")
    await host.told("presence", online=[True, False, True], watching=1)
    back = await meet(CODECS[0], token=guest.token)
    await back.ask("join", room=table.room)
    await host.told("presence", online=[True, True, True], watching=1)
    await table.watchers[0].ok("leave", room=table.room)
    await back.told("presence", online=[True, True, True], watching=0)


@pytest.mark.parametrize("codec", [*CODECS, ""])
async def test_a_ping_is_answered_with_the_time(meet: Meet, codec: str) -> None:
    client = await meet(codec)
    pong = await client.ask("ping")
    assert pong.keys() == {"t", "re", "time"}
    await client.say("ping")
    plain = await client.find(lambda m: m["t"] == "pong" and "re" not in m)
    assert plain["time"] >= pong["time"]
