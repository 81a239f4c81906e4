"""What a connection asked for before it broke does not outlive it."""

import json

import pytest
from tests.live.client import CODECS
from tests.live.node import Node
from tests.live.table import Meet
from tests.live.wire import Wire, frame

GOODBYES = {"no message": frame(1, b"{"), "a broken frame": frame(3), "a close": frame(8, b"\x03\xe8")}


@pytest.mark.parametrize("goodbye", GOODBYES.values(), ids=GOODBYES)
async def test_a_connection_that_breaks_takes_no_seat_from_one_that_lives(
    node: Node, meet: Meet, goodbye: bytes
) -> None:
    player, watcher = await meet(CODECS[1]), await meet()
    room = (await player.ask("create", mode="race"))["room"]
    await watcher.ask("join", room=room, watch=True)
    hello = frame(1, json.dumps({"t": "hello", "id": 1, "token": player.token}).encode())
    wire = await Wire.upgraded(node.url, then=hello)
    assert b"welcome" in (await wire.receive())[1]
    await wire.send(frame(1, json.dumps({"t": "join", "room": room}).encode()) + goodbye)
    while (await wire.receive())[0] != 8:
        pass
    wire.close()
    for n in range(1, 4):  # each waits for the store, where the join would have been before it
        await player.ok("ready", room=room, ready=n % 2 == 1)
        await watcher.event(room, "readied", seat=0)
    assert not [message for message in player.inbox if message["t"] == "detached"]
    assert player.close_code is None
