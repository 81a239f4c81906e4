"""The Python client follows tournaments and plays in them."""

import asyncio

import pytest
from tests.client.meddler import Meddler
from tests.live.node import Node

from tenmatch.client import Client, Closed, Denied, Phase, Room, TournamentPhase


async def lost(room: Room) -> None:
    """Play a game and give it up."""
    await room.until(lambda state: state.phase is Phase.PLAYING)
    await room.resign()


async def test_a_knock_out_is_played_over_a_broken_connection(node: Node, between: Meddler) -> None:
    async with (
        Client(node.url, name="Ann", proxy=None) as ann,
        Client(between.url, name="Bob", proxy=None) as bob,
    ):
        hosted = await ann.create_tournament("Sunday cup", enter=True, countdown_ms=0, join_s=60)
        cup = await bob.tournament(hosted.id)
        assert await bob.tournament(hosted.id) is cup
        assert (cup.state.title, len(cup.state.entrants)) == ("Sunday cup", 1)
        await cup.enter()
        await hosted.until(lambda state: len(state.entrants) == 2)
        with pytest.raises(Denied) as denied:
            await cup.start()
        assert denied.value.code == "not_host"
        between.cut()
        await hosted.start()
        async with asyncio.timeout(60):
            first, second = await asyncio.gather(hosted.next_game(), cup.next_game())
            assert first is not None
            assert second is not None
            assert first.id == second.id
            await lost(second)
            assert {*await asyncio.gather(hosted.next_game(), cup.next_game())} == {None}
        assert ann.player is not None
        assert cup.state == hosted.state
        assert cup.state.phase is TournamentPhase.OVER
        assert cup.state.standings()[0].player == ann.player["id"]
        assert cup.state.bracket()[0][0].winner == ann.player["id"]
        assert cup.state.seed
        await cup.close()
        assert not bob.tournaments
        with pytest.raises(Denied, match="not followed"):
            await cup.until(lambda state: state.title == "another")


async def test_what_cannot_be_is_denied_and_who_leaves_hears_no_more(node: Node) -> None:
    async with Client(node.url, name="Ann", proxy=None) as ann:
        with pytest.raises(Denied) as denied:
            await ann.tournament("abcdefghjkm")
        assert denied.value.code == "no_such_tournament"
        with pytest.raises(Denied) as denied:
            await ann.create_tournament("Cup", "arena", minutes=0)
        assert denied.value.field == "minutes"
        arena = await ann.create_tournament("Cup", "arena", "turns", private=True, minutes=1, base_s=60)
        assert arena.state.plan.options.base_s == 60
        await arena.enter()
        await arena.until(lambda state: bool(state.entrants))
        await arena.leave()
        await arena.until(lambda state: not state.entrants)
        assert await anext(aiter(arena)) is arena.state
        invited = await ann.create_tournament("Two", players={"abcdefghjkmn": "Bob"}, enter=True)
        assert {one.name for one in invited.state.invited} == {"Ann", "Bob"}
        with pytest.raises(Denied) as denied:
            await invited.kick("abcdefghjkmn")
        assert denied.value.code == "not_allowed"
    with pytest.raises(Closed):
        await arena.until(lambda state: state.phase is TournamentPhase.OVER)
