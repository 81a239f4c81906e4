"""Tournaments that a node has loaded: let go, asked for all at once, given back the time of an outage."""

import asyncio
import json
from typing import Any

import pytest
from tests.gateway.cups import NONE, announced, entered, said, standing
from tests.gateway.meeting import Meet
from tests.gateway.nodes import Running, rounds
from tests.gateway.pages import ask
from tests.store.waiting import until

from tenmatch.game.ids import Millis, RoomId, TournamentId
from tenmatch.gateway.tournament import tournaments, upkeep
from tenmatch.gateway.tournament.tournaments import NoSuchTournament
from tenmatch.gateway.tournament.upkeep import Upkeep
from tenmatch.store import due, keys, log


def named(id: str) -> TournamentId:
    return TournamentId(RoomId(id))


@pytest.mark.usefixtures("by_hand")
async def test_one_that_needs_nobody_is_let_go_and_comes_back_when_it_is_due(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "IDLE_S", 0)
    host, guest = await meet(), await meet()
    shown = await announced(host, enter=True, starts_in_s=3_600)
    id, starts_at = named(shown["tournament"]), shown["state"]["starts_at"]
    await rounds(node).presence()
    loaded = node.node.tournaments.loaded
    assert id in loaded  # its host watches
    await host.ask("tournament_watch", tournament=id, on=False)
    await rounds(node).presence()
    assert id not in loaded
    bucket = keys.due(keys.due_bucket(id))
    assert int(await node.store.call("ZSCORE", bucket, id)) == starts_at
    [line] = json.loads((await ask(node, "/v1/tournaments")).body)["tournaments"]
    assert line["players"] == 1
    assert (await guest.ask("tournament_enter", tournament=id))["t"] == "ok"
    await rounds(node).presence()
    assert id not in loaded
    monkeypatch.undo()
    await due.mark(node.store, {id: Millis(1)})
    await rounds(node).sweep()
    assert len(loaded[id].state.entrants) == 2


@pytest.mark.usefixtures("by_hand")
async def test_one_whose_games_have_no_rooms_yet_or_are_to_be_ended_is_kept(
    node: Running, meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "IDLE_S", 0)
    host, guest = await meet(), await meet()
    id = named((await announced(host, enter=True))["tournament"])
    await entered(id, guest)
    monkeypatch.setattr(node.node.tournaments, "moved", lambda held: None)  # nobody sees to its games
    await host.ask("tournament_start", tournament=id)
    await said(host, "paired")
    held = node.node.tournaments.loaded[id]
    for one in (host, guest):
        await one.ask("tournament_watch", tournament=id, on=False)
    await rounds(node).presence()
    assert node.node.tournaments.loaded[id] is held
    monkeypatch.undo()
    monkeypatch.setattr(upkeep, "IDLE_S", 0)
    node.node.games.see_to(held)
    await until(lambda: held.state.games[0].room is not None and not held.playing)
    await rounds(node).presence()
    assert id not in node.node.tournaments.loaded


async def test_what_is_asked_for_many_times_at_once_is_read_one_at_a_time(
    node: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = most = 0
    read = log.read

    async def counted(*asked: Any) -> Any:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        try:
            return await read(*asked)
        finally:
            reading -= 1

    monkeypatch.setattr(tournaments, "read", counted)

    async def open_twice() -> None:
        for _ in range(2):
            with pytest.raises(NoSuchTournament):
                await node.node.tournaments.open(named(NONE))

    await asyncio.gather(*(open_twice() for _ in range(5)))
    assert most == 1


@pytest.mark.usefixtures("by_hand")
async def test_one_that_is_gone_is_listed_no_more(node: Running, meet: Meet) -> None:
    id = named((await announced(await meet()))["tournament"])
    await rounds(node).presence()
    node.node.tournaments.unload(node.node.tournaments.loaded[id])
    await node.store.call("DEL", keys.log(id))
    await Upkeep(node.store, node.node.tournaments).look_at(id)
    assert await node.store.call("ZCARD", keys.TOURNAMENTS_LISTED[1]) == 0


async def test_an_arena_lasts_longer_by_the_time_in_which_all_nodes_were_away(
    node: Running, meet: Meet
) -> None:
    host, guest = await meet(), await meet()
    id = (await announced(host, enter=True, format="arena", minutes=1))["tournament"]
    await entered(id, guest)
    await host.ask("tournament_start", tournament=id)
    ends_at = (await said(host, "begun"))["ends_at"]
    at = (await said(host, "opened"))["at"]
    await until(lambda: node.store.clock.now() > at + 60)
    await node.store.call("ZADD", keys.OUTAGES, at + 50, f"{at}-{at + 50}")
    await node.node.pulse.once()
    node.node.tournaments.revive()
    assert (await said(guest, "shifted"))["by_ms"] == 50
    assert (await standing(node, id))["ends_at"] == ends_at + 50
    node.node.tournaments.revive()
    assert (await guest.ask("tournament_leave", tournament=id))["t"] == "ok"
    kinds = [message.get("kind") for message in guest.heard]
    assert kinds.count("shifted") == 1
