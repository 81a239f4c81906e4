"""All clients in one room, while the node that serves them drains, comes back, and is killed."""

import asyncio
from pathlib import Path

from tests.client.conftest import Meet
from tests.client.meddler import Meddler
from tests.client.test_conformance import QUICK, nothing_missed, same_at_last, true_state
from tests.client.troupe import DRIVERS, Player
from tests.live.node import Node


async def test_clients_in_all_languages_play_on_whatever_becomes_of_their_node(
    meet_as: Meet, between: Meddler, tmp_path: Path
) -> None:
    with Node(tmp_path, messages_per_s=0, matches_per_s=0) as node:
        between.node = node.url
        players = [await meet_as(language) for language in DRIVERS]
        watcher = await meet_as("python")
        await begin(players, watcher)
        drained = asyncio.create_task(asyncio.to_thread(drain, node))
        await asyncio.gather(*(player.match() for player in players), return_exceptions=True)
        await drained
        moves = [asyncio.create_task(player.match()) for player in players]  # there is no server now
        node.start()
        between.node = node.url
        await asyncio.gather(*moves)
        await same_at_last(node, *players, watcher)
        node.kill()
        moves = [asyncio.create_task(player.match()) for player in players]
        node.start()
        between.node = node.url
        await asyncio.gather(*moves)
        view = await same_at_last(node, *players, watcher)
        assert (await true_state(node, players[0].room))["board"] == view["boards"][0]
        for player in (*players, watcher):
            await nothing_missed(player)


async def begin(players: list[Player], watcher: Player) -> None:
    """Sit down together and begin."""
    host = players[0]
    options = {**QUICK, "max_players": len(players), "size": 90, "seconds": 3600}
    view = await host.enter("create", mode="race", options=options)
    for player in players[1:]:
        await player.enter("join", room=view["code"])
    await watcher.enter("watch", room=view["code"])
    for player in players:
        await player.ask("ready")
    for player in (*players, watcher):
        await player.ask("until", phase="playing")


def drain(node: Node) -> None:
    """Ask the node to end, and wait until it has."""
    node.terminate()
    assert node.wait() == 0
