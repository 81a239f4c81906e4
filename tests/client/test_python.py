"""What the Python client offers beyond what the suite asks of every client."""

import asyncio
from pathlib import Path

import pytest
from tests.live.node import Node

from tenmatch.client import PHRASES, Chat, Client, Created, Denied, Detached, Phase, Reason, Shown, Step


async def test_seats_can_be_chosen_and_computer_players_put_on_them(node: Node) -> None:
    async with Client(node.url, proxy=None) as host, Client(node.url, proxy=None) as guest:
        room = await host.create("race", max_players=4, countdown_ms=0)
        joined = await guest.join(room.code, seat=2)
        assert joined.seat == 2
        await room.bot("easy", seat=3)
        state = await joined.until(lambda state: state.seats[3] is not None)
        assert state.seats[1] is None
        await room.kick(2)
        with pytest.raises(Detached, match="kicked"):
            await joined.until(lambda state: state.phase is Phase.OVER)


async def test_the_daily_is_begun_once(node: Node) -> None:
    async with Client(node.url, proxy=None) as client:
        room = await client.daily()
        assert room.state.daily is not None
        assert await client.daily() is room


async def test_what_happens_is_told_from_the_room_as_it_is_to_its_leaving(node: Node) -> None:
    async with Client(node.url, proxy=None) as client:
        room = await client.create("mirror", max_players=1, countdown_ms=0)
        happenings = aiter(room)
        assert isinstance(await anext(happenings), Shown)
        await room.ready()
        kinds = []
        async for what in happenings:
            if isinstance(what, Step):
                kinds.append(type(what.event).__name__)
            if room.state.phase is Phase.PLAYING:
                await room.leave()
        assert kinds == ["Readied", "Starting", "Started"]
        with pytest.raises(Detached, match="left"):
            await room.ready()


async def test_no_state_is_passed_over_that_somebody_waits_for(node: Node) -> None:
    async with Client(node.url, proxy=None) as client:
        room = await client.create("mirror", max_players=1, countdown_ms=0)
        waiting = asyncio.create_task(room.until(lambda state: state.phase is Phase.STARTING))
        await asyncio.sleep(0)  # it waits
        await room.ready()  # the three events come in one packet
        assert (await asyncio.wait_for(waiting, 60)).phase is Phase.STARTING
        await asyncio.wait_for(room.until(lambda state: state.phase is Phase.PLAYING), 60)


async def test_the_whole_log_and_a_fresh_snapshot_agree(node: Node) -> None:
    async with Client(node.url, proxy=None) as client:
        room = await client.create("mirror", max_players=1, countdown_ms=0)
        await room.ready()
        await room.until(lambda state: state.phase is Phase.PLAYING)
        await room.match(*room.state.pairs()[0])
        held = room.state
        log = await room.history()
        assert isinstance(log[0].event, Created)
        assert (log[-1].seq, log[-1].chain) == (held.seq, held.chain)
        assert (await room.refresh()).board == held.board


async def test_who_is_muted_is_not_heard_and_can_be_reported(node: Node) -> None:
    async with Client(node.url, proxy=None) as ann, Client(node.url, proxy=None) as bob:
        room = await ann.create("race", max_players=3)
        joined = await bob.join(room.id)
        assert bob.player is not None
        heard = aiter(room)

        async def line() -> Chat:
            async with asyncio.timeout(60):
                while not isinstance(what := await anext(heard), Chat):
                    pass
            return what

        await joined.say("hello")
        assert (first := await line()).phrase == "hello"
        assert first.text == PHRASES["hello"]
        ann.muted.add(bob.player["id"])
        await joined.chat("not heard")
        await room.chat("heard")
        assert (await line()).text == "heard"
        await room.report(bob.player["id"], Reason.ABUSE, "shouts")
        await joined.focus(False)
        with pytest.raises(Denied, match="a phrase is one of"):
            await room.say("boo")


async def test_the_games_most_worth_watching_are_known_with_the_lobby(tmp_path: Path) -> None:
    with Node(tmp_path) as alone:  # elsewhere the games of other tests may be worth as much
        async with Client(alone.url, proxy=None) as ann, Client(alone.url, proxy=None) as bob:
            room = await ann.create("race", countdown_ms=0)
            joined = await bob.join(room.id)
            await asyncio.gather(room.ready(), joined.ready())
            async with asyncio.timeout(60):
                async for _ in bob.lobby():
                    if room.id in bob.featured:
                        break


async def test_a_name_is_taken_or_why_not_is_said(node: Node) -> None:
    async with Client(node.url, name="Ann", proxy=None) as client:
        assert (await client.rename("Eve"))["name"] == "Eve"
        with pytest.raises(Denied) as denied:
            await client.rename("x" * 25)
        assert denied.value.field == "name"
        assert client.player is not None
        assert client.player["name"] == "Eve"
