"""P38: clients who break off in the middle of a request get nobody else's answer, and cost no connections."""

import asyncio
import random
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.load import Load, playing
from tests.faults.oracle import INVARIANTS, count
from tests.faults.person import Person
from tests.faults.promise import Promise
from tests.servers import Server
from tests.store.fleet import Redis
from tests.store.waiting import until

from tenmatch.store import pipelines
from tenmatch.store.connect import Address, Store
from tenmatch.store.link import pack

ROOMS = amount(50, 100)  # with two players who break off
ROUNDS = amount(3, 50)
CALLERS = 200  # of whom most break off
ECHOES = amount(20, 200)  # rounds of them
CHURN = 8  # connections to Redis made anew, at most
RESET: Final = struct.pack("ii", 1, 0)  # SO_LINGER: no goodbye

pytestmark = pytest.mark.slow


def break_off(person: Person) -> None:
    """Reset a person's connection."""
    assert person.line is not None
    line: socket.socket = person.line.transport.get_extra_info("socket")
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    person.line.abort()


async def made_so_far(redis: Redis) -> int:
    """Return how many connections were made to Redis."""
    info: bytes = await redis.ask("INFO", "stats")
    return int(info.partition(b"total_connections_received:")[2].split()[0])


async def storm(load: Load) -> int:
    """Let all who can move and break off in the same breath; return how many did."""
    gone = 0
    for party in load.parties:
        if party.step():
            for player in party.players:
                if player.move is not None and player.line is not None:
                    break_off(player)
                    gone += 1
    await until(lambda: all(party.plays and party.quiet for party in load.parties), 20)
    return gone


@pytest.mark.promise("P38")
async def test_who_breaks_off_with_a_move_finds_it_made_once_or_never(
    deployment: Deployment, promise: Promise
) -> None:
    async with playing(deployment.addresses, rooms=ROOMS, rate=1000) as load:
        load.resting = True
        await until(lambda: all(party.quiet for party in load.parties), 10)
        before = await made_so_far(deployment.redis)
        gone = sum([await storm(load) for _ in range(ROUNDS)])
        churn = await made_so_far(deployment.redis) - before - 1  # that asked
        flaws = await load.settle(deployment.redis.url)
    promise.at_least("moves whose sender broke off", gone, ROUNDS * ROOMS // 2)
    promise.at_least("of these, found made when they came back", len(load.record.unanswered), 1)
    promise.equals("answers to the wrong request, moves doubled, other flaws", count(flaws, *INVARIANTS), 0)
    promise.at_most("connections to Redis made anew", churn, CHURN)
    assert load.record.faults == []


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    with Server("redis", tmp_path) as server:
        store = Store(Address(server.url))
        await store.set_clock()
        yield store
        store.close()


async def mixed_up(store: Store) -> int:
    """Let many ask for their own words back, and most break off at some moment; count who got others'."""
    wrong = 0
    for _ in range(ECHOES):
        asking = [asyncio.create_task(_echo(store, f"word {number}")) for number in range(CALLERS)]
        for _ in range(3):
            await asyncio.sleep(random.choice((0, 0.0002, 0.001)))
            for task in random.sample(asking, CALLERS // 4):
                task.cancel()
        answers = await asyncio.gather(*asking, return_exceptions=True)
        wrong += sum(answer is False for answer in answers)
    return wrong


async def _echo(store: Store, word: str) -> bool:
    [answer] = await store.pipeline([pack("ECHO", word)])
    return bool(answer == word.encode())


@pytest.mark.promise("P38")
async def test_whoever_stays_gets_their_own_answer(store: Store, promise: Promise) -> None:
    before: bytes = await store.call("INFO", "stats")
    promise.equals(f"of {ECHOES * CALLERS} calls, answered with another's", await mixed_up(store), 0)
    after: bytes = await store.call("INFO", "stats")
    promise.at_most("connections to Redis made anew", _connections(after) - _connections(before), CHURN)


def _connections(info: bytes) -> int:
    return int(info.partition(b"total_connections_received:")[2].split()[0])


@pytest.mark.twin("P38")
async def test_if_those_who_left_are_not_counted_answers_are_mixed_up(
    store: Store, promise: Promise, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def exchange(self: Any, link: Any, calls: Any) -> None:
        replies = await link.exchange([command for call in calls for command in call.commands])
        for call in calls:
            if not call.answers.done():
                own, replies = replies[: len(call.commands)], replies[len(call.commands) :]
                call.answers.set_result(pipelines.Answers(own, 0.0, 0.0))

    monkeypatch.setattr(pipelines.Pipelines, "_exchange", exchange)
    promise.equals(f"of {ECHOES * CALLERS} calls, answered with another's", await mixed_up(store), 0)
