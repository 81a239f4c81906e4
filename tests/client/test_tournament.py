"""The Python client follows tournaments and plays in them."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from tests.client.meddler import Meddler
from tests.game.tournament.contests import Contest, rated
from tests.live.node import Node
from tests.store.waiting import until

from tenmatch.client import Client, Closed, Denied, Phase, Room, TournamentPhase
from tenmatch.client import tournament as tournament_module
from tenmatch.client.tournament import Tournament
from tenmatch.game.ids import RoomId, TournamentId
from tenmatch.protocol import to_client
from tenmatch.protocol.from_client import Request, WatchTournament
from tenmatch.protocol.maps import PersonMap
from tenmatch.protocol.tournaments import tournament_map


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


class Rehearsed:
    """A connection whose answers are known beforehand."""

    player: PersonMap | None = None

    def __init__(self, *answers: to_client.Tournament | to_client.TournamentResumed) -> None:
        self.answers = list(answers)
        self.asked: list[Request] = []
        self.followed: Tournament

    async def ask(self, message: Request, answer: type[Any], *, again: bool = False) -> Any:
        self.asked.append(message)
        said = self.answers.pop(0)
        self.followed.receive(said)  # as a client has it: before the request is settled
        return said

    def spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        return asyncio.create_task(work)

    async def join(self, room: str) -> Room:
        raise AssertionError("nobody is called")

    def unfollowed(self, tournament: TournamentId) -> None:
        """Take no notice."""


async def test_where_even_what_was_missed_does_not_fit_it_is_asked_for_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tournament_module, "PAUSE_S", 0)
    monkeypatch.setattr(tournament_module, "back_off", lambda tries: 0)
    contest, id = Contest("knockout"), TournamentId(RoomId("t" * 12))

    def whole() -> to_client.Tournament:
        state = contest.state
        return to_client.Tournament(
            re=None, tournament=id, seq=state.seq, chain=state.seq, state=tournament_map(state)
        )

    held = whole()
    contest.enter(*map(rated, range(2)))
    odd = {"seq": held.seq + 1, "chain": 5, "at": 1, "kind": "decided", "game": 9_999, "how": "won"}
    gap = {"seq": held.seq + 2, "chain": 6, "at": 1, "kind": "novelty"}
    resumed = [to_client.TournamentResumed(re=1, tournament=id, seq=9, events=[it]) for it in (gap, odd)]
    wire = Rehearsed(*resumed, whole())
    wire.followed = Tournament(held, wire)
    wire.followed.connected()
    await until(lambda: wire.followed.state.seq == contest.state.seq)
    asked = [message.after for message in wire.asked if isinstance(message, WatchTournament)]
    assert asked == [held.seq, held.seq, None]
