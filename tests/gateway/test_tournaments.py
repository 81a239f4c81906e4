"""Tournaments through real sockets, on one node and on two: signing up, games, results."""

import asyncio
import csv
import io
import json
from functools import partial
from typing import Any

import pytest
from tests.gateway.conftest import Late, Watch
from tests.gateway.cups import NONE, announced, begun, entered, played, player, said, standing
from tests.gateway.meeting import Meet
from tests.gateway.nodes import Running, rounds, running
from tests.gateway.pages import ask
from tests.gateway.peer import peer, welcome
from tests.store.fleet import until_so
from tests.store.waiting import until

from tenmatch.game.ids import RoomId, TournamentId
from tenmatch.game.tournament import state
from tenmatch.game.tournament.state import Tournament
from tenmatch.gateway.tournament import games, held
from tenmatch.gateway.tournament.tournaments import Tournaments
from tenmatch.gateway.tournament.upkeep import Upkeep
from tenmatch.store import keys, players


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let players have no rest between their games."""
    monkeypatch.setattr(state, "PAUSE_MS", 0)


async def test_four_play_a_knock_out_over_two_nodes(node: Running, other: Running, meet: Meet) -> None:
    peers = [await meet(at, name=name) for at, name in zip((node, other) * 2, "ABCD", strict=True)]
    id = (await announced(peers[0]))["tournament"]
    await entered(id, *peers)
    assert (await peers[1].ask("tournament_start", tournament=id))["code"] == "not_host"
    assert (await peers[0].ask("tournament_start", tournament=id))["t"] == "ok"
    a, b, _, d = map(player, peers)
    await played(1, d, *peers)
    await played(2, b, *peers)
    assert (await said(peers[2], "decided", game=1))["winner"] == d
    await played(3, d, *peers)
    ends = [await said(one, "finished") for one in peers]
    assert [end["chain"] for end in ends] == [ends[0]["chain"]] * 4
    ranked = [(line["player"], line["place"]) for line in ends[0]["ranking"]]
    assert ranked[:2] == [(d, 1), (b, 2)]
    assert [place for _, place in ranked] == [1, 2, 3, 3]
    told = await standing(other, id)
    assert told["phase"] == "over"
    assert told["seed"] == ends[0]["seed"]
    assert told["rounds"][1] == [{"sides": [d, b], "winner": d}]
    assert [game["how"] for game in told["games"]] == ["won"] * 3
    table = list(csv.DictReader(io.StringIO((await ask(node, f"/v1/tournaments/{id}.csv")).body.decode())))
    assert [(line["name"], line["place"], line["wins"]) for line in table[:2]] == [
        ("D", "1", "2"),
        ("B", "2", "1"),
    ]
    assert {line["player"] for line in table} == set(map(player, peers))
    assert a in {line["player"] for line in table[2:]}


async def test_what_one_missed_is_resumed(meet: Meet) -> None:
    host, guest = await meet(), await meet()
    shown = await announced(host)
    id = shown["tournament"]
    await entered(id, guest)
    since = await host.ask(
        "tournament_watch", tournament=id, on=True, after=shown["seq"], chain=shown["chain"]
    )
    assert since["t"] == "tournament_resumed"
    assert [event["kind"] for event in since["events"]] == ["entered"]
    forked = await host.ask("tournament_watch", tournament=id, on=True, after=1, chain=1)
    assert forked["reset"]
    assert forked["seq"] == since["seq"]
    assert "seed" not in str(shown["state"]["plan"])
    assert shown["state"]["seed"] is None
    assert (await host.ask("tournament_watch", tournament=id, on=False))["t"] == "ok"
    await guest.ask("tournament_leave", tournament=id)
    assert (await host.quiet())[-1].get("kind") != "withdrew"


async def test_who_does_not_come_has_lost_after_the_deadline(
    node: Running, meet: Meet, late: Late, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "_MS", 0)  # so that ten seconds are over when the test says so
    host, guest = await meet(), await meet()
    id = (await announced(host, enter=True, join_s=10))["tournament"]
    await entered(id, guest)
    await host.ask("tournament_start", tournament=id)
    room = (await said(host, "opened"))["room"]
    snapshot = await host.ask("join", room=room)
    assert snapshot["state"]["tournament"] == id
    assert (await host.ask("leave", room=room))["t"] == "ok"  # which costs nothing: one may come back
    again = await host.ask("join", room=room)
    assert again["state"]["seats"][again["seat"]]["ready"]
    late(node, room)
    decided = await said(host, "decided")
    assert (decided["how"], decided["winner"]) == ("no_show", player(host))


async def test_requests_that_cannot_be_carried_out(meet: Meet) -> None:
    host, guest = await meet(), await meet()
    for t in ("tournament_enter", "tournament_leave", "tournament_kick", "tournament_start"):
        asked = {"tournament": NONE, "player": player(guest)}
        assert (await host.ask(t, **asked))["code"] == "no_such_tournament"
    assert (await host.ask("tournament_watch", tournament=NONE, on=True))["code"] == "no_such_tournament"
    bad = await host.ask("tournament_create", title="Cup", format="swiss", mode="race")
    assert (bad["code"], bad["field"]) == ("bad_options", "format")
    assert (await host.ask("tournament_create", title="​", format="arena", mode="race"))["field"] == "title"
    id = (await announced(host))["tournament"]
    assert (await host.ask("tournament_start", tournament=id))["code"] == "too_few_players"
    assert (await guest.ask("tournament_kick", tournament=id, player=player(host)))["code"] == "not_host"
    assert (await host.ask("tournament_kick", tournament=id, player=player(guest)))["code"] == "not_allowed"


async def test_a_key_makes_one_tournament_and_a_player_not_too_many(url: str) -> None:
    async with running(url, tournaments_per_player=2) as node, peer(node.port) as host:
        one = await announced(host, key="one")
        assert (await announced(host, key="one"))["tournament"] == one["tournament"]
        await announced(host, key="two")
        refused = await host.ask("tournament_create", title="Cup", format="arena", mode="race")
        assert refused["code"] == "too_many_rooms"


async def test_from_an_address_come_not_too_many_whoever_announces_them(url: str) -> None:
    async with (
        running(url, tournaments_per_address=2) as node,
        peer(node.port) as one,
        peer(node.port) as two,
    ):
        await announced(one)
        await announced(two)
        for host in (one, two):
            refused = await host.ask("tournament_create", title="Cup", format="arena", mode="race")
            assert refused["code"] == "too_many_rooms"
        assert not await node.store.call("ZCARD", keys.made_tournaments(player(one)))


async def test_public_ones_are_listed(node: Running, meet: Meet) -> None:
    host = await meet()
    public = (await announced(host, format="arena", minutes=1))["tournament"]
    await announced(host, private=True)
    await Upkeep(node.store, node.node.tournaments).presence()
    [line] = json.loads((await ask(node, "/v1/tournaments")).body)["tournaments"]
    assert (line["tournament"], line["format"], line["phase"]) == (public, "arena", "open")
    assert (await ask(node, f"/v1/tournaments/{NONE}")).status == 404
    assert (await ask(node, "/v1/tournaments/nothing.csv")).status == 404


async def test_it_goes_on_when_its_node_has_gone(url: str, node: Running) -> None:
    async with running(url) as doomed, peer(doomed.port) as host, peer(doomed.port) as guest:
        id = (await announced(host, enter=True))["tournament"]
        await entered(id, guest)
        await host.ask("tournament_start", tournament=id)
        room = RoomId((await said(host, "opened"))["room"])
        tokens = [welcome(one)["token"] for one in (host, guest)]
        for id_ in map(player, (host, guest)):  # which is noted later than the room is told of
            await until_so(partial(players.seated, node.store, id_), [room])
    at = TournamentId(room_id := RoomId(id))
    assert room_id not in node.node.tournaments.loaded
    async with peer(node.port, token=tokens[0]) as host, peer(node.port, token=tokens[1]) as guest:
        assert welcome(host)["seated"] == [room]
        for one in (host, guest):  # of whom the room is all that is known here
            await one.ask("join", room=room)
        await guest.find(begun)
        await guest.send({"t": "resign", "room": room, "n": 1})
        await until(lambda: at in node.node.tournaments.loaded)
        await until(lambda: node.node.tournaments.loaded[at].state.phase is state.Phase.OVER)
        told = await standing(node, id)
    assert [line["player"] for line in told["ranking"]] == [player(host), player(guest)]


async def test_a_result_is_carried_over_by_whoever_sees_it_and_once(
    node: Running, other: Running, meet: Meet
) -> None:
    host, guest = await meet(), await meet(other)
    id = (await announced(host, enter=True))["tournament"]
    await entered(id, guest)
    await host.ask("tournament_start", tournament=id)
    await played(1, player(host), host, guest)
    for one in (host, guest):
        await said(one, "finished")
    room = RoomId((await said(host, "opened"))["room"])
    tables = [at.node.tables.loaded[room] for at in (node, other) if room in at.node.tables.loaded]
    for _ in range(3):
        await asyncio.gather(*(at.node.games.keep(tables) for at in (node, other)))
    kinds = [message["kind"] for message in await host.quiet() if message["t"] == "tournament_event"]
    assert kinds.count("decided") == 1
    assert kinds.count("finished") == 1


async def test_news_that_was_lost_is_made_up_for(node: Running, other: Running, meet: Meet) -> None:
    host, guest = await meet(), await meet(other)
    id = (await announced(host))["tournament"]
    at = TournamentId(RoomId(id))
    watching = await meet(other)
    await watching.ask("tournament_watch", tournament=id, on=True)
    deaf: Tournaments = other.node.tournaments
    other.node.feed.leave(at)  # nothing is heard of it any more
    await host.ask("tournament_enter", tournament=id)
    await rounds(other).heads()
    await said(watching, "entered")
    await until(lambda: deaf.loaded[at].head == node.node.tournaments.loaded[at].head)
    assert guest


@pytest.mark.usefixtures("by_hand")
async def test_one_that_cannot_be_read_here_is_left_to_other_nodes(
    node: Running, other: Running, meet: Meet, caplog: pytest.LogCaptureFixture
) -> None:
    id = RoomId((await announced(await meet()))["tournament"])
    await node.store.call("RPUSH", keys.log(id), b"\xff of a later version")
    await node.store.call("ZADD", keys.due(keys.due_bucket(id)), 1, id)
    guest = await meet(other)
    assert (await guest.ask("tournament_watch", tournament=id, on=True))["code"] == "unavailable"
    await rounds(other).sweep()
    assert await node.store.call("ZSCORE", keys.due(keys.due_bucket(id)), id) is not None
    assert "cannot be read" in caplog.text


@pytest.mark.usefixtures("by_hand")
async def test_a_bug_in_one_costs_the_sweep_nothing(
    node: Running,
    other: Running,
    meet: Meet,
    watch: Watch,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    watch.bugs_expected = True
    id = RoomId((await announced(await meet()))["tournament"])

    def bug(*_: object) -> None:
        raise AssertionError("a bug")

    monkeypatch.setattr(held, "evolve", bug)
    await node.store.call("ZADD", keys.due(keys.due_bucket(id)), 1, id)
    await rounds(other).sweep()
    assert "could not be loaded" in caplog.text


async def test_a_clock_that_is_off_is_no_reason_to_know_of_none(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, now = await meet(), node.store.clock.now
    with monkeypatch.context() as patch:
        patch.setattr(node.store.clock, "now", lambda: now() + 10_000)
        answer = await host.ask("tournament_create", title="Cup", format="arena", mode="race", key="one")
    assert answer["code"] == "unavailable"
    await announced(host, key="one")


async def test_to_show_one_again_its_log_is_not_folded_again(
    node: Running, other: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, folded = await meet(), 0
    id = (await announced(host))["tournament"]

    def evolve(*so_far: Any) -> Tournament:
        nonlocal folded
        folded += 1
        return state.evolve(*so_far)

    monkeypatch.setattr(held, "evolve", evolve)
    assert (await standing(other, id))["players"] == []
    assert folded == 1
    assert TournamentId(RoomId(id)) not in other.node.tournaments.loaded
    await host.ask("tournament_enter", tournament=id)
    folded = 0
    for _ in range(3):
        assert [one["id"] for one in (await standing(other, id))["players"]] == [player(host)]
    assert folded == 1
    await node.store.call("DEL", keys.log(RoomId(id)))
    assert (await ask(other, f"/v1/tournaments/{id}")).status == 404


async def test_what_is_asked_too_often_is_counted_as_joins_are(url: str) -> None:
    async with running(url, joins_per_minute=1) as node, peer(node.port) as one:
        answers = [await one.ask("tournament_watch", tournament=NONE, on=True) for _ in range(2)]
        assert [answer["code"] for answer in answers] == ["no_such_tournament", "rate_limited"]
        assert node.node.counts.limited["join"] == 1
