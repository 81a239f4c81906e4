"""The public list of rooms: what stands in it, who is told how it changes, and what slow readers get."""

from collections.abc import AsyncIterator

import msgspec
import pytest
from tests.game.rooms import person
from tests.gateway.conftest import Watch
from tests.gateway.nodes import Ear, Running, founded, playing, running
from tests.gateway.wire import Message
from tests.store.waiting import until

from tenmatch.game import commands
from tenmatch.game.ids import MoveNumber, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.gateway import listing as listing_module
from tenmatch.gateway.asked import asked
from tenmatch.gateway.listing import Listing
from tenmatch.gateway.table import Table
from tenmatch.store import keys, lobby


@pytest.fixture
async def node(url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Running]:
    """A node that leaves its list alone."""

    async def nothing(*_: object) -> None: ...

    async with running(url) as node:
        monkeypatch.setattr(node.node.desk.listing, "write", nothing)
        yield node


@pytest.fixture
def listing(node: Running) -> Listing:
    return Listing(node.store)


def told(ear: Ear) -> list[Message]:
    """Return what a follower has been told since it was last asked."""
    heard, ear.told = ear.told, []
    return heard


async def written(listing: Listing, *tables: Table) -> None:
    await listing.write(tables, tables)
    await listing.read()


async def test_a_follower_gets_the_list_and_then_its_changes(node: Running, listing: Listing) -> None:
    ear = Ear()
    listing.follow(ear, 7)
    assert told(ear) == [{"t": "rooms", "re": 7, "rooms": []}]
    table = await founded(node, max_players=3)
    await written(listing, table)
    [changed] = told(ear)
    expected = {
        "room": table.room,
        "code": table.state.code,
        "mode": "race",
        "phase": "open",
        "host": {"id": person(0).id, "name": person(0).name},
        "seats": 1,
        "max_players": 3,
        "size": 35,
        "rated": False,
        "watching": 0,
        "scores": [0, None, None],
        "started_at": None,
    }
    assert changed["changed"] == [expected]
    await written(listing, table)
    assert told(ear) == [], "nothing has changed"
    await asked(table, commands.Sit(person(1)))
    await written(listing, table)
    [changed] = told(ear)
    assert (changed["changed"][0]["seats"], changed["gone"]) == (2, [])  # type: ignore[index]  # of a message
    listing.unfollow(ear)
    await asked(table, commands.Sit(person(2)))
    await written(listing, table)
    assert told(ear) == []


async def test_a_room_that_is_over_is_gone(node: Running, listing: Listing) -> None:
    table = await playing(node)
    await written(listing, table)
    ear = Ear()
    listing.follow(ear, None)
    [everything] = told(ear)
    # Of a message.
    assert [line["phase"] for line in everything["rooms"]] == ["playing"]  # type: ignore[attr-defined]
    await asked(table, commands.Resign(SeatNumber(0), MoveNumber(1)))
    await written(listing, table)
    assert told(ear) == [{"t": "rooms", "changed": [], "gone": [table.room], "featured": []}]
    assert listing.lines == {}


async def test_open_rooms_come_first_and_the_newest_of_them(node: Running, listing: Listing) -> None:
    first, game = await founded(node), await playing(node, Mode.TURNS)
    await until(lambda: node.store.clock.now() > first.state.created_at)
    last = await founded(node)
    await written(listing, game, last, first)
    assert list(listing.lines) == [last.room, first.room, game.room]


async def test_a_private_room_is_not_listed(node: Running, listing: Listing) -> None:
    table = await founded(node)
    table.state = msgspec.structs.replace(table.state, private=True)
    await written(listing, table)
    assert listing.lines == {}


async def test_a_slow_follower_gets_the_whole_list_when_it_reads_again(
    node: Running, listing: Listing
) -> None:
    slow, quick = Ear(), Ear()
    for ear in (slow, quick):
        listing.follow(ear, None)
        told(ear)
    slow.slow = True
    first = await founded(node)
    await written(listing, first)
    await listing.read()
    assert told(slow) == []
    slow.slow = False
    second = await founded(node)
    await listing.read()
    [everything] = told(slow)
    # Of a message.
    assert [line["room"] for line in everything["rooms"]] == [first.room]  # type: ignore[attr-defined]
    await written(listing, second)
    for ear in (slow, quick):
        # Of a message.
        assert [line["room"] for line in told(ear)[-1]["changed"]] == [second.room]  # type: ignore[attr-defined]


async def test_who_stops_following_while_slow_is_forgotten(node: Running, listing: Listing) -> None:
    ear = Ear()
    listing.follow(ear, None)
    ear.slow = True
    await written(listing, await founded(node))
    listing.unfollow(ear)
    ear.slow = False
    told(ear)
    await listing.read()
    assert told(ear) == []
    assert not listing._behind


async def test_the_list_is_the_same_on_every_node(node: Running, listing: Listing, url: str) -> None:
    table = await founded(node)
    await listing.write([table], [table])
    await listing.read()
    elsewhere = Listing(node.store)
    await elsewhere.read()
    assert elsewhere.lines == listing.lines != {}


async def test_no_more_lines_are_written_than_the_list_can_show(
    node: Running, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing_module, "LISTED_ROOMS", 1)
    game, old = await playing(node), await founded(node)
    await until(lambda: node.store.clock.now() > old.state.created_at)
    new = await founded(node)
    await written(listing, game, old, new)
    assert list(listing.lines) == [new.room, game.room], "games worth watching come along"
    assert await node.store.call("HLEN", keys.LOBBY_LINES) == 2
    await asked(new, commands.Leave(SeatNumber(0)))
    await listing.write([game, old, new], [])
    await listing.read()
    assert list(listing.lines) == [old.room, game.room], "whose turn has come need not have changed"
    assert await node.store.call("HLEN", keys.LOBBY_LINES) == 2


async def test_a_line_of_a_later_version_is_read_as_far_as_it_is_known(
    node: Running, listing: Listing
) -> None:
    table = await founded(node)
    await written(listing, table)
    line = {**listing.lines[table.room], "mood": "good"}
    await lobby.put(node.store, lobby.Listed(table.room, msgspec.json.encode(line), 1.0))
    await listing.read()
    assert "mood" not in listing.lines[table.room]


async def test_the_list_points_to_games_of_people(node: Running, listing: Listing) -> None:
    ear = Ear()
    listing.follow(ear, None)
    alone, game = await founded(node), await playing(node)
    await written(listing, alone, game)
    assert told(ear)[-1]["featured"] == [game.room]
    listing.follow(ear, 1)
    assert told(ear)[-1]["featured"] == [game.room]
    await written(listing, alone, game)
    assert told(ear) == []
    await asked(game, commands.Resign(SeatNumber(0), MoveNumber(1)))
    await written(listing, alone, game)
    assert told(ear)[-1]["featured"] == []


async def test_the_list_points_to_a_delayed_game_no_sooner_than_its_watchers_see_it(
    node: Running, listing: Listing
) -> None:
    game = await playing(node, spectator_delay_ms=60_000)
    await written(listing, game)
    assert listing.lines[game.room]["phase"] == "open"
    assert listing.featured == []
