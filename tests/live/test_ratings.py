"""Rated games that were really played: each counts once, whichever node sees it end and whichever dies."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from tests.live.client import CODECS, Client
from tests.live.node import Node
from tests.live.table import Meet, Table, enter
from tests.live.test_records import FOUND_S
from tests.live.wire import fetch
from tests.servers import Server

FREE: dict[str, Any] = {"matches_per_s": 0, "messages_per_s": 0}
RATED: dict[str, Any] = {"rated": True, "spectator_delay_ms": 0, "seed": None}
PATIENCE_S = 10.0
WON, LOST = 1137, 927  # after the first game of two who are new


async def leaderboard(node: Node, mode: str = "race", query: str = "") -> Any:
    answer = await fetch(node.url, f"/v1/leaderboards/{mode}{query}")
    assert answer.status == 200, answer
    return json.loads(answer.body)


async def player_page(node: Node, player: str, within: float = PATIENCE_S, games: int = 1) -> Any:
    """Return a player's page as soon as it tells of so many games."""
    async with asyncio.timeout(within):
        while True:
            answer = await fetch(node.url, f"/v1/players/{player}")
            page = json.loads(answer.body) if answer.status == 200 else {"modes": {}}
            if sum(mode["games"] for mode in page["modes"].values()) >= games:
                return page
            await asyncio.sleep(0.1)  # nothing announces it


async def won_by_zero(table: Table) -> tuple[Client, Client]:
    """Play a few moves, and let seat 1 give up; return who won and who lost."""
    for seat in (0, 1, 0):
        await table.match(seat)
    await table.play(1, "resign")
    return table.players[0], table.players[1]


@pytest.mark.parametrize("mode", ["race", "turns", "mirror"])
async def test_a_rated_game_changes_the_ratings_of_who_played_it(node: Node, meet: Meet, mode: str) -> None:
    table = await Table.begin(meet, mode, **RATED)
    assert {event["player"]["rating"] for event in table.judge.told if event["kind"] == "seated"} == {1000}
    winner, loser = await won_by_zero(table)
    page = await player_page(node, winner.player)
    race = page["modes"][mode]
    assert (race["rating"], race["games"], race["results"][0]["room"]) == (WON, 1, table.room)
    assert (await player_page(node, loser.player))["modes"][mode]["rating"] == LOST
    own = (await leaderboard(node, mode, f"?period=week&player={loser.player}"))["own"]
    assert (own["rating"], own["player"]["name"]) == (LOST, loser.name)
    await table.prove(node)


async def test_they_sit_down_to_the_next_game_with_what_it_made_of_them(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **RATED)
    winner, loser = await won_by_zero(table)
    for each in (winner, loser):
        await player_page(node, each.player)
    for player in table.players:
        await player.ok("rematch", room=table.room, want=True)
    again = await enter(table, [1, 0])
    seated = {
        event["player"]["id"]: event["player"]["rating"]
        for event in again.teller.rooms[again.room].events
        if event["kind"] == "seated"
    }
    assert seated == {winner.player: WON, loser.player: LOST}
    await again.play(0, "resign")
    after = await player_page(node, winner.player, games=2)
    assert after["modes"]["race"]["results"][0]["rivals"][0]["rating"] == LOST
    await again.prove(node)


async def test_an_unrated_game_changes_none(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", seed=None)
    winner, loser = await won_by_zero(table)
    assert all("rating" not in event["player"] for event in table.judge.told if event["kind"] == "seated")
    rated = await Table.begin(meet, "race", **RATED)  # what was over before it has been seen to when it has
    await player_page(node, (await won_by_zero(rated))[0].player)
    for player in (winner, loser):
        assert (await fetch(node.url, f"/v1/players/{player.player}")).status == 404


@pytest.mark.slow
async def test_nobody_learns_of_the_end_from_a_rating_before_watchers_see_it(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **{**RATED, "spectator_delay_ms": None})
    assert table.judge.told[0]["options"]["spectator_delay_ms"] == 5000
    winner, _ = await won_by_zero(table)
    ended = time.monotonic()
    await player_page(node, winner.player)
    assert time.monotonic() - ended > 4.5  # its own clock and ours need not agree to the last
    await table.watchers[0].event(table.room, "ended")


async def test_what_is_no_rated_room(meet: Meet) -> None:
    host = await meet()
    for options in ({"size": 9}, {"seed": "5eed" * 16}, {"penalty": False}, {"seconds": 10}):
        answer = await host.ask("create", mode="race", options={"rated": True, **options})
        assert (answer["t"], answer["code"], answer["field"]) == ("error", "bad_options", *options)
    room = (await host.ask("create", mode="race", options={"rated": True}))["room"]
    assert await host.denied("bot", room=room, level="easy") == "not_allowed"


# Several nodes


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Node, Node, str]]:
    """Two nodes over one Redis, and its URL."""
    folders = [tmp_path / name for name in ("redis", "one", "two")]
    for folder in folders:
        folder.mkdir()
    with ExitStack() as stack:
        redis = stack.enter_context(Server("redis", folders[0]))
        one, two = (stack.enter_context(Node(each, "--redis", redis.url, **FREE)) for each in folders[1:])
        yield one, two, redis.url


