"""Ratings: whatever nodes do, and however often, each rated game counts once for each of its players."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from tests.game.rooms import person
from tests.gateway.conftest import Watch
from tests.gateway.meeting import Meet, started
from tests.gateway.nodes import Running, playing, rounds, running
from tests.gateway.peer import peer
from tests.servers import Server
from tests.store.waiting import until

from tenmatch.game import commands
from tenmatch.game.days import DAY_MS
from tenmatch.game.events import Skill
from tenmatch.game.history import Outcome, Participant, RatedGame, entered
from tenmatch.game.ids import Millis, MoveNumber, PlayerId, RoomId, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.rating import NEW, Ranked, rating, skill_after
from tenmatch.gateway import ratings as ratings_module
from tenmatch.gateway.asked import asked
from tenmatch.gateway.ratings import KEPT_GAMES, LATEST_GAMES, Ratings
from tenmatch.gateway.table import Table
from tenmatch.store import boards, due, keys
from tenmatch.store import ratings as stored
from tenmatch.store.connect import StoreDown

ANN, BOB, EVE = (PlayerId(f"{name}456789012") for name in ("ann", "bob", "eve"))
NOON = Millis(20_000 * DAY_MS + DAY_MS // 2)
WON = skill_after(Ranked(1, NEW), [[Ranked(2, NEW)]])
LOST = skill_after(Ranked(2, NEW), [[Ranked(1, NEW)]])
AT_ONCE: dict[str, Any] = {"rated": True, "spectator_delay_ms": 0}


@pytest.fixture
async def nodes(url: str, watch: Watch, by_hand: None) -> AsyncIterator[list[Running]]:
    """Three nodes that enter nothing before they are asked to."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(running(url)) for _ in range(3)]


@pytest.fixture
def node(nodes: list[Running]) -> Running:
    return nodes[0]


def ratings_of(running: Running, often: int = 0) -> Ratings:
    return Ratings(running.store, often=often, ttl=0)


async def over(running: Running, mode: Mode = Mode.RACE, **options: object) -> Table:
    """Play a rated game that person 1 wins."""
    table = await playing(running, mode, **{**AT_ONCE, "max_players": 2, **options})
    await asked(table, commands.Resign(SeatNumber(0), MoveNumber(1)))
    assert table.state.reason == "last_one_in"
    return table


def game(number: int, *order: PlayerId, at: int = 0, skill: Skill = NEW) -> RatedGame:
    """Return a game that ended so long after noon, with its players by place."""
    participants = (Participant(who, who[:3], place, skill) for place, who in enumerate(order, 1))
    return RatedGame(Mode.RACE, RoomId(f"room{number:06}"), Millis(NOON + at), tuple(participants))


async def ranked(running: Running, week: str | None = None) -> dict[PlayerId, int]:
    board = await boards.read(running.store, "race", week, first=0, many=100)
    return {line.player: line.rating for line in board.lines}


# From the log


async def test_a_finished_game_moves_its_players(node: Running) -> None:
    table, ratings = await over(node), ratings_of(node)
    assert await ratings.keep([table]) == {table}
    winner, loser = person(1).id, person(0).id
    assert await ratings.skills([winner, loser, ANN], Mode.RACE) == {winner: WON, loser: LOST}
    assert [await ratings.rating(who, Mode.RACE) for who in (winner, loser, ANN)] == [1137, 927, 1000]
    assert await ranked(node) == {winner: 1137, loser: 927}
    assert await ranked(node, boards.week_of(table.state.at)) == {winner: 1137, loser: 927}
    [outcome] = await ratings.history(winner, Mode.RACE)
    assert (outcome.room, outcome.at, outcome.place, outcome.skill) == (table.room, table.state.at, 1, WON)
    assert [rival.name for rival in outcome.rivals] == [person(0).name]


@pytest.mark.parametrize("mode", list(Mode))
async def test_each_mode_has_ratings_of_its_own(node: Running, mode: Mode) -> None:
    ratings = ratings_of(node)
    await ratings.keep([await over(node, mode)])
    found = [await ratings.rating(person(1).id, other) for other in Mode]
    assert found == [1137 if other is mode else 1000 for other in Mode]


async def test_what_is_not_rated_or_not_over_is_nothing_to_them(node: Running) -> None:
    unrated = await over(node, rated=False)
    going_on = await playing(node, **AT_ONCE)
    assert await ratings_of(node).keep([unrated, going_on]) == {unrated, going_on}
    assert await ranked(node) == {}


