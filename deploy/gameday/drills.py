"""What goes wrong on a game day, what should come of it, and for how long at most."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from installation import Installation, Trouble

DRAINS_S: Final = 10.0  # for a node that was asked to end
STARTED_AGAIN_S: Final = 1.0  # for a supervisor to see that a node died
AWAY_S: Final = 2.0  # that Redis, or its replica, is not there
FROZEN_S: Final = 5.0
CUTS: Final = 5
BETWEEN_CUTS_S: Final = 0.3


@dataclass(frozen=True)
class Drill:
    """A fault, and what was promised of it; limits in seconds."""

    name: str
    done: str  # what is done
    noticed: str  # what players should notice
    alert: str  # which would fire, and when
    sign: str  # the figure behind it, as `Eye.seen` has it
    fault: Callable[[Installation], Awaitable[None]]  # returns when the cause is gone
    longest_s: float  # that a move may wait until the opponent has it
    back_s: float  # from then until all nodes are ready and all players play


async def kill_node(installation: Installation) -> None:
    """Kill a node and start it again."""
    node = installation.nodes[0]
    node.kill()
    await asyncio.sleep(STARTED_AGAIN_S)
    node.start()


async def drain_node(installation: Installation) -> None:
    """Let a node end, and start another in its place. Raises Trouble."""
    node = installation.nodes[1]
    node.send(signal.SIGTERM)
    if status := await node.wait(DRAINS_S):
        raise Trouble(f"a node that was asked to end did so with status {status}; see {node.log}")
    node.start()


async def kill_redis(installation: Installation) -> None:
    """Kill Redis and start it again on its data."""
    installation.redis.kill()
    await asyncio.sleep(AWAY_S)
    installation.redis.start()


async def freeze_redis(installation: Installation) -> None:
    """Stop Redis as it is, and let it go on."""
    installation.redis.send(signal.SIGSTOP)
    await asyncio.sleep(FROZEN_S)
    installation.redis.send(signal.SIGCONT)


async def cut_feed(installation: Installation) -> None:
    """Break off the connections over which nodes hear of each other. Raises Trouble."""
    for _ in range(CUTS):
        if not (await installation.redis.ask("CLIENT", "KILL", "TYPE", "pubsub")).strip().isdigit():
            raise Trouble("Redis would not break off the feed's connections")
        await asyncio.sleep(BETWEEN_CUTS_S)


async def lose_replica(installation: Installation) -> None:
    """Kill the replica and start it again on its data."""
    installation.replica.kill()
    await asyncio.sleep(AWAY_S)
    installation.replica.start()


DRILLS: Final[Sequence[Drill]] = (
    Drill(
        "node-killed",
        "A node is killed (SIGKILL) and started again a second later.",
        "Half of them are away for a moment, and come back on the other node with all they had.",
        "TenmatchDown, if nobody started it again within a minute",
        "down",
        kill_node,
        longest_s=2.0,
        back_s=10.0,
    ),
    Drill(
        "node-drained",
        "A node is asked to end (SIGTERM) and replaced, as an upgrade does.",
        "Nothing: it sends them to the other node as it goes.",
        "none; TenmatchDown, if the next one did not start within a minute",
        "down",
        drain_node,
        longest_s=2.0,
        back_s=10.0,
    ),
    Drill(
        "redis-killed",
        f"Redis is killed (SIGKILL) and {AWAY_S:g} s later started again on its data.",
        "Moves wait (unavailable) until it and its replica are back, and then are made.",
        "TenmatchMovesUnavailable, if it lasted two minutes, and TenmatchNotReady, if it lasted one",
        "unavailable",
        kill_redis,
        longest_s=AWAY_S + 4.0,
        back_s=4.0,
    ),
    Drill(
        "redis-frozen",
        f"Redis stands still (SIGSTOP) for {FROZEN_S:g} s.",
        "Moves wait (unavailable) meanwhile, and each is made once.",
        "TenmatchMovesUnavailable, if it lasted two minutes, and TenmatchNotReady, if it lasted one",
        "unavailable",
        freeze_redis,
        longest_s=FROZEN_S + 4.0,
        back_s=4.0,
    ),
    Drill(
        "feed-cut",
        f"The connections over which nodes hear of each other are broken off {CUTS} times.",
        "Hardly anything: what they miss is made up for within 2 s.",
        "TenmatchFeedLosesMessages, if it went on for ten minutes",
        "feed connections",
        cut_feed,
        longest_s=2.0,
        back_s=2.0,
    ),
    Drill(
        "replica-lost",
        f"The replica is killed (SIGKILL) and {AWAY_S:g} s later started again.",
        "Moves wait (unavailable) until it is back: no move is acknowledged before it has it, too.",
        "TenmatchMovesUnavailable, if it lasted two minutes",
        "unavailable",
        lose_replica,
        longest_s=AWAY_S + 4.0,
        back_s=4.0,
    ),
)
