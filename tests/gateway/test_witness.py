"""What is noted of players while they play: pages out of sight, connections that come and go."""

import msgspec
import pytest
from tests.gateway.meeting import Meet, made, started
from tests.gateway.nodes import Running, rounds
from tests.gateway.peer import welcome

from tenmatch.game.evidence import Change, Note
from tenmatch.game.ids import RoomId, SeatNumber
from tenmatch.gateway import witness as witness_module
from tenmatch.gateway.witness import Witness
from tenmatch.store import keys, observed
from tenmatch.store.connect import Store, StoreDown


async def noted(store: Store, room: str) -> list[tuple[int, str]]:
    found = [msgspec.msgpack.decode(note, type=Note) for note in await observed.read(store, RoomId(room))]
    return [(note.seat, note.change.value) for note in found]


async def test_what_players_do_is_noted_while_they_play(node: Running, meet: Meet) -> None:
    anna, bob, eve = await meet(), await meet(), await meet()
    waiting = await made(anna)
    await anna.ask("focus", room=waiting, on=False)
    room = await started(anna, bob)
    await eve.ask("join", room=room, watch=True)
    for peer in (bob, eve):
        for on in (False, True):
            assert (await peer.ask("focus", room=room, on=on))["t"] == "ok"
    assert (await (await meet()).ask("focus", room=room, on=False))["code"] == "no_such_room"
    await bob.end()
    due = [(1, "hidden"), (1, "shown"), (1, "departed")]

    async def so_far() -> list[tuple[int, str]]:
        return await noted(node.store, room)

    while (found := await so_far()) != due:  # written once a second
        assert found == due[: len(found)]
        await anna.ask("ping")
    again = await meet(token=welcome(bob)["token"])
    await again.ask("join", room=room)
    while (found := await so_far()) == due:
        await anna.ask("ping")
    assert found == [*due, (1, "arrived")]
    assert not await noted(node.store, waiting)
    assert await node.store.call("TTL", keys.observed(RoomId(room))) > 86_400


async def test_notes_wait_for_the_store(node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, bob = await meet(), await meet()
    room = await started(anna, bob)
    table = node.node.tables.loaded[RoomId(room)]
    witness = Witness(node.store, ttl=0)

    async def away(*_: object) -> None:
        raise StoreDown("away")

    with monkeypatch.context() as patch:
        patch.setattr(observed, "keep", away)
        for change in (Change.HIDDEN, Change.SHOWN):
            witness.note(table, SeatNumber(0), change)
            with pytest.raises(StoreDown):
                await witness.write()
    await witness.write()
    await witness.write()
    await witness.write()
    assert await noted(node.store, room) == [(0, "hidden"), (0, "shown")]


@pytest.mark.usefixtures("by_hand")
async def test_nobody_pushes_out_what_is_noted_of_others(node: Running, meet: Meet) -> None:
    anna, bob = await meet(), await meet()
    room = await started(anna, bob)
    await bob.ask("focus", room=room, on=False)
    for _ in range(3):  # each as much as is kept in all
        for on in (False, True):
            await anna.send(*({"t": "focus", "room": room, "on": on} for _ in range(observed.MOST // 2)))
        await anna.ask("ping")
        await rounds(node).changes()
    found = await noted(node.store, room)
    assert (1, "hidden") in found
    assert found.count((0, "hidden")) == found.count((0, "shown")) == witness_module.MOST