async def test_a_rating_does_not_tell_the_end_before_watchers_have_seen_it(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, ratings = await over(node, spectator_delay_ms=60_000), ratings_of(node)
    seen_at = table.state.at + 60_000
    monkeypatch.setattr(node.store.clock, "now", lambda: Millis(seen_at - 1))
    assert await ratings.keep([table]) == set()
    assert await ranked(node) == {}
    monkeypatch.setattr(node.store.clock, "now", lambda: seen_at)
    assert await ratings.keep([table]) == {table}
    assert len(await ranked(node)) == 2


async def test_a_node_enters_its_rooms_by_itself(url: str, watch: Watch) -> None:
    async with running(url) as node:
        table = await over(node, spectator_delay_ms=300)
        await until(lambda: table not in node.node.tables.unrecorded)
        assert len(await ranked(node)) == 2


async def test_one_that_was_left_behind_is_entered_by_whoever_finds_it(nodes: list[Running]) -> None:
    one, two, _ = nodes
    table = await over(one)
    await due.mark(one.store, {table.room: Millis(0)})
    work = rounds(two)
    await work.sweep()
    await work.records()
    await until(lambda: not two.node.tables.unrecorded)
    assert await ranked(two) == {person(0).id: 927, person(1).id: 1137}


async def test_a_room_stays_marked_until_it_is_entered(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, work = await over(node), rounds(node)

    async def fail(*_: object) -> None:
        raise StoreDown("no answer")

    with monkeypatch.context() as failing:
        failing.setattr(boards, "put", fail)
        with pytest.raises(StoreDown):
            await work.records()
    assert node.node.tables.unrecorded == {table}
    await work.records()
    assert not node.node.tables.unrecorded
    assert await ranked(node) == {person(0).id: 927, person(1).id: 1137}


# Once


async def test_three_nodes_enter_a_room_ten_times_and_it_counts_once(nodes: list[Running]) -> None:
    room = (await over(nodes[0])).room
    tables = [await node.node.tables.open(room) for node in nodes]
    entering = [
        ratings_of(node).keep([table]) for _ in range(10) for node, table in zip(nodes, tables, strict=True)
    ]
    random.shuffle(entering)
    assert [len(done) for done in await asyncio.gather(*entering)] == [1] * 30
    ratings = ratings_of(nodes[0])
    assert await ratings.skills([person(1).id, person(0).id], Mode.RACE) == {
        person(1).id: WON,
        person(0).id: LOST,
    }
    for number in (0, 1):
        [standing] = await ratings.standings([(person(number).id, Mode.RACE)])
        assert standing is not None
        assert standing.games == len(await ratings.history(person(number).id, Mode.RACE)) == 1
    assert await ranked(nodes[0]) == {person(0).id: 927, person(1).id: 1137}


async def test_many_games_entered_by_three_nodes_at_once_come_to_what_they_would_one_by_one(
    nodes: list[Running],
) -> None:
    orders = [(ANN, BOB), (BOB, ANN), (BOB, ANN, EVE), (EVE, ANN), (EVE, BOB, ANN)]
    games = [
        game(number, *orders[number % 5], at=number // 2, skill=Skill(20_000 + 500 * number, 4_000))
        for number in range(20)
    ]
    entering = [ratings_of(node, often=3).enter(each) for node in nodes for each in games * 2]
    random.shuffle(entering)
    await asyncio.gather(*entering)
    expected: dict[PlayerId, list[Outcome]] = {ANN: [], BOB: [], EVE: []}
    for each in games:
        for participant in each.participants:
            expected[participant.id] += entered(expected[participant.id], each.of(participant.id), 3) or []
    ratings = ratings_of(nodes[0])
    assert {who: await ratings.history(who, Mode.RACE) for who in expected} == expected
    final = {who: outcomes[-1].skill for who, outcomes in expected.items()}
    assert await ratings.skills(expected, Mode.RACE) == final
    assert await ranked(nodes[0]) == {who: rating(skill) for who, skill in final.items()}
    assert any(each.counted < len(each.rivals) for outcomes in expected.values() for each in outcomes)


async def test_one_that_was_entered_for_some_is_entered_for_the_others(
    nodes: list[Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, _ = nodes
    put = boards.put

    async def fail_for_bob(store: Any, mode: str, player: PlayerId, *rest: Any) -> None:
        if player == BOB:
            raise StoreDown("the node dies here")
        await put(store, mode, player, *rest)

    with monkeypatch.context() as dying:
        dying.setattr(boards, "put", fail_for_bob)
        with pytest.raises(StoreDown):
            await ratings_of(one).enter(game(1, ANN, BOB, EVE))
    first = rating(skill_after(Ranked(1, NEW), [[Ranked(2, NEW)], [Ranked(3, NEW)]]))
    assert await ranked(two) == {ANN: first}  # and BOB is on no board, EVE in no history yet
    await ratings_of(two).enter(game(1, ANN, BOB, EVE))
    found = await ranked(two)
    assert list(found) == [ANN, BOB, EVE]
    assert found[ANN] == first


async def test_a_leaderboard_told_of_an_older_rating_late_is_told_again(
    nodes: list[Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, _ = nodes
    put = boards.put
    overtaken: list[PlayerId] = []

    async def slowly(store: Any, mode: str, player: PlayerId, *rest: Any) -> None:
        if player == ANN and not overtaken:
            overtaken.append(player)
            await ratings_of(two).enter(game(2, ANN, EVE, at=1))  # all of it, before this arrives
        await put(store, mode, player, *rest)

    monkeypatch.setattr(boards, "put", slowly)
    await ratings_of(one).enter(game(1, ANN, BOB))
    assert overtaken
    assert (await ranked(one))[ANN] == await ratings_of(one).rating(ANN, Mode.RACE)


# How often, how many, how long


async def test_who_meet_again_and_again_are_rated_so_many_times_a_day(url: str, watch: Watch) -> None:
    async with running(url, rated_per_rival=2) as node:
        tables = [await over(node, countdown_ms=0) for _ in range(4)]
        await until(lambda: not node.node.tables.unrecorded)
        history = await ratings_of(node).history(person(1).id, Mode.RACE)
        assert {outcome.room for outcome in history} == {table.room for table in tables}
        assert [outcome.counted for outcome in history] == [1, 1, 0, 0]
        assert history[1].skill == history[3].skill


async def test_who_plays_more_in_a_day_than_is_read_at_once_is_counted_right(node: Running) -> None:
    ratings = ratings_of(node, often=LATEST_GAMES + 2)
    for number in range(LATEST_GAMES + 4):
        await ratings.enter(game(number, ANN, BOB, at=number))
    counted = [outcome.counted for outcome in await ratings.history(ANN, Mode.RACE)]
    assert counted == [1] * (LATEST_GAMES + 2) + [0, 0]


async def test_of_a_long_history_the_end_is_kept(
    node: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ratings_module, "KEPT_GAMES", 5)
    monkeypatch.setattr(ratings_module, "LATEST_GAMES", 3)
    assert KEPT_GAMES > LATEST_GAMES
    ratings = ratings_of(node)
    for day in range(8):
        await ratings.enter(game(day, ANN, BOB, at=day * DAY_MS))
    history = await ratings.history(ANN, Mode.RACE)
    assert [outcome.room for outcome in history] == [f"room{day:06}" for day in range(3, 8)]
    await ratings.enter(game(99, ANN, EVE, at=5 * DAY_MS + 1))  # late, but not too late
    rooms = [outcome.room for outcome in await ratings.history(ANN, Mode.RACE)]
    assert rooms == ["room000004", "room000005", "room000099", "room000006", "room000007"]
    before = await ratings.standings([(ANN, Mode.RACE)])
    await ratings.enter(game(0, ANN, BOB))  # which was entered long ago
    assert await ratings.standings([(ANN, Mode.RACE)]) == before
    assert "a game is too old to be rated" in caplog.messages


async def test_more_games_in_a_day_than_are_kept_still_count(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ratings_module, "KEPT_GAMES", 5)
    monkeypatch.setattr(ratings_module, "LATEST_GAMES", 3)
    ratings = ratings_of(node)
    for number in range(9):
        await ratings.enter(game(number, ANN, BOB, at=number))
    [standing] = await ratings.standings([(ANN, Mode.RACE)])
    assert standing is not None
    assert (standing.games, standing.at) == (9, NOON + 8)


@pytest.mark.parametrize("days", [0, 3])
async def test_ratings_are_kept_as_long_as_is_set(url: str, watch: Watch, days: int) -> None:
    async with running(url, rating_days=days) as node:
        await over(node)
        await until(lambda: not node.node.tables.unrecorded)
        for key in (keys.standing(person(0).id, "race"), keys.games(person(0).id, "race")):
            ttl = await node.store.call("TTL", key)
            assert ttl == -1 if days == 0 else days * 86_400 - 60 < ttl <= days * 86_400


# Who sits down


async def test_who_joins_is_seated_with_their_rating(node: Running, meet: Meet) -> None:
    ann, bob = await meet(node), await meet(node)
    ids = [PlayerId(peer.heard[0]["player"]["id"]) for peer in (ann, bob)]
    await ratings_of(node).enter(game(1, *ids))
    made = await ann.ask("create", mode="race", options={"rated": True})
    assert made["state"]["seats"][0]["player"]["rating"] == 1137
    assert made["state"]["options"]["spectator_delay_ms"] == 5000
    joined = await bob.ask("join", room=made["room"])
    assert [seat["player"]["rating"] for seat in joined["state"]["seats"]] == [1137, 927]
    told = await ann.find(lambda message: message.get("kind") == "seated" and message["seat"] == 1)
    assert (told["player"]["rating"], told["skill"]) == (927, {"mu": LOST.mu, "sigma": LOST.sigma})
    other = await bob.ask("create", mode="turns", options={"rated": True})
    assert other["state"]["seats"][0]["player"]["rating"] == 1000


async def test_in_a_rematch_they_sit_with_what_the_game_made_of_it(node: Running, meet: Meet) -> None:
    ann, bob = await meet(node), await meet(node)
    room = await started(ann, bob, **AT_ONCE)
    await ann.send({"t": "resign", "room": room, "n": 1})
    await bob.find(lambda message: message.get("kind") == "ended")
    table = node.node.tables.loaded[RoomId(room)]
    await ratings_of(node).keep([table])
    for player in (ann, bob):
        await player.ask("rematch", room=room, want=True)
    named = await ann.find(lambda message: message.get("kind") == "rematch" and "from" in message)
    again = await ann.ask("join", room=named["room"])
    seated = {seat["player"]["name"]: seat["player"]["rating"] for seat in again["state"]["seats"]}
    assert sorted(seated.values()) == [927, 1137]


async def test_where_ratings_cannot_be_read_nobody_sits_down(
    own_server: Server, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(own_server.url) as node, AsyncExitStack() as stack:
        ann = await stack.enter_async_context(peer(node.port))

        async def fail(*_: object) -> None:
            raise StoreDown("no answer")

        monkeypatch.setattr(stored, "standings", fail)
        assert (await ann.ask("create", mode="race", options={"rated": True}))["code"] == "unavailable"
        assert (await ann.ask("create", mode="race"))["t"] == "snapshot"


# Nobody tells players what to do


async def test_watchers_of_a_rated_game_do_not_talk_to_its_players(node: Running, meet: Meet) -> None:
    ann, bob, eve = await meet(node), await meet(node), await meet(node)
    room = await started(ann, bob, **AT_ONCE)
    await eve.ask("join", room=room, watch=True)
    refused = await eve.ask("chat", room=room, text="top left!")
    assert (refused["t"], refused["code"]) == ("error", "not_allowed")
    assert (await ann.ask("chat", room=room, text="good luck"))["t"] == "ok"
    assert (await eve.next("chat"))["text"] == "good luck"
    await ann.send({"t": "resign", "room": room, "n": 1})
    await eve.find(lambda message: message.get("kind") == "ended")
    assert (await eve.ask("chat", room=room, text="well played"))["t"] == "ok"
    heard = [message["text"] for message in ann.heard if message["t"] == "chat"]
    assert "top left!" not in heard


async def test_nor_while_for_them_it_is_not_over(node: Running, meet: Meet) -> None:
    ann, bob, eve = await meet(node), await meet(node), await meet(node)
    room = await started(ann, bob, rated=True, spectator_delay_ms=60_000)
    await eve.ask("join", room=room, watch=True)
    await ann.send({"t": "resign", "room": room, "n": 1})
    await bob.find(lambda message: message.get("kind") == "ended")
    assert (await eve.ask("chat", room=room, text="well played"))["code"] == "not_allowed"
