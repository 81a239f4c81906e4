"""P26: twenty players want the seven seats that are left, over three nodes, in the same moment."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path
from typing import Final, NamedTuple, cast

import pytest
import redis
from tests.effort import amount
from tests.faults.deployment import Deployment
from tests.faults.promise import Promise
from tests.live.client import CODECS, Client
from tests.live.proof import read

PLAYERS: Final = 20
SEATS: Final = 8
ROOMS: Final = amount(10, 100)
MOST: Final = 100  # rooms until it goes wrong, where it may

pytestmark = pytest.mark.slow


@asynccontextmanager
async def crowd(urls: Sequence[str]) -> AsyncIterator[list[Client]]:
    """Let a host and all the others come, to one node after the other."""
    clients: list[Client] = []
    try:
        for _, url, codec in zip(range(1 + PLAYERS), cycle(urls), cycle(CODECS), strict=False):
            clients.append(await Client.connect(url, codec))
            await clients[-1].hello()
        yield clients
    finally:
        for client in clients:
            await client.close()


def seated(url: str, room: str) -> list[tuple[int, str]]:
    """Return who sat down on which seat, by the log."""
    with redis.Redis.from_url(url) as store:
        log = cast("list[bytes]", store.lrange(f"tm:{{{room}}}:log", 0, -1))
    events = [read(entry)[2] for entry in log]
    return [(event["seat"], event["player"]["id"]) for event in events if event["kind"] == "seated"]


class Rush(NamedTuple):
    """What came of it in one room."""

    room: str
    told: list[tuple[int, str]]  # seat and player, as the players were answered
    refused: int  # were told that the room is full

    def is_wrong(self, url: str) -> bool:
        """Tell whether the log has it otherwise, or a seat was not given just once."""
        sat = seated(url, self.room)
        return sorted(sat) != sorted(self.told) or sorted(seat for seat, _ in sat) != list(range(SEATS))


async def rush(host: Client, others: list[Client]) -> Rush:
    """Let all of the others join a room at once."""
    made = await host.ask("create", mode="race", private=True, options={"max_players": SEATS})
    answers = await asyncio.gather(*(other.ask("join", code=made["code"]) for other in others))
    told = [(made["seat"], host.player)]
    for client, answer in zip(others, answers, strict=True):
        if answer["t"] == "snapshot":
            told.append((answer["seat"], client.player))
    return Rush(made["room"], told, sum(answer.get("code") == "room_full" for answer in answers))


@pytest.mark.promise("P26")
async def test_each_seat_is_given_once(deployment: Deployment, promise: Promise) -> None:
    wrong, refused, games = 0, 0, 0
    async with crowd(deployment.addresses()) as (host, *others):
        for _ in range(ROOMS):
            rushed = await rush(host, others)
            wrong += rushed.is_wrong(deployment.redis.url)
            refused += rushed.refused
            inside = [client for client in (host, *others) if rushed.room in client.rooms]
            for client in inside:
                await client.reach(rushed.room, 1 + SEATS)
            games += len({client.rooms[rushed.room].chain for client in inside})
            for client in inside:
                await client.ok("leave", room=rushed.room)
        assert not [fault for client in (host, *others) for fault in client.faults]
    promise.equals("rooms in which seats were not given once each", wrong, 0)
    promise.equals("players for whom there was none", refused, ROOMS * (PLAYERS - SEATS + 1))
    promise.equals("games that those inside were told of", games, ROOMS)


@pytest.mark.full
@pytest.mark.twin("P26")
async def test_where_nobody_looks_at_the_end_of_the_log_seats_are_given_twice(
    tmp_path: Path, promise: Promise
) -> None:
    with Deployment(tmp_path, nodes=2, without="joined_wherever_the_log_ends") as deployment:
        async with crowd(deployment.addresses()) as (host, *others):
            for _ in range(MOST):
                if wrong := (await rush(host, others)).is_wrong(deployment.redis.url):
                    break
    promise.equals("seats were not given once each", wrong, False)
