"""Leaderboards and players' pages over HTTP."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.gateway.nodes import Running
from tests.gateway.pages import ask
from tests.gateway.test_ratings import ANN, BOB, EVE, NOON, game, ratings_of

from tenmatch.game.days import DAY_MS
from tenmatch.game.history import Participant, RatedGame
from tenmatch.game.ids import Millis, PlayerId, RoomId
from tenmatch.game.options import Mode
from tenmatch.game.rating import NEW, Ranked, rating, skill_after
from tenmatch.store import keys


async def board(running: Running, query: str = "", mode: str = "race") -> Any:
    answer = await ask(running, f"/v1/leaderboards/{mode}{query}")
    assert answer.status == 200, answer
    return json.loads(answer.body)


async def page_of(running: Running, player: PlayerId) -> Any:
    answer = await ask(running, f"/v1/players/{player}")
    assert answer.status == 200, answer
    return json.loads(answer.body)


async def enter(running: Running, *games: RatedGame, often: int = 0) -> None:
    for each in games:
        await ratings_of(running, often).enter(each)


def crowd(number: int) -> PlayerId:
    return PlayerId(f"crowd{number:07}")


# Leaderboards


@pytest.mark.parametrize("mode", list(Mode))
async def test_where_nobody_played_there_is_nobody(node: Running, mode: Mode) -> None:
    assert await board(node, mode=mode.value) == {
        "mode": mode.value,
        "period": "all",
        "week": None,
        "players": 0,
        "page": 1,
        "pages": 1,
        "lines": [],
        "own": None,
    }


async def test_players_are_listed_by_their_ratings(node: Running) -> None:
    await enter(node, game(1, ANN, BOB, EVE), game(2, EVE, BOB, at=1))
    told = await board(node)
    assert [line["player"] for line in told["lines"]] == [
        {"id": who, "name": who[:3]} for who in (ANN, EVE, BOB)
    ]
    assert [line["place"] for line in told["lines"]] == [1, 2, 3]
    assert [line["games"] for line in told["lines"]] == [1, 2, 2]
    assert [line["rating"] for line in told["lines"]] == [
        await ratings_of(node).rating(who, Mode.RACE) for who in (ANN, EVE, BOB)
    ]
    assert (await board(node, mode="turns"))["players"] == 0


async def test_a_player_has_the_name_of_their_latest_game(node: Running) -> None:
    renamed = RatedGame(
        Mode.RACE,
        RoomId("room000002"),
        Millis(NOON + 1),
        (Participant(ANN, "Anna", 1, NEW), Participant(BOB, "bob", 2, NEW)),
    )
    await enter(node, renamed, game(1, ANN, BOB))
    assert [line["player"]["name"] for line in (await board(node))["lines"]] == ["Anna", "bob"]


async def test_a_page_has_fifty_lines(node: Running) -> None:
    for number in range(0, 120, 2):
        await enter(node, game(number, crowd(number), crowd(number + 1)))
    pages = [await board(node, f"?page={page}") for page in (1, 2, 3, 4)]
    assert [len(page["lines"]) for page in pages] == [50, 50, 20, 0]
    assert {(page["players"], page["pages"]) for page in pages} == {(120, 3)}
    listed = [line["player"]["id"] for page in pages for line in page["lines"]]
    assert sorted(listed) == [crowd(number) for number in range(120)]
    places = [line["place"] for page in pages for line in page["lines"]]
    assert places == [1] * 60 + [61] * 60  # they all won once, or lost once
    assert await board(node) == pages[0]


async def test_ones_own_line_is_told_on_whatever_page(node: Running) -> None:
    await enter(node, game(1, ANN, BOB), game(2, ANN, EVE, at=1))
    for query in (f"?player={EVE}", f"?player={EVE}&page=9", f"?page=1&player={EVE}&period=all"):
        told = await board(node, query)
        assert told["own"] == (await board(node))["lines"][1]
        assert told["own"]["player"]["id"] == EVE
        assert told["own"]["place"] == 2
    assert (await board(node, f"?player={crowd(1)}"))["own"] is None
    assert (await board(node, "?player="))["own"] is None


async def test_this_week_turns_on_monday(node: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monday = int(datetime(2026, 11, 30, tzinfo=UTC).timestamp() * 1000)
    await enter(node, game(1, ANN, BOB, at=monday - 1 - NOON), game(2, ANN, EVE, at=monday - NOON))

    async def this_week(now: int) -> tuple[str, list[str]]:
        with monkeypatch.context() as clock:
            clock.setattr(node.store.clock, "now", lambda: now)
            told = await board(node, "?period=week")
        return told["week"], [line["player"]["id"] for line in told["lines"]]

    assert await this_week(monday - 1) == ("2026-W48", [ANN, BOB])
    assert await this_week(monday) == ("2026-W49", [ANN, EVE])
    assert await this_week(monday + 7 * DAY_MS - 1) == ("2026-W49", [ANN, EVE])
    assert await this_week(monday + 7 * DAY_MS) == ("2026-W50", [])
    assert (await board(node))["players"] == 3


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/leaderboards/mirrors", 404),
        ("/v1/leaderboards/", 404),
        ("/v1/leaderboards/race?period=day", 400),
        ("/v1/leaderboards/race?page=0", 400),
        ("/v1/leaderboards/race?page=-1", 400),
        ("/v1/leaderboards/race?page=1.5", 400),
        ("/v1/leaderboards/race?page=1000001", 400),
        ("/v1/leaderboards/race?page=%D9%A1", 400),
        ("/v1/leaderboards/race?player=nobody", 400),
        ("/v1/leaderboards/race?player=%00", 400),
        ("/v1/leaderboards/race?page=1000000&more=1&more=%FF", 200),
        ("/v1/players/", 404),
        ("/v1/players/nobody", 404),
        (f"/v1/players/{ANN}", 404),
    ],
)
async def test_what_cannot_be_asked(node: Running, path: str, status: int) -> None:
    answer = await ask(node, path)
    assert answer.status == status
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_a_head_has_no_body(node: Running) -> None:
    whole, head = await ask(node, "/v1/leaderboards/race"), await ask(node, "/v1/leaderboards/race", "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(whole.body))


async def test_who_has_just_expired_is_left_out(node: Running) -> None:
    await enter(node, game(1, ANN, BOB))
    await node.store.call("DEL", keys.standing(ANN, "race"))
    told = await board(node, f"?player={ANN}")
    assert [line["player"]["id"] for line in told["lines"]] == [BOB]
    assert told["own"] is None


# Players


async def test_a_players_page_tells_of_each_mode(node: Running) -> None:
    await enter(node, game(1, ANN, BOB), game(2, BOB, ANN, at=10))
    told = await page_of(node, ANN)
    assert told["player"] == {"id": ANN, "name": "ann"}
    assert list(told["modes"]) == ["race"]
    race = told["modes"]["race"]
    won = skill_after(Ranked(1, NEW), [[Ranked(2, NEW)]])
    lost = skill_after(Ranked(2, won), [[Ranked(1, NEW)]])
    assert race["curve"] == [[NOON, rating(won)], [NOON + 10, rating(lost)]]
    assert (race["rating"], race["games"], race["place"], race["players"]) == (rating(lost), 2, 2, 2)
    last, first = race["results"]
    assert first == {
        "room": "room000001",
        "at": NOON,
        "place": 1,
        "rating": 1137,
        "change": 137,
        "counted": True,
        "rivals": [{"id": BOB, "name": "bob", "place": 2, "rating": 1000}],
    }
    assert (last["room"], last["place"], last["change"]) == ("room000002", 2, rating(lost) - 1137)


async def test_what_did_not_count_is_told(node: Running) -> None:
    await enter(node, game(1, ANN, BOB), game(2, ANN, BOB, at=1), often=1)
    results = (await page_of(node, BOB))["modes"]["race"]["results"]
    assert [(result["counted"], result["change"]) for result in results] == [(False, 0), (True, -73)]


async def test_the_latest_fifty_games_are_told_one_by_one_and_the_curve_is_whole(node: Running) -> None:
    for number in range(60):
        await enter(node, game(number, ANN, BOB, at=number))
    race = (await page_of(node, ANN))["modes"]["race"]
    assert len(race["curve"]) == race["games"] == 60
    assert [result["room"] for result in race["results"]] == [f"room{n:06}" for n in range(59, 9, -1)]
    assert race["results"][0]["rating"] == race["rating"] == race["curve"][-1][1]
