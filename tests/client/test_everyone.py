"""Both libraries, the terminal client and the bot in one room, behind nginx with TLS, while a node drains."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from client_demo.bot import bot
from tests.certificates import Pair
from tests.client.troupe import Player, Troupe
from tests.faults.deployment import Deployment, apart
from tests.faults.fronts import Nginx, Wishes
from tests.live.client import Client as Stranger
from tests.terminal.test_terminal import seated

from tenmatch.client import Client, Phase

LANGUAGES = ("python", "javascript")


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """A certificate that the clients in this process trust."""
    pair = Pair.make(tmp_path, "shown")
    monkeypatch.setenv("SSL_CERT_FILE", str(pair.cert))
    return pair


@pytest.fixture
def talking(pair: Pair) -> Iterator[list[Player]]:
    """One client of each library, in drivers that trust the certificate."""
    # Only the drivers may trust nothing else: npm, which fetches for them, trusts what the machine does.
    trusting = {"SSL_CERT_FILE": str(pair.cert), "NODE_EXTRA_CA_CERTS": str(pair.cert)}
    started = [Troupe(language, trusting) for language in LANGUAGES]
    yield [Player(troupe, "somebody") for troupe in started]
    for troupe in started:
        troupe.__exit__(None, None, None)


@pytest.mark.full
async def test_all_of_them_play_one_another_while_a_node_drains(
    tmp_path: Path, pair: Pair, talking: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot, "REFLECTION_S", (0.1, 0.3))
    async with apart(lambda: Deployment(tmp_path, nodes=2, drain_s=2)) as deployment:
        with Nginx(tmp_path, deployment.addresses(), Wishes(), pair) as front:
            url = (await front.ready()).url
            async with Client(url, name="Bot", proxy=None) as robot:
                room = await robot.create("race", countdown_ms=0, max_players=4, size=90, seconds=3600)
                for player in talking:
                    await player.ask("connect", url=url)
                    await player.enter("join", room=room.code)
                async with seated(tmp_path / "ann", url, room=room.code) as ann:
                    await ann.at_table()
                    game = asyncio.create_task(bot.play(room))
                    for player in talking:
                        await player.ask("ready")
                    await ann.pilot.press("r")
                    await ann.playing()
                    others = [asyncio.create_task(player.play_on()) for player in talking]
                    drained, alive = deployment.nodes
                    drained.terminate()
                    assert await asyncio.to_thread(drained.wait) == 0
                    await ann.until(lambda: ann.room.state.phase is Phase.OVER)
                    end = await game
                    await asyncio.gather(*others)
                    assert ann.room.state.ranking == end.ranking
                    views = [await player.ask("until", seq=end.seq) for player in talking]
                    assert {(view["seq"], view["chain"]) for view in views} == {(end.seq, end.chain)}
                    stranger = await Stranger.connect(alive.url)
                    await stranger.hello()
                    shown = await stranger.ask("join", room=room.id, watch=True)
                    await stranger.close()
                    assert (shown["seq"], shown["chain"]) == (end.seq, end.chain)
                for player in talking:
                    await player.ask("close")
