"""Who plays in a tournament: by invitation, not too many of one address, and not who was put out."""

import pytest
from tests.gateway.cups import announced, begun, entered, player, said, standing
from tests.gateway.meeting import Meet
from tests.gateway.nodes import Running, running
from tests.gateway.peer import Heard, Peer, peer

from tenmatch.game.tournament import state


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let players have no rest between their games."""
    monkeypatch.setattr(state, "PAUSE_MS", 0)


async def kick(host: Peer, id: str, guest: Peer) -> Heard:
    return await host.ask("tournament_kick", tournament=id, player=player(guest))


async def enter(one: Peer, id: str) -> object:
    """Sign up; return why not, if so."""
    return (await one.ask("tournament_enter", tournament=id)).get("code")


async def test_who_is_put_out_cannot_sign_up_again(node: Running, other: Running, meet: Meet) -> None:
    host, guest = await meet(), await meet(other)
    id = (await announced(host))["tournament"]
    await entered(id, guest)
    assert (await kick(host, id, guest))["t"] == "ok"
    assert (await said(guest, "withdrew"))["kicked"]
    assert await enter(guest, id) == "not_allowed"
    told = await standing(node, id)
    assert (told["players"], told["kicked"]) == ([], [player(guest)])


async def test_who_is_put_out_of_a_game_has_lost_it(node: Running, other: Running, meet: Meet) -> None:
    host, guest, rival = await meet(), await meet(other), await meet(other)
    id = (await announced(host))["tournament"]
    await entered(id, guest, rival)
    await host.ask("tournament_watch", tournament=id, on=True)
    await host.ask("tournament_start", tournament=id)
    room = (await said(host, "opened"))["room"]
    for one in (guest, rival):
        await one.ask("join", room=room)
    await rival.find(begun)
    await kick(host, id, guest)
    resigned = await rival.find(lambda message: message.get("kind") == "resigned")
    assert resigned["kicked"]
    decided = await said(host, "decided")
    assert (decided["how"], decided["winner"]) == ("won", player(rival))
    assert (await said(host, "finished"))["ranking"][0]["player"] == player(rival)


async def test_before_the_game_began_it_is_lost_too_though_the_other_had_not_come(meet: Meet) -> None:
    host, guest, rival = await meet(), await meet(), await meet()
    id = (await announced(host))["tournament"]
    await entered(id, guest, rival)
    await host.ask("tournament_watch", tournament=id, on=True)
    await host.ask("tournament_start", tournament=id)
    room = (await said(host, "opened"))["room"]
    await guest.ask("join", room=room)
    await kick(host, id, guest)
    detached = await guest.find(lambda message: message["t"] == "detached")
    assert detached["reason"] == "kicked"
    decided = await said(host, "decided")
    assert (decided["how"], decided["winner"]) == ("won", player(rival))


async def test_only_who_is_invited_signs_up_and_does_so_themselves(node: Running, meet: Meet) -> None:
    host, guest, other = await meet(), await meet(name="Bo"), await meet()
    listed = [{"id": player(guest), "name": "Robert"}]
    shown = await announced(host, players=listed, enter=True)
    id = shown["tournament"]
    assert [one["id"] for one in shown["state"]["players"]] == [player(host)]
    assert shown["state"]["invited"][1:] == listed
    assert await enter(other, id) == "not_allowed"
    assert await enter(guest, id) is None
    told = await standing(node, id)
    assert [one["name"] for one in told["players"][1:]] == ["Bo"]
    many = [{"id": f"{number:012}", "name": "A"} for number in range(65)]
    refused = await host.ask("tournament_create", title="Cup", format="knockout", mode="race", players=many)
    assert (refused["code"], refused["field"]) == ("bad_options", "players")


async def test_not_too_many_of_one_address_play(url: str) -> None:
    async with running(url, entrants_per_address=2) as node, peer(node.port) as host, peer(node.port) as one:
        id = (await announced(host, enter=True))["tournament"]
        async with peer(node.port) as two, peer(node.port) as three:
            assert await enter(one, id) is None
            assert await enter(two, id) == "room_full"
            assert await enter(one, id) is None  # who is in it is asked for nothing
            await one.ask("tournament_leave", tournament=id)
            assert await enter(two, id) is None
            await kick(host, id, two)
            assert await enter(three, id) == "room_full"  # else they could come one after the other
            invited = (await announced(host, players=[{"id": player(three), "name": "C"}]))["tournament"]
            assert await enter(three, invited) is None


async def test_in_one_that_has_begun_the_places_of_an_address_are_not_given_twice(url: str) -> None:
    async with running(url, entrants_per_address=2) as node, peer(node.port) as host, peer(node.port) as one:
        id = (await announced(host, enter=True, format="arena"))["tournament"]
        assert await enter(one, id) is None
        await host.ask("tournament_start", tournament=id)
        await one.ask("tournament_leave", tournament=id)
        async with peer(node.port) as two:
            assert await enter(two, id) == "room_full"
        assert await enter(one, id) is None
