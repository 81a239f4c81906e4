"""P8, P9: the primary is cut off together with a node, and its replicas and another node go on without it.

Two deployments play over the same Redis: one acknowledges what a replica has, the other what the primary has.
The one loses nothing; the other does, within bounds, and nobody merges what was lost with what is there.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.faults.deployment import Deployment, apart
from tests.faults.distant import Way
from tests.faults.load import Load, playing
from tests.faults.network import Host, Network
from tests.faults.oracle import INVARIANTS, Flaw, count, lost
from tests.faults.person import Person
from tests.faults.promise import Promise
from tests.faults.watch import acknowledgements, caught_up
from tests.store.fleet import Watched, role, running, until_so
from tests.store.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.full]

ROOMS, RATE = 24, 60.0  # of each deployment
CUT_S = 15.0
DOWN_AFTER_MS = 2000
GAP_S = 6.0
LAG_S = 3  # by which replicas may be behind; then the primary takes no writes
NOTICED_S = 2.5  # it counts in whole seconds, and looks each second
GUARDED = ("--min-replicas-to-write", "1", "--min-replicas-max-lag", str(LAG_S))


class Side(NamedTuple):
    """A deployment with a node on each side of the cut, and those who play there."""

    load: Load
    ways: list[Way]

    async def take_places(self) -> None:
        """Let the players of some rooms be on one side of the cut, of some on the other, of some on both."""
        url = [way.url for way in self.ways]
        for number, party in enumerate(self.load.parties):
            for player, place in zip(party.players, ((0, 0), (1, 1), (0, 1))[number % 3], strict=True):
                player.go_to(url[place])
        await until(lambda: all(party.plays for party in self.load.parties), 10)

    def on(self, number: int) -> list[Person]:
        """Return who is at a node."""
        return self.load.on(self.ways[number].url)


@asynccontextmanager
async def side(folder: Path, watched: Watched, hosts: list[Host], durability: str) -> AsyncIterator[Side]:
    start = partial(
        Deployment,
        folder,
        nodes=2,
        store=watched.primary,
        ways=[watched.url] * 2,
        places=hosts,
        durability=durability,
    )
    async with apart(start) as deployment, AsyncExitStack() as stack:
        ways = [
            await stack.enter_async_context(Way(host, node))
            for host, node in zip(hosts, deployment.nodes, strict=True)
        ]
        load = await stack.enter_async_context(
            playing(lambda: [way.url for way in ways], rooms=ROOMS, rate=RATE)
        )
        yield Side(load, ways)


class Outcome(NamedTuple):
    """What came of the cut for one deployment."""

    gap: float  # s for which no move was acknowledged beyond the cut
    late: float  # s after the last move until all were at the head
    flaws: list[Flaw]
    lost: list[float]  # s after the cut at which moves were acknowledged that are not there
    resets: int  # clients that were told to begin anew
    load: Load


async def partition(folder: Path, folders: Sequence[Path]) -> dict[str, Outcome]:
    """Cut the primary and a node off for a while, and return what came of it, by durability."""
    with Network() as network:
        hosts = [network.host() for _ in range(3)]
        fleet = Watched(folder, *GUARDED, down_after_ms=DOWN_AFTER_MS, places=hosts)
        async with (
            running(fleet) as watched,
            side(folders[0], watched, hosts[:2], "replicated") as safe,
            side(folders[1], watched, hosts[:2], "fast") as fast,
        ):
            sides = {"replicated": safe, "fast": fast}
            for each in sides.values():
                await each.take_places()
            await asyncio.sleep(1)
            beyond = {name: each.on(1) for name, each in sides.items()}
            network.cut(hosts[0])
            cut = time.monotonic()
            await asyncio.sleep(CUT_S)
            network.heal(hosts[0])
            await until_so(partial(role, watched.primary), b"slave", within=30)
            await asyncio.sleep(1)
            [primary] = [replica for replica in watched.replicas if await role(replica) == b"master"]
            return {
                name: await outcome(each.load, beyond[name], cut, primary.local)
                for name, each in sides.items()
            }


async def outcome(load: Load, beyond: list[Person], cut: float, store: str) -> Outcome:
    late = await caught_up(load, store, within=10)
    flaws = load.examine(store)
    moments = [when for when in acknowledgements(load, beyond) if when > cut - 1]
    gap = max(after - before for before, after in pairwise(moments))
    resets = sum(view.resets for view in load.record.history.views())
    gone = [when - cut for when in lost(load.record.history, load.logs(store))]
    return Outcome(gap, late, flaws, gone, resets, load)


@pytest.mark.promise("P8")
async def test_the_primary_is_cut_off_together_with_a_node(promise: Promise, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("safe", "fast")]
    for folder in folders:
        folder.mkdir()
    outcomes = await partition(tmp_path, folders)
    safe, fast = outcomes["replicated"], outcomes["fast"]
    promise.at_least("replicated: moves acknowledged", safe.load.record.history.acknowledged, 100)
    promise.equals("replicated: acknowledged moves lost", len(safe.lost), 0)
    promise.equals("replicated: flaws (I1 to I8)", count(safe.flaws, *INVARIANTS), 0)
    promise.at_least("fast, the guard off: acknowledged moves lost", len(fast.lost), 1)
    promise.at_most(
        "fast: acknowledged so long after the cut, and lost", max(fast.lost), LAG_S + NOTICED_S, "s"
    )
    promise.at_least("fast: clients told to begin anew", fast.resets, 1)
    for name, each in outcomes.items():
        merged = count(each.flaws, "I2", "I6", "I7", "I8")
        promise.equals(f"{name}: held or logged, and not of the game (I2, I6, I7, I8)", merged, 0)
        promise.at_most(f"{name}: no move acknowledged beyond the cut for", each.gap, GAP_S, "s")
        promise.at_most(f"{name}: at the head after the last move", each.late, 2.0, "s")
        # A primary that is cut off and does not know lacks rooms that were made elsewhere since.
        faults = [
            fault for fault in each.load.record.faults if name == "replicated" or "no_such_room" not in fault
        ]
        promise.equals(f"{name}: what no client should be told", len(faults), 0)
