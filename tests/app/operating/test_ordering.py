"""`tenmatch kick` and `close`: what becomes of rooms, and who hears of it."""

import asyncio
import gzip
import json

from tests.app.operating.conftest import Tenmatch
from tests.gateway.meeting import Meet, made, match, started
from tests.gateway.nodes import Running
from tests.gateway.peer import Peer
from tests.store.waiting import until

from tenmatch.game.ids import RoomId
from tenmatch.game.room import Phase
from tenmatch.protocol.record import Record
from tenmatch.protocol.verifier import check
from tenmatch.store.records import find


async def test_whoever_is_kicked_before_the_start_is_out_of_the_room(meet: Meet, tenmatch: Tenmatch) -> None:
    ann, bo = await meet(), await meet()
    room = await made(ann, max_players=3)
    await bo.ask("join", room=room)
    result = await tenmatch("kick", room, 0)
    assert (result.exit_code, result.stdout) == (0, "Done: unseated.\n")
    assert (await ann.next("detached"))["reason"] == "kicked"
    assert (await bo.find(lambda said: said.get("kind") == "unseated"))["host"] == 1
    assert (await ann.ask("join", room=room))["code"] == "not_allowed"


async def test_whoever_is_kicked_in_play_has_lost(node: Running, meet: Meet, tenmatch: Tenmatch) -> None:
    ann, bo = await meet(), await meet()
    room = await started(ann, bo)
    events = [json.loads(line) for line in (await tenmatch("kick", room, 0, "--json")).stdout.splitlines()]
    assert [event["kind"] for event in events] == ["resigned", "ended"]
    resigned = await ann.find(lambda said: said.get("kind") == "resigned")
    assert (resigned["seat"], resigned["kicked"]) == (0, True)
    await bo.find(lambda said: said.get("reason") == "last_one_in")
    assert (await tenmatch("kick", room, 0)).exit_code == 1


async def test_a_room_is_closed_and_its_record_proves_what_was_played(
    node: Running, meet: Meet, tenmatch: Tenmatch
) -> None:
    ann, bo = await meet(), await meet()
    room = await started(ann, bo)
    playing = asyncio.create_task(_play(node, room, ann))
    result = await tenmatch("close", room)  # against moves that come in meanwhile
    await playing
    assert result.stdout == "Done: ended.\n"
    for player in (ann, bo):
        said = await player.find(lambda said: said.get("kind") == "ended")
        assert (said["reason"], said["closed"]) == ("abandoned", True)
    assert node.node.tables.loaded[RoomId(room)].state.phase is Phase.OVER
    assert (await tenmatch("close", room)).stdout == "The room was over already.\n"
    await until(lambda: not node.node.tables.unrecorded)
    record = (await find(node.store, RoomId(room))).record
    assert record is not None
    assert isinstance(check(gzip.decompress(record)), Record)


async def _play(node: Running, room: str, peer: Peer) -> None:
    for n in range(1, 6):
        table = node.node.tables.loaded[RoomId(room)]
        if table.state.phase is Phase.PLAYING and table.state.sheets[0].witness is not None:
            await peer.send(match(node, room, n))
            await asyncio.sleep(0)


async def test_a_room_that_no_node_has_loaded_is_closed_too(
    node: Running, meet: Meet, tenmatch: Tenmatch
) -> None:
    ann = await meet()
    room = await made(ann)
    node.node.tables.unload(node.node.tables.loaded[RoomId(room)])
    await tenmatch("close", room)
    again = await ann.ask("join", room=room, watch=True)
    assert again["state"]["phase"] == "over"


async def test_what_cannot_be_done_is_said(meet: Meet, tenmatch: Tenmatch) -> None:
    room = await made(await meet())
    for words, said in (
        (("kick", room, 7), "Nobody sits on seat 7."),
        (("kick", "abcdefghjk", 0), "there is no room"),
        (("close", "!"), "neither the id"),
    ):
        result = await tenmatch(*words)
        assert result.exit_code == 1
        assert said in result.stderr
