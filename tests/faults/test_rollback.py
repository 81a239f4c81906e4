"""P9: a log loses its tail, as it can in a failover: that is seen, made good if it can be, never merged."""

import asyncio
from pathlib import Path

import pytest
from redis import Redis
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import Load, Party, playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.person import Person
from tests.faults.promise import Promise
from tests.faults.watch import caught_up
from tests.store.waiting import until

from tenmatch.game.ids import RoomId
from tenmatch.store import keys

pytestmark = pytest.mark.slow

LOST = 3  # events of each room
ROOMS = 8  # in the first half of which others play on where the log ends now
CAUGHT_UP_S = 3.0


class Fork:
    """Two nodes with clients who hold what is lost, and a third, which knows the log only as it is now."""

    def __init__(self, deployment: Deployment, load: Load) -> None:
        self.deployment, self.load = deployment, load
        self.overwritten, self.others = load.parties[: ROOMS // 2], load.parties[ROOMS // 2 :]

    def lose(self) -> None:
        """Freeze the two nodes and take the last events off each log."""
        for number in (0, 1):
            self.deployment.freeze(number)
        with Redis.from_url(self.deployment.redis.local) as store:
            for party in self.load.parties:
                store.ltrim(keys.log(RoomId(party.room)), 0, -LOST - 1)

    async def go_over(self, persons: list[Person]) -> None:
        """Let persons come to the third node with what they hold, and return when they are in their rooms."""
        url = self.deployment.nodes[2].url
        for person in persons:
            person.go_to(url)
        await until(lambda: all(person.at_head and person.url == url for person in persons))

    async def overwrite(self) -> None:
        """Let players go over and play on there, and then some watchers follow them."""
        await self.go_over([player for party in self.overwritten for player in party.players])
        heads = {party: _seq(party) for party in self.overwritten}
        self.load.resting = False
        await until(lambda: all(_seq(party) > heads[party] + LOST for party in self.overwritten))
        await self.go_over([party.persons[2] for party in self.overwritten])

    def come_back(self) -> None:
        """Let the two nodes go on."""
        for number in (0, 1):
            self.deployment.thaw(number)


def _seq(party: Party) -> int:
    view = party.players[0].view
    assert view is not None
    return view.seq


def _matched(party: Party) -> int:
    return min(player.matched for player in party.players)


async def roll_back(promise: Promise, folder: Path, without: str = "") -> None:
    with Deployment(folder, nodes=3, without=without) as deployment:
        two = [node.url for node in deployment.nodes[:2]]
        async with playing(lambda: two, rooms=ROOMS, rate=100, watchers=2) as load:
            await asyncio.sleep(amount(1.0, 10.0))
            await until(
                lambda: all(_matched(party) > LOST for party in load.parties)
            )  # it is moves that are lost
            await caught_up(load, deployment.redis.local)
            fork = Fork(deployment, load)
            fork.lose()
            await fork.overwrite()
            fork.come_back()
            await asyncio.sleep(0.5)  # of play by all
            late = await caught_up(load, deployment.redis.local)
            flaws = load.examine(deployment.redis.local)
    whole = [flaw for flaw in flaws if flaw.room in {party.room for party in fork.others}]
    resets = sum(
        view.resets for room in fork.overwritten for view in load.record.history.room(room.room).views
    )
    promise.equals("clients that hold what is not in the log (I6, I8)", count(flaws, "I6", "I8"), 0)
    promise.equals("logs that are not one chain of legal moves (I2, I7)", count(flaws, "I2", "I7"), 0)
    promise.equals("moves lost where nobody played on", count(whole, *INVARIANTS), 0)
    promise.at_most("moves lost where others did", count(flaws, "I1"), LOST * len(fork.overwritten))
    promise.at_least("clients told to begin anew", resets, 4 * len(fork.overwritten))
    promise.at_most("at the head after the last move", late, CAUGHT_UP_S, "s")
    promise.equals("what no client should be told", len(load.record.faults), 0)


@pytest.mark.promise("P9")
async def test_a_log_that_went_back_is_never_merged(promise: Promise, tmp_path: Path) -> None:
    await roll_back(promise, tmp_path)


@pytest.mark.full
@pytest.mark.twin("P9")
async def test_with_its_number_alone_an_event_of_a_lost_log_is_taken_for_another(
    promise: Promise, tmp_path: Path
) -> None:
    await roll_back(promise, tmp_path, "resumed_whatever_the_chain")


@pytest.mark.full
@pytest.mark.twin("P9")
async def test_nodes_that_compare_lengths_only_merge(promise: Promise, tmp_path: Path) -> None:
    await roll_back(promise, tmp_path, "chains_never_compared")