async def met(meet: Meet, one: Node, two: Node) -> Table:
    """Begin a rated race whose players are on different nodes."""
    host, other = await meet(CODECS[0], url=one.url), await meet(CODECS[1], url=two.url)
    options = {"rated": True, "countdown_ms": 0, "spectator_delay_ms": 0}
    room = (await host.ask("create", mode="race", options=options))["room"]
    await host.whole(room)
    await other.ask("join", room=room)
    table = Table(room, [host, other], [])
    for player in table.players:
        await player.ok("ready", room=room, ready=True)
    started = await host.event(room, "started")
    await table.sync(started["seq"])
    return table


def stored(node: Node, url: str, player: str) -> tuple[int, dict[str, int]]:
    """Return how many games lie in the store for a player, and on which leaderboards which rating."""
    with node.store(url) as store:
        names = [name for name in cast("list[bytes]", store.keys("tm:{board:*")) if b"seen" not in name]
        scores = {name.decode(): store.zscore(name, player) for name in names}
        games = store.llen(f"tm:{{{player}}}:games:race")
    return games, {name: int(score) for name, score in scores.items() if score is not None}


@pytest.mark.slow
async def test_a_game_over_two_nodes_counts_once(pair: tuple[Node, Node, str], meet: Meet) -> None:
    one, two, redis = pair
    table = await met(meet, one, two)
    winner, loser = await won_by_zero(table)
    for node in (one, two):  # each of them has seen it end, and enters it
        for player, rating in ((winner, WON), (loser, LOST)):
            race = (await player_page(node, player.player))["modes"]["race"]
            assert (race["rating"], race["games"], len(race["results"])) == (rating, 1, 1)
    # Whatever was entered before another game that both nodes have entered too has been entered by both.
    again = await met(meet, one, two)
    for player in await won_by_zero(again):
        for node in (one, two):
            await player_page(node, player.player)
    for player, rating in ((winner, WON), (loser, LOST)):
        games, boards = stored(one, redis, player.player)
        assert games == 1
        assert len(boards) == 2
        assert set(boards.values()) == {rating}


@pytest.mark.slow
@pytest.mark.parametrize("dies", ["who ended it", "who watched"])
async def test_a_game_counts_once_when_a_node_dies_right_at_its_end(
    pair: tuple[Node, Node, str], meet: Meet, dies: str
) -> None:
    one, two, redis = pair
    table = await met(meet, one, two)
    await table.match(0)
    winner, loser = table.players
    await loser.say("resign", room=table.room, n=99)  # on node two
    await loser.event(table.room, "ended")
    dead, left = (two, one) if dies == "who ended it" else (one, two)
    dead.kill()
    for player, rating in ((winner, WON), (loser, LOST)):
        race = (await player_page(left, player.player, FOUND_S))["modes"]["race"]
        assert (race["rating"], race["games"]) == (rating, 1)
    dead.start()
    for node in (one, two):
        board = await leaderboard(node)
        assert [(line["player"]["id"], line["rating"], line["games"]) for line in board["lines"]] == [
            (winner.player, WON, 1),
            (loser.player, LOST, 1),
        ]
    for player, rating in ((winner, WON), (loser, LOST)):
        games, boards = stored(left, redis, player.player)
        assert (games, set(boards.values())) == (1, {rating})


@pytest.mark.slow
async def test_a_game_counts_once_when_the_only_node_dies_at_its_end(tmp_path: Path, meet: Meet) -> None:
    with Node(tmp_path, **FREE) as node:

        async def meet_there(codec: str, **hello: Any) -> Client:
            return await meet(codec, url=node.url, **hello)

        table = await Table.begin(meet_there, "race", **RATED)
        await table.match(0)
        winner, loser = table.players
        await loser.say("resign", room=table.room, n=99)
        await loser.event(table.room, "ended")
        node.kill()
        node.start()
        for player, rating in ((winner, WON), (loser, LOST)):
            race = (await player_page(node, player.player, FOUND_S))["modes"]["race"]
            assert (race["rating"], race["games"]) == (rating, 1)
